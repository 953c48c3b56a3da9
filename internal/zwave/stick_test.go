package zwave_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

// TestALostStickIsToldAtOnce pulls the stick out: for ten seconds the gateway says
// that all is well, and every write and ping fails at once.
func TestALostStickIsToldAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(_ *zwave.Config, s *sim.Config) { s.Scale, s.Settings.Age = 1, time.Hour })
		r.fault(sim.Fault{Op: "stick_out"})
		for _, after := range []time.Duration{0, 3 * time.Second, 9 * time.Second} {
			pass(after)
			if waiting, message := r.health(); waiting != "stick" || !strings.Contains(message, "stick") || strings.Contains(message, "works") {
				t.Errorf("after %v the health check says %q, %q", after, waiting, message)
			}
			if got := r.state("Kitchen Light"); got.Reachable || got.Reason != "stick_gone" || !got.Stale {
				t.Errorf("after %v the light is told %+v", after, got)
			}
		}
		r.fault(sim.Fault{Op: "stick_in"})
		r.until("all is well", func() bool {
			waiting, message := r.health()
			return waiting == "" && strings.Contains(message, "works")
		})
		if got := r.state("Kitchen Light"); !got.Reachable || got.Stale {
			t.Errorf("with the stick back the light is told %+v", got)
		}
	})
}

// TestAQuestionFindsOutThatTheStickIsGone asks about a light first: the light is
// not to blame.
func TestAQuestionFindsOutThatTheStickIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(_ *zwave.Config, s *sim.Config) { s.Settings.Age = time.Hour })
		r.fault(sim.Fault{Op: "stick_out"})
		if got := r.state("Hallway Light"); got.Reason != "stick_gone" {
			t.Errorf("the light is told %+v", got)
		}
		r.fault(sim.Fault{Op: "stick_in"})
		r.until("the light answers", func() bool {
			got := r.state("Hallway Light")
			return got.Reachable && got.Reason == ""
		})
	})
}

// TestADeadDeviceIsNotTheStick checks that a device without power is reported as such.
func TestADeadDeviceIsNotTheStick(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(_ *zwave.Config, s *sim.Config) { s.Scale, s.Settings.Age = 1, time.Hour })
		r.fault(sim.Fault{Op: "dead", Node: "Kitchen Light"}) // the first that a probe would ask
		if got := r.state("Kitchen Light"); got.Reachable || got.Reason != "dead" && got.Reason != "silent" {
			t.Errorf("the light is told %+v", got)
		}
		if waiting, message := r.health(); waiting != "" || !strings.Contains(message, "Kitchen Light") {
			t.Errorf("the health check says %q, %q", waiting, message)
		}
	})
}
