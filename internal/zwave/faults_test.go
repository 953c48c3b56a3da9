package zwave_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

// TestASupervisedDeviceThatDoesSomethingElse checks that a supervised device's
// own answer is believed, be it success or failure.
func TestASupervisedDeviceThatDoesSomethingElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *zwave.Config, _ *sim.Config) { c.Patience = 4 * time.Second })
		if err := r.sim.Fault(r.ctx, sim.Fault{Op: "wrong", Node: "Hallway Light", Value: false}); err != nil {
			t.Fatal(err)
		}
		if got, _ := r.control("Hallway Light", "on", nil); got.Outcome != "refused" || r.fact("Hallway Light", "37-0-currentValue") != false {
			t.Errorf("wrong: %+v", got)
		}
		for _, device := range []string{"Hallway Light", "Living Room Blinds"} {
			r.fault(sim.Fault{Op: "deaf", Node: device})
			action := map[string]string{"Hallway Light": "on", "Living Room Blinds": "close"}[device]
			if got, _ := r.control(device, action, nil); got.Outcome != "refused" {
				t.Errorf("deaf: %+v", got)
			}
		}
	})
}

// TestACoverThatDoesNotMove checks that such a cover is not reported as on the
// way.
func TestACoverThatDoesNotMove(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *zwave.Config, _ *sim.Config) { c.Patience = 4 * time.Second })
		r.fault(sim.Fault{Op: "deaf", Node: "Bedroom Curtains"})
		got, _ := r.control("Bedroom Curtains", "close", nil)
		if got.Outcome != "accepted" || got.Message != "Bedroom Curtains took the command but still report open." {
			t.Errorf("%+v", got)
		}
	})
}

// TestTheNewerCommandCounts checks that of two contradicting commands the newer
// one counts, and that the device is not reported as faulty.
func TestTheNewerCommandCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		var wg sync.WaitGroup
		got := make([]receipt, 2)
		for i, action := range []string{"on", "off"} {
			wg.Go(func() { got[i], _ = r.control("Kitchen Light", action, nil) })
		}
		wg.Wait()
		outcomes := map[string]receipt{}
		for _, g := range got {
			outcomes[g.Outcome] = g
		}
		done, was := outcomes["confirmed"]
		if !was || len(outcomes) != 2 {
			t.Fatalf("%+v, want one confirmed and one overtaken", got)
		}
		if fact := r.fact("Kitchen Light", "37-0-currentValue"); fact != (done.Value == "on") {
			t.Errorf("the light is %v after %+v", fact, done)
		}
		for outcome, g := range outcomes {
			if outcome != "confirmed" && !strings.Contains(g.Message, "newer command for Kitchen Light") {
				t.Errorf("%+v, want that a newer command came", g)
			}
		}
	})
}

func TestTheSameCommandTwiceIsConfirmedTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "confirmed" {
					t.Errorf("%+v", got)
				}
			})
		}
		wg.Wait()
	})
}

// TestManyCommandsForOneDevice has many people command one lamp: it ends as the
// last command says, and all get an answer.
func TestManyCommandsForOneDevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				if got, _ := r.control("Office Light", "level", 10+i); got.Outcome != "confirmed" && !strings.Contains(got.Message, "newer command") {
					t.Errorf("%+v", got)
				}
			})
		}
		wg.Wait()
		if got, _ := r.control("Office Light", "level", 5); got.Outcome != "confirmed" || got.Value != 5.0 {
			t.Errorf("afterwards: %+v", got)
		}
	})
}

// TestAStaleGatewayAppears checks that a left-over retained message does not stop
// a working house.
func TestAStaleGatewayAppears(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		other := r.mine.bus.client(t)
		if err := other.PublishRetained(r.ctx, "zwave/_CLIENTS/ZWAVE_GATEWAY-Old/status", []byte(`{"value":true}`)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, action := range []string{"on", "off"} {
			if got, _ := r.control("Kitchen Light", action, nil); got.Outcome != "confirmed" {
				t.Errorf("while the newcomer is tested: %+v", got)
			}
		}
		r.until("the newcomer is found to be silent", func() bool {
			got, _ := r.control("Kitchen Light", "on", nil)
			waiting, message := r.health()
			return got.Outcome == "confirmed" && waiting == "" && !strings.Contains(message, "Old")
		})
	})
}

// TestASecondGatewayAppears checks that a second answering gateway makes a choice
// in the settings necessary, even when it comes later.
func TestASecondGatewayAppears(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		play(t, r.mine.bus, func(c *sim.Config) { c.Gateway = "Cellar" })
		r.until("the choice is asked for", func() bool {
			got, _ := r.control("Kitchen Light", "on", nil)
			return got.Outcome == "no_answer" && strings.Contains(got.Message, "There are several Z-Wave gateways")
		})
	})
}

func TestAnUnreadableStatusSaysNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		other := r.mine.bus.client(t)
		for _, payload := range []string{"", "what?", `{"value":"x"}`, "null", "[1]"} {
			if err := other.Publish(r.ctx, "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/status", []byte(payload)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "confirmed" {
				t.Errorf("after %q: %+v", payload, got)
			}
		}
	})
}

func TestGroupsOfOneAndOfNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		got, _ := r.control("kitchen lights", "on", nil)
		if got.Outcome != "confirmed" || got.Property != "on_off" || got.Before != "off" || got.Value != "on" {
			t.Errorf("a group of one: %+v", got)
		}
		for name, want := range map[string]string{
			"Workshop": "There is no light in Workshop.", "workshop fans": "There is no fan in Workshop.",
			"all thermostats in the kitchen": "There is no thermostat in Kitchen.", "moon lights": `There is no device called "moon lights"`,
		} {
			if got, result := r.control(name, "off", nil); got.Outcome != "refused" || !result.Failed || !strings.HasPrefix(got.Message, want) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	})
}

// TestNamesWithoutAccentsAndSigns checks that names are found without their
// accents and signs where only one entity fits.
func TestNamesWithoutAccentsAndSigns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(_ *zwave.Config, s *sim.Config) {
			for i, name := range []string{"Küche ✨ Lampe", "Salón", "Deckenlicht (groß)", "Flur", "Flür", ""} {
				s.House.Nodes = append(s.House.Nodes, sim.NodeSpec{ID: 200 + i, Name: name, Location: "Wöhnung", Kind: "switch"})
			}
		})
		for _, name := range []string{
			"Küche Lampe", "kuche lampe", "Ku\u0308che ✨ Lampe", "salon", "Deckenlicht groß", "Wohnung Salon", "Flur", "Flür", "nodeID_205", "Device 205",
		} {
			if got, _ := r.control(name, "on", nil); got.Outcome != "confirmed" {
				t.Errorf("%q: %+v", name, got)
			}
		}
		if got, _ := r.control("Flùr", "on", nil); got.Outcome != "refused" {
			t.Errorf("one of two: %+v", got)
		}
	})
}

func TestOddValues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		if got, _ := r.control("Reading Lamp", "colour", 112233); got.Reason != "when_on" || got.Value != "#112233" {
			t.Errorf("a colour as a number: %+v", got)
		}
		if got, _ := r.control("Reading Lamp", "colour", 12); got.Message != fmt.Sprintf("I do not know the colour %q.", "12") {
			t.Errorf("no colour: %+v", got)
		}
		if got, _ := r.control("Office Light", "level", 0.4); got.Outcome != "confirmed" || got.Value != 1.0 {
			t.Errorf("a little light: %+v", got)
		}
	})
}
