package ear

import (
	"context"
	"log/slog"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/language/speech"
)

// Limits of the time in which a speaker may add to a sentence that is already acted on,
// or to half of one. They count in frames.
const (
	growTime = 600 * time.Millisecond // how long the ear stays open after the sentence
	// roomTime replaces growTime after a sentence that a room or a number may follow: people
	// think for a second before "in the bedroom", and if the ear is closed by then, an act on
	// the whole house is not taken back.
	roomTime = 900 * time.Millisecond
	growMost = 3 * time.Second // how long the addition may be: two more clauses
	// additionTimeout is when the answer no longer waits, on the wall clock. Only a
	// microphone that gives no more frames takes longer than growMost.
	additionTimeout = 2 * growMost
	// belowCommand and aboveRoom are in dB. The speaker continues if resumedFrames of the
	// last resumedOf frames are about as loud as the command. The loudest frame of a sentence
	// is 4 to 9 dB above its loudness, from which the rule of the sentence's end allows 10
	// dB.
	belowCommand  = 18.0
	aboveRoom     = 8.0
	resumedFrames = 3
	resumedOf     = 5
	// resumedLeast is the shortest time for which a resumed sentence lasts: before that, the
	// recogniser still gives the old text, which was already judged complete.
	resumedLeast = 300 * time.Millisecond
)

// The endpointer's reasons for a sentence that is complete: nothing can follow, or
// the rest of a number or a name could have. "Open the curtains" is one of the
// second kind, because "in the bedroom" may follow.
const (
	sentenceEnded   = "sentence"
	sentenceMayGrow = "sentence_may_grow"
)

// growingSentence is a sentence that was acted on and may grow, or half of one: the
// data of the states EarOpen, HalfHeard and HearingMore. Its methods return the
// event that happened, "" for none.
type growingSentence struct {
	recogniser *recogniser
	observer   Observer
	keep       bool // the sound of an added clause is recorded
	log        *slog.Logger

	turn     *telling
	since    time.Time       // when the sentence ended, in the frames' clock
	patience time.Duration   // how long the loop waits for the speaker to continue
	waiting  []audio.Frame   // frames since then, until the speaker continues
	loud     [resumedOf]bool // which of the last frames were as loud as the command
	resumed  time.Time       // when the speaker continued; zero before that
	open     bool            // the recogniser has the utterance open
	words    partialText
	more     addition
}

// addition is what was added to a sentence: the text of the whole utterance, empty
// for nothing, when it ended, and the added sound.
type addition struct {
	whole speech.Transcript
	end   speech.Endpoint
	at    time.Time // when the end was found, on the frames' clock
	wall  time.Time // the same on the wall clock
	sound []int16
}

// begin starts the time in which a sentence may grow. The sentence ended at a time
// of the frames' clock.
func (g *growingSentence) begin(t *telling, at time.Time) {
	t.additions = make(chan addition, 1)
	g.turn, g.since, g.words, g.patience = t, at, t.utterance.words, growTime
	if t.rec.Endpoint.Reason == sentenceMayGrow {
		g.patience = roomTime
	}
}

// judge returns the event for an utterance that ended with e and text: HeardHalf or
// HeardSentence if the speaker may add to it, else Heard. If the last words no longer
// belonged to the sentence, other people are talking, and nothing is added.
func (g *growingSentence) judge(t *telling, e speech.Endpoint, text speech.Transcript) Kind {
	switch {
	case text.Text == "" || text.Loose || t.challenge != "" || !g.recogniser.canReopen():
		return Heard
	case text.Unfinished:
		return HeardHalf
	case e.Reason == sentenceEnded, e.Reason == sentenceMayGrow && t.utterance.words.judged == speech.Growable:
		return HeardSentence
	}
	return Heard
}

// await takes a frame while the speaker pauses, and notices when the speaker continues.
func (g *growingSentence) await(ctx context.Context, f audio.Frame, room float64) Kind {
	level := audio.Level(f.Samples)
	g.loud[len(g.waiting)%resumedOf] = level > room+aboveRoom && level > g.turn.utterance.loudest-belowCommand
	g.waiting = append(g.waiting, f)
	loud := 0
	for _, is := range g.loud {
		if is {
			loud++
		}
	}
	switch {
	case loud >= resumedFrames:
		return g.resume(ctx, f.At)
	case f.At.Sub(g.since) >= g.patience:
		return NothingAdded
	}
	return ""
}

// resume continues the recogniser's utterance as if it had not ended.
func (g *growingSentence) resume(ctx context.Context, at time.Time) Kind {
	if err := g.recogniser.reopen(ctx); err != nil {
		g.log.Debug("sentence not gone on with", "part", "turn", "err", err)
		return NothingAdded
	}
	waiting := g.waiting
	g.resumed, g.open, g.waiting = at, true, nil
	for _, f := range waiting {
		if k := g.hear(ctx, f); k != "" {
			return k
		}
	}
	return Resumed
}

// hear takes a frame while the speaker continues the sentence.
func (g *growingSentence) hear(ctx context.Context, f audio.Frame) Kind {
	if g.keep {
		g.more.sound = append(g.more.sound, f.Samples...)
	}
	if err := g.recogniser.push(ctx, f, &g.words); err != nil {
		g.log.Debug("sentence not gone on with", "part", "turn", "err", err)
		return NothingAdded
	}
	e := g.recogniser.end.Push(f, g.words.partial, g.words.judged)
	g.more.end, g.more.at = e, f.At
	g.observer.Hearing(Hearing{
		Turn: g.turn.id, Level: audio.Level(f.Samples), Partial: g.words.partial, Judged: g.words.judged, Ended: e.Reason,
	})
	if e.Done && f.At.Sub(g.resumed) >= resumedLeast || f.At.Sub(g.since) > growMost {
		return g.finish(ctx)
	}
	return ""
}

// finish asks the recogniser for the text of the whole utterance.
func (g *growingSentence) finish(ctx context.Context) Kind {
	g.open = false
	g.more.wall = time.Now()
	text, err := g.recogniser.finish(ctx)
	if err != nil {
		g.log.Debug("sentence not gone on with", "part", "turn", "err", err)
		return NothingAdded
	}
	g.more.whole = text
	return Added
}

// takeAddition gives the addition to the turn when k has ended the time for it. A wake word ends
// the turn and makes the recogniser begin a new utterance, so then there is no addition.
func (g *growingSentence) takeAddition(ctx context.Context, k Kind) {
	grown := *g
	*g = growingSentence{recogniser: g.recogniser, observer: g.observer, keep: g.keep, log: g.log}
	if k == Woken {
		return
	}
	for _, f := range grown.waiting {
		g.recogniser.end.Observe(f)
	}
	if grown.open {
		g.recogniser.drop(ctx)
	}
	if k == MicMuted { // a person who mutes the microphone does not want the last sound recorded
		grown.more.sound = nil
	}
	grown.turn.additions <- grown.more // the channel has room for it
}
