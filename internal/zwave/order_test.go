package zwave_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/zwave/sim"
)

// said is a command to a device.
type said struct{ device, action string }

// inReverse gives commands places in their order, and lets the last be seen first. It
// returns which were answered, in the order of the answers.
func (r *rig) inReverse(commands []said) (answered []int) {
	r.Helper()
	var lines order.Lines
	var places []*order.Place
	for range commands {
		places = append(places, lines.Take(order.Acts))
	}
	var mu sync.Mutex
	var answering sync.WaitGroup
	for i, c := range slices.Backward(commands) {
		answering.Go(func() {
			args, _ := json.Marshal(map[string]any{"device_name": c.device, "action": c.action})
			if _, err := r.tool("control_zwave_device").Call(order.With(r.ctx, places[i]), args); err != nil {
				r.Errorf("%s %s: %v", c.device, c.action, err)
			}
			mu.Lock()
			defer mu.Unlock()
			answered = append(answered, i)
		})
		synctest.Wait()
	}
	answering.Wait()
	return answered
}

// TestCommandsActInTheOrderOfTheirPlaces: whichever is seen first, a device ends as the
// command that was read last says.
func TestCommandsActInTheOrderOfTheirPlaces(t *testing.T) {
	t.Parallel()
	const light = "Kitchen Light"
	for name, tt := range map[string]struct {
		commands []said
		on       bool
	}{
		"on, off":              {[]said{{light, "on"}, {light, "off"}}, false},
		"off, on":              {[]said{{light, "off"}, {light, "on"}}, true},
		"on, off, on":          {[]said{{light, "on"}, {light, "off"}, {light, "on"}}, true},
		"on, toggle":           {[]said{{light, "on"}, {light, "toggle"}}, false},
		"toggle, toggle":       {[]said{{light, "toggle"}, {light, "toggle"}}, false},
		"the room, the lamp":   {[]said{{"kitchen lights", "on"}, {light, "off"}}, false},
		"the lamp, the room":   {[]said{{light, "off"}, {"kitchen lights", "on"}}, true},
		"by name and with the": {[]said{{"kitchen light", "on"}, {"Kitchen Kitchen Light", "off"}}, false},
		"beside an unknown":    {[]said{{"Kitchn Ligt", "on"}, {light, "on"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, nil)
				r.inReverse(tt.commands)
				if got := r.fact(light, "37-0-currentValue"); got != tt.on {
					t.Errorf("the light is on: %v, want %v", got, tt.on)
				}
			})
		})
	}
}

// TestASlowCommandHoldsUpNoOtherDevice: a device that does not answer is asked for a
// while, and the next command to another one is answered meanwhile. A command that was
// given up leaves its place.
func TestASlowCommandHoldsUpNoOtherDevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		r.fault(sim.Fault{Op: "dead", Node: "Hallway Light"})
		if got := r.inReverse([]said{{"Hallway Light", "on"}, {"Kitchen Light", "on"}}); !slices.Equal(got, []int{1, 0}) {
			t.Errorf("answered in the order %v", got)
		}
		var lines order.Lines
		first, second := lines.Take(order.Acts), lines.Take(order.Acts)
		third := lines.Take(order.Acts)
		gone, leave := context.WithCancel(r.ctx)
		leave()
		args := json.RawMessage(`{"device_name":"Kitchen Light","action":"off"}`)
		if _, err := r.tool("control_zwave_device").Call(order.With(gone, second), args); err == nil {
			t.Error("a command whose host has left was carried out before its turn")
		}
		first.Pass()
		if _, err := r.tool("control_zwave_device").Call(order.With(r.ctx, third), args); err != nil || r.fact("Kitchen Light", "37-0-currentValue") != false {
			t.Errorf("the command after it: %v", err)
		}
	})
}
