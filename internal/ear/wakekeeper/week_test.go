package wakekeeper

import (
	"context"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/ear/wakebudget"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
)

// share is how many of those who say a wake word score between two bounds at best.
type share struct {
	low, high float64
	of        int
}

// model is a wake word with its author's threshold and the scores of people.
type model struct {
	name   string
	usual  float64
	people []share
}

// The people are those of 152 hearings of "alexa", half of them with a kitchen's noise
// beside, whose best scores came to something (docs/facts/engines.md, Wake word models).
// They go with the threshold of "alexa". With that of "hey jarvis", which is nearer to
// certainty and of which too few people were recorded, they are unkind.
var (
	someNoise = []share{{0.95, 0.97, 4}, {0.97, 0.98, 1}, {0.98, 0.985, 1}, {0.985, 0.99, 6}, {0.99, certain, 140}}
	loudNoise = []share{
		{0.7, 0.8, 1}, {0.85, 0.88, 1}, {0.90, 0.925, 1}, {0.925, 0.95, 5}, {0.95, 0.97, 1}, {0.97, 0.98, 1}, {0.98, 0.985, 1}, {0.985, 0.99, 7}, {0.99, certain, 134},
	}
	alexa      = model{"alexa", 0.90, someNoise}
	alexaAloud = model{"alexa, loud", 0.90, loudNoise}
	jarvis     = model{"hey jarvis", 0.97, someNoise}
)

// least is the lowest threshold, and certain the best score there is.
func (m model) least() float64 { return 1 - (1-m.usual)*5/3 }

const certain = 0.996

// person draws the best score of a person who says the wake word.
func (m model) person(r *rand.Rand) float64 {
	all := 0
	for _, s := range m.people {
		all += s.of
	}
	n := r.IntN(all)
	for _, s := range m.people {
		if n -= s.of; n < 0 {
			return s.low + (s.high-s.low)*r.Float64()
		}
	}
	return 0
}

// television is what wakes a gateway at the usual threshold so often a day.
type television struct {
	name string
	rate float64
	same bool // it says words that sound like the wake word: no threshold tells them apart
}

// sounds is how often a day it comes near the wake word, and score how near: where it
// does not say the word, each score down to the lowest threshold is as likely, as with
// near misses of "hey jarvis" in ten voices: 12 over 0.95, 6 over 0.97, 3 over 0.98.
func (tv television) sounds(m model) float64 {
	if tv.same {
		return tv.rate
	}
	return tv.rate * (certain - m.least()) / (certain - m.usual)
}

func (tv television) score(r *rand.Rand, m model) float64 {
	if tv.same {
		return 0.99 + 0.006*r.Float64()
	}
	return m.least() + (certain-m.least())*r.Float64()
}

// tried is one time at which a person or the television says the wake word.
type tried struct {
	at    time.Duration
	meant bool
}

// week lists what is said in a week: meant by day, and by the television in the evening.
func week(r *rand.Rand, meant, falsely float64) []tried {
	var all []tried
	for day := range 7 {
		at := func(from, to float64) time.Duration {
			return time.Duration(day)*24*time.Hour + time.Duration((from+(to-from)*r.Float64())*float64(time.Hour))
		}
		for range int(meant) {
			all = append(all, tried{at(7, 23), true})
		}
		for part := 0.0; part < 24; part++ { // many small chances, so that the number varies
			if r.Float64() < falsely/24 {
				all = append(all, tried{at(18, 23), false})
			}
		}
	}
	slices.SortFunc(all, func(a, b tried) int { return int(a.at - b.at) })
	return all
}

// tally is what a week came to.
type tally struct {
	byDay            [7]int // false wakes
	meant, missed    int    // tries
	late, lateMissed int    // those of the last four days
	houses           int    // counted by add
	troubled         int    // houses in which the trouble was reported that the budget is not kept
	ends             float64
}

// live plays a week in a house in which one person speaks to a gateway beside a
// television.
func live(t *testing.T, seed uint64, budget int, m model, tv television) (sum tally) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 7))
		d := &detector{by: map[string]float64{word: m.usual}}
		k := New(Config{Budget: budget, Engine: "micro", Words: []string{word}}, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- k.Run(ctx, d, func(wakebudget.State) {}) }()
		began := time.Now()
		// says plays one score to the detector; it reports whether that woke the gateway.
		says := func(score float64, meant bool) bool {
			if score <= d.threshold(word) {
				if score > 0.6*m.usual {
					k.Near(speech.Detection{Word: word, Score: score, At: time.Now()})
				}
				return false
			}
			rec := record.Record{Time: time.Now(), Wake: &record.Wake{Word: word, Score: score}}
			switch {
			case meant:
				rec.Transcript, rec.Outcome = &record.Transcript{Text: "turn on the lamp"}, record.Done
			case r.IntN(2) == 0:
				rec.Transcript, rec.Outcome = &record.Transcript{}, record.Ignored
			default:
				rec.Outcome = record.Ignored
			}
			<-time.After(4 * time.Second)
			k.TurnEnded(rec)
			return true
		}
		for _, x := range week(r, 60, tv.sounds(m)) {
			if wait := x.at - time.Since(began); wait > 0 {
				<-time.After(wait)
			}
			synctest.Wait()
			if !x.meant {
				if says(tv.score(r, m), false) {
					sum.byDay[int(x.at/(24*time.Hour))]++
				}
				synctest.Wait()
				if k.Trouble() != "" {
					sum.troubled = 1
				}
				continue
			}
			for range 5 { // until one is heard
				sum.meant++
				late := x.at > 3*24*time.Hour
				if late {
					sum.late++
				}
				score := m.person(r)
				if says(score, true) {
					break
				}
				sum.missed++
				if late {
					sum.lateMissed++
				}
				<-time.After(3 * time.Second)
			}
		}
		<-time.After(5 * time.Minute)
		synctest.Wait()
		sum.ends = k.State().Words[0].Threshold
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return sum
}

// TestAWeekWithATelevision: at the end of a week at most two in a hundred meant wakes are
// missed, and within that the false ones keep to their budget. If both are not possible,
// the missed ones matter more, and trouble is reported. If the television is far over the
// budget, no more are missed than at the author's threshold.
func TestAWeekWithATelevision(t *testing.T) {
	t.Parallel()
	weekWithATelevision(t, 5)
}

// weekWithATelevision plays so many houses of each kind.
func weekWithATelevision(t *testing.T, houses int) {
	t.Helper()
	const seed uint64 = 14525314479803075542 // the same houses each time, so that the test does not fail by chance
	t.Logf("seed %d; %d houses each; false wakes a day, at the end of the week, of the meant wakes missed %%, in the week and at its end", seed, houses)
	for _, tt := range []struct {
		tv          television
		keeps, able bool // the budget: with everybody; with people whose scores allow it
		far, tells  bool // the television is far over the budget; the trouble is reported
	}{
		{tv: television{"never on", 0, false}, keeps: true},
		{tv: television{"seldom on", 0.4, false}, keeps: true},
		{tv: television{"usual", 1.6, false}, able: true, tells: true},
		{tv: television{"always on", 5, false}, tells: true, far: true},
		{tv: television{"says the word", 2, true}, tells: true},
	} {
		for _, m := range []model{alexa, alexaAloud, jarvis} {
			kept, free := play(t, m, seed, 1, tt.tv, houses), play(t, m, seed, 0, tt.tv, houses)
			chance := 3 * math.Sqrt(2*98/float64(kept.late))
			missed, before := percent(kept.lateMissed, kept.late), percent(free.missed, free.meant)
			t.Logf("%-11s %-14s budget %.2f, %.2f, %.2f; none %.2f, %.2f; threshold %.4f, told in %d",
				m.name, tt.tv.name, mean(kept.days()[3:]), percent(kept.missed, kept.meant), missed, mean(free.days()[3:]), before, kept.ends/float64(houses), kept.troubled)
			if limit := 2.0; missed > limit+chance && (!tt.far || missed > max(limit, before)+chance) {
				t.Errorf("%s, %s: %.2f %% of the meant wakes were missed, expected 2 at most", m.name, tt.tv.name, missed)
			}
			allowed := 1 + 3/math.Sqrt(4*float64(houses)) // by chance, of four days with one each
			if end := mean(kept.days()[3:]); (tt.keeps || tt.able && m.name == alexa.name) && end > allowed {
				t.Errorf("%s, %s: %.2f false wakes a day, expected 1 at most (and %.2f by chance)", m.name, tt.tv.name, end, allowed-1)
			}
			if tt.tells && kept.troubled == 0 {
				t.Errorf("%s, %s: nobody was told that the budget is not kept", m.name, tt.tv.name)
			}
		}
	}
}

// play is a week in many houses.
func play(t *testing.T, m model, seed uint64, budget int, tv television, houses int) (sum tally) {
	t.Helper()
	for i := range uint64(houses) {
		sum.add(live(t, seed+i, budget, m, tv))
	}
	return sum
}

func mean(of []float64) (m float64) {
	for _, x := range of {
		m += x / float64(len(of))
	}
	return m
}

func (s *tally) add(o tally) {
	for i := range s.byDay {
		s.byDay[i] += o.byDay[i]
	}
	s.meant, s.missed, s.houses = s.meant+o.meant, s.missed+o.missed, s.houses+1
	s.late, s.lateMissed = s.late+o.late, s.lateMissed+o.lateMissed
	s.ends, s.troubled = s.ends+o.ends, s.troubled+o.troubled
}

// days are the false wakes of each day in the average house, in hundredths.
func (s tally) days() (means []float64) {
	for _, n := range s.byDay {
		means = append(means, math.Round(100*float64(n)/float64(s.houses))/100)
	}
	return means
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(of) }
