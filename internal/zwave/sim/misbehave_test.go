package sim

import (
	"testing"
	"time"
)

// target returns the arguments of a write to a device's target.
func target(node, class int, property string, to any) []any {
	id := map[string]any{"nodeId": node, "commandClass": class, "endpoint": 0, "property": property}
	if class == 106 {
		id["propertyKey"] = 13
	}
	return []any{id, to}
}

// belief returns what the gateway believes of a value.
func (s *Sim) belief(t *testing.T, device, key string) any {
	t.Helper()
	var out any
	must(t, s.ask(t.Context(), func() { out = s.net.find(device).byText(key).believed }))
	return out
}

// TestLiars checks that a liar answers success for everything at once, that the
// gateway believes it, and that a poll learns the truth.
func TestLiars(t *testing.T) {
	tests := map[string]struct {
		node   int
		write  []any
		key    string
		claim  any
		fact   any
		polled []any
	}{
		"switch":     {2, target(2, 37, "targetValue", true), "37-0-currentValue", true, false, target(2, 37, "currentValue", nil)},
		"dimmer":     {5, target(5, 38, "targetValue", 40.0), "38-0-currentValue", 40.0, 0.0, target(5, 38, "currentValue", nil)},
		"cover":      {10, target(10, 38, "targetValue", 0.0), "38-0-currentValue", 0.0, 99.0, target(10, 38, "currentValue", nil)},
		"blind":      {7, target(7, 106, "targetValue", 0.0), "106-0-currentValue-13", 0.0, 99.0, target(7, 106, "currentValue", nil)},
		"lock":       {13, target(13, 98, "targetMode", 255.0), "98-0-currentMode", 255.0, 0.0, target(13, 98, "currentMode", nil)},
		"barrier":    {15, target(15, 102, "targetState", 255.0), "102-0-currentState", 255.0, 0.0, target(15, 102, "currentState", nil)},
		"thermostat": {8, target(8, 64, "mode", 2.0), "64-0-mode", 2.0, 1.0, target(8, 64, "mode", nil)},
		"colour":     {6, target(6, 51, "hexColor", "0000ff"), "51-0-hexColor", "0000ff", "ffffff", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				must(t, s.Fault(t.Context(), Fault{Op: "liar", Node: tc.node}))
				if got := status(b.ask("writeValue", tc.write...)); got != 255.0 {
					t.Errorf("a liar answers with status %v, want 255", got)
				}
				device := s.net.nodes[tc.node].spec.Name
				facts, err := s.Facts(t.Context(), device)
				must(t, err)
				if claim := s.belief(t, device, tc.key); claim != tc.claim || facts[tc.key] != tc.fact {
					t.Errorf("the gateway believes %v of a device that is %v, want %v and %v", claim, facts[tc.key], tc.claim, tc.fact)
				}
				if tc.polled != nil {
					if got := b.ask("pollValue", tc.polled[0])["result"]; got != tc.fact {
						t.Errorf("a poll says %v, want %v", got, tc.fact)
					}
				}
				must(t, s.Fault(t.Context(), Fault{Op: "honest", Node: tc.node}))
				b.ask("writeValue", tc.write...)
				wait(10 * time.Second)
				if facts, err = s.Facts(t.Context(), device); err != nil || facts[tc.key] != tc.claim {
					t.Errorf("honest again, it is %v after the same write (%v)", facts[tc.key], err)
				}
			})
		})
	}
}

// TestSupervisedDimmer checks that a dimmer with Supervision is under way until
// it is there, and is believed when it says so.
func TestSupervisedDimmer(t *testing.T) {
	cfg := DefaultConfig()
	cfg.House.Nodes = []NodeSpec{{ID: 5, Name: "Lamp", Kind: "dimmer", Supervised: true, Ramp: 20 * time.Second}, {ID: 6, Name: "Fan", Kind: "fan", Supervised: true}}
	play(t, cfg, func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		answer := b.ask("writeValue", target(5, 38, "targetValue", 99.0)...)
		remaining, _ := answer["result"].(map[string]any)["remainingDuration"].(map[string]any)
		if status(answer) != 1.0 || remaining["value"] != 20.0 {
			t.Errorf("a slow lamp answers %v, want status 1 with 20 s", answer["result"])
		}
		if got := s.belief(t, "Lamp", "38-0-currentValue"); got != 0.0 {
			t.Errorf("on its way the lamp is believed to be at %v", got)
		}
		if got := members(t, s, "Lamp", "moving"); got["moving"] != true {
			t.Error("the lamp does not move")
		}
		wait(15 * time.Second)
		if got := s.belief(t, "Lamp", "38-0-currentValue"); got != 99.0 {
			t.Errorf("at the end the lamp is believed to be at %v", got)
		}
		if got := status(b.ask("writeValue", target(6, 38, "targetValue", 50.0)...)); got != 255.0 {
			t.Errorf("a fan without a ramp answers with status %v, want 255", got)
		}
		if got := s.belief(t, "Fan", "38-0-currentValue"); got != 50.0 {
			t.Errorf("the fan is believed to be at %v", got)
		}
		must(t, s.Fault(t.Context(), Fault{Op: "deaf", Node: 6}))
		if got := status(b.ask("writeValue", target(6, 38, "targetValue", 10.0)...)); got != 2.0 {
			t.Errorf("a deaf fan answers with status %v, want 2", got)
		}
	})
}

// TestStopsOnTheWay checks that a device that stops on its way stands there, whether it
// says so or lies, and goes all the way once it is mended.
func TestStopsOnTheWay(t *testing.T) {
	for name, tc := range map[string]struct {
		node, class int
		liar        bool
		to, status  float64
		key         string
		fact        any
	}{
		"a dimmer that lies":  {5, 38, true, 80, 255, "38-0-currentValue", 45.0},
		"an honest dimmer":    {5, 38, false, 80, 254, "38-0-currentValue", 45.0},
		"not so far":          {5, 38, true, 30, 255, "38-0-currentValue", 0.0},
		"curtains that lie":   {10, 38, true, 0, 255, "38-0-currentValue", 45.0},
		"a blind that lies":   {7, 106, true, 0, 255, "106-0-currentValue-13", 45.0},
		"a fan on half speed": {19, 38, true, 99, 255, "38-0-currentValue", 45.0},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				device := s.net.nodes[tc.node].spec.Name
				must(t, s.Fault(t.Context(), Fault{Op: "stops_at", Node: tc.node, Value: 45}))
				if tc.liar {
					must(t, s.Fault(t.Context(), Fault{Op: "liar", Node: tc.node}))
				}
				if got := status(b.ask("writeValue", target(tc.node, tc.class, "targetValue", tc.to)...)); got != tc.status {
					t.Errorf("it answers with status %v, want %v", got, tc.status)
				}
				wait(10 * time.Second)
				if facts, err := s.Facts(t.Context(), device); err != nil || facts[tc.key] != tc.fact {
					t.Errorf("it is at %v (%v), want %v", facts[tc.key], err, tc.fact)
				}
				must(t, s.Fault(t.Context(), Fault{Op: "clear", Node: tc.node}))
				b.ask("writeValue", target(tc.node, tc.class, "targetValue", tc.to)...)
				wait(10 * time.Second)
				if facts, err := s.Facts(t.Context(), device); err != nil || facts[tc.key] != tc.to {
					t.Errorf("mended, it is at %v (%v)", facts[tc.key], err)
				}
			})
		})
	}
}

// TestANodeHoldsTheQueue checks that no other node is reached while a node keeps the
// driver's queue.
func TestANodeHoldsTheQueue(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		must(t, s.Fault(t.Context(), Fault{Op: "hold", Node: 19, For: Pause(3 * time.Second)}))
		b.soon("writeValue", target(19, 38, "targetValue", 50.0)...)
		if got := b.soon("writeValue", target(2, 37, "targetValue", true)...); got != nil {
			t.Errorf("another node was reached meanwhile: %v", got)
		}
		wait(3 * time.Second)
		if facts, err := s.Facts(t.Context(), "Kitchen Light"); err != nil || facts["37-0-currentValue"] != true {
			t.Errorf("afterwards it was not: %v (%v)", facts, err)
		}
		must(t, s.Fault(t.Context(), Fault{Op: "clear", Node: 19}))
		wait(10 * time.Second)
		b.soon("writeValue", target(19, 38, "targetValue", 20.0)...)
		if got := b.soon("writeValue", target(2, 37, "targetValue", false)...); got == nil {
			t.Error("mended, it still holds the queue")
		}
	})
}

// TestAnInterviewHangs checks that such a node answers and has no values, from the start
// or later, until it is mended.
func TestAnInterviewHangs(t *testing.T) {
	cfg := DefaultConfig()
	cfg.House.Nodes = []NodeSpec{{ID: 2, Name: "Lamp", Kind: "switch", Quirks: Quirks{Hangs: true}}, {ID: 3, Name: "Fan", Kind: "fan", Battery: 255}}
	play(t, cfg, func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		hangs := func(id float64, want bool) {
			t.Helper()
			n := b.listed(t, id)
			values, _ := n["values"].(map[string]any)
			if n["status"] != alive || n["ready"] == want || (len(values) == 0) != want {
				t.Errorf("node %v is %v, ready %v, with %d values", id, n["status"], n["ready"], len(values))
			}
			if got := b.ask("pingNode", id)["result"]; got != true {
				t.Errorf("a ping of node %v is answered with %v", id, got)
			}
		}
		hangs(2, true)
		hangs(3, false)
		if got := status(b.ask("writeValue", target(2, 37, "targetValue", true)...)); got != 2.0 {
			t.Errorf("a write has the status %v, want 2", got)
		}
		must(t, s.Fault(t.Context(), Fault{Op: "hang", Node: 3}))
		hangs(3, true)
		must(t, s.Fault(t.Context(), Fault{Op: "clear"}))
		wait(10 * time.Second)
		hangs(2, false)
		hangs(3, false)
	})
}
