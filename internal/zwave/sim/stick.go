package sim

import "time"

// The recorded times of a lost USB stick: until the gateway says so, and from the
// stick's return until the driver is up again.
const (
	stickMissed = 10 * time.Second
	stickBack   = 2500 * time.Millisecond
)

// pullStick takes the USB stick out. For ten seconds nothing is published: writes fail at
// once, and cached values are still answered. Then the driver is down.
func (s *Sim) pullStick() {
	if s.air.stickOut {
		return
	}
	s.air.stickOut = true
	s.mqtt.cut = true
	s.clock.after(stickMissed, func() {
		if s.air.stickOut {
			s.driverDown()
		}
	})
}

// plugStick puts the stick back. A driver that was down comes up again after a
// while, and announces all nodes.
func (s *Sim) plugStick() {
	if !s.air.stickOut {
		return
	}
	s.air.stickOut = false
	s.mqtt.cut = !s.ready
	if !s.ready && !s.down && !s.starting {
		s.clock.after(stickBack, s.driverUp)
	}
}
