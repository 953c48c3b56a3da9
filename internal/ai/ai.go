// Package ai is the language model and its loop of tool calls. It answers what no
// fixed sentence covers, and keeps a model from doing harm by being wrong: a
// question is offered only tools that read, dangerous tools are never offered, what
// the user hears about a device is the device's report, and every way in which a
// model can fail (slow, silent, endless, broken, absent) has an end with a sentence
// to say. Another provider that speaks OpenAI's protocol is a line in profiles;
// another protocol is a new Model. This is the only package that knows the OpenAI
// library.
package ai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/language/sentences"
	"voicegateway/internal/mind/dialogue"
)

// Assistant answers through a Model. It is safe for concurrent use.
type Assistant struct {
	cfg    Config
	model  Model
	tools  Toolbox
	log    *slog.Logger
	memory memory
	facts  knownFacts
	warmth warmth
	early  early
	known  knownHouse
	habits habits
	// phrases are the sentences that the gateway says itself, by key.
	phrases map[string]string

	poke    chan struct{} // asks Run to look again
	checked chan struct{} // closed after the first look

	mu     sync.Mutex
	status status
	had    bool // a model was found once
}

// New makes an assistant. It is ready once Run has found the model.
func New(cfg Config, m Model, tb Toolbox, log *slog.Logger) (*Assistant, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if m == nil || tb == nil || log == nil {
		return nil, errors.New("making the assistant: it needs a model, a toolbox and a logger")
	}
	a := &Assistant{
		cfg: cfg, model: m, tools: tb, log: log, phrases: sentences.Phrases(cmp.Or(cfg.Language, sentences.OfTools)),
		poke: make(chan struct{}, 1), checked: make(chan struct{}),
		status: status{why: "not looked for yet"},
	}
	if cfg.Enabled == "false" {
		a.status = status{why: "switched off (ai.enabled: false)"}
	}
	return a, nil
}

// Remember adds a turn that was answered without the model to the conversation, so
// that a later turn of it can refer to it. Reply remembers its own turns.
func (a *Assistant) Remember(conversation, user, assistant string) {
	a.memory.add(conversation, exchange{at: time.Now(), user: user, assistant: assistant})
}

// Reply answers a prompt in parts, as they come. Each request offers the tools that
// are available at that moment; Reply does not wait for any. The error, always the
// last part, is an *Error, or the context's when the caller ended it. The time the
// reader spends on a part does not count against the deadline. Breaking out of the
// loop, or the end of ctx, ends everything, calls included.
func (a *Assistant) Reply(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
	return func(yield func(dialogue.Part, error) bool) {
		model, err := a.available(ctx)
		if err != nil {
			yield(dialogue.Part{}, a.none(err))
			return
		}
		defer a.warmth.turn()()
		ctx, w := watch(ctx, a.cfg.Timeout, a.cfg.FirstTokenTimeout)
		defer w.stop()
		r := a.begin(p, model)
		r.watch, r.yield, p = w, yield, r.prompt
		err = r.run(ctx)
		a.memory.add(p.Conversation, exchange{at: time.Now(), user: p.Text, assistant: strings.Join(r.said, " "), from: r.origin(), passed: r.passed})
		if err != nil && !r.stopped {
			a.noteFailure(err)
			yield(dialogue.Part{}, asFailure(err))
		}
	}
}

// begin makes the reply to a prompt, with the conversation before it.
func (a *Assistant) begin(p dialogue.Prompt, model string) *reply {
	p.Text = clip(strings.TrimSpace(p.Text), maxPrompt)
	if p.Elsewhere && !a.strangersAct(p.House) {
		p.MayAct, p.Elsewhere = false, false
	}
	labels, names := a.known.of(p.House, cmp.Or(a.cfg.Language, sentences.OfTools))
	r := &reply{a: a, prompt: p, model: model, begun: time.Now(), labels: labels, filter: names.Turn(p.Text, p.MayAct)}
	r.earlier = a.memory.recall(time.Now(), p.Conversation, p.MayAct)
	for _, e := range r.earlier {
		r.before = max(r.before, e.from)
		r.messages = append(r.messages, Message{Role: User, Text: r.labels.Clean(e.user)}, Message{Role: Answer, Text: r.labels.Clean(e.assistant)})
	}
	r.messages = append(r.messages, Message{Role: User, Text: p.Text})
	r.asked = len(r.messages) - 1
	return r
}

// none wraps the error of a reply that did not come. If the user has not set up a model
// and none was ever found, the error says that there is no model.
func (a *Assistant) none(err error) error {
	e, ok := errors.AsType[*Error](err)
	a.mu.Lock()
	had := a.had
	a.mu.Unlock()
	if ok && !had && !a.cfg.named() {
		return fmt.Errorf("%w: %w", dialogue.ErrNoModel, e)
	}
	return asFailure(err)
}

// noteFailure logs a failed reply, and makes Run look for the model again if the error
// says that it may be gone.
func (a *Assistant) noteFailure(err error) {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return
	}
	a.log.Warn("reply failed", "err", err)
	if e.Kind == Unavailable || e.Kind == Denied || e.Kind == Rejected {
		a.lookAgain()
	}
}

func (a *Assistant) lookAgain() {
	select {
	case a.poke <- struct{}{}:
	default: // Run will look already
	}
}

// available returns the model's name, or an error with the reason why no model can be
// asked. It waits for the first look for the model, which is short. If the last look
// found no model, it looks again, so that a model that is back answers at once.
func (a *Assistant) available(ctx context.Context) (string, error) {
	s := a.lookUp()
	if s.ready || a.cfg.Enabled == "false" {
		return s.model, s.err()
	}
	select {
	case <-a.checked:
		s = a.lookOnce(ctx)
	default:
		wait := time.NewTimer(checkTimeout)
		defer wait.Stop()
		select {
		case <-a.checked:
		case <-wait.C:
		case <-ctx.Done():
		}
		s = a.lookUp()
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("replying: %w", ctx.Err())
	}
	return s.model, s.err()
}

func (a *Assistant) lookUp() status {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
}

// lookOnce looks for the model while the user waits for the answer.
func (a *Assistant) lookOnce(ctx context.Context) status {
	ctx, cancel := context.WithTimeout(ctx, lookAgainTimeout)
	defer cancel()
	s := a.look(ctx)
	a.settle(s)
	return s
}
