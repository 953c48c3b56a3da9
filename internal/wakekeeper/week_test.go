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

	"voicegateway/internal/record"
	"voicegateway/internal/speech"
	"voicegateway/internal/wakebudget"
)

// person draws the best score of somebody who says the wake word. The shares are those
// of 152 hearings of 80 people in a quiet room and in some kitchen noise, whose best
// scores were over 0.9 (docs/facts/engines.md, Wake word models).
func person(r *rand.Rand) float64 {
	between := func(low, high float64) float64 { return low + (high-low)*r.Float64() }
	switch n := r.IntN(152); {
	case n < 4:
		return between(0.95, 0.97)
	case n < 5:
		return between(0.97, 0.98)
	case n < 6:
		return between(0.98, 0.985)
	case n < 12:
		return between(0.985, 0.99)
	default:
		return between(0.99, 0.996)
	}
}

// television is what wakes a gateway at its lowest threshold so often a day.
type television struct {
	rate  float64
	score func(r *rand.Rand, least float64) float64 // the best score of its sound
}

// spread are scores from the lowest threshold up to certainty, each as likely. alike are
// those of words that sound like the wake word: no threshold tells them apart.
func spread(r *rand.Rand, least float64) float64 { return least + (0.996-least)*r.Float64() }
func alike(r *rand.Rand, _ float64) float64      { return 0.99 + 0.006*r.Float64() }

// tried is somebody, or something, that says the wake word.
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
		for part := 0.0; part < 12; part++ { // of an hour and more, so that the number varies
			if r.Float64() < falsely/12 {
				all = append(all, tried{at(18, 23), false})
			}
		}
	}
	slices.SortFunc(all, func(a, b tried) int { return int(a.at - b.at) })
	return all
}

// tally is what a week came to.
type tally struct {
	byDay               [7]int // false wakes
	meant, missed, lost int    // tries
	houses              int    // counted by add
	high, troubled      int    // houses that end at the highest threshold, and in which that was told
}

// live plays a week in a house in which one person speaks to a gateway beside a
// television.
func live(t *testing.T, seed uint64, budget int, tv television) (sum tally) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		const least = 0.97
		r := rand.New(rand.NewPCG(seed, 7))
		d := &detector{by: map[string]float64{word: least}}
		k := New(Config{Budget: budget, Engine: "micro", Words: []string{word}}, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- k.Run(ctx, d, func(wakebudget.State) {}) }()
		began := time.Now()
		// says is a hearing of one score; it reports whether that woke the gateway.
		says := func(score float64, meant bool) bool {
			if score <= d.threshold(word) {
				if score > 0.6*least {
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
		for _, x := range week(r, 60, tv.rate) {
			if wait := x.at - time.Since(began); wait > 0 {
				<-time.After(wait)
			}
			synctest.Wait()
			if !x.meant {
				if says(tv.score(r, least), false) {
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
				score := person(r)
				if says(score, true) {
					break
				}
				sum.missed++
				if score > least {
					sum.lost++
				}
				<-time.After(3 * time.Second)
			}
		}
		<-time.After(5 * time.Minute)
		synctest.Wait()
		if end := k.State().Words[0]; end.Threshold >= end.Most {
			sum.high = 1
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return sum
}

// TestAWeekWithATelevision: over one and a half false wakes a day become one at most
// within the week, and few wakes are lost for it. Where a television wakes the gateway
// far too often, or says the very word, no threshold within the bounds is enough; the
// family loses few wakes all the same, and is told.
func TestAWeekWithATelevision(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	play := func(houses, budget int, tv television) (sum tally) {
		for i := range uint64(houses) {
			sum.add(live(t, seed+i, budget, tv))
		}
		t.Logf("%.1f false wakes a day, budget %d, %d houses: a day %v; of %d tries %.2f %% lost by the budget, %.2f %% missed in all; %d houses end at the highest threshold, %d told so",
			tv.rate, budget, houses, sum.days(), sum.meant, sum.share(sum.lost), sum.share(sum.missed), sum.high, sum.troubled)
		if sum.share(sum.lost) > 2 {
			t.Errorf("%.2f %% of the meant wakes were lost, expected 2 at most", sum.share(sum.lost))
		}
		return sum
	}
	usual := television{1.6, spread}
	const houses = 60
	kept, free := play(houses, 1, usual).days(), play(houses, 0, usual).days()
	chance := 3 * math.Sqrt(1.0/(3*houses)) // of three days in so many houses, with one false wake a day
	if end, before := mean(kept[4:]), mean(free[4:]); end > 1+chance || end > 0.8*before {
		t.Errorf("%.2f false wakes a day at the end of the week, expected 1 at most (and %.2f by chance) and a fifth less than the %.2f without the budget", end, chance, before)
	}
	if whole, before := mean(kept), mean(free); whole > 1.25+chance/2 || before < 1.3 {
		t.Errorf("over the week %.2f false wakes a day, expected 1 and a little for its beginning; without the budget %.2f", whole, before)
	}
	for _, tv := range []television{{5, spread}, {2, alike}} {
		if w := play(25, 1, tv); w.troubled == 0 {
			t.Errorf("%.1f false wakes a day: nobody was told that the budget is not kept", tv.rate)
		}
	}
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
	s.meant, s.missed, s.lost, s.houses = s.meant+o.meant, s.missed+o.missed, s.lost+o.lost, s.houses+1
	s.high, s.troubled = s.high+o.high, s.troubled+o.troubled
}

// days are the false wakes of each day in the average house, in hundredths.
func (s tally) days() (means []float64) {
	for _, n := range s.byDay {
		means = append(means, math.Round(100*float64(n)/float64(s.houses))/100)
	}
	return means
}

func (s tally) share(n int) float64 { return 100 * float64(n) / float64(s.meant) }
