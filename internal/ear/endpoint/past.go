package endpoint

import (
	"time"

	"voicegateway/internal/audio"
)

// pastFrames are four seconds: a wake word and what was there before it.
const pastFrames = 200

// measurement is what is known of one frame.
type measurement struct {
	at     time.Time
	level  float64 // dBFS
	voice  bool    // a model hears somebody speak
	judged bool    // there is a model
}

// past holds the newest frames. The loudness of the wake word is needed only after the
// word has been found, and the frames since then are pushed a second time.
type past struct {
	ring [pastFrames]measurement
	n    int // frames pushed so far
}

func (p *past) push(h measurement) {
	p.ring[p.n%pastFrames] = h
	p.n++
}

// find returns a frame that has been heard already, by its time. A frame without
// a time counts as new.
func (p *past) find(at time.Time) (measurement, bool) {
	if at.IsZero() {
		return measurement{}, false
	}
	for i := p.n - 1; i >= max(0, p.n-pastFrames); i-- {
		switch h := p.ring[i%pastFrames]; {
		case h.at.Equal(at):
			return h, true
		case h.at.Before(at):
			return measurement{}, false
		}
	}
	return measurement{}, false
}

// between calls yield with every frame that ended after from and not after to.
func (p *past) between(from, to time.Time, yield func(measurement)) {
	for i := max(0, p.n-pastFrames); i < p.n; i++ {
		if h := p.ring[i%pastFrames]; h.at.After(from) && !h.at.After(to) {
			yield(h)
		}
	}
}

// measure returns what is known of a frame, which it measures only the first
// time.
func (e *Endpointer) measure(f audio.Frame) measurement {
	if h, ok := e.past.find(f.At); ok {
		return h
	}
	h := measurement{at: f.At, level: audio.Level(f.Samples)}
	if e.cfg.Voice != nil {
		h.voice, h.judged = e.cfg.Voice.Push(f)
	}
	e.floor.Push(h.level)
	e.past.push(h)
	return h
}
