package device

import "time"

// stamps gives blocks of sound the time of their last sample. A machine that
// stands still between reading a block and looking at the clock makes that look
// too late, never too early. So the stamps follow the card's own pace and the
// earliest look.
type stamps struct{ last time.Duration }

// drift is how much faster than the card the stamps may run: far more than any
// two clocks differ, far less than a stall lasts.
const drift = 100 // one part in

// next returns the stamp of a block of that length that was observed at that time.
// jump says that sound was lost before the block.
func (s *stamps) next(observed, length time.Duration, jump bool) time.Duration {
	if s.last != 0 && !jump {
		observed = min(observed, s.last+length+length/drift)
	}
	s.last = max(observed, s.last+1)
	return s.last
}

// late reports whether the block was observed so late that the card must have lost
// sound in between: its buffer holds a second.
func (s *stamps) late(observed, length time.Duration) bool {
	return s.last != 0 && observed-s.last-length > lateBy
}

const lateBy = 600 * time.Millisecond
