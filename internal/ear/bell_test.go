package ear_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/ear"
	_ "voicegateway/internal/fake/bubble"
)

// walkSteps are what may happen in a house, one for each byte of a walk.
var walkSteps = []string{
	"wake", "wake", "say turn on the kitchen light", "say what time is it", "say stop", "say okay", "begin turn on the", "cough", "mumble",
	"stopword", "stopword", "quiet 300ms", "quiet 300ms", "quiet 1500ms", "quiet 3s", "quiet 7s", "gap 4s", "listen", "stop", "mute", "unmute",
	"speak Dinner is ready.", "ring", "ring", "ring", "alarm", "hush", "television stop the war", "dumb", "deaf", "recover",
}

// walked is what is known of an alert of a walk.
type walked struct {
	urgent, over, hushed bool
}

// walk acts out a walk, and holds what becomes of its alerts against what must.
type walk struct {
	*scene
	alerts map[string]*walked
}

func (w *walk) step(b byte) {
	line := walkSteps[int(b)%len(walkSteps)]
	id := fmt.Sprintf("a%d", len(w.alerts))
	switch line {
	case "ring":
		w.alerts[id] = &walked{}
		line = fmt.Sprintf("ring %s 2s 1h The timer %s.", id, id)
	case "alarm":
		w.alerts[id] = &walked{urgent: true}
		line = fmt.Sprintf("alarm %s 2s Smoke in %s!", id, id)
	case "hush":
		if id = fmt.Sprintf("a%d", int(b)/len(walkSteps)); w.alerts[id] == nil {
			return
		}
		if w.account(); !w.alerts[id].over {
			w.alerts[id].hushed = true
		}
		line += " " + id
	case "recover":
		w.deaf = nil
		w.mend(nil)
		return
	}
	w.act(line)
}

// account notes the alerts that were reported as over, and fails if one was reported
// twice.
func (w *walk) account() {
	w.mu.Lock()
	defer w.mu.Unlock()
	told := map[string]int{}
	for _, note := range w.log {
		if words := strings.Fields(note); words[1] == "acknowledged" || words[1] == "over" {
			for id := range strings.FieldsSeq(strings.Trim(strings.Join(words[2:], " "), "[]")) {
				told[id]++
				w.alerts[id].over = true
				if !slices.ContainsFunc(w.log, func(n string) bool { return strings.HasSuffix(n, "sound ring") || strings.HasSuffix(n, "sound alarm") }) {
					w.t.Errorf("%s is over and never sounded", id)
				}
			}
		}
	}
	for id, n := range told {
		if n > 1 || w.alerts[id].hushed {
			w.t.Errorf("%s was told as over %d times, hushed %v", id, n, w.alerts[id].hushed)
		}
	}
}

// notes are what has happened so far.
func (w *walk) notes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}

// heardSince lists the alerts whose words were spoken since a place in the log.
func (w *walk) heardSince(from int) map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	heard := map[string]bool{}
	for _, note := range w.log[from:] {
		for id := range w.alerts {
			if strings.HasSuffix(note, " "+id+`."`) || strings.HasSuffix(note, " "+id+`!"`) {
				heard[id] = true
			}
		}
	}
	return heard
}

// settle lets a quarter of an hour pass in silence: every alert that is not acknowledged
// rings, the urgent ones first, and when all are taken back the ear is idle.
func (w *walk) settle() {
	w.deaf = nil
	w.mend(nil)
	w.act("unmute")
	w.act("gap 2m") // the present state ends by its deadline
	w.account()
	left := map[string]bool{}
	for id, a := range w.alerts {
		if !a.over && !a.hushed {
			left[id] = a.urgent
		}
	}
	if slices.Contains(slices.Collect(maps.Values(left)), true) {
		maps.DeleteFunc(left, func(_ string, urgent bool) bool { return !urgent })
	}
	from := len(w.notes())
	w.act("gap 3m")
	heard := w.heardSince(from)
	for id := range left {
		if !heard[id] {
			w.t.Errorf("%s does not ring any more", id)
		}
	}
	for id := range heard {
		if _, ok := left[id]; !ok {
			w.t.Errorf("%s rings although it is over, or before an urgent one", id)
		}
	}
	w.act("hush")
	w.act("gap 3m")
	w.act("quiet 100ms")
	from = len(w.notes())
	w.act("gap 3m")
	if all := w.notes(); len(all) > from {
		w.t.Errorf("no rest after all was over: %v", all[from:])
	}
	last := ""
	for _, note := range w.notes() {
		if _, state, ok := strings.Cut(note, " state "); ok {
			last = state
		}
	}
	if last != "" && last != "idle" {
		w.t.Errorf("the last state is %s", last)
	}
}

// FuzzNoWalkLosesAnAlert performs random acts: no alert is lost, none is reported as over
// twice, none rings after its end, and nothing is stuck.
func FuzzNoWalkLosesAnAlert(f *testing.F) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 7))
		steps := make([]byte, 40)
		for i := range steps {
			steps[i] = byte(r.IntN(256))
		}
		f.Add(steps)
	}
	f.Fuzz(func(t *testing.T, steps []byte) {
		synctest.Test(t, func(t *testing.T) {
			w := &walk{newScene(t, ear.Config{Earcons: earcon.Soft}), map[string]*walked{}}
			w.begin(func() {
				for _, b := range steps[:min(len(steps), 60)] {
					w.step(b)
				}
				w.settle()
			})
		})
	})
}

// TestAFloodOfAlertsIsBounded: a flood of alerts is bounded, and those that
// had a place ring.
func TestAFloodOfAlertsIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		refused := 0
		for i := range 1000 {
			if err := b.loop.Ring(t.Context(), ear.Alert{ID: fmt.Sprint(i), Sound: earcon.Ring, Every: time.Second}); err != nil {
				refused++
			}
		}
		if err := b.loop.Quiet(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		b.stop()
		if states := b.observer.States(); refused != 1000-256 || states[len(states)-1] != ear.Idle {
			t.Errorf("%d were refused, states %v", refused, states)
		}
	})
}

// TestWhoIsToldMayAskTheLoop: a timer that is snoozed at once rings again.
func TestWhoIsToldMayAskTheLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, ear.Config{})
		told := 0
		s.told = func(ids []string) {
			if told++; told == 1 {
				if err := s.loop.Ring(t.Context(), ear.Alert{ID: ids[0], Sound: earcon.Ring, Text: "Again.", Every: time.Second}); err != nil {
					t.Error(err)
				}
			}
		}
		s.play("ring pasta 1s 1h The pasta timer.", "quiet 1s", "stop", "quiet 3s", "stop", "quiet 1s")
		if log := lines(s.events()); told != 2 || !strings.Contains(log, `plays "Again."`) {
			t.Errorf("told %d times:\n%s", told, log)
		}
	})
}
