package ear

import (
	"time"

	"voicegateway/internal/audio"
)

// deadline ends a state that lasts too long.
type deadline struct {
	timer   *time.Timer
	sounded time.Duration // sound since the state began
}

// enter sets the deadline of a new state; before is the state it came from. Thinking
// has one deadline in all, whatever is added meanwhile.
func (d *deadline) enter(to, before State) {
	if to.Public() == Thinking && before.Public() == Thinking {
		return
	}
	d.sounded = 0
	d.timer.Stop()
	if most, bounded := deadlines[to]; bounded {
		d.timer.Reset(most)
	}
}

// passed takes a frame and reports whether a state in which speech is awaited or
// taken has had more sound than its deadline allows. While frames come, such a
// deadline counts in them, so that a busy machine hears what an idle one hears; the
// wall clock ends the state when they do not.
func (d *deadline) passed(s State) bool {
	if s.Public() != Listening && !s.mayGrow() && !s.correctable() {
		return false
	}
	d.sounded += audio.FrameLength
	d.timer.Reset(deadlines[s])
	return d.sounded > deadlines[s]
}
