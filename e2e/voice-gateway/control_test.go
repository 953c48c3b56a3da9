package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/keep/record"
)

// controlled is the answer to an act without words.
type controlled struct {
	Thing, Said, Error string
	Outcome            record.Outcome
	Receipt            *record.Receipt
	State, Level       any
}

// TestControlWithoutWords: through a real broker, server and house, a tap is an act like a
// spoken one.
func TestControlWithoutWords(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	_, address, _ := daemon(t, broker)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, address, "turn off the kitchen light")) })
	control := func(thing, do string, value any) (out controlled, err error) {
		body := map[string]any{"thing": thing, "do": do, "source": "page"}
		if value != nil {
			body["value"] = value
		}
		return out, rig.SendJSON(t.Context(), http.MethodPost, "http://"+address+"/api/control", body, &out)
	}
	for _, step := range []struct {
		thing, do string
		value     any
		outcome   record.Outcome
		said      string
		state     any
	}{
		{"Kitchen Light", "on", nil, record.Done, "The kitchen light is on.", "on"},
		{"Bedroom Lamp", "level", 40, record.Done, "The bedroom lamp is at 40 percent.", 40.0},
		{"Thermostat", "setpoint", 21.5, record.Done, "The thermostat is set to 21.5 degrees.", 21.5},
		{"Front Door", "lock", nil, record.Done, "The front door is locked.", "locked"},
		{"Front Door", "unlock", nil, record.Failed, "Unlocking is switched off here.", nil},
		{"Garage Door", "open", nil, record.Failed, "Opening the garage door is switched off here.", nil},
	} {
		got, err := control(step.thing, step.do, step.value)
		if err != nil || got.Outcome != step.outcome || got.Said != step.said || got.State != step.state || got.Receipt.Done() != (step.outcome == record.Done) {
			t.Errorf("%s %s: %+v, %v", step.thing, step.do, got, err)
		}
	}
	for _, wrong := range []struct {
		thing, do string
		value     any
		why       string
	}{
		{"Nothing", "on", nil, "404"},
		{"Kitchen Light", "open", nil, "it can do on, off, toggle"},
		{"Bedroom Lamp", "level", 140, "level (0 to 100 percent)"},
		{"Thermostat", "setpoint", 90, "°C"},
		{"Hallway Motion", "on", nil, "it can only be read"},
	} {
		if got, err := control(wrong.thing, wrong.do, wrong.value); err == nil || !strings.Contains(err.Error(), wrong.why) {
			t.Errorf("%s %s: %+v, %v", wrong.thing, wrong.do, got, err)
		}
	}

	t.Log("who did it, and an undo by somebody else")
	if r := ask(t, address, "why is the kitchen light on"); !strings.Contains(r.Reply, "on the page") {
		t.Errorf("why: %q", r.Reply)
	}
	if _, err := control("Kitchen Light", "off", nil); err != nil {
		t.Fatal(err)
	}
	if r := ask(t, address, "undo"); r.Reply != "The kitchen light is on again." {
		t.Errorf("undo: %q", r.Reply)
	}

	t.Log("many at once")
	var taps sync.WaitGroup
	for i := range 10 {
		level := 10 * (i + 1)
		taps.Go(func() {
			if got, err := control("Office Light", "level", level); err != nil || got.Outcome == record.Failed || got.Outcome == record.Done && fmt.Sprint(got.State) != fmt.Sprint(level) {
				t.Errorf("%d: %+v, %v", level, got, err)
			}
		})
	}
	taps.Wait()
}
