package sim

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestStickIsLost plays a lost USB stick: for ten seconds everything looks well
// but every write fails at once; then the driver is down.
func TestStickIsLost(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		must(t, s.Fault(t.Context(), Fault{Op: "stick_out"}))
		for _, node := range []int{2, 13, 16} { // a lamp, a lock, a sleeper
			write := on(node)
			if node == 13 {
				write = target(13, 98, "targetMode", 255.0)
			}
			if got := status(b.soon("writeValue", write...)); got != 2.0 {
				t.Errorf("a write to node %d has the status %v, want 2", node, got)
			}
		}
		if got := b.soon("pingNode", 2); got["result"] != false {
			t.Errorf("a ping says %v", got)
		}
		if got := b.soon("pollValue", poll(2, 37, "currentValue")); got["success"] != false {
			t.Errorf("a poll says %v", got)
		}
		if got := b.soon("sendCommand", poll(2, 37, ""), "set", []any{true}); got["success"] != false {
			t.Errorf("a command says %v", got)
		}
		if got := b.soon("getInfo"); got["success"] != true {
			t.Errorf("getInfo says %v", got)
		}
		if got, _ := b.soon("getNodes")["result"].([]any); nodeIn(got, 2)["status"] != alive {
			t.Errorf("the lamp is %v", nodeIn(got, 2)["status"])
		}
		b.handle("zwave/Kitchen/Kitchen_Light/switch_binary/endpoint_0/targetValue/set", []byte("true"), false)
		wait(7 * time.Second)
		if got := b.topics(); len(got) != 0 {
			t.Errorf("nine seconds later %v was published", got)
		}
		wait(2 * time.Second)
		if got := b.topics(); !slices.Equal(got, []string{"driver/status false"}) {
			t.Errorf("eleven seconds later %v was published", got)
		}
		if got := b.soon("getInfo"); !strings.Contains(string(body(got)), "Z-Wave client not connected") {
			t.Errorf("then getInfo says %v", got)
		}
		if fact, _ := s.light(t); fact != false {
			t.Error("the lamp was switched without a stick")
		}
	})
}

func TestStickComesBack(t *testing.T) {
	for name, out := range map[string]time.Duration{"soon": 5 * time.Second, "late": 30 * time.Second} {
		t.Run(name, func(t *testing.T) {
			play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				must(t, s.Fault(t.Context(), Fault{Op: "stick_out"}))
				wait(out)
				b.taken()
				must(t, s.Fault(t.Context(), Fault{Op: "stick_in"}))
				wait(20 * time.Second)
				if got := slices.Contains(b.topics(), "driver/status true"); got != (out > stickMissed) {
					t.Errorf("the driver came up anew: %v", got)
				}
				if got := status(b.ask("writeValue", on(2)...)); got != 254.0 {
					t.Errorf("a write has the status %v", got)
				}
			})
		})
	}
}

// TestStartWithoutStick checks that no driver comes up without a stick.
func TestStartWithoutStick(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		b.taken()
		must(t, s.Fault(t.Context(), Fault{Op: "stick_out"}))
		must(t, s.Fault(t.Context(), Fault{Op: "restart"}))
		wait(time.Minute)
		if slices.Contains(b.topics(), "driver/status true") {
			t.Error("the driver came up")
		}
		must(t, s.Fault(t.Context(), Fault{Op: "stick_in"}))
		wait(time.Minute)
		if !slices.Contains(b.topics(), "driver/status true") {
			t.Error("the driver did not come up with the stick")
		}
	})
}
