// Package moonshine recognises speech with a Moonshine network in ONNX Runtime, in a
// supervised worker process. The network writes text, word piece by word piece. It is
// made to write only sentences of an automaton, and in addition its free reading, which
// shows how far the sentence is from what was said.
//
// Client is the daemon's side. Work is the child's side: model.go (cgo) runs the
// networks, search.go finds the sentences, and neither knows the other.
package moonshine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ground/worker"
	"voicegateway/internal/language/speech"
)

// Time-outs of the worker. Loading takes 0.2 s on a desktop and some seconds from a
// slow SD card. A sentence is decoded in 0.2 s on a desktop; the longest, on the
// slowest machine, in some two.
const (
	loadTimeout   = 30 * time.Second
	decodeTimeout = 4 * time.Second
)

// leastSound is the fewest samples the network takes: a fifth of a second.
const leastSound = int(audio.SpeechRate) / 5

// silenceAfter is the silence that is added to a sound, in samples: half a second.
// Without it the network garbles a last word that is followed by nothing.
const silenceAfter = int(audio.SpeechRate) / 2

// Config says which model to load and how to start the worker.
type Config struct {
	Command []string // our own binary and the worker's arguments
	Env     []string // added to the worker's environment; for tests
	Library string   // file of ONNX Runtime
	Dir     string   // of the model
	Log     *slog.Logger
	// Patience is how long the worker may take for an answer; 0: as long as a worker that
	// does not hang takes.
	Patience time.Duration
	// Idle is how long the worker may be idle before it ends until it is needed (Attend);
	// 0: it runs all the time.
	Idle time.Duration
	// Restarted is called at every restart of the worker. It may be nil.
	Restarted func(worker string, refused bool)
}

// Client speaks to one worker. It remembers the grammar and sets it again when the
// worker had to be restarted.
type Client struct {
	cfg    Config
	worker *worker.Worker

	mu   sync.Mutex
	last []byte // the grammar
}

// New checks the configuration; Run starts the worker.
func New(cfg Config) (*Client, error) {
	c := &Client{cfg: cfg}
	w, err := worker.New(worker.Config{
		Name: "stt-moonshine", Command: cfg.Command, Env: cfg.Env, Log: cfg.Log, Timeout: cmp.Or(cfg.Patience, decodeTimeout), Setup: c.setup,
		Restarted: cfg.Restarted, Idle: cfg.Idle,
	})
	if err != nil {
		return nil, fmt.Errorf("making the recogniser: %w", err)
	}
	c.worker = w
	return c, nil
}

// Run keeps the worker alive until ctx ends.
func (c *Client) Run(ctx context.Context) error { return c.worker.Run(ctx) }

// Attend says that the worker may be needed at any moment (worker.Worker.Attend).
func (c *Client) Attend() { c.worker.Attend() }

// Dismiss ends the worker until it is needed (worker.Worker.Dismiss).
func (c *Client) Dismiss() { c.worker.Dismiss() }

func (c *Client) setup(ctx context.Context, s *worker.Session) error {
	payload, err := json.Marshal(loadRequest{Library: c.cfg.Library, Dir: c.cfg.Dir})
	if err != nil {
		return fmt.Errorf("encoding for the recogniser: %w", err)
	}
	if _, err := s.CallWithin(ctx, loadTimeout, kindLoad, payload); err != nil {
		return err
	}
	c.mu.Lock()
	last := c.last
	c.mu.Unlock()
	if last == nil {
		return nil
	}
	_, err = s.CallWithin(ctx, loadTimeout, kindGrammar, last)
	return err
}

// SetGrammar sets the automaton of the sentences that can be heard, from the next Decode
// on. A running decoding is given up. A worker that rests is not started for it.
func (c *Client) SetGrammar(ctx context.Context, a speech.Automaton) error {
	payload, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encoding for the recogniser: %w", err)
	}
	c.mu.Lock()
	c.last = payload // also for the worker that is being started
	c.mu.Unlock()
	s, err := c.worker.Awake(ctx)
	if err != nil || s == nil {
		return err
	}
	_, err = s.CallWithin(ctx, loadTimeout, kindGrammar, payload)
	return err
}

// Decode returns what is heard in a sound at audio.SpeechRate. A sound that another
// one overtakes is refused. When the worker ends meanwhile, the next one is asked:
// the request has all there is to know.
func (c *Client) Decode(ctx context.Context, samples []int16) (Result, error) {
	payload := audio.AppendPCM(make([]byte, 0, 2*len(samples)), samples)
	var answer []byte
	var err error
	for range 2 {
		answer, err = c.worker.Call(ctx, kindDecode, payload)
		if !errors.Is(err, worker.ErrEnded) {
			break
		}
	}
	if err != nil {
		return Result{}, err
	}
	var r Result
	if err := json.Unmarshal(answer, &r); err != nil {
		return Result{}, fmt.Errorf("reading the recogniser's answer: %w", err)
	}
	return r, nil
}

// check reports an automaton whose words or states do not exist.
func check(a speech.Automaton) error {
	for _, s := range a.States {
		for _, m := range s.Moves {
			if m.Word < 0 || int(m.Word) >= len(a.Words) || m.To < 0 || int(m.To) >= len(a.States) {
				return errors.New("the grammar has a move with a word or to a state that does not exist")
			}
		}
	}
	return nil
}
