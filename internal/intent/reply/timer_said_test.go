package reply_test

import (
	"strings"
	"testing"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/tools"
)

// FuzzTimersTold gives a result of any form: whatever a tool answers, nothing panics and no
// place of a phrase stays open.
func FuzzTimersTold(f *testing.F) {
	f.Add([]byte(`{"outcome":"started","timers":[{"kind":"timer","length":60}]}`), "en")
	f.Add([]byte(`{"outcome":"listed","timers":[{"kind":"alarm","due":"2026-11-25T07:00:00Z","at":"07:00","every":"monday"}]}`), "de")
	f.Add([]byte(`{"outcome":"snoozed","timers":[]}`), "es")
	f.Add([]byte(`{"outcome":"several","timers":[{"kind":"x"},{"left":-5},{"kind":"command","state":"ringing"}]}`), "fr")
	f.Add([]byte(`{"outcome":"refused","reason":"{what}"}`), "en")
	f.Fuzz(func(t *testing.T, data []byte, language string) {
		p, err := reply.Ours(language)
		if err != nil {
			return
		}
		step := plan.Step{Action: intent.Action{Intent: "HassTimerStatus", Slots: map[string]any{}}, Call: tools.Call{Tool: "list_timers"}}
		said := p.SayResults([]plan.Step{step}, []tools.Result{{Data: data}})
		for _, place := range []string{"{length}", "{time}", "{when}", "{what}", "{hour}", "{ago}"} {
			if strings.Contains(said, place) && !strings.Contains(string(data), place) {
				t.Errorf("%q has an open %s", said, place)
			}
		}
		if all, asks := p.Asks(tools.Result{Data: data}); asks {
			p.Choose(string(data), all)
		}
	})
}

// TestChoose finds the timer that an answer names, and none where two fit.
func TestChoose(t *testing.T) {
	t.Parallel()
	p, err := reply.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	all := []reply.Timer{
		{ID: "1", Kind: "timer", Name: "pasta", Length: 540},
		{ID: "2", Kind: "timer", Length: 600},
		{ID: "3", Kind: "alarm", At: "07:00", Due: time.Date(2026, 11, 25, 7, 0, 0, 0, time.UTC)},
		{ID: "4", Kind: "reminder", Text: "call mum", Due: time.Date(2026, 11, 25, 18, 0, 0, 0, time.UTC)},
	}
	for answer, want := range map[string]string{
		"the pasta": "1", "Pasta, please": "1", "ten minutes": "2", "the 10 minutes one": "2", "7 AM": "3", "call mum": "4",
		"the pasta and the ten minutes": "", "the pastry": "", "": "", "the second one": "",
	} {
		got, ok := p.Choose(answer, all)
		if got.ID != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", answer, got.ID, ok, want)
		}
	}
}
