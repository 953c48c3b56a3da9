package turn

import (
	"context"
	"slices"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/record"
	"voicegateway/internal/speech"
)

// What a person says to a turn that is over needs no wake word for a while
// (REQUIREMENTS U5): the answer to a question, and a correction of what was
// done.
const (
	followUpTime = 6 * time.Second
	amendTime    = 6 * time.Second
	// Whoever corrects is about as loud as whoever commanded.
	nearSpeaker = 12.0 // dB below the command's loudest frame
	amendLeast  = 5    // loud frames: the shortest word has twice as many
	amendBefore = 15   // frames (300 ms) of its sound that are kept from before it
	// A correction is a few words: what goes on for longer is something else, and
	// nobody asks the recogniser what, which would cost time. Its partial texts tell
	// little about so short a sound.
	amendLongest = 1600 * time.Millisecond
	amendQuiet   = 400 * time.Millisecond
	// A pause of this length ends what was something else.
	amendPause = 1200 * time.Millisecond
	// amendMost is how long after the window's end a word that began in it is heard.
	amendMost = 2 * time.Second
)

// patiently gives the answer to a question its own time, whatever the endpointer
// thinks of a person who says nothing. Without a wake word no frame is kept from
// the recogniser, so it is here that a television is told from a person: who
// answers is about as loud as who was asked.
func (l *Loop) patiently(ctx context.Context, f audio.Frame, e speech.Endpoint) speech.Endpoint {
	t := l.turn
	if audio.Level(f.Samples) >= t.utterance.near {
		t.utterance.loud++
	}
	late := f.At.Sub(t.started) >= followUpTime
	nobody := e.SpeechStart.IsZero() || t.utterance.far()
	switch {
	case late && (e.Done && nobody || e.SpeechStart.IsZero() || t.utterance.loud == 0):
		return speech.Endpoint{Done: true, Reason: noSpeech}
	case e.Done && nobody:
		l.listenOn(ctx, t, e)
		return speech.Endpoint{}
	}
	return e
}

// far says whether what was heard was not said by who was asked.
func (u *utterance) far() bool { return u.loud < amendLeast }

// listenOn begins the answer anew: what was heard was none.
func (l *Loop) listenOn(ctx context.Context, t *telling, e speech.Endpoint) {
	l.parts.End.Reset(speech.Detection{Engine: "none", At: l.ear.at})
	u := &t.utterance
	u.loud, u.sound = 0, nil
	if e.SpeechStart.IsZero() {
		return
	}
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	if err := l.parts.Stt.Begin(limited); err != nil {
		l.fail(ctx, t, "the speech recogniser is not ready: "+err.Error())
		return
	}
	u.partial, u.judged, u.loudest = speech.Partial{}, 0, audio.Silence
}

// window is the time in which a correction is heard without a wake word, which is
// listened for as well.
type window struct {
	until time.Time // in the frames' clock
	near  float64   // dBFS
	open  bool      // the recogniser's utterance is
	began time.Time // the first loud frame of it
	last  time.Time // the last
	loud  int       // how many
	sound []int16
}

// awaitCorrection opens the window after a command of a loudness, if there is
// anything to correct.
func (l *Loop) awaitCorrection(ctx context.Context, loudest float64) {
	if !l.parts.Mind.Amendable(l.cfg.Source, l.cfg.Area) {
		return
	}
	if _, ok := l.parts.Stt.(Reopener); !ok || l.cfg.PushToTalk {
		return
	}
	if l.step(ctx, Acted) {
		l.after = window{until: l.ear.at.Add(amendTime), near: loudest - nearSpeaker}
	}
}

// shutWindow closes it because of k. A wake word opens the recogniser anew, which
// drops what is open.
func (l *Loop) shutWindow(ctx context.Context, k Kind) {
	if l.after.open && k != Woken {
		l.closeEar(ctx)
	}
	l.after = window{}
}

// hearAfter takes a frame while the window is open. The endpointer has it already
// and has no say: to whom somebody speaks, nobody knows.
func (l *Loop) hearAfter(ctx context.Context, f audio.Frame) {
	w := &l.after
	over := f.At.After(w.until)
	speaking := !w.last.IsZero() && f.At.Sub(w.last) < amendPause && !f.At.After(w.until.Add(amendMost))
	if over && !speaking {
		l.step(ctx, NotCorrected)
		return
	}
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	if !w.open || !w.last.IsZero() && !speaking { // what was said was something else
		if err := l.parts.Stt.Begin(limited); err != nil {
			l.parts.Log.Debug("corrections are not heard", "part", "turn", "err", err)
			w.open = false
			l.step(ctx, NotCorrected)
			return
		}
		l.parts.End.Reset(speech.Detection{Engine: "none", At: f.At})
		*w = window{until: w.until, near: w.near, open: true}
	}
	if _, err := l.parts.Stt.Push(limited, f); err != nil {
		l.parts.Log.Debug("corrections are not heard", "part", "turn", "err", err)
		l.step(ctx, NotCorrected)
		return
	}
	w.hear(f, l.ear.floor.Level(), l.parts.Keep != nil)
	if w.loud >= amendLeast && w.last.Sub(w.began) <= amendLongest && f.At.Sub(w.last) >= amendQuiet {
		l.amend(ctx, limited, f.At)
	}
}

// hear notes what there is to know of a frame.
func (w *window) hear(f audio.Frame, room float64, keep bool) {
	if keep {
		w.sound = append(w.sound, f.Samples...)
		if extra := len(w.sound) - amendBefore*audio.FrameSamples; w.loud == 0 && extra > 0 {
			w.sound = slices.Delete(w.sound, 0, extra) // of the room
		}
	}
	if level := audio.Level(f.Samples); level >= w.near && level > room+overRoom {
		if w.loud == 0 {
			w.began = f.At
		}
		w.last = f.At
		w.loud++
	}
}

// amend makes a turn of a correction. What only sounded like one is nobody's.
func (l *Loop) amend(ctx, limited context.Context, at time.Time) {
	w := &l.after
	wall := time.Now()
	text, err := l.parts.Stt.Finish(limited)
	w.open = false
	if err != nil || !l.parts.Mind.Amends(text.Text) {
		*w = window{until: w.until, near: w.near}
		return
	}
	t := l.newTelling(w.began)
	t.utterance.sound, t.utterance.loudest, t.utterance.spoke = w.sound, w.near+nearSpeaker, w.last.Sub(w.began)
	t.heardAt(w.last, at, wall, l.cfg.Live)
	t.rec.Timings.Transcript = t.watch.Now()
	t.rec.Endpoint = &record.Endpoint{Reason: sentence}
	l.think(ctx, t, text, Heard)
}
