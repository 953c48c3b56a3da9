package process

import "time"

// stderrRate, in bytes a second, and stderrBurst bound how fast a child's stderr is
// read. Real servers write far less; one that floods waits for us, so that neither
// costs the house a processor.
const (
	stderrRate  = 16 << 20
	stderrBurst = 1 << 20
)

// pace says how long to pause between two reads.
type pace struct {
	left int // bytes that may be read at once; below zero after too many
	last time.Time
}

func newPace(now time.Time) pace { return pace{left: stderrBurst, last: now} }

// took notes that bytes were read, and returns how long to read no more.
func (p *pace) took(n int, now time.Time) time.Duration {
	earned := now.Sub(p.last).Seconds() * stderrRate
	p.left = int(min(stderrBurst, float64(p.left)+earned)) - n
	p.last = now
	if p.left >= 0 {
		return 0
	}
	return time.Duration(float64(-p.left) / stderrRate * float64(time.Second))
}
