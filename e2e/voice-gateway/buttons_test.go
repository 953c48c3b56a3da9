package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
)

// buttonSentences is a configuration with one button for everything.
const buttonSentences = `
buttons:
  - {thing: Workshop Remote Button 1, press: pressed, sentence: turn on the office light}
  - {thing: workshop remote button 1, press: double, sentence: turn off the office light}
  - {thing: Workshop Remote Button 2, press: held, sentence: unlock the front door}
  - {thing: Workshop Remote Button 3, press: pressed, sentence: turn on the ceiling fan}
`

const control = "zwave/_SIM/ZWAVE_GATEWAY-Simulated_House/fault"

// happens makes something happen in the simulated house, which must be possible.
func (e *ear) happens(t *testing.T, fault string) {
	t.Helper()
	before := len(e.on(control))
	if err := e.Publish(t.Context(), control+"/set", []byte(fault)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the house has done it: "+fault, func() bool { return len(e.on(control)) > before })
	if got := e.on(control); !strings.Contains(got[len(got)-1], `"ok":true`) {
		t.Fatalf("the house refused %s: %s", fault, got[len(got)-1])
	}
}

// byButton are the last turns that a button started, the newest first.
func byButton(t *testing.T, http string) []record.Record {
	t.Helper()
	var turns, out []record.Record
	if err := get(t, http, "/api/turns", &turns); err != nil {
		t.Fatal(err)
	}
	for _, r := range turns {
		if r.Source == record.FromButton {
			out = append(out, r)
		}
	}
	return out
}

// houseThere waits until the house is reached by the gateway's own account; asking it to do
// something so often would be refused.
func houseThere(t *testing.T, http, when string) {
	t.Helper()
	eventually(t, "the house is reached "+when, func() bool {
		var house home.Snapshot
		return get(t, http, "/api/home", &house) == nil && slices.ContainsFunc(house.Entities, func(e home.EntityState) bool {
			return e.Name == "Hallway Light" && e.State != nil && e.Reachable != nil && *e.Reachable
		})
	})
}

// TestAButtonSaysItsSentenceOnce presses the buttons of a remote, then kills whatever
// can be killed: the sentence is carried out as a turn of the room, a dangerous one
// never, and nothing is pressed a second time by a restart.
func TestAButtonSaysItsSentenceOnce(t *testing.T) {
	t.Parallel()
	addr := fake.FreeAddr(t)
	broker := mosquittoAt(t, addr)
	simulate(t, "mqtt://"+addr)
	file := filepath.Join(t.TempDir(), "buttons.yaml")
	if err := os.WriteFile(file, []byte(buttonSentences), 0o600); err != nil {
		t.Fatal(err)
	}
	_, http, _ := daemonWith(t, []string{"--config", file}, "mqtt://"+addr)
	stranger, hand := listen(t, "mqtt://"+addr), listen(t, "mqtt://"+addr, "zwave/_SIM/#")
	press := func(key, how string) {
		t.Helper()
		hand.happens(t, `{"op":"scene","node":"Workshop Remote","key":"`+key+`","value":`+how+`}`)
	}
	eventually(t, "the house obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	press("001", "0")
	eventually(t, "the press is told", func() bool {
		return stranger.has("voice/test/event", `"kind":"button"`, `"thing":"Workshop Remote Button 1"`, `"press":"pressed"`, `"time":"20`)
	})
	eventually(t, "the light is on by the button", func() bool {
		return stranger.has("voice/test/turn", `"source":"button"`, `"area":"Workshop"`, "turn on the office light", `"confirmed":true`, `"outcome":"done"`)
	})
	press("001", "3")
	eventually(t, "the light is off by the button", func() bool { return len(byButton(t, http)) == 2 && byButton(t, http)[0].Outcome == record.Done })
	press("002", "2")
	eventually(t, "the door stays locked", func() bool { return len(byButton(t, http)) == 3 })
	if r := byButton(t, http)[0]; r.Outcome != record.Failed || r.Route != record.RouteRefused || len(r.Calls) > 0 {
		t.Errorf("a button may not unlock a door: %+v", r)
	}
	press("004", "0")
	eventually(t, "a press without a sentence is told, too", func() bool { return stranger.has("voice/test/event", "Workshop Remote Button 4") })

	told := len(stranger.on("voice/test/event"))
	driver := listen(t, "mqtt://"+addr, "zwave/driver/status")
	kill(t, broker.Process.Pid)
	mosquittoAt(t, addr)
	houseThere(t, http, "after the broker's restart")
	eventually(t, "the hand is back", func() bool { return hand.Connected() && driver.Connected() })
	starts := count(driver.on("zwave/driver/status"), "true")
	hand.happens(t, `{"op":"restart","for":"1s"}`)
	eventually(t, "the gateway is back", func() bool { return count(driver.on("zwave/driver/status"), "true") > starts })
	houseThere(t, http, "after the gateway's restart")
	kill(t, serverPID(t, http))
	serverPID(t, http)
	houseThere(t, http, "after the server's death")
	hand.happens(t, `{"op":"flood","count":3000}`)
	if got := stranger.on("voice/test/event"); len(got) != told || len(byButton(t, http)) != 3 {
		t.Errorf("after restarts: events %q, turns %d", got[told:], len(byButton(t, http)))
	}
	eventually(t, "the stranger is back", stranger.Connected)
	eventually(t, "a button works again", func() bool {
		press("003", "0")
		return len(byButton(t, http)) > 3
	})
	if r := byButton(t, http)[0]; r.Transcript.Text != "turn on the ceiling fan" {
		t.Errorf("%+v", r)
	}
}
