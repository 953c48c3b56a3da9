package turn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech"
)

// Config is how a microphone's turns behave.
type Config struct {
	Area   string
	Source Source
	// Live sound comes at its own pace and is never held back. Recorded sound
	// that is fed as fast as possible waits while a turn is being told.
	Live bool
	// PushToTalk: the first frame already belongs to the utterance, no wake word
	// is waited for, and Run ends with that turn (hear --no-wake).
	PushToTalk bool
	// DryRun stops every turn before its tools.
	DryRun bool
	// PreRoll is how much sound before a detection is kept for the recogniser.
	PreRoll time.Duration
}

// Deadlines of the states, so that no path leaves a turn stuck. Listening is
// above the endpointer's own limits (5 s without, 8 s with speech); thinking
// above a tool's and a model's; speaking above the longest reply that is said.
var deadlines = map[State]time.Duration{
	Listening: 15 * time.Second,
	Thinking:  45 * time.Second,
	Speaking:  60 * time.Second,
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

// ErrBusy is returned when too many texts already wait to be spoken.
var ErrBusy = errors.New("too many texts are waiting to be spoken; try again in a moment")

// Parts are what a loop is made of. Wake may be nil with PushToTalk; Voice and
// Speaker may be nil where nothing is ever spoken.
type Parts struct {
	Mic      Microphone
	Wake     WakeDetector
	Stt      Transcriber
	End      Endpointer
	Answer   *Answerer
	Voice    Synthesizer
	Speaker  Speaker
	Observer Observer
	Log      *slog.Logger
}

// Loop tells the turns of one microphone, one after the other. The goroutine in
// Run owns all of its state; everybody else sends it events.
type Loop struct {
	parts  Parts
	cfg    Config
	state  State
	ring   *audio.Ring
	events chan event
	turn   *telling // nil while idle
	says   []say
	pushed bool   // the one utterance of push-to-talk was opened
	deaf   string // what is wrong with the wake word engine, "" if nothing is
	timer  *time.Timer
	told   sync.WaitGroup
}

// event is news for the loop. A turn's own news carry its id, so that the late
// news of an interrupted turn change nothing.
type event struct {
	kind   Kind
	turn   string
	say    say
	answer chan<- error // SayAsked: whether the text is in line
}

type say struct{ text string }

// telling is the turn that is being told.
type telling struct {
	id      string
	rec     Record
	started time.Time // in the frames' clock
	watch   stopwatch
	partial speech.Partial
	judged  speech.Completeness
	spoke   time.Duration      // from the first to the last speech of the utterance
	cancel  context.CancelFunc // nil while nothing of it runs elsewhere
}

// NewLoop checks its parts and starts nothing.
func NewLoop(cfg Config, p Parts) (*Loop, error) {
	switch {
	case p.Mic == nil || p.Answer == nil || p.Observer == nil || p.Log == nil:
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
		ring:   audio.NewRing(cfg.PreRoll),
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
		if l.state == Idle && (l.pushed || frames == nil) {
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

// Say asks for a text to be spoken once nothing else is going on. It returns
// when the text is in line, or ErrBusy.
func (l *Loop) Say(ctx context.Context, text string) error {
	answer := make(chan error, 1)
	if err := l.send(ctx, event{kind: SayAsked, say: say{text}, answer: answer}); err != nil {
		return err
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return fmt.Errorf("telling the turn loop: %w", ctx.Err())
	}
}

// Listen opens an utterance as the wake word would.
func (l *Loop) Listen(ctx context.Context) error { return l.send(ctx, event{kind: Woken}) }

// Stop ends whatever is being heard or said.
func (l *Loop) Stop(ctx context.Context) error { return l.send(ctx, event{kind: Stopped}) }

func (l *Loop) send(ctx context.Context, e event) error {
	select {
	case l.events <- e:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("telling the turn loop: %w", ctx.Err())
	}
}

// step moves the state and tells the observer; false when k means nothing now.
func (l *Loop) step(k Kind) bool {
	to, ok := Next(l.state, k)
	if !ok {
		return false
	}
	l.state = to
	if d, bounded := deadlines[to]; bounded {
		l.timer.Reset(d)
	} else {
		l.timer.Stop()
	}
	l.parts.Observer.StateChanged(to)
	return true
}

func (l *Loop) handle(ctx context.Context, e event) {
	if e.turn != "" && (l.turn == nil || e.turn != l.turn.id) {
		return
	}
	switch e.kind {
	case Woken:
		if l.state == Idle || l.state == Speaking {
			l.wake(ctx, speech.Detection{Engine: "none", At: time.Now()})
		}
	case SayAsked:
		if len(l.says) >= waitingSays {
			e.answer <- ErrBusy
			return
		}
		l.says = append(l.says, e.say)
		e.answer <- nil
	case Stopped, TimedOut, Failed:
		if e.kind == Stopped {
			l.says = nil // quiet means quiet
		}
		listening := l.state == Listening
		if l.step(e.kind) {
			l.abandon(ctx, listening, e.kind)
		}
	default:
		if l.step(e.kind) && l.state == Idle {
			l.endTurn()
		}
	}
}

// abandon ends the turn from outside. A turn that was still listening has told
// nobody yet, so its record is given here; any other gives its own.
func (l *Loop) abandon(ctx context.Context, listening bool, k Kind) {
	t := l.turn
	if listening && t != nil {
		l.closeEar(ctx)
		t.rec.Outcome = Interrupted
		t.rec.Error = "listening ended: " + string(k)
		l.finishRecord(t)
	}
	l.endTurn()
}

// closeEar ends the recogniser's utterance, whatever it heard: a new grammar
// waits for that.
func (l *Loop) closeEar(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, earBudget)
	defer cancel()
	if _, err := l.parts.Stt.Finish(ctx); err != nil {
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
	if l.state != Idle || len(l.says) == 0 {
		return
	}
	next := l.says[0]
	l.says = l.says[1:]
	l.step(SayAsked)
	t := l.newTelling(time.Now())
	l.elsewhere(ctx, t, func(own context.Context) {
		sentences := make(chan string, 1)
		sentences <- next.text
		close(sentences)
		l.speak(own, sentences, func(time.Time) {})
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
	t := &telling{id: NewID(), started: at, watch: stopwatch{zero: at}}
	t.rec = Record{ID: t.id, Time: at, Source: l.cfg.Source, Area: l.cfg.Area, Route: RouteNone}
	t.rec.Calls = []CallMade{}
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

func (l *Loop) finishRecord(t *telling) {
	t.rec.Timings.Total = t.watch.now()
	l.parts.Observer.TurnEnded(t.rec)
}
