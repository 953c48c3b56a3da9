package zwave_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/tools"
	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
	"voicegateway/internal/zwave/wire"
)

// node changes a node of the simulated house, or adds one.
func node(s *sim.Config, spec sim.NodeSpec) {
	for i, n := range s.House.Nodes {
		if n.ID == spec.ID {
			s.House.Nodes[i] = spec
			return
		}
	}
	s.House.Nodes = append(s.House.Nodes, spec)
}

// asSpoken runs a house with the settings of a real one, in real time.
func asSpoken(nodes ...sim.NodeSpec) func(*zwave.Config, *sim.Config) {
	return func(c *zwave.Config, s *sim.Config) {
		c.Patience, s.Scale, c.AllowDangerous = zwave.DefaultConfig().Patience, 1, true
		for _, n := range nodes {
			node(s, n)
		}
	}
}

// speak commands as a spoken turn does, which waits five seconds at most.
func (r *rig) speak(device, action string, value any) (receipt, tools.Result) {
	r.Helper()
	args := map[string]any{"device_name": device, "action": action}
	if value != nil {
		args["value"] = value
	}
	raw, err := json.Marshal(args)
	if err != nil {
		r.Fatal(err)
	}
	ctx, cancel := context.WithCancel(r.ctx) // the budget is not told to the server
	defer cancel()
	spent := false
	budget := time.AfterFunc(5*time.Second, func() { spent = true; cancel() })
	defer budget.Stop()
	result, err := r.tool("operate_dangerous_device").Call(ctx, raw)
	if err != nil || spent {
		r.Fatalf("%s %s: no answer within the budget, %v", action, device, err)
	}
	var out receipt
	if err := json.Unmarshal(result.Data, &out); err != nil {
		r.Fatal(err)
	}
	return out, result
}

// warm waits until the gateway has repeated all it knows after its start.
func (r *rig) warm() { pass(15 * time.Second) }

var garage = sim.NodeSpec{ID: 15, Name: "Garage Door", Location: "Garage", Kind: "barrier", Values: map[string]any{"102-0-currentState": 255}}

// TestWhatMovesOrGuardsIsAskedBeforeItIsTold has devices that answer at once that they
// have done it; for these the controller writes the new state itself.
func TestWhatMovesOrGuardsIsAskedBeforeItIsTold(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spec                     sim.NodeSpec
		action                   string
		topic                    string
		claim                    any // what the controller writes at once
		before, on, then         any // what the device itself says before, on the way, and when it is there
		takes                    time.Duration
		outcome, reason, message string
		state                    any
	}{
		"a garage door of twelve seconds": {
			garage, "close", "Garage/Garage_Door/barrier_operator/endpoint_0/currentState", 0, nil, 252.0, 0.0, 12 * time.Second,
			"accepted", "on_its_way", "Garage Door is on the way.", "closing",
		},
		"a garage door of two seconds": {
			garage, "close", "Garage/Garage_Door/barrier_operator/endpoint_0/currentState", 0, nil, 252.0, 0.0, 2 * time.Second,
			"confirmed", "", "Garage Door is closed.", "closed",
		},
		"a lock that jams": {
			sim.NodeSpec{ID: 13, Name: "Front Door", Location: "Hallway", Kind: "lock", Values: map[string]any{"98-0-currentMode": 0}},
			"lock",
			"Hallway/Front_Door/door_lock/endpoint_0/currentMode", 255, nil, 0.0, 0.0, time.Hour,
			"accepted", "unchanged", "Front Door took the command but still reports unlocked.", "unlocked",
		},
		"a valve that is stuck": {
			sim.NodeSpec{ID: 47, Name: "Water Valve", Location: "Cellar", Kind: "valve", Values: map[string]any{"37-0-currentValue": true}},
			"close",
			"Cellar/Water_Valve/switch_binary/endpoint_0/currentValue", false, nil, true, true, time.Hour,
			"accepted", "unchanged", "Water Valve took the command but still reports open.", "open",
		},
		"a relay for a gate": {
			sim.NodeSpec{ID: 60, Name: "Hoftor", Location: "Garden", Kind: "switch", Values: map[string]any{"37-0-currentValue": true}},
			"off",
			"Garden/Hoftor/switch_binary/endpoint_0/currentValue", false, nil, true, true, time.Hour,
			"accepted", "unchanged", "Hoftor took the command but still reports on.", "on",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, asSpoken(tc.spec))
				r.warm()
				says := after(tc.takes, tc.on, tc.then)
				r.puppeteer(map[int]puppet{tc.spec.ID: {
					write: func(any) *written { return &written{status: 255, claims: map[string]any{tc.topic: tc.claim}} },
					poll:  func(wire.ValueID) any { return says() },
				}})
				got, result := r.speak(tc.spec.Name, tc.action, nil)
				if got.Outcome != tc.outcome || got.Reason != tc.reason || got.Message != tc.message || result.Failed {
					t.Errorf("%+v, want %s %s, %q", got, tc.outcome, tc.reason, tc.message)
				}
				if state := r.state(tc.spec.Name).State; state != tc.state {
					t.Errorf("its state is told as %v", state)
				}
			})
		})
	}
}

// TestWhatTakesLongIsOnItsWay has covers and dimmers that are not there before a
// spoken turn gives up.
func TestWhatTakesLongIsOnItsWay(t *testing.T) {
	t.Parallel()
	shade := sim.NodeSpec{ID: 10, Name: "Bedroom Curtains", Location: "Bedroom", Kind: "cover", Values: map[string]any{"38-0-currentValue": 99}}
	base := "Bedroom/Bedroom_Curtains/switch_multilevel/endpoint_0/"
	slow := func(s sim.NodeSpec, d time.Duration) sim.NodeSpec { s.Ramp = d; return s }
	tests := map[string]struct {
		spec   sim.NodeSpec
		action string
		value  any
		puppet func(*puppets) puppet
		reason string
	}{
		"a cover of 5 s":   {slow(shade, 5*time.Second), "close", nil, nil, "on_its_way"},
		"a cover of 25 s":  {slow(shade, 25*time.Second), "close", nil, nil, "on_its_way"},
		"a blind of 12 s":  {sim.NodeSpec{ID: 7, Name: "Living Room Blinds", Location: "Living Room", Kind: "blind", Ramp: 12 * time.Second, Values: map[string]any{"106-0-currentValue-13": 99}}, "close", nil, nil, "on_its_way"},
		"a garage of 25 s": {slow(garage, 25*time.Second), "close", nil, nil, "on_its_way"},
		"a dimmer of 30 s": {sim.NodeSpec{ID: 17, Name: "Office Light", Location: "Office", Kind: "dimmer", Ramp: 30 * time.Second}, "level", 80, nil, "on_its_way"},
		"a cover that names its target only": {shade, "close", nil, func(p *puppets) puppet {
			return puppet{
				write: func(any) *written { return &written{status: 254, claims: map[string]any{base + "targetValue": 0}} },
				poll:  func(wire.ValueID) any { p.publish(base+"targetValue", 0); return 99.0 },
			}
		}, "on_its_way"},
		"a cover that names its duration only": {shade, "close", nil, func(p *puppets) puppet {
			return puppet{
				write: func(any) *written { return &written{status: 254} },
				poll: func(wire.ValueID) any {
					p.publish(base+"duration", map[string]any{"value": 20, "unit": "seconds"})
					return 99.0
				},
			}
		}, "on_its_way"},
		"a cover that stands still": {shade, "close", nil, func(*puppets) puppet {
			return puppet{write: func(any) *written { return &written{status: 254} }, poll: func(wire.ValueID) any { return 99.0 }}
		}, "unchanged"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, asSpoken(tc.spec))
				r.warm()
				if tc.puppet != nil {
					p := r.puppeteer(nil)
					r.mine.bus.mu.Lock()
					p.nodes = map[int]puppet{tc.spec.ID: tc.puppet(p)}
					r.mine.bus.mu.Unlock()
				}
				got, result := r.speak(tc.spec.Name, tc.action, tc.value)
				if got.Outcome != "accepted" || got.Reason != tc.reason || result.Failed {
					t.Errorf("%+v, want accepted %s", got, tc.reason)
				}
				if onWay := strings.HasSuffix(got.Message, "on the way."); onWay != (tc.reason == "on_its_way") {
					t.Errorf("it says %q", got.Message)
				}
			})
		})
	}
}

// TestTheReportOfAnArrivalIsLost checks that a thing that was moving is asked when a user
// wants to know where it is.
func TestTheReportOfAnArrivalIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken(sim.NodeSpec{ID: 10, Name: "Bedroom Curtains", Location: "Bedroom", Kind: "cover", Ramp: 10 * time.Second, Values: map[string]any{"38-0-currentValue": 99}}))
		r.warm()
		if got, _ := r.speak("Bedroom Curtains", "close", nil); got.Reason != "on_its_way" {
			t.Errorf("%+v", got)
		}
		r.fault(sim.Fault{Op: "lost_report", Node: 10, For: sim.Pause(30 * time.Second)})
		pass(40 * time.Second)
		if got := r.state("Bedroom Curtains"); got.State != "closed" {
			t.Errorf("told as %+v", got)
		}
	})
}

// TestWhatWasNotConfirmedMayHaveHappened checks that a device is asked about its state
// after a command without an answer.
func TestWhatWasNotConfirmedMayHaveHappened(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken())
		r.warm()
		r.fault(sim.Fault{Op: "quiet", Node: "Kitchen Light"})
		r.fault(sim.Fault{Op: "delay", Node: "Kitchen Light", For: sim.Pause(6 * time.Second)})
		if got, _ := r.speak("Kitchen Light", "on", nil); got.Outcome != "no_answer" || got.Reason != "silent" {
			t.Errorf("%+v", got)
		}
		r.fault(sim.Fault{Op: "clear", Node: "Kitchen Light"})
		pass(10 * time.Second)
		if got := r.state("Kitchen Light"); got.State != "on" {
			t.Errorf("told as %+v", got)
		}
	})
}

// TestAnAnswerFromBeforeIsNoState has somebody ask about a blind a moment before it is told
// to move: the answer, which comes after that, says nothing of what came of the command.
func TestAnAnswerFromBeforeIsNoState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *zwave.Config, s *sim.Config) {
			asSpoken()(c, s)
			s.Settings.Age = time.Hour // so that a question asks the device
		})
		r.warm()
		asked := false
		r.puppeteer(map[int]puppet{7: {
			write: func(any) *written { return &written{status: 1, remaining: 2} },
			poll: func(wire.ValueID) any {
				if asked {
					return nil // it is busy
				}
				asked = true
				return 99.0
			},
		}})
		question := make(chan any)
		go func() { question <- r.state("Living Room Blinds").State }()
		pass(20 * time.Millisecond)
		got, _ := r.speak("Living Room Blinds", "position", 80)
		if got.Outcome != "accepted" || got.Reason != "on_its_way" || got.Value != nil {
			t.Errorf("%+v", got)
		}
		if state := <-question; state != "open" {
			t.Errorf("the question is answered %v", state)
		}
	})
}

// TestALampThatNeedsSecondsIsToldLate has devices take a few seconds for whatever is sent to
// them. What can be heard within a spoken turn is told as done; a lamp that took the command
// and cannot be heard in time is told as under way, and so again when it is there.
func TestALampThatNeedsSecondsIsToldLate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		device string
		value  any
		takes  time.Duration
		told   string
	}{
		"a switch of two seconds":          {"Kitchen Light", nil, 2 * time.Second, "confirmed "},
		"a thermostat of two seconds":      {"Thermostat", 23, 2 * time.Second, "confirmed "},
		"a switch of three seconds":        {"Kitchen Light", nil, 3 * time.Second, "accepted on_its_way"},
		"a dimmer that reports at its end": {"Office Light", 60, 3 * time.Second, "confirmed "},
		"a supervised one of three":        {"Hallway Light", nil, 3 * time.Second, "confirmed "},
		"a plug of three seconds":          {"Coffee Machine", nil, 3 * time.Second, "accepted on_its_way"},
		"a thermostat of three seconds":    {"Thermostat", 23, 3 * time.Second, "accepted unconfirmed"},
		"a switch of five seconds":         {"Kitchen Light", nil, 5 * time.Second, "no_answer silent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, asSpoken())
				r.warm()
				r.fault(sim.Fault{Op: "delay", Node: tc.device, For: sim.Pause(tc.takes)})
				action := "on"
				switch tc.value {
				case 60:
					action = "level"
				case 23:
					action = "setpoint"
				}
				if got, _ := r.speak(tc.device, action, tc.value); got.Outcome+" "+got.Reason != tc.told {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}
