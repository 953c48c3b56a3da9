// Package worker runs parts of the gateway in supervised children of our own
// binary. It exists because the sound and speech libraries are written in C and
// may abort, spin or hang (a sound card that is pulled out does all three): in a
// child that costs a restart of the child, never the gateway.
//
// Worker is the parent's side: it starts the child, restarts it with a growing
// delay, kills it when an answer does not come in time, and leaves no orphan and
// no zombie. Serve is the child's side. They talk over the child's stdin and
// stdout in frames with a bounded length and a checked sequence (frame.go). To
// add a worker, write a Handler for the child, a client that calls
// Worker.Session, and a line in the command table of `voice-gateway worker`.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"voicegateway/internal/ground/reconnect"
)

// Config describes one worker.
type Config struct {
	Name    string   // in logs and errors: "stt", "audio"
	Command []string // executable and arguments
	Env     []string // added to what the child inherits

	// Timeout is how long an answer may take before the child counts as hung
	// and is killed; 10 s when zero.
	Timeout time.Duration
	// Setup prepares every new child before anybody else may call it (load a
	// model, set the grammar again). When the child refuses (Refusal), callers
	// get that error and the setup is tried again slowly.
	Setup func(ctx context.Context, s *Session) error
	// Event receives what the child sends unasked, on the goroutine that reads
	// the pipe: it must not block.
	Event func(kind byte, payload []byte)
	// Restarted is called with the worker's name at every restart: the child ended, or it
	// refused to work. It must not block; it may be nil.
	Restarted func(name string, refused bool)

	// Idle makes the child a visitor: it is started when it is asked for or a caller is
	// about to need it (Attend), and ended when neither happened for so long. Zero: it
	// runs all the time.
	Idle time.Duration

	FirstDelay time.Duration // before the first restart; 100 ms when zero
	MaxDelay   time.Duration // the longest delay between restarts; 10 s when zero
	Log        *slog.Logger  // nil means no log
}

const (
	defaultTimeout    = 10 * time.Second
	defaultFirstDelay = 100 * time.Millisecond
	defaultMaxDelay   = 10 * time.Second
	refusedDelay      = 2 * time.Second // least delay after a refusal: trying sooner does not make a missing file appear
	stableAfter       = 5 * time.Second // a child that lived this long resets the delay
	aliveEvery        = 2 * time.Second // how often a child is asked for a sign of life
)

// Worker is one supervised child. Run supervises it; Session gives access to it.
type Worker struct {
	cfg Config

	mu      sync.Mutex
	session *Session      // nil while no child is ready
	down    error         // why there is no session, when waiting for one is pointless
	changed chan struct{} // closed and replaced whenever session or down changes
	over    atomic.Bool   // Run has returned
	resting bool          // no child runs, and none is asked for (Config.Idle)

	used   atomic.Int64  // when the child was last needed, in nanoseconds since 1970
	needed chan struct{} // holds a token when a child is needed again
	leave  chan struct{} // holds a token when the child is to end (Dismiss)
}

// New checks the configuration; Run starts the child.
func New(cfg Config) (*Worker, error) {
	if cfg.Name == "" {
		return nil, errors.New("making a worker: it has no name")
	}
	if len(cfg.Command) == 0 {
		return nil, fmt.Errorf("making worker %s: it has no command", cfg.Name)
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	cfg.FirstDelay = cmp.Or(cfg.FirstDelay, defaultFirstDelay)
	cfg.MaxDelay = cmp.Or(cfg.MaxDelay, defaultMaxDelay)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	cfg.Log = cfg.Log.With("worker", cfg.Name)
	return &Worker{cfg: cfg, changed: make(chan struct{}), resting: cfg.Idle > 0, needed: make(chan struct{}, 1), leave: make(chan struct{}, 1)}, nil
}

// Run keeps a child running until ctx ends; it returns nil then, with the child gone (in
// well under 300 ms, by force if need be).
func (w *Worker) Run(ctx context.Context) error {
	defer func() {
		w.over.Store(true)
		w.publish(nil, fmt.Errorf("worker %s: stopped", w.cfg.Name))
	}()
	failures := 0 // in a row
	told := ""
	loop := reconnect.Loop{
		Pauses: reconnect.Pauses{First: w.cfg.FirstDelay, Longest: w.cfg.MaxDelay},
		Least: func(err error) time.Duration {
			if refused(err) {
				return refusedDelay
			}
			return 0
		},
		Ended: func(err error, delay time.Duration) {
			failures++
			if w.cfg.Restarted != nil {
				w.cfg.Restarted(w.cfg.Name, refused(err))
			}
			// After the first crash the child is restarted at once, so callers
			// wait for that; after a second crash in a row, or a refusal, they
			// get the error.
			if refused(err) || failures > 1 {
				w.publish(nil, err)
			}
			level := slog.LevelWarn
			if err.Error() == told { // the same error again is not worth a line
				level = slog.LevelDebug
			}
			told = err.Error()
			w.cfg.Log.Log(ctx, level, "worker ended", "err", err, "restart_in", delay)
		},
	}
	loop.Run(ctx, func(ctx context.Context) (bool, error) {
		for {
			if err := w.rest(ctx); err != nil {
				return false, err
			}
			started := time.Now()
			err := w.once(ctx)
			stable := time.Since(started) > stableAfter
			if stable {
				failures = 0
			}
			if !errors.Is(err, errIdle) {
				return stable, err
			}
			w.cfg.Log.Debug("worker ended until it is needed")
		}
	})
	return nil
}

// errIdle ends a child that is not needed.
var errIdle = errors.New("the worker is idle")

// Attend says that the child may be needed at any moment. It costs next to nothing and
// never waits. Only a worker with Config.Idle takes notice.
func (w *Worker) Attend() {
	if w.cfg.Idle == 0 {
		return
	}
	w.used.Store(time.Now().UnixNano())
	select {
	case w.needed <- struct{}{}:
	default:
	}
}

// Dismiss ends a child that no request is under way to, until it is needed again. Only a
// worker with Config.Idle takes notice.
func (w *Worker) Dismiss() {
	if w.cfg.Idle == 0 {
		return
	}
	w.used.Store(0)
	select {
	case w.leave <- struct{}{}:
	default:
	}
}

// rest waits until a child is needed.
func (w *Worker) rest(ctx context.Context) error {
	for w.isIdle() {
		w.mu.Lock()
		w.resting, w.down = true, nil // an old failure says nothing about the next child
		w.mu.Unlock()
		select {
		case <-w.needed:
			w.used.Store(time.Now().UnixNano())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resting = false
	return nil
}

// isIdle reports whether the child has not been needed for Config.Idle.
func (w *Worker) isIdle() bool {
	return w.cfg.Idle > 0 && time.Since(time.Unix(0, w.used.Load())) >= w.cfg.Idle
}

// retire takes the child from its callers if it is idle, and reports whether it did.
func (w *Worker) retire() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.isIdle() {
		return false
	}
	select {
	case <-w.needed: // of a caller that this child has served
	default:
	}
	w.session, w.resting = nil, true
	close(w.changed)
	w.changed = make(chan struct{})
	return true
}

// idle is the time until the child may be idle; a channel that never sends if it runs
// all the time.
func (w *Worker) idle() <-chan time.Time {
	if w.cfg.Idle == 0 {
		return nil
	}
	return time.After(max(0, time.Until(time.Unix(0, w.used.Load()).Add(w.cfg.Idle))))
}

// refused reports whether the child itself answered why it cannot work.
func refused(err error) bool {
	_, ok := errors.AsType[*Refusal](err)
	return ok
}

// once runs one child to its end and says why it ended.
func (w *Worker) once(ctx context.Context) error {
	s, err := w.start(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	attending, cancel := context.WithCancel(ctx)
	var attend sync.WaitGroup
	attend.Go(func() { s.attend(attending) })
	defer attend.Wait()
	defer cancel()
	if w.cfg.Setup != nil {
		if err := w.cfg.Setup(ctx, s); err != nil {
			return s.explain(err)
		}
	}
	w.publish(s, nil)
	defer w.publish(nil, nil)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.over:
			return s.explain(nil)
		case <-w.leave:
			if s.calls.Load() == 0 && w.retire() {
				return errIdle
			}
		case <-w.idle():
			if s.calls.Load() > 0 {
				w.Attend()
			}
			if w.retire() {
				return errIdle
			}
		}
	}
}

func (w *Worker) publish(s *Session, down error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.session, w.down = s, down
	close(w.changed)
	w.changed = make(chan struct{})
}

// Session returns the running child. It waits while one is being started or
// restarted, and gives the reason at once when the last attempts failed.
func (w *Worker) Session(ctx context.Context) (*Session, error) {
	return w.wait(ctx, false, w.Attend)
}

// Awake is Session for a caller that needs no child: the session is nil if none runs and
// none is being started.
func (w *Worker) Awake(ctx context.Context) (*Session, error) {
	w.mu.Lock()
	resting := w.resting && w.isIdle()
	w.mu.Unlock()
	if resting {
		return nil, nil //nolint:nilnil // there is no child, which is no error
	}
	return w.wait(ctx, false, func() {})
}

// Next is Session for a caller that has something to lose: it waits for the next
// child also when the last attempts failed, unless the child refuses to work.
func (w *Worker) Next(ctx context.Context) (*Session, error) {
	return w.wait(ctx, true, w.Attend)
}

func (w *Worker) wait(ctx context.Context, patient bool, need func()) (*Session, error) {
	for {
		need()
		w.mu.Lock()
		s, down, changed := w.session, w.down, w.changed
		w.mu.Unlock()
		switch {
		case s != nil && s.reason() == nil: // one that has just ended is about to be replaced
			return s, nil
		case down != nil && (!patient || w.over.Load() || refused(down)):
			return nil, down
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for worker %s: %w", w.cfg.Name, ctx.Err())
		}
	}
}

// Call is Session and Session.Call in one, for requests that need no earlier
// state of the child.
func (w *Worker) Call(ctx context.Context, kind byte, payload []byte) ([]byte, error) {
	s, err := w.Session(ctx)
	if err != nil {
		return nil, err
	}
	return s.Call(ctx, kind, payload)
}
