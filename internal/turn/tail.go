package turn

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech"
)

// Reopener is a transcriber on this machine, with a grammar and partial texts,
// that can go on with the utterance it has just finished, as if Finish had not
// been: the text of the next Finish is that of the whole. With it, a sentence
// that is complete is acted on at once although its speaker may go on
// (REQUIREMENTS H6), and a correction is heard without a wake word (U5): what
// nobody said to us stays in this machine.
type Reopener interface {
	Reopen(ctx context.Context) error
}

// The tail of a sentence.
const (
	tailTime = 600 * time.Millisecond // the ear stays open after the act
	// tailMost is how long somebody may go on: two more clauses. hearOutMost is the
	// same on the wall's clock, and some for the recogniser.
	tailMost    = 3 * time.Second
	hearOutMost = tailMost + time.Second
	// Somebody goes on who is as loud as the command for most of resumeOf frames;
	// the loudest frame of a sentence is some 4 dB above its loudness, from which the
	// rule of the sentence's end allows 10 dB.
	nearCommand = 14.0
	overRoom    = 8.0
	resumeNeed  = 3
	resumeOf    = 5
	// resumeLeast is how long a resumed sentence goes on at least: until then the
	// recogniser's text is the old one, and so is its judgement.
	resumeLeast = 300 * time.Millisecond
)

// sentence is the endpointer's reason for a sentence that is complete.
const sentence = "sentence"

// tail is the time after a sentence that was acted on, in which more may be said.
type tail struct {
	t       *telling
	opened  time.Time     // when the sentence ended, in the frames' clock
	waiting []audio.Frame // since then, while nobody goes on
	loud    [resumeOf]bool
	resumed time.Time // somebody goes on; zero: nobody does
	whole   string    // the text of the whole utterance, once somebody has gone on

	partial speech.Partial
	judged  speech.Completeness
	sound   []int16
}

// added is what a tail brought: the text of the whole utterance, or nothing.
type added struct {
	whole string
	sound []int16
}

// openTail keeps the ear open after a sentence that cannot grow by its words, but
// may by another clause; false where it cannot.
func (l *Loop) openTail(t *telling, e speech.Endpoint, at time.Time, text speech.Transcript) bool {
	if _, ok := l.parts.Stt.(Reopener); !ok || e.Reason != sentence || text.Text == "" {
		return false
	}
	t.more = make(chan added, 1)
	l.tail = tail{t: t, opened: at, partial: t.utterance.partial, judged: t.utterance.judged}
	return true
}

// hearTail takes a frame while the tail is open.
func (l *Loop) hearTail(ctx context.Context, f audio.Frame) {
	tl := &l.tail
	if l.state == HearingMore {
		l.hearMore(ctx, f)
		return
	}
	level := audio.Level(f.Samples)
	tl.loud[len(tl.waiting)%resumeOf] = level > l.ear.floor.Level()+overRoom && level > tl.t.utterance.loudest-nearCommand
	tl.waiting = append(tl.waiting, f)
	loud := 0
	for _, is := range tl.loud {
		if is {
			loud++
		}
	}
	switch {
	case loud >= resumeNeed:
		l.resumeTail(ctx, f.At)
	case f.At.Sub(tl.opened) >= tailTime:
		l.step(ctx, NothingAdded)
	}
}

// resumeTail goes on with the utterance, as if it had not been ended.
func (l *Loop) resumeTail(ctx context.Context, at time.Time) {
	tl := &l.tail
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	r, _ := l.parts.Stt.(Reopener)
	if err := r.Reopen(limited); err != nil {
		l.parts.Log.Debug("sentence not gone on with", "part", "turn", "err", err)
		l.step(ctx, NothingAdded)
		return
	}
	waiting := tl.waiting
	tl.resumed, tl.waiting = at, nil
	l.step(ctx, Resumed)
	for _, f := range waiting {
		if l.state == HearingMore {
			l.hearMore(ctx, f)
		}
	}
}

// hearMore gives a frame of a resumed sentence to the recogniser.
func (l *Loop) hearMore(ctx context.Context, f audio.Frame) {
	tl := &l.tail
	if l.parts.Keep != nil {
		tl.sound = append(tl.sound, f.Samples...)
	}
	if err := l.recognise(ctx, f, &tl.partial, &tl.judged); err != nil {
		l.parts.Log.Debug("sentence not gone on with", "part", "turn", "err", err)
		l.step(ctx, NothingAdded)
		return
	}
	e := l.parts.End.Push(f, tl.partial, tl.judged)
	l.parts.Observer.Hearing(Hearing{
		Turn: tl.t.id, Level: audio.Level(f.Samples), Partial: tl.partial, Judged: tl.judged, Ended: e.Reason,
	})
	if e.Done && f.At.Sub(tl.resumed) >= resumeLeast || f.At.Sub(tl.opened) > tailMost {
		l.endMore(ctx)
	}
}

// endMore ends a sentence that was gone on with.
func (l *Loop) endMore(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	text, err := l.parts.Stt.Finish(limited)
	if err != nil {
		l.parts.Log.Debug("sentence not gone on with", "part", "turn", "err", err)
	} else {
		l.tail.whole = text.Text
	}
	l.step(ctx, Added)
}

// endTail tells the turn what was added when k ends the time for it. A wake word
// has ended that turn, and opens the recogniser anew.
func (l *Loop) endTail(ctx context.Context, before State, k Kind) {
	tl := l.tail
	l.tail = tail{}
	if k == Woken {
		return
	}
	for _, f := range tl.waiting {
		l.parts.End.Observe(f)
	}
	if before == HearingMore && k != Added {
		l.closeEar(ctx)
	}
	if k == MicMuted { // which is said to be about what was just heard, too
		tl.sound = nil
	}
	tl.t.more <- added{whole: tl.whole, sound: tl.sound} // of size one, and this is the one
}
