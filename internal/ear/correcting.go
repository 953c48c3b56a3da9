package ear

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
)

// Limits of the time in which an act may be corrected without a wake word (REQUIREMENTS
// U5).
const (
	correctionTime = 6 * time.Second
	// A person who corrects or answers is about as loud as the command was.
	belowSpeaker    = 12.0 // dB below the command's loudest frame
	leastLoudFrames = 5    // half of what the shortest word has
	keptBefore      = 15   // frames (300 ms) of sound kept from before a correction
	// A correction is a few words, so the recogniser is not asked for the text of
	// longer speech, which would cost time. Its partial texts say little about so
	// short a sound.
	longestCorrection  = 1600 * time.Millisecond
	quietAfter         = 400 * time.Millisecond
	pauseAfterOther    = 1200 * time.Millisecond // this much quiet ends speech that was not a correction
	lateCorrectionTime = 2 * time.Second         // how long a word that began in time may continue after it
)

// correctionWindow is the time in which a correction needs no wake word: the data
// of the states Correcting and CorrectingDeaf. In RingPause it hears the words that
// answer an alert.
type correctionWindow struct {
	recogniser *recogniser
	keep       bool // the sound of a correction is recorded
	log        *slog.Logger

	amends  func(text string) bool // nil: the window is closed
	expects speech.Expected
	until   time.Time // in the frames' clock
	least   float64   // dBFS: a correction is at least as loud
	said    overheard
}

// overheard is speech heard in the time for a correction; it may be one.
type overheard struct {
	open       bool // the recogniser has an utterance open
	begins     time.Time
	ends       time.Time // the last loud frame so far
	loudFrames int
	sound      []int16
	text       speech.Transcript
	heardAt    time.Time // on the wall's clock
}

// open opens the window until a time of the frames' clock. amends says which texts
// count, expects tells the recogniser what to listen for, and least is how loud in dBFS
// the speech must be.
func (c *correctionWindow) open(until time.Time, least float64, expects speech.Expected, amends func(text string) bool) {
	c.until, c.least, c.expects, c.amends = until, least, expects, amends
}

func (c *correctionWindow) opened() bool { return c.amends != nil }

// speaking reports whether there is speech at a time of the frames' clock.
func (c *correctionWindow) speaking(at time.Time) bool {
	return !c.said.ends.IsZero() && at.Sub(c.said.ends) < pauseAfterOther
}

// hear takes a frame. It returns Heard after a correction, NotCorrected when the time for
// one is over, and "" otherwise. The endpointer does not decide when a correction ends,
// because it cannot know for whom the speech is meant.
func (c *correctionWindow) hear(ctx context.Context, f audio.Frame, room float64) Kind {
	speaking := c.speaking(f.At) && !f.At.After(c.until.Add(lateCorrectionTime))
	if f.At.After(c.until) && !speaking {
		return NotCorrected
	}
	if !c.said.open || !c.said.ends.IsZero() && !speaking { // the speech so far was not a correction
		c.said = overheard{}
		if err := c.recogniser.begin(ctx, c.expects); err != nil {
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

// note adds a frame to the speech heard so far: its sound if wanted, and whether it
// was loud.
func (c *correctionWindow) note(f audio.Frame, room float64) {
	s := &c.said
	if c.keep {
		s.sound = append(s.sound, f.Samples...)
		if extra := len(s.sound) - keptBefore*audio.FrameSamples; s.loudFrames == 0 && extra > 0 {
			s.sound = slices.Delete(s.sound, 0, extra) // drop the sound of the room
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

// forgetSpeech forgets the speech heard so far when k has ended the time for a correction.
// After a wake word the recogniser begins a new utterance, which drops the open
// one.
func (c *correctionWindow) forgetSpeech(ctx context.Context, k Kind) {
	if c.said.open && k != Woken {
		c.recogniser.drop(ctx)
	}
	c.said, c.amends = overheard{}, nil
}

// awaitCorrection opens the time for a correction if there is anything to correct.
// loudest is the loudness of the command in dBFS.
func (l *Loop) awaitCorrection(ctx context.Context, loudest float64) {
	if !l.parts.Mind.Amendable(l.cfg.Source, l.cfg.Area) || !l.recogniser.canReopen() || l.cfg.PushToTalk {
		return
	}
	if l.step(ctx, Acted) {
		l.window.open(l.ear.newest.Add(correctionTime), loudest-belowSpeaker, speech.Sentence, l.parts.Mind.Amends)
	}
}

// correct begins a turn for a correction that was heard at a time of the frames'
// clock.
func (l *Loop) correct(ctx context.Context, at time.Time) {
	text := l.window.said.text
	l.turn = l.window.turn(l.cfg, at)
	l.think(ctx, l.turn, text, Heard)
}

// turn is the turn of what was heard.
func (c *correctionWindow) turn(cfg Config, at time.Time) *telling {
	t := newTelling(cfg, c.said.begins)
	t.utterance.sound, t.utterance.loudest, t.utterance.spoke = c.said.sound, c.least+belowSpeaker, c.said.ends.Sub(c.said.begins)
	t.startClock(c.said.ends, at, c.said.heardAt, cfg.Live)
	t.rec.Timings.Transcript = t.watch.Now()
	t.rec.Endpoint = &record.Endpoint{Reason: sentenceEnded}
	return t
}
