package zwave_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

func (r *rig) fault(f sim.Fault) {
	r.Helper()
	if err := r.sim.Fault(r.ctx, f); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) exists(name string) bool {
	r.Helper()
	var got struct{ Exists bool }
	r.call("verify_device", map[string]any{"device_name": name}, &got)
	return got.Exists
}

// TestFaultsEndInHonestReceipts checks that only what a device really did is
// confirmed, whatever goes wrong on the way to it.
func TestFaultsEndInHonestReceipts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		device  string
		fault   sim.Fault
		outcome []string
	}{
		"the command is lost on the air": {"Kitchen Light", sim.Fault{Op: "drop"}, []string{"accepted", "no_answer", "refused"}},
		"the report is lost":             {"Hallway Light", sim.Fault{Op: "lost_report"}, []string{"confirmed", "accepted"}},
		"the device does something else": {"Office Light", sim.Fault{Op: "wrong", Key: "38-0-currentValue", Value: 0.0}, []string{"accepted", "confirmed"}},
		"the gateway refuses":            {"Bedroom Lamp", sim.Fault{Op: "refuse"}, []string{"refused", "no_answer"}},
		"the way is slow":                {"Coffee Machine", sim.Fault{Op: "delay", For: sim.Pause(700 * time.Millisecond)}, []string{"confirmed"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, func(c *zwave.Config, _ *sim.Config) { c.Patience = 4500 * time.Millisecond })
				tc.fault.Node = tc.device
				r.fault(tc.fault)
				got, _ := r.control(tc.device, "on", nil)
				if !strings.Contains(fmt.Sprint(tc.outcome), got.Outcome) || got.Message == "" {
					t.Errorf("%+v, want %v", got, tc.outcome)
				}
				key := "37-0-currentValue"
				if strings.Contains(tc.device, "Lamp") || tc.device == "Office Light" {
					key = "38-0-currentValue"
				}
				if fact := r.fact(tc.device, key); got.Outcome == "confirmed" && (fact == false || fact == 0.0) {
					t.Errorf("confirmed, and the device is %v", fact)
				}
			})
		})
	}
}

func TestGatewayRestartsAndCrashes(t *testing.T) {
	t.Parallel()
	for op, says := range map[string]string{"restart": "controller is not ready", "crash": "gateway is offline", "driver_down": "controller is not ready"} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, func(c *zwave.Config, _ *sim.Config) { c.Patience = 3 * time.Second })
				entities := len(r.house.Home().Entities)
				r.fault(sim.Fault{Op: op, For: sim.Pause(30 * time.Second)})
				r.until("the health check says what is wrong", func() bool {
					waiting, message := r.health()
					return waiting != "" && strings.Contains(message, says)
				})
				got, _ := r.control("Kitchen Light", "on", nil)
				if got.Outcome != "no_answer" || !strings.Contains(got.Message, says) {
					t.Errorf("%+v, want no answer because the %s", got, says)
				}
				if op == "driver_down" {
					r.fault(sim.Fault{Op: "driver_up"})
				}
				r.until("the light works again", func() bool {
					if n := len(r.house.Home().Entities); n != entities {
						t.Fatalf("%d of %d devices are known while the gateway starts", n, entities)
					}
					got, _ := r.control("Kitchen Light", "on", nil)
					return got.Outcome == "confirmed"
				})
			})
		})
	}
}

func TestStickUnplugged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *zwave.Config, _ *sim.Config) { c.Patience = 3 * time.Second })
		r.fault(sim.Fault{Op: "stick_out"})
		got, _ := r.control("Kitchen Light", "on", nil)
		if got.Outcome == "confirmed" || got.Message == "" || r.fact("Kitchen Light", "37-0-currentValue") != false {
			t.Errorf("without the stick: %+v", got)
		}
		r.fault(sim.Fault{Op: "stick_in"})
		r.until("the light works again", func() bool {
			got, _ := r.control("Kitchen Light", "on", nil)
			return got.Outcome == "confirmed"
		})
	})
}

func TestNodesJoinMoveAndLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		r.fault(sim.Fault{Op: "join", Spec: &sim.NodeSpec{ID: 232, Name: "Porch Light", Location: "Porch", Kind: "switch"}})
		r.until("the new light is known", func() bool { return r.exists("porch light") })
		r.until("the new light works", func() bool {
			got, _ := r.control("Porch Light", "on", nil)
			return got.Outcome == "confirmed"
		})
		r.fault(sim.Fault{Op: "rename", Node: "Porch Light", Name: "Veranda Light"})
		r.fault(sim.Fault{Op: "move", Node: "Veranda Light", Name: "Garden"})
		r.until("the new name works", func() bool {
			got, _ := r.control("Garden Veranda Light", "off", nil)
			return got.Outcome == "confirmed"
		})
		r.until("the old name is gone", func() bool { return !r.exists("Porch Light") })
		r.fault(sim.Fault{Op: "leave", Node: "Veranda Light"})
		r.until("what has left is not there", func() bool {
			got, _ := r.control("Veranda Light", "on", nil)
			if got.Outcome == "confirmed" {
				t.Fatal("a device that has left has confirmed")
			}
			return !r.exists("Veranda Light")
		})
	})
}

func TestStaleRetainedTopicsAreNoState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		play(t, b, nil)
		before := b.client(t)
		r := open(t, b, nil)
		r.loaded()
		for _, topic := range []string{"Kitchen/Kitchen_Light", "Kitchen/Old_Light"} {
			if err := before.PublishRetained(r.ctx, "zwave/"+topic+"/switch_binary/endpoint_0/currentValue", []byte(`{"time":1,"value":true}`)); err != nil {
				t.Fatal(err)
			}
		}
		late := open(t, b, nil)
		late.loaded()
		var state struct{ State any }
		late.call("get_device_state", map[string]any{"device_name": "Kitchen Light"}, &state)
		if state.State != "off" || late.exists("Old Light") {
			t.Errorf("a retained message is taken for the state: %v", state.State)
		}
	})
}

// TestAMissedMessageDoesNotLockTheHouse checks that a missed message about the
// gateway's state is made up for by asking the gateway.
func TestAMissedMessageDoesNotLockTheHouse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		if err := r.mine.bus.client(t).Publish(r.ctx, "zwave/driver/status", []byte("false")); err != nil {
			t.Fatal(err)
		}
		r.until("the light works", func() bool {
			got, _ := r.control("Kitchen Light", "on", nil)
			return got.Outcome == "confirmed"
		})
	})
}

// TestRampsAreAwaitedOrTold checks that a slow dimmer, whose gateway claims the end of
// the ramp at once, is confirmed when it has arrived, and is reported as on its way if
// that takes longer than a call may.
func TestRampsAreAwaitedOrTold(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		naive   bool
		ramp    time.Duration
		outcome string
	}{
		"short":                 {false, 2 * time.Second, "confirmed"},
		"short, of its own":     {true, 2 * time.Second, "confirmed"},
		"too long":              {false, time.Minute, "accepted"},
		"too long, of its own":  {true, time.Minute, "accepted"},
		"nearly at once":        {false, 100 * time.Millisecond, "confirmed"},
		"at once, of its own":   {true, 0, "confirmed"},
		"just about as allowed": {true, 3 * time.Second, "confirmed"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, func(c *zwave.Config, s *sim.Config) {
					c.Patience = zwave.DefaultConfig().Patience
					s.Scale = 1
					n := sim.NodeSpec{ID: 231, Name: "Hall Dimmer", Location: "Hall", Kind: "dimmer", Ramp: tc.ramp}
					n.Naive = tc.naive
					s.House.Nodes = append(s.House.Nodes, n)
				})
				got, _ := r.control("Hall Dimmer", "level", 80)
				fact := r.fact("Hall Dimmer", "38-0-currentValue")
				if got.Outcome != tc.outcome || got.Outcome == "confirmed" && fact != 80.0 {
					t.Errorf("%+v, want %s; the device is at %v", got, tc.outcome, fact)
				}
			})
		})
	}
}
