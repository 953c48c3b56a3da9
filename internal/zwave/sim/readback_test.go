package sim

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// levels returns the last levels of the topics that were published below a
// device, without other topics.
func (b *tape) levels(below string) []string {
	var out []string
	for _, m := range b.topics() {
		topic, _, _ := strings.Cut(m, " ")
		if rest, ok := strings.CutPrefix(topic, below); ok {
			out = append(out, rest)
		}
	}
	return out
}

// TestReadBackCarriesDurationAndTarget checks what the read-back of a claim, or
// the report at the end of a way, publishes.
func TestReadBackCarriesDurationAndTarget(t *testing.T) {
	tests := map[string]struct {
		spec  NodeSpec
		write []any
		after time.Duration // when the claims have been published, before the read-back
		below string
		want  []string
	}{
		"switch": {
			NodeSpec{Kind: "switch"}, on(2), 500 * time.Millisecond, "Thing/switch_binary/endpoint_0/", []string{"currentValue"},
		},
		"newer switch": {
			NodeSpec{Kind: "relay"}, on(2), 500 * time.Millisecond, "Thing/switch_binary/endpoint_0/", []string{"duration", "targetValue", "currentValue"},
		},
		"dimmer": {
			NodeSpec{Kind: "dimmer"},
			target(2, 38, "targetValue", 40.0), time.Second,
			"Thing/switch_multilevel/endpoint_0/",
			[]string{"currentValue", "duration", "targetValue"},
		},
		"dimmer, ramp": {
			NodeSpec{Kind: "dimmer", Ramp: 3 * time.Second},
			target(2, 38, "targetValue", 99.0), time.Second,
			"Thing/switch_multilevel/endpoint_0/",
			[]string{"currentValue", "duration", "targetValue"},
		},
		"shade": {
			NodeSpec{Kind: "shade", Ramp: 4 * time.Second},
			target(2, 38, "targetValue", 99.0), time.Second,
			"Thing/switch_multilevel/endpoint_0/",
			[]string{"currentValue", "duration", "targetValue"},
		},
		"colour": {
			NodeSpec{Kind: "colour"}, component(20.0), 500 * time.Millisecond, "Thing/color/endpoint_0/", []string{"currentColor/2", "currentColor", "hexColor"},
		},
		"newer colour": {
			NodeSpec{Kind: "colour", Quirks: Quirks{Full: true}},
			component(20.0), 500 * time.Millisecond, "Thing/color/endpoint_0/",
			[]string{"duration", "targetColor/2", "targetColor", "currentColor/2", "currentColor", "hexColor"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := DefaultConfig()
			tc.spec.ID, tc.spec.Name = 2, "Thing"
			cfg.House.Nodes = []NodeSpec{tc.spec}
			play(t, cfg, func(t *testing.T, b *tape, _ *Sim) {
				t.Helper()
				b.soon("writeValue", tc.write...)
				wait(tc.after)
				b.taken()
				wait(20 * time.Second)
				if got := b.levels(tc.below); !slices.Equal(got, tc.want) {
					t.Errorf("the read-back published %v, want %v", got, tc.want)
				}
			})
		})
	}
}

// component returns a write of the red component.
func component(to any) []any {
	return []any{map[string]any{"nodeId": 2, "commandClass": 51, "endpoint": 0, "property": "targetColor", "propertyKey": 2}, to}
}

// TestLockJams has a bolt jam: the lock does not know its mode, and a newer model says
// why. At the next command the bolt turns.
func TestLockJams(t *testing.T) {
	cfg := DefaultConfig()
	cfg.House.Nodes = []NodeSpec{{ID: 2, Name: "Door", Kind: "smart_lock"}}
	const state = "113-0-Access Control-Lock state"
	play(t, cfg, func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		lock := func() { b.ask("writeValue", target(2, 98, "targetMode", 255.0)...) }
		must(t, s.Fault(t.Context(), Fault{Op: "block", Node: 2}))
		lock()
		if mode, why := s.belief(t, "Door", "98-0-currentMode"), s.belief(t, "Door", state); mode != unknownMode || why != lockJammed {
			t.Errorf("the gateway believes in mode %v and state %v", mode, why)
		}
		if got := members(t, s, "Door", "mode", "locked", "moving"); got["mode"] != "Unknown" || got["locked"] != nil || got["moving"] != false {
			t.Errorf("it is %v", got)
		}
		lock()
		if mode, why := s.belief(t, "Door", "98-0-currentMode"), s.belief(t, "Door", state); mode != 255.0 || why != 0.0 {
			t.Errorf("told again the gateway believes in mode %v and state %v", mode, why)
		}
		must(t, s.Fault(t.Context(), Fault{Op: "block", Node: 2}))
		b.ask("writeValue", target(2, 98, "targetMode", 0.0)...)
		must(t, s.Fault(t.Context(), Fault{Op: "clear", Node: 2}))
		if mode, why := s.belief(t, "Door", "98-0-currentMode"), s.belief(t, "Door", state); mode != 0.0 || why != 0.0 {
			t.Errorf("mended the gateway believes in mode %v and state %v", mode, why)
		}
	})
}

// TestLockByHand checks what a lock reports that is turned by hand, and one that
// does not know where its bolt is.
func TestLockByHand(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		for _, mode := range []float64{255, 254} {
			b.taken()
			must(t, s.Fault(t.Context(), Fault{Op: "change", Node: "Front Door", Key: "98-0-currentMode", Value: mode}))
			wait(time.Second)
			if got := b.levels("Hallway/Front_Door/door_lock/endpoint_0/"); !slices.Contains(got, "boltStatus") || got[len(got)-1] != "currentMode" {
				t.Errorf("in mode %v it reported %v", mode, got)
			}
		}
		target, bolt := s.belief(t, "Front Door", "98-0-targetMode"), s.belief(t, "Front Door", "98-0-boltStatus")
		if mode := s.belief(t, "Front Door", "98-0-currentMode"); mode != unknownMode || target != 255.0 || bolt != "locked" {
			t.Errorf("the gateway believes in mode %v on the way to %v, bolt %v", mode, target, bolt)
		}
	})
}
