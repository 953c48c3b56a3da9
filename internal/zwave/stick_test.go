package zwave_test

import (
	"strings"
	"sync/atomic"
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

// TestAWatchedHouseHasTheRadioForItself: a page that is open asks for the health all the time. The
// devices are not asked for that, and a stick that is gone is told as soon as the gateway says so.
func TestAWatchedHouseHasTheRadioForItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var pings, asked atomic.Int32
		r := startOn(t, func(b *bus, _ *client) {
			b.divert = func(topic string, _ []byte) bool {
				if strings.HasSuffix(topic, "/api/pingNode/set") {
					pings.Add(1)
				}
				if strings.HasSuffix(topic, "/api/getInfo/set") {
					asked.Add(1)
				}
				return false
			}
		}, func(_ *zwave.Config, s *sim.Config) { s.Scale, s.Settings.Age = 1, time.Hour })
		watch := func(seconds int) (waiting string) {
			for range seconds / 3 {
				pass(3 * time.Second)
				var out struct {
					WaitingFor string `json:"waiting_for"`
				}
				r.call("check_zwave_health", map[string]any{"ask_devices": false}, &out)
				waiting = out.WaitingFor
			}
			return waiting
		}
		before := asked.Load()
		if waiting := watch(300); waiting != "" || pings.Load() > 300/6+4 || asked.Load()-before < 100 {
			t.Errorf("in five minutes the house was asked %d times and its devices %d times; it waits for %q", asked.Load()-before, pings.Load(), waiting)
		}
		told := drain(r.house.Told())
		r.fault(sim.Fault{Op: "stick_out"})
		pass(9 * time.Second) // before the gateway notices, after ten
		if len(told) == 0 {
			t.Error("that the stick is gone is not announced")
		}
		if waiting := watch(3); waiting != "stick" {
			t.Errorf("the stick is gone, and the house waits for %q", waiting)
		}
		r.fault(sim.Fault{Op: "stick_in"})
		r.until("all is well", func() bool { return watch(3) == "" })
	})
}

// drain empties a channel and returns it.
func drain(c <-chan struct{}) <-chan struct{} {
	for len(c) > 0 {
		<-c
	}
	return c
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

// TestAStickThatIsBackIsBelievedAtOnce puts the stick back at many moments, also while
// it is being looked for: an answer from before says nothing about it any more.
func TestAStickThatIsBackIsBelievedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(_ *zwave.Config, s *sim.Config) { s.Scale, s.Settings.Age = 1, time.Hour })
		const moments = 40
		wrong := 0
		for i := range moments {
			r.fault(sim.Fault{Op: "stick_out"})
			if waiting, message := r.health(); waiting != "stick" {
				t.Fatalf("without the stick the health check says %q, %q", waiting, message)
			}
			pass(10500*time.Millisecond + time.Duration(i)*50*time.Millisecond) // now the driver is down as well
			r.fault(sim.Fault{Op: "clear"})
			pass(300 * time.Millisecond)
			if got := r.state("Kitchen Light"); got.Reason == "stick_gone" {
				wrong++
			}
			if got, _ := r.control("Kitchen Light", []string{"turn_on", "turn_off"}[i%2], nil); got.Reason == "stick_gone" {
				wrong++
			}
		}
		if wrong > 0 {
			t.Errorf("%d of %d answers say that the stick is still gone", wrong, 2*moments)
		}
	})
}

// TestADeviceThatBlocksIsNotTheStick lets the devices that are asked about the stick
// block or die: the house is not lost because of them, and a stick that was away is
// found again.
func TestADeviceThatBlocksIsNotTheStick(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]sim.Fault{
		"loses everything":  {Op: "drop", For: sim.Pause(time.Hour)},
		"holds the queue":   {Op: "hold", For: sim.Pause(3 * time.Second)},
		"hangs":             {Op: "hang"},
		"has died unheard":  {Op: "dead"},
		"answers very late": {Op: "delay", For: sim.Pause(5 * time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, func(_ *zwave.Config, s *sim.Config) { s.Scale, s.Settings.Age = 1, time.Hour })
				for _, away := range []bool{false, true} {
					if away {
						r.fault(sim.Fault{Op: "stick_out"})
						if waiting, message := r.health(); waiting != "stick" {
							t.Fatalf("without the stick the health check says %q, %q", waiting, message)
						}
						r.fault(sim.Fault{Op: "stick_in"})
					}
					for _, node := range []string{"Kitchen Light", "Coffee Machine"} {
						f := broken
						f.Node = node
						r.fault(f)
					}
					for range 3 {
						if got := r.state("Kitchen Light"); got.Reason == "stick_gone" {
							t.Errorf("away before: %v: the light is told %+v", away, got)
						}
						if got := r.state("Bedroom Lamp"); got.Reason == "stick_gone" {
							t.Errorf("away before: %v: the lamp is told %+v", away, got)
						}
						if waiting, message := r.health(); waiting != "" {
							t.Errorf("away before: %v: the health check says %q, %q", away, waiting, message)
						}
						pass(5 * time.Second)
					}
					r.fault(sim.Fault{Op: "clear"})
					pass(10 * time.Second)
				}
			})
		})
	}
}
