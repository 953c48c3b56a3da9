package turn

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/record"
	"voicegateway/internal/speech"
)

// Config is how a microphone's turns behave.
type Config struct {
	Area   string
	Source record.Source
	// Live sound comes at its own pace and is never held back. Recorded sound
	// that is fed as fast as possible waits while a turn is being told.
	Live bool
	// PushToTalk: the first frame already belongs to the utterance, no wake word
	// is waited for, and Run ends with that turn (hear --no-wake).
	PushToTalk bool
	// DryRun stops every turn before its tools.
	DryRun bool
	// Earcons are the short sounds that live sound is answered with.
	Earcons earcon.Set
	// PreRoll is how much sound before a detection is kept for the recogniser.
	PreRoll time.Duration
}

// waitingSays is how many texts may wait to be spoken while a turn is told.
const waitingSays = 8

// earBudget bounds one call of an engine of the ear, which may have to start its
// worker anew: longer than any that works takes, short enough that a stop or a
// deadline is not kept waiting.
const earBudget = 2 * time.Second

// shortest is less speech than any command has: "stop" takes longer. What is
// shorter and no command is the wake word's own end, or a cough.
const shortest = 400 * time.Millisecond

// Parts are what a loop is made of. Wake may be nil with PushToTalk; Voice and
// Speaker may be nil where nothing is ever spoken.
type Parts struct {
	Mic      Microphone
	Wake     WakeDetector
	Stt      Transcriber
	End      Endpointer
	Mind     Mind
	Voice    Synthesizer
	Speaker  Speaker
	Chimes   Speaker // for the short sounds; nil: Speaker
	Observer Observer
	Keep     Keeper // nil: nothing that was said is kept
	Log      *slog.Logger
}

// Loop tells the turns of one microphone, one after the other. The goroutine in
// Run owns all of its state; everybody else sends it events.
type Loop struct {
	parts  Parts
	cfg    Config
	state  State
	ear    ear
	own    own
	tail   tail   // of the sentence that may grow
	after  window // for a correction
	events chan event
	turn   *telling // nil while idle
	says   []say
	timer  *time.Timer
	told   sync.WaitGroup
}

// ear is what is known of the microphone between turns.
type ear struct {
	ring   *audio.Ring
	floor  audio.NoiseFloor
	at     time.Time // of the newest frame
	muted  bool
	pushed bool   // the one utterance of push-to-talk was opened
	deaf   string // what is wrong with the wake word engine, "" if nothing is
}

// event is news for the loop. A turn's own news carry its id, so that the late
// news of an interrupted turn change nothing.
type event struct {
	kind   Kind
	turn   string
	say    say
	answer chan<- error // of size one; nil: nobody waits for it
}

// reply answers whoever waits for what became of the event.
func (e event) reply(err error) {
	if e.answer != nil {
		e.answer <- err
	}
}

type say struct{ text string }

// telling is the turn that is being told.
type telling struct {
	id        string
	rec       record.Record
	started   time.Time // in the frames' clock
	watch     record.Stopwatch
	utterance utterance
	followUp  bool       // the microphone was opened for the answer to a question
	chimed    bool       // the sound of the open microphone was made, or is not wanted
	more      chan added // what the tail brought; nil without a tail
	aftermath aftermath
	cancel    context.CancelFunc // nil while nothing of it runs elsewhere
}

// utterance is what was said in a turn.
type utterance struct {
	partial speech.Partial
	judged  speech.Completeness
	spoke   time.Duration // from the first to the last speech
	loudest float64       // dBFS
	near    float64       // dBFS: who answers a question is at least as loud
	loud    int           // frames of at least that
	sound   []int16       // all of it, where it is kept
}

// aftermath is what a turn leaves to the loop when it has been told.
type aftermath struct {
	asks  bool         // a question was spoken: its answer needs no wake word
	acted bool         // something was changed: a correction needs none
	halts bool         // it was the word stop: what waits to be spoken is dropped
	sound earcon.Sound // in place of words; "" for none
}

// NewLoop checks its parts and starts nothing.
func NewLoop(cfg Config, p Parts) (*Loop, error) {
	switch {
	case p.Mic == nil || p.Mind == nil || p.Observer == nil || p.Log == nil:
		return nil, errors.New("turn loop: a microphone, an answerer, an observer and a logger are needed")
	case p.Stt == nil || p.End == nil:
		return nil, errors.New("turn loop: a transcriber and an endpointer are needed")
	case p.Wake == nil && !cfg.PushToTalk:
		return nil, errors.New("turn loop: without a wake detector only push-to-talk is possible")
	}
	if cfg.PreRoll <= 0 {
		cfg.PreRoll = 2 * time.Second
	}
	return &Loop{
		parts: p, cfg: cfg, state: Idle,
		ear:    ear{ring: audio.NewRing(cfg.PreRoll)},
		events: make(chan event, 16),
	}, nil
}

// Run tells turns until ctx ends or a finite source has ended and its last turn
// is told. It leaves no goroutine behind.
func (l *Loop) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	l.timer = time.NewTimer(time.Hour)
	frames := make(chan audio.Frame)
	var reader sync.WaitGroup
	reader.Go(func() { l.read(ctx, frames) })
	defer func() {
		cancel()
		reader.Wait()
		l.told.Wait()
		l.timer.Stop()
	}()
	for {
		l.speakWaiting(ctx)
		in := frames
		if !l.cfg.Live && (l.state == Thinking || l.state == Speaking) {
			in = nil
		}
		if l.state.resting() && (l.ear.pushed || frames == nil) {
			return nil
		}
		select {
		case <-ctx.Done():
			l.endTurn()
			return nil
		case f, ok := <-in:
			if !ok {
				frames = nil
				l.sourceEnded(ctx)
				continue
			}
			l.hear(ctx, f)
		case e := <-l.events:
			l.handle(ctx, e)
		case <-l.timer.C:
			l.handle(ctx, event{kind: TimedOut})
		}
	}
}

// read moves frames from the microphone to the loop. A microphone that fails
// for good leaves the loop to the other sources of turns.
func (l *Loop) read(ctx context.Context, frames chan<- audio.Frame) {
	for {
		f, err := l.parts.Mic.Read(ctx)
		switch {
		case errors.Is(err, io.EOF):
			close(frames)
			return
		case ctx.Err() != nil:
			return
		case err != nil:
			l.parts.Log.Error("microphone ended; text commands still work", "part", "turn", "err", err)
			return
		}
		select {
		case frames <- f:
		case <-ctx.Done():
			return
		}
	}
}

// step moves the state and tells the observer where that can be seen from outside;
// false when k means nothing in it. What would be idle is muted or in trouble where
// the ear is.
func (l *Loop) step(ctx context.Context, k Kind) bool {
	to, ok := Next(l.state, k)
	if !ok {
		return false
	}
	switch {
	case to == Idle && l.ear.muted, to == EarFailed && l.ear.muted:
		to, _ = Next(Idle, MicMuted)
	case to == Idle && l.ear.deaf != "":
		to, _ = Next(Idle, Failed)
	}
	before := l.state
	l.state = to
	l.listenForStop(to == Speaking)
	l.limit(before)
	if told := to.Published(); told != before.Published() {
		l.parts.Observer.StateChanged(told)
	}
	l.leave(ctx, before, k)
	return true
}

// limit sets the deadline of the state after another one. Thinking has one
// deadline, whatever is added meanwhile.
func (l *Loop) limit(before State) {
	d, bounded := deadlines[l.state]
	switch {
	case !bounded:
		l.timer.Stop()
	case l.state.Published() != Thinking || before.Published() != Thinking:
		l.timer.Reset(d)
	}
}

// leave ends what belonged to the state before k alone.
func (l *Loop) leave(ctx context.Context, before State, k Kind) {
	switch {
	case before == Speaking && l.state != Speaking:
		l.own.silent(k == Woken)
	case before.mayGrow() && !l.state.mayGrow():
		l.endTail(ctx, before, k)
	case before.correctable() && !l.state.correctable():
		l.shutWindow(ctx, k)
	}
}

func (l *Loop) handle(ctx context.Context, e event) {
	if e.turn != "" && (l.turn == nil || e.turn != l.turn.id) {
		return
	}
	var err error
	switch e.kind {
	case Woken:
		err = l.listenNow(ctx)
	case SayAsked:
		if len(l.says) >= waitingSays {
			err = ErrBusy
		} else {
			l.says = append(l.says, e.say)
		}
	case MicMuted, MicUnmuted:
		l.mute(ctx, e.kind)
	case Stopped, TimedOut, Failed:
		l.stop(ctx, e.kind)
	case played:
		l.chimed()
	case Finished:
		l.finish(ctx)
	default:
		l.step(ctx, e.kind)
	}
	e.reply(err)
}

// listenNow opens an utterance without a wake word.
func (l *Loop) listenNow(ctx context.Context) error {
	switch {
	case l.ear.muted:
		return ErrMuted
	case l.state.Published() != Listening:
		l.wake(ctx, speech.Detection{Engine: "none", At: time.Now()})
	}
	return nil
}

// finish ends a turn that has been told. A question opens the microphone for its
// answer; after an act, a correction is waited for.
func (l *Loop) finish(ctx context.Context) {
	var end aftermath
	var said utterance
	if l.turn != nil {
		end, said = l.turn.aftermath, l.turn.utterance
	}
	if end.asks && !l.ear.muted && l.step(ctx, AskedBack) {
		l.openEar(ctx, speech.Detection{Engine: "none", At: l.ear.at}, &said)
		return
	}
	if end.halts {
		l.says = nil
	}
	if !l.step(ctx, Finished) {
		return
	}
	l.endTurn()
	if end.sound != "" {
		l.chime(ctx, end.sound)
	}
	if end.acted {
		l.awaitCorrection(ctx, said.loudest)
	}
}

// stop ends the turn from outside.
func (l *Loop) stop(ctx context.Context, k Kind) {
	if k == Stopped {
		l.says = nil // quiet means quiet
	}
	listening := l.state.Published() == Listening
	if l.step(ctx, k) {
		l.abandon(ctx, listening, k)
	}
}

// mute ends listening; what is being told goes on.
func (l *Loop) mute(ctx context.Context, k Kind) {
	on := k == MicMuted
	if l.ear.muted == on {
		return
	}
	l.ear.muted = on
	l.ear.ring.Clear()
	listening := l.state.Published() == Listening
	if l.step(ctx, k) && l.state == Muted {
		l.abandon(ctx, listening, k)
	}
	if on {
		l.chime(ctx, earcon.Muted)
	} else {
		l.chime(ctx, earcon.Unmuted)
	}
}

// abandon ends the turn from outside. A turn that was still listening has told
// nobody yet, so its record is given here; any other gives its own.
func (l *Loop) abandon(ctx context.Context, listening bool, k Kind) {
	t := l.turn
	if listening && t != nil {
		l.closeEar(ctx)
		t.rec.Outcome = record.Interrupted
		t.rec.Error = "listening ended: " + string(k)
		if k == MicMuted { // which is said to be about what was just heard, too
			t.utterance.sound = nil
		}
		l.finishRecord(t)
	}
	l.endTurn()
}

// closeEar ends the recogniser's utterance without asking what it heard, which
// may take a while: a new grammar waits for that.
func (l *Loop) closeEar(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, earBudget)
	defer cancel()
	err := l.parts.Stt.Begin(ctx) // drops what is open
	if err == nil {
		_, err = l.parts.Stt.Finish(ctx)
	}
	if err != nil {
		l.parts.Log.Debug("utterance not closed", "part", "turn", "err", err)
	}
}

// endTurn cancels what is left of the turn.
func (l *Loop) endTurn() {
	if l.turn != nil && l.turn.cancel != nil {
		l.turn.cancel()
	}
	l.turn = nil
}

func (l *Loop) speakWaiting(ctx context.Context) {
	if !l.state.resting() || len(l.says) == 0 {
		return
	}
	next := l.says[0]
	l.says = l.says[1:]
	l.step(ctx, SayAsked)
	t := l.newTelling(time.Now())
	l.elsewhere(ctx, t, func(own context.Context) {
		sentences := make(chan string, 1)
		sentences <- next.text
		close(sentences)
		if played := l.speak(own, sentences, nil, func(time.Time) {}); played == 0 && own.Err() == nil {
			t.aftermath.sound = earcon.Error
		}
	})
}

// elsewhere lets a turn be told while the loop goes on hearing, and brings the
// news of its end back. What is cancelled with the turn uses the context given.
func (l *Loop) elsewhere(ctx context.Context, t *telling, tell func(own context.Context)) {
	own, cancel := context.WithCancel(ctx)
	t.cancel = cancel
	l.told.Go(func() {
		defer cancel()
		tell(own)
		l.report(ctx, t, Finished)
	})
}

func (l *Loop) newTelling(at time.Time) *telling {
	t := &telling{id: record.NewID(), started: at, watch: record.Stopwatch{Zero: at}}
	t.rec = record.Record{ID: t.id, Time: at, Source: l.cfg.Source, Area: l.cfg.Area, Route: record.RouteNone}
	t.rec.Calls = []record.CallMade{}
	t.utterance.loudest = audio.Silence
	l.turn = t
	return t
}

// report sends a turn's own news; it gives up when the loop has ended.
func (l *Loop) report(ctx context.Context, t *telling, k Kind) {
	select {
	case l.events <- event{kind: k, turn: t.id}:
	case <-ctx.Done():
	}
}

// finishRecord tells of the end of a turn.
func (l *Loop) finishRecord(t *telling) {
	t.rec.Timings.Total = t.watch.Now()
	l.parts.Observer.TurnEnded(t.rec)
	if l.parts.Keep != nil && len(t.utterance.sound) > 0 {
		l.parts.Keep.Keep(t.rec, audio.Clip{Rate: audio.SpeechRate, Samples: t.utterance.sound})
	}
}
