package answer

import (
	"context"
	"iter"
	"slices"
	"time"

	"voicegateway/internal/dialogue"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/speech"
	"voicegateway/internal/tools"
)

type (
	// Matcher understands a sentence without a model.
	Matcher interface {
		Match(text, area string) intent.Decision
		Judge(partial string) speech.Completeness
		House() *home.House
	}
	// Caller reaches every tool. Await returns when what a step needs is there, or
	// is not coming for now.
	Caller interface {
		Await(ctx context.Context, n Need) error
		Call(ctx context.Context, c tools.Call) (tools.Result, error)
	}
	// Assistant is the language model with its tool-call loop. Reply fails with
	// ErrNoModel before anything else where no model answers; Ready says so, or why
	// none does.
	Assistant interface {
		Ready() (ok bool, why string)
		Reply(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Part, error]
		Remember(heard, said string)
	}
)

// Need is what a step waits for before it is done, and all it waits for: one
// server's trouble never delays what needs another (M1). The zero Need is nothing.
type Need struct {
	Server string // the tools of this one: they are about to be called
	House  bool   // a house: there is a name in the sentence that nobody knows
	Again  bool   // with House, one more attempt where nobody has told of one
}

// Limits of a wait. What needs a server waits for it while it makes its first
// attempts, but nobody waits longer than this for an answer. What no sentence fits
// may still name a thing of the house, but is more likely a story: a model begins
// after the shorter time.
const (
	needBudget  = 20 * time.Second
	storyBudget = 500 * time.Millisecond
)

// unsettled reports whether a decision could be another one once more of the house
// is known.
func unsettled(d intent.Decision) bool {
	return d.NeedHouse || d.Route == intent.Reject && slices.Contains([]string{"unknown_name", "unknown_area", "no_device"}, d.Reason)
}

// awaited matches again whenever a house was told, for as long as one that is still
// to come could change what is decided.
func (a *Answerer) awaited(ctx context.Context, x *exchange, d intent.Decision) intent.Decision {
	x.waits()
	ctx, cancel := context.WithTimeout(ctx, needBudget)
	defer cancel()
	for told := true; told && unsettled(d); {
		before := a.match.House()
		a.awaitHouse(ctx, d.Route == intent.Model)
		d = a.match.Match(x.Text, x.Area)
		told = a.match.House() != before
	}
	return d
}

// awaitHouse waits for a house; with what may be a story only a moment, if there is
// a model to tell it.
func (a *Answerer) awaitHouse(ctx context.Context, story bool) {
	if story {
		before := a.match.House()
		moment, cancel := context.WithTimeout(ctx, storyBudget)
		defer cancel()
		_ = a.calls.caller.Await(moment, Need{House: true}) // what is missing then is not waited for
		if ready, _ := a.model.Ready(); ready || a.match.House() != before {
			return
		}
	}
	a.calls.await(ctx, Need{House: true, Again: true})
}
