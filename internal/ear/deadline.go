package ear

import (
	"time"

	"voicegateway/internal/audio"
)

// deadline ends a state that lasts too long.
type deadline struct {
	timer    *time.Timer
	recorded bool          // the sound is a recording, whose frames always come
	sounded  time.Duration // sound since the state began
}

// enter sets the deadline of a new state; before is the state it came from. Thinking
// has one deadline in all, whatever is added meanwhile.
func (d *deadline) enter(to, before State) {
	if to.Public() == Thinking && before.Public() == Thinking && d.runs(before) {
		return
	}
	d.sounded = 0
	d.timer.Stop()
	if most, bounded := deadlines[to]; bounded && d.runs(to) {
		d.timer.Reset(most)
	}
}

// runs reports whether the wall clock can end a state.
func (d *deadline) runs(s State) bool { return !d.recorded || !takesSound(s) }

// takesSound reports whether speech is awaited or taken in a state.
func takesSound(s State) bool { return s.Public() == Listening || s.mayGrow() || s.correctable() }

// passed takes a frame and reports whether a state in which speech is awaited or
// taken has had more sound than its deadline allows. While frames come, such a
// deadline counts in them, so that a busy machine hears what an idle one hears; the
// wall clock ends the state when they do not. It never ends it in a recording, in which
// the next frame comes as soon as the machine has time for it.
func (d *deadline) passed(s State) bool {
	if !takesSound(s) {
		return false
	}
	d.sounded += audio.FrameLength
	if d.runs(s) {
		d.timer.Reset(deadlines[s])
	}
	return d.sounded > deadlines[s]
}
