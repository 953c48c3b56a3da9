package ai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Times for looking for the model. A look is short, because the first reply may wait for
// it, and shorter while the user waits.
const (
	checkTimeout     = 3 * time.Second
	lookAgainTimeout = 2 * time.Second
	checkInterval    = time.Minute
)

// status is what the last look found.
type status struct {
	ready bool
	why   string // why not, or what is used
	model string
	kind  Kind // with why not: what failed
}

// err returns why there is no model, nil if there is one.
func (s status) err() error {
	if s.ready {
		return nil
	}
	return &Error{Kind: cmp.Or(s.kind, Unavailable), Err: errors.New(s.why)}
}

// Run looks for the model at once, every minute and after a failed reply, until ctx
// ends, and warms it whenever the house or the tools have changed. A missing model is a state and never an error.
func (a *Assistant) Run(ctx context.Context) error {
	if a.cfg.Enabled == "false" {
		<-ctx.Done()
		return nil
	}
	tick, cool := time.NewTicker(checkInterval), time.NewTicker(warmInterval)
	defer tick.Stop()
	defer cool.Stop()
	if !profiles[a.cfg.Profile].warm {
		cool.Stop()
	}
	first, look := true, true
	for {
		if look {
			found := a.look(ctx)
			if ctx.Err() != nil {
				return nil
			}
			if a.settle(found) && found.ready {
				_, now := a.prefixes()
				a.warmth.forget(now)
			}
			if first {
				close(a.checked)
				first = false
			}
		}
		a.warm(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			look = true
		case <-a.poke:
			look = true
		case <-cool.C:
			look = false
		}
	}
}

// Ready reports whether the model can be asked, and which one or why not.
func (a *Assistant) Ready() (ok bool, why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status.ready, a.status.why
}

// Expected reports whether the user counts on a model: one is set up, or one has answered.
func (a *Assistant) Expected() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cfg.Enabled != "false" && (a.had || a.cfg.named())
}

// settle notes what a look found, logs it if it changed, and reports whether it
// did. A missing model is logged as an error only if the configuration demands one
// (ai.enabled: true).
func (a *Assistant) settle(found status) (changed bool) {
	a.mu.Lock()
	changed = a.status != found
	a.status = found
	a.had = a.had || found.ready
	a.mu.Unlock()
	if !changed {
		return false
	}
	switch {
	case found.ready:
		a.log.Info("language model found", "model", found.model, "profile", a.cfg.Profile)
	case a.cfg.Enabled == "true":
		a.log.Error("language model not available", "reason", found.why)
	default:
		a.log.Info("no language model", "reason", found.why)
	}
	return true
}

// look asks the endpoint what it has.
func (a *Assistant) look(ctx context.Context) status {
	lister, ok := a.model.(Lister)
	if !ok {
		return status{ready: true, model: a.cfg.Model, why: a.cfg.Model}
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	names, err := lister.Models(ctx)
	e, known := errors.AsType[*Error](err)
	if known && (e.Kind == Rejected || syntax(e.Err)) && a.cfg.Model != "" {
		// It answers but cannot list its models; the configuration names one, so no list
		// is needed.
		return status{ready: true, model: a.cfg.Model, why: a.cfg.Model}
	}
	if ctx.Err() != nil {
		return status{why: fmt.Sprintf("%s did not answer in time", a.cfg.Endpoint())}
	}
	if known {
		return status{why: fmt.Sprintf("%s: %v", a.cfg.Endpoint(), e.Err), kind: e.Kind}
	}
	if err != nil {
		return status{why: fmt.Sprintf("%s: %v", a.cfg.Endpoint(), err)}
	}
	return a.pick(names)
}

// pick chooses the configured model, or the first that can hold a conversation.
func (a *Assistant) pick(names []string) status {
	if want := a.cfg.Model; want != "" {
		there := func(name string) bool { return name == want || name == want+":latest" }
		if profiles[a.cfg.Profile].lists && !slices.ContainsFunc(names, there) {
			return status{why: fmt.Sprintf("the model %s is not on %s; get it with: ollama pull %s", want, a.cfg.Endpoint(), want), kind: Rejected}
		}
		return status{ready: true, model: want, why: want}
	}
	if i := slices.IndexFunc(names, func(name string) bool { return !otherKind(name) }); i >= 0 {
		return status{ready: true, model: names[i], why: names[i]}
	}
	return status{why: fmt.Sprintf("%s answers but has no model; get one, for example with: ollama pull llama3.2", a.cfg.Endpoint()), kind: Rejected}
}

// otherKind reports whether a model's name shows that it cannot hold a
// conversation.
func otherKind(name string) bool {
	name = strings.ToLower(name)
	kinds := []string{"embed", "bge-", "minilm", "whisper", "tts", "rerank", "guard", "moderation", "dall-e", "image", "ocr"}
	return slices.ContainsFunc(kinds, func(kind string) bool { return strings.Contains(name, kind) })
}
