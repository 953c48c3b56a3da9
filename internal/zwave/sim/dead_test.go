package sim

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// listed returns a node as getNodes lists it.
func (b *tape) listed(t *testing.T, id float64) map[string]any {
	t.Helper()
	nodes, _ := b.soon("getNodes")["result"].([]any)
	n := nodeIn(nodes, id)
	if n == nil {
		t.Fatalf("getNodes does not list node %v", id)
	}
	return n
}

// TestDeadAtTheStart checks that a node which is dead when everything starts is
// known by its name alone, and comes back by one ping.
func TestDeadAtTheStart(t *testing.T) {
	tests := map[string]func(t *testing.T, s *Sim){
		"in the house file": nil,
		"after a power cut": func(t *testing.T, s *Sim) {
			t.Helper()
			must(t, s.Fault(t.Context(), Fault{Op: "dead", Node: 2}))
			must(t, s.Fault(t.Context(), Fault{Op: "restart"}))
		},
	}
	for name, cut := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.House.Nodes = []NodeSpec{{ID: 2, Name: "Cellar Light", Location: "Cellar", Kind: "switch"}, {ID: 3, Name: "Lamp", Kind: "switch"}}
			cfg.House.Nodes[0].Dead = cut == nil
			play(t, cfg, func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				if cut != nil {
					wait(time.Second)
					b.taken()
					cut(t, s)
				}
				wait(10 * time.Second)
				for _, m := range b.topics() {
					if strings.HasPrefix(m, "Cellar/Cellar_Light/switch_binary") {
						t.Errorf("a dead node has the value %s", m)
					}
				}
				n := b.listed(t, 2)
				want := map[string]any{"name": "Cellar Light", "loc": "Cellar", "ready": false, "status": dead, "available": false}
				for member, is := range want {
					if n[member] != is {
						t.Errorf("%s is %v, want %v", member, n[member], is)
					}
				}
				if values, _ := n["values"].(map[string]any); values == nil || len(values) != 0 {
					t.Errorf("its values are %v", n["values"])
				}
				must(t, s.Fault(t.Context(), Fault{Op: "alive", Node: 2}))
				wait(time.Minute)
				if got := b.soon("writeValue", on(2)...); status(got) != 2.0 || b.listed(t, 2)["ready"] != false {
					t.Errorf("a write is answered with %v", got)
				}
				b.taken()
				if got := b.ask("pingNode", 2); got["result"] != true {
					t.Errorf("a ping says %v", got)
				}
				if n := b.listed(t, 2); n["ready"] != true || n["status"] != alive || len(n["values"].(map[string]any)) == 0 {
					t.Errorf("after the ping it is %v, ready %v", n["status"], n["ready"])
				}
				if got := status(b.soon("writeValue", on(2)...)); got != 254.0 {
					t.Errorf("a write has the status %v", got)
				}
			})
		})
	}
}

// TestPingBringsValuesBack checks that the values of a node that was dead at the
// start are published after a ping.
func TestPingBringsValuesBack(t *testing.T) {
	cfg := DefaultConfig()
	cfg.House.Nodes = []NodeSpec{{ID: 2, Name: "Lamp", Kind: "switch", Quirks: Quirks{Dead: true}}}
	play(t, cfg, func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		if got := b.ask("pingNode", 2); got["result"] != false {
			t.Errorf("a ping of a dead node says %v", got)
		}
		must(t, s.Fault(t.Context(), Fault{Op: "alive", Node: 2}))
		b.soon("pingNode", 2)
		wait(2500 * time.Millisecond)
		if got := b.topics(); !slices.Contains(got, `Lamp/switch_binary/endpoint_0/currentValue {"value":false}`) {
			t.Errorf("two and a half seconds after the ping: %v", got)
		}
	})
}

// TestAnswerBringsANodeBack checks that a node that died after the start is alive
// again as soon as it answers anything.
func TestAnswerBringsANodeBack(t *testing.T) {
	for name, ask := range map[string]func(b *tape){
		"write": func(b *tape) { b.soon("writeValue", on(2)...) },
		"poll":  func(b *tape) { b.soon("pollValue", poll(2, 37, "currentValue")) },
		"ping":  func(b *tape) { b.soon("pingNode", 2) },
	} {
		t.Run(name, func(t *testing.T) {
			play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				must(t, s.Fault(t.Context(), Fault{Op: "dead", Node: 2}))
				b.ask("pingNode", 2)
				must(t, s.Fault(t.Context(), Fault{Op: "alive", Node: 2}))
				if got := b.listed(t, 2)["status"]; got != dead {
					t.Errorf("before it is asked it is %v", got)
				}
				ask(b)
				if got := b.listed(t, 2)["status"]; got != alive {
					t.Errorf("afterwards it is %v", got)
				}
			})
		})
	}
}
