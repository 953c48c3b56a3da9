package ear

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
)

// Config is how a microphone's turns behave.
type Config struct {
	Area   string
	Source record.Source
	// Live sound comes at its own pace and is never held back. Recorded sound can come
	// as fast as it is read; it is held back while a turn thinks or speaks.
	Live bool
	// PushToTalk makes the first frame the beginning of the utterance: no wake word is
	// needed, and Run ends with that turn (hear --no-wake).
	PushToTalk bool
	// DryRun stops every turn before its tools.
	DryRun bool
	// Earcons are the short sounds that live sound is answered with.
	Earcons earcon.Set
	// PreRoll is how much sound before a detection is kept for the recogniser.
	PreRoll time.Duration
}

// mostWaiting is how many texts may wait to be spoken.
const mostWaiting = 8

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
	Chimes   Speaker // plays the short sounds; nil: Speaker does
	Observer Observer
	Keep     Keeper // nil: no sound is recorded
	Log      *slog.Logger
	// Acknowledged is called with the alerts that are over: the user said stop, or, with
	// over, they have rung for as long as they should. It runs beside the loop. It may be
	// nil.
	Acknowledged func(ids []string, over bool)
}

// Loop runs the turns of one microphone, one after the other. The goroutine in Run
// owns all of its state; every other goroutine sends it events.
type Loop struct {
	parts    Parts
	cfg      Config
	state    State
	events   chan event
	turn     *telling // nil while idle
	waiting  []string // texts to be spoken
	bell     *bell
	missed   time.Time // when speech after a wake word was no command, in the frames' clock; zero if the last was one
	deadline deadline
	running  sync.WaitGroup // goroutines beside the loop

	ear        ear
	wakeWord   wakeWord
	recogniser *recogniser
	growing    growingSentence
	window     correctionWindow
	ownSound   ownSound
	voice      *voice
	teller     *teller
}

// event is news for the loop. News of a turn carries the turn's id, so that late
// news of an interrupted turn changes nothing.
type event struct {
	kind   Kind
	turn   string
	text   string       // to be spoken
	alert  Alert        // to be sounded
	ids    []string     // of alerts
	button Button       // what is done with the one that is held
	answer chan<- error // of size one; nil: no answer is wanted
}

// NewLoop checks its parts and starts nothing.
func NewLoop(cfg Config, p Parts) (*Loop, error) {
	switch {
	case p.Mic == nil || p.Mind == nil || p.Observer == nil || p.Log == nil:
		return nil, errors.New("turn loop: a microphone, a mind, an observer and a logger are needed")
	case p.Stt == nil || p.End == nil:
		return nil, errors.New("turn loop: a transcriber and an endpointer are needed")
	case p.Wake == nil && !cfg.PushToTalk:
		return nil, errors.New("turn loop: without a wake detector only push-to-talk is possible")
	}
	if cfg.PreRoll <= 0 {
		cfg.PreRoll = 2 * time.Second
	}
	chimes := p.Chimes
	if chimes == nil {
		chimes = p.Speaker
	}
	l := &Loop{
		parts: p, cfg: cfg, state: Idle,
		events:   make(chan event, 16),
		ear:      ear{preRoll: audio.NewRing(cfg.PreRoll)},
		wakeWord: wakeWord{engine: p.Wake, budget: budgetOf(cfg.Live)},
		voice:    &voice{synthesizer: p.Voice, speaker: p.Speaker, log: p.Log},
	}
	l.recogniser = &recogniser{stt: p.Stt, end: p.End, judge: p.Mind.Judge, budget: budgetOf(cfg.Live), log: p.Log}
	l.growing = growingSentence{recogniser: l.recogniser, observer: p.Observer, keep: p.Keep != nil, log: p.Log}
	l.window = correctionWindow{recogniser: l.recogniser, keep: p.Keep != nil, log: p.Log}
	l.ownSound = ownSound{speaker: chimes, set: cfg.Earcons, live: cfg.Live, log: p.Log, running: &l.running, events: l.events}
	l.bell = &bell{Loop: l}
	l.teller = &teller{
		mind: p.Mind, voice: l.voice, observer: p.Observer, keep: p.Keep,
		live: cfg.Live, dryRun: cfg.DryRun, events: l.events, log: p.Log,
	}
	return l, nil
}

// Run runs turns until ctx ends, or until a finite source has ended and its last
// turn is over. It leaves no goroutine behind.
func (l *Loop) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	l.deadline = deadline{timer: time.NewTimer(time.Hour), recorded: !l.cfg.Live}
	frames := make(chan audio.Frame)
	var reader sync.WaitGroup
	reader.Go(func() { read(ctx, l.parts.Mic, frames, l.parts.Log) })
	defer func() {
		cancel()
		reader.Wait()
		l.running.Wait()
		l.deadline.timer.Stop()
	}()
	for {
		ended := l.ear.pushed || frames == nil
		l.bell.attend(ctx, ended)
		switch {
		case l.state.resting() && ended:
			return nil
		case frames == nil && l.state.Public() == Listening: // opened by the last frame, or after it
			l.sourceEnded(ctx)
			continue
		}
		select {
		case <-ctx.Done():
			l.endTurn()
			return nil
		case f, ok := <-framesToRead(frames, l.cfg.Live, l.state):
			if !ok {
				frames = nil
				l.sourceEnded(ctx)
				continue
			}
			l.hear(ctx, f)
		case e := <-l.events:
			l.handle(ctx, e)
		case <-l.deadline.timer.C:
			l.handle(ctx, event{kind: TimedOut})
		}
	}
}

// framesToRead are the frames to read in a state: none while a recording waits for an answer.
func framesToRead(frames <-chan audio.Frame, live bool, state State) <-chan audio.Frame {
	if !live && (state == Thinking || state == Speaking || state == Ringing) {
		return nil
	}
	return frames
}

// read moves frames from the microphone to the loop. If the microphone fails for good,
// read ends and the loop continues with the other sources of turns.
func read(ctx context.Context, mic Microphone, frames chan<- audio.Frame, log *slog.Logger) {
	for {
		f, err := mic.Read(ctx)
		switch {
		case errors.Is(err, io.EOF):
			close(frames)
			return
		case ctx.Err() != nil:
			return
		case err != nil:
			log.Error("microphone ended; text commands still work", "part", "turn", "err", err)
			return
		}
		select {
		case frames <- f:
		case <-ctx.Done():
			return
		}
	}
}

// step moves the state and tells the observer if the change can be seen from
// outside. It returns false if k means nothing in the state. Instead of becoming
// idle, a muted ear becomes Muted and an ear in trouble EarFailed.
func (l *Loop) step(ctx context.Context, k Kind) bool {
	to, ok := Next(l.state, k)
	if !ok {
		return false
	}
	switch {
	case to == Idle && l.ear.muted, to == EarFailed && l.ear.muted:
		to, _ = Next(Idle, MicMuted)
	case to == Idle && l.wakeWord.trouble != "":
		to, _ = Next(Idle, Failed)
	}
	before := l.state
	l.state = to
	l.wakeWord.listenForStop(to == Speaking || to.rings())
	l.deadline.enter(to, before)
	if published := to.Public(); published != before.Public() {
		l.parts.Observer.StateChanged(published)
	}
	l.leave(ctx, before, k)
	return true
}

// leave ends what belonged only to the state before, after event k.
func (l *Loop) leave(ctx context.Context, before State, k Kind) {
	switch {
	case before.sounds() && !l.state.sounds():
		l.ownSound.voiceEnded(k == Woken)
	case before.mayGrow() && !l.state.mayGrow():
		l.growing.takeAddition(ctx, k)
	case before.correctable() && !l.state.correctable(), before == RingPause:
		l.window.forgetSpeech(ctx, k)
	}
}

// handle carries out an event and answers its sender, if an answer is wanted.
func (l *Loop) handle(ctx context.Context, e event) {
	if e.turn != "" && (l.turn == nil || e.turn != l.turn.id) {
		return
	}
	var err error
	switch e.kind {
	case Woken:
		err = l.listenNow(ctx)
	case held:
		err = l.press(ctx, e.button)
	case SayAsked:
		if len(l.waiting) >= mostWaiting {
			err = ErrBusy
		} else {
			l.waiting = append(l.waiting, e.text)
		}
	case RingAsked, quietAsked, RoundOver:
		err = l.bell.handle(ctx, e)
	case MicMuted, MicUnmuted:
		l.mute(ctx, e.kind)
	case Stopped, TimedOut, Failed:
		l.stop(ctx, e.kind)
	case chimePlayed:
		l.ownSound.chimeEnded()
	case Finished:
		l.finish(ctx)
	default:
		l.step(ctx, e.kind)
	}
	if e.answer != nil {
		e.answer <- err
	}
}

// listenNow opens an utterance without a wake word.
func (l *Loop) listenNow(ctx context.Context) error {
	switch {
	case l.ear.muted:
		return ErrMuted
	case l.state.Public() != Listening:
		l.wake(ctx, speech.Detection{Engine: "none", At: l.now()})
	case l.turn != nil:
		l.turn.utterance.hold = hold{} // who only tapped a button does not hold it
	}
	return nil
}

// speakWaiting speaks the next text that waits, once the loop is idle.
func (l *Loop) speakWaiting(ctx context.Context) {
	free := l.state.resting() || l.state == RingPause && l.bell.over
	if len(l.waiting) == 0 || !free {
		return
	}
	text := l.waiting[0]
	l.waiting = l.waiting[1:]
	l.step(ctx, SayAsked)
	t := newTelling(l.cfg, time.Now())
	l.turn = t
	l.runBeside(ctx, t, func(ctx context.Context) {
		if played := l.voice.speak(ctx, one(text), nil, func(time.Time) {}); played == 0 && ctx.Err() == nil {
			t.aftermath.sound = earcon.Error
		}
	})
}

// runBeside runs tell for a turn while the loop keeps hearing, and reports its end to the
// loop. The context given to tell is cancelled with the turn.
func (l *Loop) runBeside(ctx context.Context, t *telling, tell func(ctx context.Context)) {
	ofTurn, cancel := context.WithCancel(ctx)
	t.cancel = cancel
	l.running.Go(func() {
		defer cancel()
		tell(ofTurn)
		l.teller.report(ctx, t, Finished)
	})
}
