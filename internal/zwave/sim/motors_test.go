package sim

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

// motors is a house of slow things, all of them open.
func motors() Config {
	cfg := DefaultConfig()
	open := map[string]any{"38-0-currentValue": 99}
	cfg.House.Nodes = []NodeSpec{
		{ID: 2, Name: "Garage Door", Kind: "garage", Values: map[string]any{"102-0-currentState": 255}},
		{ID: 3, Name: "Old Gate", Kind: "barrier", Values: map[string]any{"102-0-currentState": 255}},
		{ID: 4, Name: "Honest Gate", Kind: "barrier", Supervised: true, Ramp: 12 * time.Second, Values: map[string]any{"102-0-currentState": 255}},
		{ID: 5, Name: "Shade", Kind: "shade", Values: open},
		{ID: 12, Name: "Shutter", Kind: "shutter", Values: open},
		{ID: 25, Name: "Awning", Kind: "awning", Values: open},
	}
	return cfg
}

func shut(node int) []any { return target(node, 102, "targetState", 0.0) }

func poll(node, class int, property string) map[string]any {
	id, _ := target(node, class, property, nil)[0].(map[string]any)
	return id
}

// soon sends a call and returns its answer after 200 ms.
func (b *tape) soon(call string, args ...any) map[string]any {
	base := "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/" + call
	b.taken()
	b.handle(base+"/set", body(map[string]any{"args": append([]any{}, args...)}), false)
	wait(200 * time.Millisecond)
	return b.answered(base)
}

// TestGarageDoorSaysDoneAtOnce plays the recorded barrier: success and closed at
// once, closing when polled, no position on the way.
func TestGarageDoorSaysDoneAtOnce(t *testing.T) {
	play(t, motors(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		if got := status(b.soon("writeValue", shut(2)...)); got != 255.0 {
			t.Errorf("the write has the status %v, want 255", got)
		}
		if got := s.belief(t, "Garage Door", "102-0-currentState"); got != 0.0 {
			t.Errorf("the gateway believes %v, want closed", got)
		}
		wait(400 * time.Millisecond)
		if got := b.soon("pollValue", poll(2, 102, "currentState"))["result"]; got != barrierClosing {
			t.Errorf("a poll says %v, want closing", got)
		}
		if got := b.soon("pollValue", poll(2, 102, "position")); got["success"] != true || got["result"] != nil {
			t.Errorf("a poll of the position says %v, want nothing", got)
		}
		wait(5 * time.Second)
		got := members(t, s, "Garage Door", "state", "moving", "open", "position")
		if position, _ := got["position"].(float64); got["state"] != "Closing" || got["moving"] != true || got["open"] != true || position < 40 || position > 60 {
			t.Errorf("half-way it is %v", got)
		}
		wait(7 * time.Second)
		want := map[string]any{"state": "Closed", "moving": false, "open": false, "position": 0.0}
		if got := members(t, s, "Garage Door", "state", "moving", "open", "position"); !reflect.DeepEqual(got, want) {
			t.Errorf("at the end it is %v, want %v", got, want)
		}
		if state, position := s.belief(t, "Garage Door", "102-0-currentState"), s.belief(t, "Garage Door", "102-0-position"); state != 0.0 || position != 0.0 {
			t.Errorf("at the end the gateway believes %v at %v", state, position)
		}
	})
}

func TestBarrierThatTellsItsWay(t *testing.T) {
	play(t, motors(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		result, _ := b.soon("writeValue", shut(4)...)["result"].(map[string]any)
		if remaining, _ := result["remainingDuration"].(map[string]any); result["status"] != 1.0 || remaining["value"] != 12.0 {
			t.Errorf("the write is answered with %v, want status 1 with 12 s", result)
		}
		if got := s.belief(t, "Honest Gate", "102-0-currentState"); got != barrierClosing {
			t.Errorf("on its way the gateway believes %v", got)
		}
		wait(6 * time.Second)
		b.soon("writeValue", target(4, 102, "targetState", 255.0)...)
		if got := s.belief(t, "Honest Gate", "102-0-currentState"); got != barrierOpening {
			t.Errorf("turned on its way the gateway believes %v", got)
		}
		wait(7 * time.Second) // as long as it had closed, not the whole way
		if got := members(t, s, "Honest Gate", "state", "moving"); got["state"] != "Open" || got["moving"] != false {
			t.Errorf("it is %v", got)
		}
	})
}

// TestBarrierIsBlocked stops a garage door by an obstacle: on its way, and before
// it starts.
func TestBarrierIsBlocked(t *testing.T) {
	play(t, motors(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		b.soon("writeValue", shut(2)...)
		wait(3 * time.Second)
		must(t, s.Fault(t.Context(), Fault{Op: "block", Node: 2}))
		wait(20 * time.Second)
		got := members(t, s, "Garage Door", "state", "position", "moving")
		if position, _ := got["position"].(float64); got["state"] != "Stopped" || position < 60 || position > 90 || got["moving"] != false {
			t.Errorf("blocked on its way it is %v", got)
		}
		if state, position := s.belief(t, "Garage Door", "102-0-currentState"), s.belief(t, "Garage Door", "102-0-position"); state != barrierStopped || position != nil {
			t.Errorf("the gateway believes %v at %v", state, position)
		}
		b.soon("writeValue", shut(2)...)
		wait(12 * time.Second)
		if got := members(t, s, "Garage Door", "state"); got["state"] != "Closed" {
			t.Errorf("told again it is %v", got)
		}
		must(t, s.Fault(t.Context(), Fault{Op: "block", Node: 2}))
		b.soon("writeValue", target(2, 102, "targetState", 255.0)...)
		wait(20 * time.Second)
		if got := members(t, s, "Garage Door", "state", "position"); got["state"] != "Stopped" || got["position"] != 49.0 {
			t.Errorf("blocked half-way it is %v", got)
		}
	})
}

// TestBarrierByHand opens and closes a door at its own button: it reports its
// state and position, and no target.
func TestBarrierByHand(t *testing.T) {
	play(t, motors(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		b.taken()
		must(t, s.Fault(t.Context(), Fault{Op: "change", Node: 2, Key: "102-0-currentState", Value: 0}))
		wait(time.Second)
		want := `Garage_Door/barrier_operator/endpoint_0/position {"value":0}`
		var values []string
		for _, m := range b.topics() {
			if m == want || m == `Garage_Door/barrier_operator/endpoint_0/currentState {"value":0}` {
				values = append(values, m)
			}
		}
		if len(values) != 2 {
			t.Errorf("it reported %v", values)
		}
		if got := s.belief(t, "Garage Door", "102-0-targetState"); got != 255.0 {
			t.Errorf("the target became %v, which no barrier reports", got)
		}
	})
}

// TestCoversTakeTheirTime checks that covers of 5, 12 and 25 s claim no position,
// show their way in a poll, and arrive in time.
func TestCoversTakeTheirTime(t *testing.T) {
	for device, node := range map[string]int{"Shade": 5, "Shutter": 12, "Awning": 25} {
		t.Run(device, func(t *testing.T) {
			play(t, motors(), func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				seconds := node // the id is its travel time
				if got := status(b.soon("writeValue", target(node, 38, "targetValue", 0.0)...)); got != 254.0 {
					t.Errorf("the write has the status %v, want 254", got)
				}
				if got, to := s.belief(t, device, "38-0-currentValue"), s.belief(t, device, "38-0-targetValue"); got != 99.0 || to != 0.0 {
					t.Errorf("the gateway believes %v on its way to %v, want 99 and 0", got, to)
				}
				wait(time.Duration(seconds) * time.Second / 2)
				level, _ := b.soon("pollValue", poll(node, 38, "currentValue"))["result"].(float64)
				duration := fmt.Sprint(s.belief(t, device, "38-0-duration"))
				if level < 30 || level > 70 || duration == "map[unit:seconds value:0]" {
					t.Errorf("half-way a poll says %v with the duration %v", level, duration)
				}
				if to := s.belief(t, device, "38-0-targetValue"); to != 0.0 {
					t.Errorf("half-way the read-back has the target %v", to)
				}
				wait(time.Duration(seconds) * time.Second / 2)
				if got := s.belief(t, device, "38-0-currentValue"); got != 0.0 {
					t.Errorf("at the end the gateway believes %v", got)
				}
			})
		})
	}
}

// TestMotorsGoOnWithoutTheGateway lets the gateway crash while a door closes.
func TestMotorsGoOnWithoutTheGateway(t *testing.T) {
	play(t, motors(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		b.soon("writeValue", shut(2)...)
		must(t, s.Fault(t.Context(), Fault{Op: "crash", For: Pause(30 * time.Second)}))
		wait(time.Millisecond)
		b.taken()
		wait(3 * time.Second)
		if got := members(t, s, "Garage Door", "state", "moving"); got["state"] != "Closing" || got["moving"] != true {
			t.Errorf("three seconds after the crash it is %v", got)
		}
		wait(15 * time.Second)
		if got := members(t, s, "Garage Door", "state", "moving"); got["state"] != "Closed" || got["moving"] != false {
			t.Errorf("in the end it is %v", got)
		}
		if got := b.topics(); len(got) != 0 {
			t.Errorf("without a gateway %v was published", got)
		}
	})
}

// TestNobodyHearsTheDevices has a lamp switched by hand while the gateway cannot
// hear it.
func TestNobodyHearsTheDevices(t *testing.T) {
	for name, f := range map[string]Fault{"dead": {Op: "dead", Node: "Kitchen Light"}, "no driver": {Op: "driver_down"}, "no stick": {Op: "stick_out"}} {
		t.Run(name, func(t *testing.T) {
			play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				must(t, s.Fault(t.Context(), f))
				wait(time.Millisecond)
				b.taken()
				must(t, s.Fault(t.Context(), Fault{Op: "change", Node: "Kitchen Light", Key: "37-0-currentValue", Value: true}))
				wait(5 * time.Second)
				if got := b.topics(); len(got) != 0 {
					t.Errorf("%v was published", got)
				}
				if fact, belief := s.light(t); fact != true || belief != false {
					t.Errorf("the lamp is %v and believed to be %v", fact, belief)
				}
			})
		})
	}
}

// TestQuietMotors checks that a motor which reports only when it is asked leaves the
// gateway with its claim, or with the last read-back, until then.
func TestQuietMotors(t *testing.T) {
	play(t, motors(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		for _, node := range []int{2, 12} {
			must(t, s.Fault(t.Context(), Fault{Op: "quiet", Node: node}))
			must(t, s.Fault(t.Context(), Fault{Op: "block", Node: node}))
		}
		b.soon("writeValue", shut(2)...)
		b.soon("writeValue", target(12, 38, "targetValue", 0.0)...)
		wait(time.Minute)
		if got := s.belief(t, "Garage Door", "102-0-currentState"); got != 0.0 {
			t.Errorf("the blocked door is believed to be %v, want the claim", got)
		}
		if got := b.soon("pollValue", poll(2, 102, "currentState"))["result"]; got != barrierStopped {
			t.Errorf("asked, the door says %v", got)
		}
		read := s.belief(t, "Shutter", "38-0-currentValue") // 5 s after the write it was on its way
		if got := b.soon("pollValue", poll(12, 38, "currentValue"))["result"]; got == read || got != 49.0 {
			t.Errorf("read back at %v, the shutter says %v when asked", read, got)
		}
		must(t, s.Fault(t.Context(), Fault{Op: "change", Node: 2, Key: "102-0-currentState", Value: 0}))
		wait(time.Second)
		if got := s.belief(t, "Garage Door", "102-0-currentState"); got != barrierStopped {
			t.Errorf("closed by hand the door was reported as %v", got)
		}
	})
}

// TestSupervisedSettings checks that a supervised thermostat confirms what it
// takes and refuses what it does not.
func TestSupervisedSettings(t *testing.T) {
	cfg := DefaultConfig()
	cfg.House.Nodes = []NodeSpec{{ID: 2, Name: "Heater", Kind: "thermostat", Supervised: true}}
	play(t, cfg, func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		for to, want := range map[float64]float64{19: 255, 55: 2} {
			write := target(2, 67, "setpoint", to)
			write[0].(map[string]any)["propertyKey"] = 1
			if got := status(b.ask("writeValue", write...)); got != want {
				t.Errorf("%v degrees have the status %v, want %v", to, got, want)
			}
		}
		if got := s.belief(t, "Heater", "67-0-setpoint-1"); got != 19.0 {
			t.Errorf("the gateway believes in %v degrees", got)
		}
	})
}
