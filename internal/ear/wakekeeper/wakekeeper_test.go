package wakekeeper

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/ear/wakebudget"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const word = "hey jarvis"

// detector is a detector with thresholds and nothing else.
type detector struct {
	mu sync.Mutex
	by map[string]float64
}

func (d *detector) Thresholds() map[string]float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.by)
}

func (d *detector) SetThresholds(by map[string]float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.Copy(d.by, by)
}

func (d *detector) threshold(word string) float64 { return d.Thresholds()[word] }

// room is a keeper that runs, in a bubble of synctest.
type room struct {
	*Keeper
	shown []wakebudget.State
	log   *bytes.Buffer
	stop  func()
}

func newRoom(t *testing.T, dir string, budget int, engine any) *room {
	t.Helper()
	r := &room{log: &bytes.Buffer{}}
	r.Keeper = New(Config{Dir: dir, Budget: budget, Engine: "auto", Words: []string{word}}, slog.New(slog.NewTextHandler(r.log, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := r.Run(ctx, engine, func(s wakebudget.State) { r.shown = append(r.shown, s) }); err != nil {
			t.Error(err)
		}
	}()
	r.stop = func() { cancel(); <-done }
	synctest.Wait()
	return r
}

// wakes makes n turns without speech, each two hours after the one before.
func (r *room) wakes(n int) {
	for range n {
		<-time.After(2 * time.Hour)
		r.TurnEnded(record.Record{Time: time.Now(), Wake: &record.Wake{Word: word}, Verdict: record.Verdict{Outcome: record.Ignored}})
		synctest.Wait()
	}
}

// A moved threshold reaches the detector, is reported and shown, and survives a restart.
func TestTheRunningDetectorIsMoved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		d := &detector{by: map[string]float64{word: 0.97}}
		r := newRoom(t, dir, 1, d)
		r.wakes(3)
		at := d.threshold(word)
		s := r.State()
		r.stop()
		if at <= 0.97 || !s.Adjustable || s.FalseToday != 3 || s.Words[0].Threshold != at || s.Words[0].Last == nil || s.Words[0].Last.Why != wakebudget.OverBudget {
			t.Errorf("the detector's threshold is %v, the state %+v", at, s)
		}
		if last := r.shown[len(r.shown)-1]; last.FalseToday != 3 || last.Words[0].Threshold != at {
			t.Errorf("shown: %+v", last)
		}
		if log := r.log.String(); !strings.Contains(log, "the threshold of a wake word was moved") || !strings.Contains(log, "why=over_budget") {
			t.Errorf("the log says\n%s", log)
		}
		if about := r.About(); !strings.Contains(about, "3 false wakes") || !strings.Contains(about, "instead of 0.970") {
			t.Errorf("about: %s", about)
		}
		d = &detector{by: map[string]float64{word: 0.97}}
		again := newRoom(t, dir, 1, d)
		again.stop()
		if d.threshold(word) != at {
			t.Errorf("after a restart the threshold is %v, was %v", d.threshold(word), at)
		}
	})
}

// The state says plainly that an engine has no thresholds, or that the budget is switched
// off.
func TestWhereNothingIsMoved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		budget int
		engine any
		why    string
	}{
		"no threshold": {1, struct{}{}, "cannot be moved"},
		"no budget":    {0, &detector{by: map[string]float64{word: 0.97}}, "wake.budget is 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t, "", tt.budget, tt.engine)
				r.wakes(4)
				r.stop()
				s := r.State()
				if s.Adjustable || !strings.Contains(s.Why, tt.why) || s.FalseToday != 4 || r.Trouble() != "" || !strings.Contains(r.About(), tt.why) {
					t.Errorf("%+v; trouble %q, about %q", s, r.Trouble(), r.About())
				}
				if d, ok := tt.engine.(*detector); ok && d.threshold(word) != 0.97 {
					t.Errorf("moved to %v", d.threshold(word))
				}
			})
		})
	}
	if s := New(Config{Budget: 1}, slog.New(slog.DiscardHandler)).State(); s.Adjustable || s.Why == "" {
		t.Errorf("a keeper that does not run: %+v", s)
	}
}

// A budget that no threshold within the bounds can keep is reported as trouble.
func TestABudgetThatCannotBeKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &detector{by: map[string]float64{word: 0.97}}
		r := newRoom(t, "", 1, d)
		r.wakes(3)
		if why := r.Trouble(); why != "" {
			t.Errorf("trouble before the bound: %s", why)
		}
		r.wakes(8)
		r.stop()
		if why := r.Trouble(); !strings.Contains(why, "as high as it may be") {
			t.Errorf("trouble: %q with the threshold %v", why, d.threshold(word))
		}
	})
}

// "That wasn't me" makes the wake before a false one; speech that is not a command makes
// its wake a false one if there is no other try.
func TestComplaintsAndDoubts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, "", 1, &detector{by: map[string]float64{word: 0.97}})
		<-time.After(time.Hour)
		r.TurnEnded(record.Record{
			Time: time.Now(), Wake: &record.Wake{Word: word}, Transcript: &record.Transcript{Text: "lamp on"}, Verdict: record.Verdict{Outcome: record.Done},
		})
		<-time.After(10 * time.Second)
		r.TurnEnded(record.Record{Time: time.Now(), Intent: &record.Intent{Name: catalogue.NotForYou}, Verdict: record.Verdict{Outcome: record.Done}})
		synctest.Wait()
		if n := r.State().FalseToday; n != 1 {
			t.Errorf("%d false wakes after a complaint", n)
		}
		r.TurnEnded(record.Record{Time: time.Now(), Wake: &record.Wake{Word: word}, Transcript: &record.Transcript{}, Verdict: record.Verdict{Outcome: record.Ignored}})
		synctest.Wait()
		if n := r.State().FalseToday; n != 1 {
			t.Errorf("%d false wakes while somebody may try again", n)
		}
		<-time.After(2 * time.Minute)
		synctest.Wait()
		r.stop()
		if n := r.State().FalseToday; n != 2 {
			t.Errorf("%d false wakes when nobody has tried again", n)
		}
	})
}

// A turn never waits for the keeper, whether it runs or not.
func TestNothingWaitsForTheKeeper(t *testing.T) {
	t.Parallel()
	k := New(Config{Budget: 1, Words: []string{word}}, slog.New(slog.DiscardHandler))
	for range 3 * queue {
		k.TurnEnded(record.Record{Wake: &record.Wake{Word: word}})
	}
	if len(k.events) != queue {
		t.Errorf("%d events wait, expected %d", len(k.events), queue)
	}
}
