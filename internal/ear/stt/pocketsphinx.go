package stt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/rival"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/language/speech"
)

// Gates against taking other speech for a command (docs/facts/engines.md,
// Rejecting other speech).
const (
	rejectMargin = -16.0
	// Short speech is little evidence, because a lone word that is not a command is
	// near some sentence of the grammar. Speech under shortSpeech has to fit better
	// by shortMargin.
	shortSpeech = 900 * time.Millisecond
	shortMargin = 9.0
	// An utterance that fits worse than retryMargin is decoded a second time when
	// it is over, which costs the decoding of two seconds and halves the errors in
	// noise.
	retryMargin = 0.0
	// leastBegun is how many words the beginning of a sentence has at least: one word
	// is heard in anything.
	leastBegun  = 2
	wordLength  = 800 * time.Millisecond // at most, on average: if each word takes longer, other speech was squeezed into few words
	maxSpeech   = 6 * time.Second        // of one command
	frameLength = 10 * time.Millisecond  // of the acoustic model
	// marginScale makes a confidence of the margin: 0.5 at the threshold, 0.9
	// nine units above it.
	marginScale = 4.0
)

// pocketSphinx decodes against a grammar in a worker process.
type pocketSphinx struct {
	cfg       Config
	client    *sphinx.Client
	pronounce *Pronouncer
	decoys    []string
	closed    map[speech.Expected]closedList
	// These belong to the holder of the token of idle.
	more      string           // the grammar of a reopened utterance
	sentences *rival.Sentences // nil where the grammar came without an automaton

	idle chan struct{} // holds a token while no utterance is open

	mu        sync.Mutex // guards open, between Finish and an abandoned turn's Begin
	open      bool
	utterance *sphinx.Utterance
	finished  *sphinx.Utterance // the last utterance, until the next begins
	last      speech.Partial
	reopened  bool     // something has been done already
	weighed   []string // words that were heard, and their rivals
	expected  speech.Expected
}

func newPocketSphinx(cfg Config) (*pocketSphinx, error) {
	client, err := sphinx.New(sphinx.Config{
		Name: "stt", Command: cfg.Command, Env: cfg.Env, ModelDir: cfg.ModelDir, Reject: true, Retry: retryMargin, Log: cfg.Log, Patience: cfg.Patience,
		Restarted: cfg.Restarted, Idle: cfg.Idle,
	})
	if err != nil {
		return nil, err
	}
	e := &pocketSphinx{
		cfg: cfg, client: client, idle: make(chan struct{}, 1),
		pronounce: NewPronouncer(client.Dictionary(), cfg.Pronunciations), decoys: decoys(cfg.Wakes), closed: closedLists(cfg),
	}
	e.idle <- struct{}{}
	return e, nil
}

func (e *pocketSphinx) Run(ctx context.Context) error { return e.client.Run(ctx) }

func (e *pocketSphinx) Attend() { e.client.Attend() }

// SetGrammar finds the pronunciations first and then waits for an utterance
// that is being spoken, so that a change in the house never cuts a command off.
func (e *pocketSphinx) SetGrammar(ctx context.Context, g speech.Grammar) (missing []string, err error) {
	words, missing, err := e.pronounce.All(ctx, slices.Concat(g.Words, strings.Fields(strings.Join(g.Join, " "))))
	if err != nil {
		return nil, fmt.Errorf("setting the grammar: %w", err)
	}
	for _, w := range missing {
		words[w] = []string{unspeakable}
	}
	if err := e.withLists(ctx, words); err != nil {
		return missing, err
	}
	jsgf, err := e.addDecoys(ctx, g.JSGF, words)
	if err != nil {
		return missing, fmt.Errorf("setting the grammar: %w", err)
	}
	select {
	case <-e.idle:
	case <-ctx.Done():
		return missing, fmt.Errorf("setting the grammar: an utterance is open: %w", ctx.Err())
	}
	defer func() { e.idle <- struct{}{} }()
	if err := e.client.SetGrammar(ctx, jsgf, words); err != nil {
		return missing, fmt.Errorf("setting the grammar: %w", err)
	}
	e.more, e.sentences = joinSentences(g.JSGF, g.Join), nil
	if len(g.Automaton.States) > 0 {
		e.sentences = rival.New(g.Automaton, words)
	}
	return missing, nil
}

func (e *pocketSphinx) Begin(ctx context.Context) error { return e.beginIn(ctx, speech.Sentence) }

// beginIn starts an utterance in the grammar of what is expected.
func (e *pocketSphinx) beginIn(ctx context.Context, what speech.Expected) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.open {
		select {
		case <-e.idle:
		case <-ctx.Done():
			return fmt.Errorf("beginning an utterance: the grammar is being changed: %w", ctx.Err())
		}
		e.open = true
	}
	e.last, e.finished, e.reopened, e.expected, e.weighed = speech.Partial{}, nil, false, what, nil
	u, err := e.client.StartIn(ctx, e.closed[what].jsgf)
	if err != nil {
		e.close()
		return fmt.Errorf("beginning an utterance: %w", err)
	}
	e.utterance = u
	return nil
}

// joinSentences returns the grammar in which one sentence may follow another. It is only for a
// reopened utterance, which has had its first command already: elsewhere it would find a
// second command in any further sound.
func joinSentences(jsgf string, join []string) string {
	before, rest, found := strings.Cut(jsgf, "public <")
	name, body, whole := strings.Cut(rest, ">")
	if !found || !whole || len(join) == 0 {
		return ""
	}
	return before + "<" + name + ">" + body + "\npublic <several> = <" + name + "> [ ( " + strings.Join(join, " | ") + " ) <" + name + "> ] ;\n"
}

// Reopen continues the utterance that Finish ended; another sentence may follow
// the first.
func (e *pocketSphinx) Reopen(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open || e.finished == nil {
		return errors.New("going on with an utterance: there is none to go on with")
	}
	select {
	case <-e.idle:
	case <-ctx.Done():
		return fmt.Errorf("going on with an utterance: the grammar is being changed: %w", ctx.Err())
	}
	e.open = true
	if err := e.finished.Reopen(ctx, e.more); err != nil {
		e.close()
		return fmt.Errorf("going on with an utterance: %w", err)
	}
	e.utterance, e.last, e.reopened = e.finished, speech.Partial{}, true
	return nil
}

// close lets a waiting grammar in.
func (e *pocketSphinx) close() {
	if e.open {
		e.open, e.utterance = false, nil
		e.idle <- struct{}{}
	}
}

func (e *pocketSphinx) Push(ctx context.Context, f audio.Frame) (speech.Partial, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.utterance == nil {
		return speech.Partial{}, fmt.Errorf("recognising speech: no utterance has begun")
	}
	p, err := e.utterance.Push(ctx, f.Samples)
	if err != nil {
		return speech.Partial{}, fmt.Errorf("recognising speech: %w", err)
	}
	next := speech.Partial{Text: p.Text, Tail: p.Tail, Stable: 1}
	if p.Text == e.last.Text {
		next.Stable = e.last.Stable + 1
	}
	e.last = next
	e.expectWeighing(ctx, next)
	return next, nil
}

func (e *pocketSphinx) Finish(ctx context.Context) (speech.Transcript, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.close()
	if e.utterance == nil {
		return speech.Transcript{}, fmt.Errorf("recognising speech: no utterance has begun")
	}
	r, err := e.utterance.Finish(ctx)
	if err != nil {
		return speech.Transcript{}, fmt.Errorf("recognising speech: %w", err)
	}
	if e.expected != speech.Sentence {
		return e.closed[e.expected].interpret(r), nil
	}
	e.finished = e.utterance
	if r.Unfinished && e.sentences != nil && e.sentences.Whole(r.Text) {
		r.Unfinished = false
	}
	t := judge(r, e.cfg.Reject)
	if slices.Contains(e.decoys, r.Text) {
		t = speech.Transcript{Rejected: fmt.Sprintf("a wake word alone: %q", r.Text)}
	}
	if !e.reopened {
		t = e.weigh(ctx, t, r.Margin())
	}
	t.Engine = "pocketsphinx"
	return t, nil
}

// judge decides whether a result is a command. The grammar always finds its
// best sentence, in any sound; what tells commands from other speech is how much
// worse a free string of phones explains it, and how long it took to say.
func judge(r sphinx.Result, reject float64) speech.Transcript {
	words := len(strings.Fields(r.Text))
	spoken := time.Duration(r.Speech) * frameLength
	if spoken < shortSpeech {
		reject += shortMargin
	}
	switch {
	case words == 0:
		return speech.Transcript{Rejected: "no sentence of the grammar fits"}
	case r.Unfinished && words < leastBegun:
		return speech.Transcript{Rejected: fmt.Sprintf("nothing more than %q", r.Text)}
	case r.Looped && r.Margin() < reject:
		return speech.Transcript{Rejected: fmt.Sprintf("like other speech: %q fits by %.1f, %.1f is needed", r.Text, r.Margin(), reject)}
	case spoken > maxSpeech || spoken > time.Duration(words)*wordLength:
		return speech.Transcript{Rejected: fmt.Sprintf("too long for a command: %v of speech for %d words", spoken, words)}
	}
	t := speech.Transcript{Text: r.Text, Unfinished: r.Unfinished}
	if r.Looped {
		t.Confidence = 1 / (1 + math.Exp(-(r.Margin()-reject)/marginScale))
	}
	return t
}
