package zwave_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

// dark starts everything together, as after a power cut, with some devices that
// have no power yet.
func dark(t *testing.T, names ...string) *rig {
	t.Helper()
	return start(t, func(c *zwave.Config, s *sim.Config) {
		c.Patience, s.Scale = zwave.DefaultConfig().Patience, 1
		for i, n := range s.House.Nodes {
			for _, name := range names {
				s.House.Nodes[i].Dead = s.House.Nodes[i].Dead || n.Name == name
			}
		}
	})
}

func (r *rig) entity(name string) *home.Entity {
	r.Helper()
	all := r.house.Home().Entities
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	r.Fatalf("%s is not in the house", name)
	return nil
}

// TestDevicesDeadAtTheStartStayInTheHouse checks what a power cut leaves of two
// devices: name, room and kind, an honest answer, and all of it when they are back.
func TestDevicesDeadAtTheStartStayInTheHouse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := dark(t, "Kitchen Light", "Living Room Light", "Front Door", "Garage Window")
		pass(10 * time.Second)
		for name, want := range map[string]string{"Kitchen Light": "light in Kitchen", "Living Room Light": "light in Living Room", "Front Door": "lock in Hallway"} {
			e := r.entity(name)
			if got := e.Domain + " in " + e.Area; got != want || e.Control == nil || e.Read == nil {
				t.Errorf("%s is a %s, control %v", name, got, e.Control)
			}
			if got := r.state(e.Read.ID); got.State != nil || got.Reachable || got.Reason == "" {
				t.Errorf("%s is told %+v", name, got)
			}
			got, result := r.control(e.Control.ID, map[string]string{"lock": "lock", "light": "off"}[e.Domain], nil)
			if got.Outcome != "no_answer" || !result.Failed || !strings.Contains(got.Message, "does not answer") {
				t.Errorf("%s: %+v", name, got)
			}
		}
		var group struct{ Devices []receipt }
		r.call("control_zwave_device", map[string]any{"device_name": "kitchen lights", "action": "off"}, &group)
		if len(group.Devices) == 0 {
			var one receipt
			if r.call("control_zwave_device", map[string]any{"device_name": "kitchen lights", "action": "off"}, &one); one.Outcome != "no_answer" {
				t.Errorf("all lights of the kitchen: %+v", one)
			}
		}
		var health struct{ Dead []string }
		if r.call("check_zwave_health", map[string]any{}, &health); len(health.Dead) != 3 {
			t.Errorf("the health check names %v", health.Dead)
		}
	})
}

// TestACommandBringsADeviceBack gives the light its power again and speaks.
func TestACommandBringsADeviceBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := dark(t, "Kitchen Light", "Living Room Light")
		pass(10 * time.Second)
		r.fault(sim.Fault{Op: "alive", Node: "Kitchen Light"})
		if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "confirmed" {
			t.Errorf("%+v", got)
		}
		if e := r.entity("Kitchen Light"); e.Domain != "light" || strings.Count(e.ID, "-") != 4 {
			t.Errorf("it is not whole: %+v", e)
		}
	})
}

// TestACommandBringsADeviceBackThatTheGatewayHasForgotten restarts the gateway while
// a light has no power: the server remembers what the light can do, the gateway does
// not.
func TestACommandBringsADeviceBackThatTheGatewayHasForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := dark(t)
		r.fault(sim.Fault{Op: "dead", Node: "Living Room Light"})
		r.fault(sim.Fault{Op: "crash", For: sim.Pause(2 * time.Second)})
		pass(30 * time.Second)
		id := r.entity("Living Room Light").ID
		if got, _ := r.control("Living Room Light", "on", nil); got.Outcome != "no_answer" || !strings.Contains(got.Message, "does not answer") {
			t.Errorf("without power: %+v", got)
		}
		r.fault(sim.Fault{Op: "alive", Node: "Living Room Light"})
		if got, _ := r.control("Living Room Light", "on", nil); got.Outcome != "confirmed" || r.entity("Living Room Light").ID != id {
			t.Errorf("with power again: %+v", got)
		}
	})
}

// TestDevicesAreCalledNowAndThen checks that a device comes back without a request for
// it, and that calling costs little airtime.
func TestDevicesAreCalledNowAndThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pings := 0
		r := dark(t, "Kitchen Light", "Living Room Light")
		counted := r.mine.bus.client(t)
		if err := counted.Subscribe(r.ctx, "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/pingNode/set", func(_ string, body []byte, _ bool) {
			if json.Valid(body) {
				pings++
			}
		}); err != nil {
			t.Fatal(err)
		}
		pass(5 * time.Minute)
		synctest.Wait()
		if pings < 3 || pings > 5 {
			t.Errorf("%d pings in five minutes", pings)
		}
		r.fault(sim.Fault{Op: "alive", Node: "Living Room Light"})
		r.until("it is whole again", func() bool {
			pass(time.Second)
			return strings.Count(r.entity("Living Room Light").ID, "-") == 4
		})
	})
}

// TestRefreshingADeadDeviceIsNoSuccess asks a device without power to report.
func TestRefreshingADeadDeviceIsNoSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := dark(t, "Living Room Light")
		r.fault(sim.Fault{Op: "dead", Node: "Kitchen Light"})
		for _, name := range []string{"Kitchen Light", "Living Room Light"} {
			var got receipt
			if result := r.call("refresh_device", map[string]any{"device_name": name}, &got); got.Outcome != "no_answer" || !result.Failed {
				t.Errorf("%s: %+v, %q", name, got, result.Text)
			}
		}
		var got receipt
		if r.call("refresh_device", map[string]any{"device_name": "Hallway Light"}, &got); got.Outcome != "confirmed" {
			t.Errorf("a light that is well: %+v", got)
		}
	})
}
