package e2e

import (
	"testing"

	"voicegateway/internal/keep/record"
)

// TestWhatWasDoneIsTakenBack: through a real broker, server and house, each
// device comes back to what it was by its own report.
func TestWhatWasDoneIsTakenBack(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	_, http, _ := daemon(t, broker)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn off the kitchen light")) })
	for _, step := range []struct {
		text, reply string
		receipts    int
	}{
		{"turn on the kitchen light", "The kitchen light is on.", 1},
		{"no", "The kitchen light is off again.", 1},
		{"is the kitchen light on", "No, the kitchen light is off.", 0},
		{"undo that", "The kitchen light is on again.", 1},
		{"undo", "There is nothing to undo.", 0},
		{"set the bedroom lamp to forty percent", "The bedroom lamp is at 40 percent.", 1},
		{"turn off the bedroom lamp", "The bedroom lamp is off.", 1},
		{"no", "The bedroom lamp is at 40 percent again.", 1},
		{"lock the front door", "The front door is locked.", 1},
		{"undo", "Unlocking is switched off here.", 0},
	} {
		r := ask(t, http, step.text)
		got := 0
		for _, c := range r.Calls {
			if c.Receipt.Done() {
				got++
			}
		}
		if r.Reply != step.reply || got != step.receipts || r.Outcome != record.Done && r.Route != record.RouteRefused {
			t.Errorf("%q: %q with %d receipts, %s %s %s; expected %q with %d", step.text, r.Reply, got, r.Route, r.Outcome, r.Error, step.reply, step.receipts)
		}
	}
}
