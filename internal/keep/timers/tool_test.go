package timers

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/tools"
)

// bookkeeper is a real book with a clock that shows midday.
type bookkeeper struct{ book *Book }

var midday = Moment{Wall: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}

func (b bookkeeper) Start(_ context.Context, w Wish) Result {
	return b.book.Start(w, midday)
}
func (b bookkeeper) Change(c Change) Result { return b.book.Change(c, midday) }
func (b bookkeeper) List(w Which, area string) Result {
	return b.book.List(w, area, midday)
}

// The tools are called as sentences and models call them, through the registry that
// checks and mends their arguments; their data is what replies are made of.
func TestTimerTools(t *testing.T) {
	t.Parallel()
	registry := tools.NewRegistry()
	if err := registry.Add(Tools(bookkeeper{Open(Saved{}, midday)})...); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		tool, args string
		failed     bool
		text       string // a part of it
		outcome    Outcome
		reason     Reason
	}{
		{"list_timers", `{}`, false, "There are no timers.", Listed, ""},
		{"start_timer", `{"kind":"timer","seconds":540,"name":"pasta","area":"Kitchen"}`, false, "Started: the pasta timer, 9 minutes left.", Started, ""},
		{"start_timer", `{"kind":"alarm","at":"07:00","twelve":true,"every":"weekday"}`, false, "Started: the alarm at 07:00 every weekday.", Started, ""},
		{"start_timer", `{"kind":"reminder","at":"18:00","day":"tomorrow","text":"call mum"}`, false, "Started: the reminder “call mum” at 18:00 on Monday, March 2.", Started, ""},
		{"start_timer", `{"kind":"command","seconds":60,"command":"turn off the lamp","confirmed":true}`, false, "turn off the lamp", Started, ""},
		{"start_timer", `{"kind":"timer","seconds":"60"}`, false, "Started: the timer, 1 minute left.", Started, ""}, // as a model may write it
		{"start_timer", `{"kind":"timer"}`, true, "Give either seconds", Refused, NoTime},
		{"start_timer", `{"kind":"timer","at":"29:00"}`, true, "HH:MM", Refused, BadTime},
		{"start_timer", `{"kind":"alarm","at":"11:00","day":"today"}`, true, "over", Refused, Past},
		{"start_timer", `{"kind":"timer","seconds":0}`, true, "A timer lasts a second at least.", Refused, TooShort},
		{"start_timer", `{"kind":"timer","seconds":-1}`, true, "wrong", "", ""},
		{"start_timer", `{"kind":"gong","seconds":5}`, true, "wrong", "", ""},
		{"change_timer", `{"action":"add","which":{"name":"pasta"},"seconds":60,"area":"Kitchen"}`, false, "Changed: the pasta timer, 10 minutes left.", Changed, ""},
		{"change_timer", `{"action":"pause","which":{"seconds":540}}`, false, "Paused: the pasta timer is paused with 10 minutes left.", WasPaused, ""},
		{"change_timer", `{"action":"stop"}`, true, "Nothing rings.", Refused, NothingRings},
		{"change_timer", `{"action":"cancel","which":{"name":"rice"}}`, false, "No timer is called that. There are:", None, UnknownName},
		{"change_timer", `{"action":"cancel","which":{"kind":"timer"}}`, false, "Which one?", Several, ""},
		{"list_timers", `{"which":{"kind":"alarm"}}`, false, "There are: the alarm at 07:00 every weekday.", Listed, ""},
		{"change_timer", `{"action":"cancel_all"}`, false, "Cancelled:", Cancelled, ""},
		{"change_timer", `{"action":"shake"}`, true, "wrong", "", ""},
	} {
		res, err := registry.Call(t.Context(), tools.Call{Tool: step.tool, Args: json.RawMessage(step.args)})
		if err != nil || res.Failed != step.failed || !strings.Contains(res.Text, step.text) {
			t.Errorf("%s %s: failed %t, %q, %v", step.tool, step.args, res.Failed, res.Text, err)
		}
		var data Result
		if step.outcome == "" {
			continue
		}
		if err := json.Unmarshal(res.Data, &data); err != nil || data.Outcome != step.outcome || data.Reason != step.reason || data.Timers == nil || !data.Now.Equal(midday.Wall) {
			t.Errorf("%s %s: %s", step.tool, step.args, res.Data)
		}
	}
	for name, risk := range map[string]tools.Risk{"start_timer": tools.Reversible, "change_timer": tools.Reversible, "list_timers": tools.Read} {
		spec, ok := registry.Lookup(tools.Call{Tool: name})
		if !ok || spec.Risk != risk || strings.Contains(string(spec.Input), "confirmed") {
			t.Errorf("%s is offered as %s: %s", name, spec.Risk, spec.Input)
		}
	}
}
