package sim

import (
	"slices"
	"testing"
	"time"
)

// TestClaimOfTheDead has a lamp acknowledge a command and die: the claim stays,
// the read-back finds the node dead, the lamp is as it was.
func TestClaimOfTheDead(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		must(t, s.Fault(t.Context(), Fault{Op: "dies", Node: 2}))
		if got := status(b.soon("writeValue", on(2)...)); got != 254.0 {
			t.Errorf("the write has the status %v, want 254", got)
		}
		if got := b.listed(t, 2)["status"]; got != alive {
			t.Errorf("before the read-back the node is %v", got)
		}
		wait(5 * time.Second)
		if got := b.listed(t, 2)["status"]; got != dead {
			t.Errorf("after the read-back the node is %v", got)
		}
		if fact, belief := s.light(t); fact != false || belief != true {
			t.Errorf("the lamp is %v and believed to be %v", fact, belief)
		}
		if got := members(t, s, "Kitchen Light", "dead", "on"); got["dead"] != true || got["on"] != false {
			t.Errorf("in truth it is %v", got)
		}
		if got := status(b.ask("writeValue", on(2)...)); got != 2.0 {
			t.Errorf("the next write has the status %v", got)
		}
	})
}

// TestSupervisedDeviceDies checks that nothing is claimed for a device whose
// answer never comes.
func TestSupervisedDeviceDies(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		must(t, s.Fault(t.Context(), Fault{Op: "dies", Node: "Hallway Light"}))
		if got := status(b.ask("writeValue", on(12)...)); got != 2.0 {
			t.Errorf("the write has the status %v, want 2", got)
		}
		if got := s.belief(t, "Hallway Light", "37-0-currentValue"); got != false {
			t.Errorf("the gateway believes %v", got)
		}
	})
}

// TestClearMends breaks the Kitchen Light in every way, and checks that one clear
// makes it work again.
func TestClearMends(t *testing.T) {
	breaks := map[string][]Fault{
		"drop": {{Op: "drop", Node: 2, Count: 99}}, "lost report": {{Op: "lost_report", Node: 2, Count: 99}},
		"refuse": {{Op: "refuse", Node: 2, Count: 99}}, "wrong": {{Op: "wrong", Node: 2, Value: false, Count: 99}},
		"delay": {{Op: "delay", Node: 2, For: Pause(time.Hour)}}, "deaf": {{Op: "deaf", Node: 2}}, "liar": {{Op: "liar", Node: 2}},
		"hold": {{Op: "hold", Node: 2, For: Pause(2 * time.Second)}}, "hang": {{Op: "hang", Node: 2}},
		"quiet": {{Op: "quiet", Node: 2}}, "dead": {{Op: "dead", Node: 2}}, "dies": {{Op: "dies", Node: 2}}, "block": {{Op: "block", Node: 2}},
		"mute": {{Op: "mute", Count: 99}}, "driver down": {{Op: "driver_down"}}, "stick out": {{Op: "stick_out"}},
		"crash": {{Op: "crash", For: Pause(time.Hour)}}, "restart": {{Op: "restart", For: Pause(time.Hour)}},
		"dead at the start":      {{Op: "dead", Node: 2}, {Op: "restart"}},
		"stick out at the start": {{Op: "stick_out"}, {Op: "restart"}},
		"all": {
			{Op: "dead", Node: 2},
			{Op: "liar", Node: 2},
			{Op: "deaf", Node: 2},
			{Op: "refuse", Node: 2, Count: 9},
			{Op: "stick_out"},
			{Op: "mute"},
			{Op: "driver_down"},
			{Op: "crash", For: Pause(time.Hour)},
		},
	}
	for name, broken := range breaks {
		t.Run(name, func(t *testing.T) {
			play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				for _, f := range broken {
					must(t, s.Fault(t.Context(), f))
				}
				b.ask("writeValue", on(2)...)
				wait(20 * time.Second)
				must(t, s.Fault(t.Context(), Fault{Op: "clear"}))
				wait(5 * time.Second)
				off := on(2)
				off[1] = false
				for _, write := range [][]any{off, on(2)} {
					if got := status(b.soon("writeValue", write...)); got != 254.0 {
						t.Errorf("a write has the status %v, want 254", got)
					}
					wait(2 * time.Second)
					if fact, belief := s.light(t); fact != write[1] || belief != write[1] {
						t.Errorf("told to be %v it is %v, and believed to be %v", write[1], fact, belief)
					}
				}
				if n := b.listed(t, 2); n["status"] != alive || n["ready"] != true {
					t.Errorf("it is %v, ready %v", n["status"], n["ready"])
				}
				if got := b.ask("getInfo"); got["success"] != true {
					t.Errorf("getInfo says %v", got)
				}
			})
		})
	}
}

// TestClearOfOneNode checks that only the node that is named is mended.
func TestClearOfOneNode(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, _ *tape, s *Sim) {
		t.Helper()
		must(t, s.Fault(t.Context(), Fault{Op: "dead", Node: 2}))
		must(t, s.Fault(t.Context(), Fault{Op: "dead", Node: 3}))
		must(t, s.Fault(t.Context(), Fault{Op: "clear", Node: 2}))
		if one, other := members(t, s, "Kitchen Light", "dead"), members(t, s, "Coffee Machine", "dead"); one["dead"] != false || other["dead"] != true {
			t.Errorf("mended: %v, not mended: %v", one, other)
		}
	})
}

// TestClearStartsOnce checks that a driver which is coming up by itself is not
// started twice.
func TestClearStartsOnce(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Settings.Driver = RecordedDriver
	play(t, cfg, func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		must(t, s.Fault(t.Context(), Fault{Op: "clear"}))
		must(t, s.Fault(t.Context(), Fault{Op: "driver_up"}))
		wait(10 * time.Second)
		ups := slices.DeleteFunc(b.topics(), func(m string) bool { return m != "driver/status true" })
		if len(ups) != 1 {
			t.Errorf("the driver came up %d times", len(ups))
		}
	})
}
