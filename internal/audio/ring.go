package audio

import "time"

// Ring keeps the last frames of live sound, so that a command spoken in one breath with
// the wake word is there when the wake word has been recognised (pre-roll). The zero
// value keeps nothing. It is not safe for concurrent use: it belongs to the goroutine
// that reads the microphone.
type Ring struct {
	frames []Frame
	next   int
	full   bool
}

// NewRing keeps the last keep of sound, in whole frames.
func NewRing(keep time.Duration) *Ring {
	n := max(0, int((keep+FrameLength-1)/FrameLength))
	return &Ring{frames: make([]Frame, n)}
}

// Push adds a frame and forgets the oldest. The samples are kept, not copied.
func (r *Ring) Push(f Frame) {
	if len(r.frames) == 0 {
		return
	}
	r.frames[r.next] = f
	r.next++
	if r.next == len(r.frames) {
		r.next, r.full = 0, true
	}
}

// Since returns the frames, oldest first, that hold sound from after t; the
// zero time returns all. A frame that straddles t is included whole.
func (r *Ring) Since(t time.Time) []Frame {
	var out []Frame
	take := func(fs []Frame) {
		for _, f := range fs {
			if f.At.After(t) {
				out = append(out, f)
			}
		}
	}
	if r.full {
		take(r.frames[r.next:])
	}
	take(r.frames[:r.next])
	return out
}

// Clear forgets all frames.
func (r *Ring) Clear() {
	clear(r.frames)
	r.next, r.full = 0, false
}
