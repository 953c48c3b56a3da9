package turn

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/record"
	"voicegateway/internal/speech"
)

// What was done may be corrected without a wake word for a while (REQUIREMENTS U5).
const (
	correctionTime = 6 * time.Second
	// Whoever corrects or answers is about as loud as whoever commanded.
	belowSpeaker    = 12.0 // dB below the command's loudest frame
	leastLoudFrames = 5    // the shortest word has twice as many
	keptBefore      = 15   // frames (300 ms) of a correction's sound that are kept from before it
	// A correction is a few words. The recogniser is not asked for the text of what
	// goes on for longer, which would cost time; its partial texts tell little about
	// so short a sound.
	longestCorrection  = 1600 * time.Millisecond
	quietAfter         = 400 * time.Millisecond
	pauseAfterOther    = 1200 * time.Millisecond // ends what was something else
	lateCorrectionTime = 2 * time.Second         // after the time, for a word that began in it
)

// correctionWindow is the time in which a correction needs no wake word: what
// Correcting and CorrectingDeaf know.
type correctionWindow struct {
	recogniser *recogniser
	amends     func(text string) bool
	keep       bool // the sound is wanted
	log        *slog.Logger

	until time.Time // in the frames' clock
	least float64   // dBFS: who corrects is at least as loud
	said  overheard
}

// overheard is what was said in the time for a correction, and may be one.
type overheard struct {
	open       bool // the recogniser's utterance is
	begins     time.Time
	ends       time.Time // the last loud frame so far
	loudFrames int
	sound      []int16
	text       speech.Transcript
	heardAt    time.Time // on the wall's clock
}

// hear takes a frame and returns Heard with a correction, NotCorrected when the time
// for one is over, and "" otherwise. The endpointer does not decide when it ends: it
// cannot know to whom somebody speaks.
func (c *correctionWindow) hear(ctx context.Context, f audio.Frame, room float64) Kind {
	speaking := !c.said.ends.IsZero() && f.At.Sub(c.said.ends) < pauseAfterOther && !f.At.After(c.until.Add(lateCorrectionTime))
	if f.At.After(c.until) && !speaking {
		return NotCorrected
	}
	if !c.said.open || !c.said.ends.IsZero() && !speaking { // what was said was something else
		c.said = overheard{}
		if err := c.recogniser.begin(ctx); err != nil {
			c.log.Debug("corrections are not heard", "part", "turn", "err", err)
			return NotCorrected
		}
		c.recogniser.end.Reset(speech.Detection{Engine: "none", At: f.At})
		c.said.open = true
	}
	if err := c.recogniser.pushAll(ctx, f); err != nil {
		c.log.Debug("corrections are not heard", "part", "turn", "err", err)
		return NotCorrected
	}
	c.note(f, room)
	s := &c.said
	if s.loudFrames < leastLoudFrames || s.ends.Sub(s.begins) > longestCorrection || f.At.Sub(s.ends) < quietAfter {
		return ""
	}
	s.heardAt = time.Now()
	text, err := c.recogniser.finish(ctx)
	if err != nil || !c.amends(text.Text) { // it only sounded like a correction
		c.said = overheard{}
		return ""
	}
	s.open, s.text = false, text
	return Heard
}

// note keeps what there is to know of a frame.
func (c *correctionWindow) note(f audio.Frame, room float64) {
	s := &c.said
	if c.keep {
		s.sound = append(s.sound, f.Samples...)
		if extra := len(s.sound) - keptBefore*audio.FrameSamples; s.loudFrames == 0 && extra > 0 {
			s.sound = slices.Delete(s.sound, 0, extra) // of the room
		}
	}
	if level := audio.Level(f.Samples); level >= c.least && level > room+aboveRoom {
		if s.loudFrames == 0 {
			s.begins = f.At
		}
		s.ends = f.At
		s.loudFrames++
	}
}

// end forgets what was said when k has ended the time for a correction. A wake word
// opens the recogniser anew, which drops what is open.
func (c *correctionWindow) end(ctx context.Context, k Kind) {
	if c.said.open && k != Woken {
		c.recogniser.drop(ctx)
	}
	c.said = overheard{}
}

// awaitCorrection waits for a correction of a command of a loudness, if there is
// anything to correct.
func (l *Loop) awaitCorrection(ctx context.Context, loudest float64) {
	if !l.parts.Mind.Amendable(l.cfg.Source, l.cfg.Area) || !l.recogniser.canReopen() || l.cfg.PushToTalk {
		return
	}
	if l.step(ctx, Acted) {
		l.window.until, l.window.least = l.ear.newest.Add(correctionTime), loudest-belowSpeaker
	}
}

// correct makes a turn of a correction that was heard at a time of the frames' clock.
func (l *Loop) correct(ctx context.Context, at time.Time) {
	said := l.window.said
	t := newTelling(l.cfg, said.begins)
	l.turn = t
	t.utterance.sound, t.utterance.loudest, t.utterance.spoke = said.sound, l.window.least+belowSpeaker, said.ends.Sub(said.begins)
	t.startClock(said.ends, at, said.heardAt, l.cfg.Live)
	t.rec.Timings.Transcript = t.watch.Now()
	t.rec.Endpoint = &record.Endpoint{Reason: sentenceEnded}
	l.think(ctx, t, said.text, Heard)
}
