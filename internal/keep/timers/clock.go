package timers

import "time"

// A wall clock that moves this much against the time that has passed was set; less
// is how clocks are kept right.
const jump = 2 * time.Second

// wrongFor is the jump from which the clock must have been wrong before: a time of day
// that was set by it is computed again. A smaller jump may be a user's.
const wrongFor = 24 * time.Hour

// clock is the book's clock: the wall clock while it can be trusted. A wall clock behind a
// moment that has certainly passed cannot be trusted: a machine without a battery clock starts
// that way. Until the wall clock has caught up, or is set, the book counts on from that
// moment.
type clock struct {
	wall     time.Time // at the last look
	up       time.Duration
	seen     time.Time     // a moment that has been
	since    time.Duration // when, in Up
	believed bool
}

// startClock begins with the last moment that an earlier run has seen; zero: none.
func startClock(seen time.Time, m Moment) clock {
	m.Wall = m.Wall.Round(0)
	c := clock{wall: m.Wall, up: m.Up, seen: seen.In(m.Wall.Location()), since: m.Up}
	c.believed = seen.IsZero() || seen.Sub(m.Wall) < jump
	return c
}

// now is the book's time at the last look.
func (c *clock) now() time.Time {
	if c.believed {
		return c.wall
	}
	return c.seen.Add(c.up - c.since)
}

// look reads the clock, and returns by how much the book's time has jumped and whether the
// wall clock is believed from now on.
func (c *clock) look(m Moment) (jumped time.Duration, caughtUp bool) {
	m.Wall = m.Wall.Round(0)
	passed := max(m.Up-c.up, 0)
	before := c.now()
	moved := m.Wall.Sub(c.wall) - passed
	c.wall, c.up = m.Wall, c.up+passed
	set := moved > jump || moved < -jump
	if !c.believed && (set || !c.wall.Before(c.now())) {
		c.believed, caughtUp = true, true
	}
	if jumped = c.now().Sub(before) - passed; jumped > jump || jumped < -jump {
		return jumped, caughtUp
	}
	return 0, caughtUp
}
