// Package sphinx recognises speech with CMU PocketSphinx, the recogniser that
// Debian packages, in a supervised worker process. It exists beside the engines
// that use it (wake/pocketsphinx.go, stt/pocketsphinx.go) because both need the
// same library in the same careful way; neither sees C.
//
// Client is the daemon's side and pure Go. Work is the child's side: decoder.go
// (cgo) does what protocol.go says, and its twin without cgo answers every
// request with how to get it. To use another ability of the library, add a
// request kind to protocol.go, the call to decoder.go, and a method here.
package sphinx

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/ground/worker"
)

// DefaultModelDir is where Debian's pocketsphinx-en-us puts the English model.
const DefaultModelDir = "/usr/share/pocketsphinx/model/en-us"

// Time-outs of the worker. Loading takes 0.3 s on a desktop and some seconds on
// a slow SD card; the decoding of 20 ms takes one, so 3 s mean that it hangs.
const (
	loadTimeout = 30 * time.Second
	pushTimeout = 3 * time.Second
)

// Config says which model to load and how to start the worker.
type Config struct {
	Name     string   // of the worker, in logs and errors: "stt", "wake"
	Command  []string // our own binary and `worker stt`
	Env      []string // added to the worker's environment; for tests
	ModelDir string   // DefaultModelDir when empty
	// Reject loads a second decoder, which scores every utterance against
	// arbitrary speech (Result.Loop). Only for grammars.
	Reject bool
	// Retry is the margin (Result.Margin) below which an utterance is decoded
	// again when it is over, from the mean of all of its sound instead of its
	// beginning; the better of the two counts. Only with Reject.
	Retry float64
	Log   *slog.Logger
	// Patience is how long the worker may take for an answer; 0: as long as a worker that
	// does not hang takes.
	Patience time.Duration
	// Idle is how long the worker may be idle before it ends until it is needed (Attend);
	// 0: it runs all the time.
	Idle time.Duration
	// Restarted is called at every restart of the worker. It may be nil.
	Restarted func(worker string, refused bool)
}

// Client speaks to one worker with one decoder. It remembers the grammar or the
// phrases and sets them again when the worker had to be restarted.
type Client struct {
	cfg    Config
	worker *worker.Worker

	mu   sync.Mutex
	last *setting // what the decoder listens for
}

type setting struct {
	kind    byte
	payload []byte
}

// New checks the configuration; Run starts the worker.
func New(cfg Config) (*Client, error) {
	cfg.ModelDir = cmp.Or(cfg.ModelDir, DefaultModelDir)
	c := &Client{cfg: cfg}
	w, err := worker.New(worker.Config{
		Name: cfg.Name, Command: cfg.Command, Env: append(slices.Clone(cfg.Env), oneHeap), Log: cfg.Log,
		Timeout: cmp.Or(cfg.Patience, pushTimeout), Setup: c.setup, Restarted: cfg.Restarted, Idle: cfg.Idle,
	})
	if err != nil {
		return nil, fmt.Errorf("making the recogniser: %w", err)
	}
	c.worker = w
	return c, nil
}

// longest is how long the worker may take for what needs more work than a frame of sound.
func (c *Client) longest() time.Duration { return max(loadTimeout, c.cfg.Patience) }

// oneHeap makes all threads of a worker allocate from one heap of the C library. It would give
// each thread its own, and the decoders, which move between threads, leave room in all of
// them that no other one uses.
const oneHeap = "MALLOC_ARENA_MAX=1"

// Run keeps the worker alive until ctx ends.
func (c *Client) Run(ctx context.Context) error { return c.worker.Run(ctx) }

// Attend says that the worker may be needed at any moment (worker.Worker.Attend).
func (c *Client) Attend() { c.worker.Attend() }

// Dismiss ends the worker until it is needed (worker.Worker.Dismiss).
func (c *Client) Dismiss() { c.worker.Dismiss() }

// Dictionary is the model's pronouncing dictionary.
func (c *Client) Dictionary() string {
	return filepath.Join(c.cfg.ModelDir, "cmudict-en-us.dict")
}

func (c *Client) setup(ctx context.Context, s *worker.Session) error {
	load := loadRequest{Acoustic: filepath.Join(c.cfg.ModelDir, "en-us"), Loop: c.cfg.Reject, Retry: c.cfg.Retry, Patience: c.cfg.Patience}
	payload, err := json.Marshal(load)
	if err != nil {
		return fmt.Errorf("encoding for the recogniser: %w", err)
	}
	if _, err := s.CallWithin(ctx, c.longest(), kindLoad, payload); err != nil {
		return err
	}
	c.mu.Lock()
	last := c.last
	c.mu.Unlock()
	if last == nil {
		return nil
	}
	_, err = s.CallWithin(ctx, c.longest(), last.kind, last.payload)
	return err
}

// SetGrammar makes the decoder listen for the sentences of a JSGF grammar, from the next
// Start on. pronunciations has the phones of every word in it, each variant as "T ER N";
// one missing word makes the library refuse the grammar. SetGrammar ends an open
// utterance, so a caller that wants to keep one has to wait for its end. A worker that
// rests is not started for it.
func (c *Client) SetGrammar(ctx context.Context, jsgf string, pronunciations map[string][]string) error {
	return c.set(ctx, kindGrammar, grammarRequest{JSGF: jsgf, Words: pronunciations})
}

// Phrase is a wake phrase. A lower threshold (1e-5 … 1e-50) hears it more
// easily, and wrongly.
type Phrase struct {
	Text      string  `json:"text"` // lower case words
	Threshold float64 `json:"threshold"`
}

// SetPhrases makes the decoder listen for phrases in endless sound (Spot).
func (c *Client) SetPhrases(ctx context.Context, phrases []Phrase, pronunciations map[string][]string) error {
	return c.set(ctx, kindPhrases, phrasesRequest{Phrases: phrases, Words: pronunciations})
}

func (c *Client) set(ctx context.Context, kind byte, request any) error {
	payload, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encoding for the recogniser: %w", err)
	}
	next := &setting{kind: kind, payload: payload}
	c.mu.Lock()
	before := c.last
	c.last = next // also for a worker that is started meanwhile
	c.mu.Unlock()
	s, err := c.worker.Awake(ctx)
	if err == nil && s != nil {
		_, err = s.CallWithin(ctx, c.longest(), kind, payload)
	}
	if err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == next {
		c.last = before
	}
	return err
}

// Prepare sets what every worker starts with. Call it before Run: then the first
// worker has it before the first caller can ask.
func (c *Client) Prepare(phrases []Phrase, pronunciations map[string][]string) error {
	payload, err := json.Marshal(phrasesRequest{Phrases: phrases, Words: pronunciations})
	if err != nil {
		return fmt.Errorf("encoding for the recogniser: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = &setting{kind: kindPhrases, payload: payload}
	return nil
}

// Hit is a wake phrase heard in the sound given to Spot.
type Hit struct {
	Phrase string        `json:"phrase"`
	Ago    time.Duration `json:"ago"`   // from the phrase's end to the end of the sound
	Score  float64       `json:"score"` // the library's; comparable for one phrase only
}

// Spot takes the next samples of endless sound and returns the phrase that was recognised
// with them, if any. The library reports a phrase about 100 ms late. After a restart of
// the worker it continues with the new one.
func (c *Client) Spot(ctx context.Context, samples []int16) (Hit, bool, error) {
	answer, err := c.worker.Call(ctx, kindSpot, encodeSamples(samples))
	if err != nil || len(answer) == 0 {
		return Hit{}, false, err
	}
	var h Hit
	if err := json.Unmarshal(answer, &h); err != nil {
		return Hit{}, false, fmt.Errorf("reading the recogniser's answer: %w", err)
	}
	return h, true, nil
}

// Partial is the best path so far.
type Partial struct {
	Text string
	Tail time.Duration // from the end of the last real word to the newest frame
}

// Result is a finished utterance.
type Result struct {
	Text string `json:"text"` // "" when no sentence of the grammar fits
	// Unfinished says that Text is the beginning of a sentence, and that nothing more was
	// said.
	Unfinished bool `json:"unfinished,omitempty"`
	// All count hops of 10 ms: the whole utterance, from the first word to the
	// last, and the words themselves.
	Frames int `json:"frames"`
	Span   int `json:"span"`
	Speech int `json:"speech"`
	// Score and Loop are the log scores, within the span, of the best sentence
	// and of the best string of phones; Looped says whether there is the latter.
	Score  int  `json:"score"`
	Loop   int  `json:"loop"`
	Looped bool `json:"looped"`
	// Beside is how many loud hops of the utterance belong to none of the words.
	Beside int `json:"beside,omitempty"`

	from int // first frame of the span
}

// Margin is how much better, per frame, the sentence explains the sound than
// arbitrary speech does. It is never far above 0, since a free string of phones
// can say everything; the more the sentence is forced, the lower it is.
func (r Result) Margin() float64 {
	return float64(r.Score-r.Loop) / float64(max(1, r.Span))
}
