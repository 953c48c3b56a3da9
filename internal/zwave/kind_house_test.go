package zwave_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/zwave/sim"
)

// TestAHouseThatIsNotKind checks the reports of difficult devices: a battery that warns,
// a node whose interview hangs, one that keeps the driver busy, thermostats of two scales
// and one with two set points.
func TestAHouseThatIsNotKind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken(
			sim.NodeSpec{ID: 60, Name: "Shed Contact", Location: "Garden", Kind: "contact", Battery: 255},
			sim.NodeSpec{ID: 61, Name: "Pantry Light", Location: "Kitchen", Kind: "switch", Quirks: sim.Quirks{Hangs: true}},
			sim.NodeSpec{ID: 62, Name: "Hall Thermostat", Location: "Hallway", Kind: "thermostat_auto_f", Supervised: true, Values: map[string]any{"64-0-mode": 3}},
			sim.NodeSpec{ID: 63, Name: "Study Thermostat", Location: "Office", Kind: "thermostat", Supervised: true},
		))
		r.warm()
		if got := r.sensor("Shed Contact", "battery"); got.Value != "low" {
			t.Errorf("a battery that warns is at %+v", got)
		}
		var health struct {
			Low []string `json:"low_battery"`
		}
		r.call("check_zwave_health", map[string]any{}, &health)
		if len(health.Low) != 1 || health.Low[0] != "Shed Contact" {
			t.Errorf("low batteries: %q", health.Low)
		}
		if got, _ := r.speak("Pantry Light", "on", nil); got.Outcome != "no_answer" || got.Reason != "not_ready" {
			t.Errorf("a node whose interview hangs: %+v", got)
		}
		for device, value := range map[string]any{"Hall Thermostat": "heat 66", "Study Thermostat": 23} {
			if got, _ := r.speak(device, "setpoint", value); got.Outcome != "confirmed" {
				t.Errorf("%s: %+v", device, got)
			}
			r.fault(sim.Fault{Op: "liar", Node: device})
		}
		for device, value := range map[string]any{"Hall Thermostat": "cool 80", "Study Thermostat": 19} {
			if got, _ := r.speak(device, "setpoint", value); got.Outcome != "accepted" || got.Reason != "unchanged" {
				t.Errorf("%s lies: %+v", device, got)
			}
		}
		r.fault(sim.Fault{Op: "hold", Node: "Ceiling Fan", For: sim.Pause(3 * time.Second)})
		var fan sync.WaitGroup
		fan.Go(func() {
			_, _ = r.tool("control_zwave_device").Call(r.ctx, []byte(`{"device_name":"Ceiling Fan","action":"on"}`))
		})
		pass(time.Millisecond)
		if got, _ := r.speak("Coffee Machine", "on", nil); got.Outcome == "refused" || got.Reason == "dead" {
			t.Errorf("a plug that another node keeps waiting is blamed: %+v", got)
		}
		fan.Wait()
		pass(20 * time.Second)
		if r.fact("Coffee Machine", "37-0-currentValue") != true || r.state("Coffee Machine").State != "on" {
			t.Errorf("afterwards it is told as %+v", r.state("Coffee Machine"))
		}
	})
}
