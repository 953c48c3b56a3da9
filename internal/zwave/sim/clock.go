package sim

import (
	"slices"
	"time"
)

// clock runs things later, in the goroutine that owns it. It scales every delay.
type clock struct {
	timers timers
	scale  float64
}

// after runs do when the scaled delay is over.
func (c *clock) after(d time.Duration, do func()) *timer {
	return c.timers.add(time.Now().Add(c.scaleTime(d)), do)
}

// physically is after for what a device does itself, which continues while the gateway is
// down.
func (c *clock) physically(d time.Duration, do func()) *timer {
	t := c.after(d, do)
	t.physical = true
	return t
}

func (c *clock) scaleTime(d time.Duration) time.Duration {
	return time.Duration(float64(d) * c.scale)
}

// timers is a list of things to do later, for one goroutine.
type timers struct{ list []*timer }

type timer struct {
	at        time.Time
	do        func()
	cancelled bool
	physical  bool // a device's own
}

// cancel forgets the timer; a nil one is fine.
func (t *timer) cancel() {
	if t != nil {
		t.cancelled = true
	}
}

func (t *timers) add(at time.Time, do func()) *timer {
	added := &timer{at: at, do: do}
	i, _ := slices.BinarySearchFunc(t.list, at, func(o *timer, at time.Time) int {
		if o.at.After(at) {
			return 1
		}
		return -1 // equal times keep their order
	})
	t.list = slices.Insert(t.list, i, added)
	return added
}

// forget cancels what is not a device's own.
func (t *timers) forget() {
	t.list = slices.DeleteFunc(t.list, func(one *timer) bool { return !one.physical })
}

// run does what is due and returns how long until the next.
func (t *timers) run(now time.Time) time.Duration {
	for len(t.list) > 0 {
		first := t.list[0]
		if first.at.After(now) && !first.cancelled {
			return first.at.Sub(now)
		}
		t.list = t.list[1:]
		if !first.cancelled {
			first.do()
		}
	}
	return time.Hour
}
