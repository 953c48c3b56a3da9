package reply_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/intent/sentences"
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

// outcome is a result of a tool for timers.
func outcome(t *testing.T, what, reason string, all ...reply.Timer) tools.Result {
	t.Helper()
	data, err := json.Marshal(map[string]any{"outcome": what, "reason": reason, "timers": all, "now": now})
	if err != nil {
		t.Fatal(err)
	}
	return tools.Result{Text: "in English", Data: data}
}

// TestTimersAreTold follows sentences up to what is said of them, with what the tools
// answer.
func TestTimersAreTold(t *testing.T) {
	t.Parallel()
	paused := pot
	paused.State = "paused"
	snoozed := seven
	snoozed.Left = 300
	long := reply.Timer{Kind: "timer", Length: 5400, Left: 5400, State: "running", Due: now.Add(90 * time.Minute)}
	tests := map[string][]struct {
		text string
		r    tools.Result
		want string
	}{
		"en": {
			{"set a timer for ten minutes", outcome(t, "started", "", ten), "Ten minutes."},
			{"pasta timer for nine minutes", outcome(t, "started", "", pot), "Nine minutes, pasta."},
			{"set a timer for an hour and a half", outcome(t, "started", "", long), "One hour and thirty minutes."},
			{"set an alarm for seven tomorrow", outcome(t, "started", "", seven), "Alarm at 7 AM tomorrow."},
			{"wake me every weekday at six thirty", outcome(t, "started", "", work), "Alarm every weekday at 6:30 AM."},
			{"remind me at six to call mum", outcome(t, "started", "", mum), "At 6 PM: call mum."},
			{"turn off the kitchen light in ten minutes", outcome(t, "started", "", lamp), "The kitchen light goes off in ten minutes."},
			{"set the thermostat to 21 degrees in ten minutes", outcome(t, "started", "", reply.Timer{Kind: "command", Command: "set the thermostat to 21 degrees", Length: 600, Due: now.Add(10 * time.Minute)}), "In ten minutes: set the thermostat to 21 degrees."},
			{"how long is left on the pasta", outcome(t, "listed", "", pot), "Four minutes left on the pasta timer."},
			{"what timers do I have", outcome(t, "listed", "", pot, egg), "Four minutes left on the pasta timer. One minute and one second left on the eggs timer."},
			{"when does my alarm ring", outcome(t, "listed", "", seven), "Alarm at 7 AM tomorrow."},
			{"what timers do I have", outcome(t, "none", ""), "No timer is running."},
			{"what alarms do I have", outcome(t, "listed", ""), "No alarm is set."},
			{"cancel the pasta timer", outcome(t, "none", "unknown_name"), "There is nothing set for pasta."},
			{"cancel the timer", outcome(t, "several", "", pot, egg), "Which one, pasta or eggs?"},
			{"cancel the timer", outcome(t, "several", "", pot, ten), "Which one, pasta or ten minutes?"},
			{"cancel the timer", outcome(t, "cancelled", "", pot), "Cancelled: the pasta timer."},
			{"cancel all timers", outcome(t, "cancelled", "", pot, egg), "I cancelled 2."},
			{"pause the timer", outcome(t, "paused", "", paused), "Paused: the pasta timer."},
			{"how long is left on the pasta", outcome(t, "listed", "", paused), "Four minutes left on the pasta timer, which is paused."},
			{"add five minutes to the timer", outcome(t, "changed", "", ten), "Ten minutes left on the timer for ten minutes."},
			{"snooze", outcome(t, "snoozed", "", snoozed), "Again in five minutes."},
			{"snooze", outcome(t, "none", "nothing_rings"), "Nothing is ringing."},
			{"stop the alarm", outcome(t, "stopped", "", seven), ""},
			{"set an alarm for seven today", outcome(t, "refused", "past"), "That time is over."},
			{"set a timer for 0 minutes", outcome(t, "refused", "too_short"), "A timer takes at least one second."},
			{"set a timer for ten minutes", outcome(t, "refused", "too_many"), "There are too many timers already."},
			{"set a timer for ten minutes", outcome(t, "refused", "something_new"), "I can't set that."},
		},
		"de": {
			{"stell einen Timer auf zehn Minuten", outcome(t, "started", "", ten), "Zehn Minuten."},
			{"weck mich morgen um sieben", outcome(t, "started", "", seven), "Wecker morgen um 7 Uhr."},
			{"weck mich jeden Werktag um halb sieben", outcome(t, "started", "", work), "Wecker jeden Werktag um 6 Uhr 30."},
			{"schalte die Küchenlampe in zehn Minuten aus", outcome(t, "started", "", lamp), "Küchenlampe geht in zehn Minuten aus."},
			{"wie lange läuft der Timer noch", outcome(t, "listed", "", pot), "Noch vier Minuten: der Timer Pasta."},
			{"stell einen Timer auf null Minuten", outcome(t, "refused", "too_short"), "Ein Timer dauert mindestens eine Sekunde."},
			{"lösche den Timer", outcome(t, "several", "", pot, egg), "Welcher, Pasta oder Eggs?"},
		},
		"es": {
			{"pon un temporizador de una hora y media", outcome(t, "started", "", long), "Una hora y treinta minutos."},
			{"despiértame mañana a las siete", outcome(t, "started", "", seven), "Alarma mañana a las 7."},
			{"apaga la luz de la cocina en diez minutos", outcome(t, "started", "", lamp), "Apagaré Luz de la cocina en diez minutos."},
			{"pon un temporizador de 0 minutos", outcome(t, "refused", "too_short"), "Un temporizador dura al menos un segundo."},
			{"cancela el temporizador", outcome(t, "cancelled", "", pot), "Cancelado: el temporizador de pasta."},
		},
		"fr": {
			{"mets un minuteur de dix minutes", outcome(t, "started", "", ten), "Dix minutes."},
			{"réveille-moi demain à sept heures", outcome(t, "started", "", seven), "Réveil demain à 7 heures."},
			{"éteins la lampe de la cuisine dans dix minutes", outcome(t, "started", "", lamp), "J'éteindrai Lampe de la cuisine dans dix minutes."},
			{"mets un minuteur de zéro minute", outcome(t, "refused", "too_short"), "Un minuteur dure au moins une seconde."},
			{"quels minuteurs j'ai", outcome(t, "none", ""), "Aucun minuteur ne tourne."},
		},
	}
	for language, cases := range tests {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			h, m, p := inLanguage(t, language)
			for _, c := range cases {
				steps, err := plan.Calls(m.Match(c.text, ""), h, "")
				if err != nil {
					t.Errorf("%q: %v", c.text, err)
					continue
				}
				if got := p.Told(steps, []tools.Result{c.r}); got != c.want {
					t.Errorf("%q: got %q, want %q", c.text, got, c.want)
				}
			}
		})
	}
}

// TestRinging: what a gateway says by itself about timers.
func TestRinging(t *testing.T) {
	t.Parallel()
	p, err := reply.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	late := now.Add(8 * time.Minute)
	due := func(r reply.Timer) reply.Timer { r.Due = now; return r }
	for want, got := range map[string]string{
		"The pasta timer.":                       p.Rings(pot),
		"The timer for ten minutes.":             p.Rings(ten),
		"It is 7 AM.":                            p.Rings(seven),
		"Reminder: call mum.":                    p.Rings(mum),
		"The pasta timer rang 8 minutes ago.":    p.Rang(due(pot), late),
		"Reminder from 8 minutes ago: call mum.": p.Rang(due(mum), late),
		"Not done, it was due 8 minutes ago: turn off the kitchen light.":                                                      p.NotDone(due(lamp), late),
		"While I was off: The pasta timer rang 8 minutes ago. Not done, it was due 8 minutes ago: turn off the kitchen light.": p.WhileOff([]reply.Timer{due(pot), due(lamp)}, late),
		"": p.WhileOff(nil, late),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
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
