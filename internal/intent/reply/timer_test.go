package reply_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/tools"
)

// now is a Tuesday afternoon.
var now = time.Date(2026, 11, 24, 15, 0, 0, 0, time.UTC)

// pot, egg and the others are what a family has set.
var (
	pot   = reply.Timer{ID: "1", Kind: "timer", Name: "pasta", State: "running", Due: now.Add(4 * time.Minute), Left: 240, Length: 540}
	egg   = reply.Timer{ID: "2", Kind: "timer", Name: "eggs", State: "running", Due: now.Add(time.Minute), Left: 61, Length: 360}
	ten   = reply.Timer{ID: "3", Kind: "timer", State: "running", Due: now.Add(10 * time.Minute), Left: 600, Length: 600}
	seven = reply.Timer{ID: "4", Kind: "alarm", State: "running", Due: time.Date(2026, 11, 25, 7, 0, 0, 0, time.UTC), At: "07:00"}
	work  = reply.Timer{ID: "5", Kind: "alarm", State: "running", Due: time.Date(2026, 11, 25, 6, 30, 0, 0, time.UTC), At: "06:30", Every: "weekday"}
	mum   = reply.Timer{ID: "6", Kind: "reminder", Text: "call mum", State: "running", Due: now.Add(3 * time.Hour), At: "18:00"}
	lamp  = reply.Timer{ID: "7", Kind: "command", Command: "turn off the kitchen light", State: "running", Due: now.Add(10 * time.Minute), Length: 600}
)

// inWords are the texts of reminders and commands with a value, which are said in the
// user's own words.
var inWords = map[string]struct{ mum, thermostat, off string }{
	"en": {"call mum", "set the thermostat to 21 degrees", "turn off the kitchen light"},
	"de": {"Mama anrufen", "stelle das Thermostat auf 21 Grad", "schalte die Küchenlampe aus"},
	"es": {"llamar a mamá", "pon el termostato a 21 grados", "apaga la luz de la cocina"},
	"fr": {"appeler maman", "mets le thermostat à 21 degrés", "éteins la lampe de la cuisine"},
}

// timersIn are the timers by their names in the golden file.
func timersIn(language string) map[string]reply.Timer {
	words := inWords[language]
	paused, snoozed, call, off := pot, seven, mum, lamp
	paused.State = "paused"
	snoozed.Left = 300
	call.Text = words.mum
	off.Command = words.off
	return map[string]reply.Timer{
		"pasta": pot, "pasta, paused": paused, "eggs": egg, "ten minutes": ten,
		"alarm at seven": seven, "alarm at seven, snoozed": snoozed, "alarm on weekdays": work, "call mum": call, "lamp off": off,
		"an hour and a half": {Kind: "timer", Length: 5400, Left: 5400, State: "running", Due: now.Add(90 * time.Minute)},
		"thermostat":         {Kind: "command", Command: words.thermostat, Length: 600, Due: now.Add(10 * time.Minute)},
	}
}

// TestTimersAreTold follows sentences up to what is said of them, with what the tools
// answer.
func TestTimersAreTold(t *testing.T) {
	t.Parallel()
	houses := housesInLanguages(t)
	golden := fake.ReadProse(t, "testdata/timer.txtar")
	golden.Answer(func(c fake.ProseCase, language, asked string) string {
		var timers []reply.Timer
		for name := range strings.SplitSeq(c.Given["timers"], " | ") {
			timer, there := timersIn(language)[name]
			if there {
				timers = append(timers, timer)
			} else if name != "" {
				t.Errorf("%s: there is no timer %q in timersIn", c.Name, name)
			}
		}
		data, err := json.Marshal(map[string]any{"outcome": c.Given["outcome"], "reason": c.Given["reason"], "timers": timers, "now": now})
		if err != nil {
			t.Fatal(err)
		}
		a := houses[language]
		steps, err := plan.Calls(a.match.Match(asked, ""), a.house, "")
		if err != nil {
			t.Errorf("%s: %q: %v", language, asked, err)
			return ""
		}
		return a.p.SayResults(steps, []tools.Result{{Text: "in English", Data: data}})
	})
	golden.Compare(t, *update)
}

// TestRinging checks what a gateway says about timers without a question.
func TestRinging(t *testing.T) {
	t.Parallel()
	late := now.Add(8 * time.Minute)
	golden := fake.ReadProse(t, "testdata/ringing.txtar")
	for _, language := range sentences.Languages() {
		p, err := reply.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		timers := timersIn(language)
		due := func(name string) reply.Timer {
			r := timers[name]
			r.Due = now
			return r
		}
		for _, c := range []struct{ name, said string }{
			{"a timer with a name rings", p.Rings(pot)},
			{"a timer without a name rings", p.Rings(ten)},
			{"an alarm rings", p.Rings(seven)},
			{"a reminder rings", p.Rings(timers["call mum"])},
			{"a timer rang", p.Rang(due("pasta"), late)},
			{"a reminder rang", p.Rang(due("call mum"), late)},
			{"a command was not done", p.NotDone(due("lamp off"), late)},
			{"two came while the gateway was off", p.WhileOff([]reply.Timer{due("pasta"), due("lamp off")}, late)},
			{"none came while the gateway was off", p.WhileOff(nil, late)},
		} {
			golden.Say(c.name, fake.ProseLine{Language: language, Said: c.said})
		}
	}
	golden.Compare(t, *update)
}

// TestEveryTimeCanBeSaid: no place of a phrase stays open, at any hour and for any
// length, in any language.
func TestEveryTimeCanBeSaid(t *testing.T) {
	t.Parallel()
	for _, language := range sentences.Languages() {
		p, err := reply.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for minute := range 24 * 60 {
			alarm := seven
			alarm.Due = time.Date(2026, 11, 25, 0, minute, 0, 0, time.UTC)
			said := p.Rings(alarm)
			if place.MatchString(said) || said == "" || seen[said] {
				t.Errorf("%s: %q", language, said)
			}
			seen[said] = true
		}
		for seconds := range int64(3 * 3600) {
			if seconds > 300 && seconds%60 > 1 {
				continue
			}
			if said := p.Rings(reply.Timer{Kind: "timer", Length: seconds}); place.MatchString(said) || said == "" {
				t.Errorf("%s, %d s: %q", language, seconds, fmt.Sprint(said))
			}
		}
	}
}
