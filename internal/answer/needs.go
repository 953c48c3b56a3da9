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
	// cannot be expected soon.
	Caller interface {
		Await(ctx context.Context, n Need) error
		Call(ctx context.Context, c tools.Call) (tools.Result, error)
	}
	// Assistant is the language model with its tool-call loop. If no model answers,
	// Reply's first error is ErrNoModel. Ready reports whether a model answers and, if
	// not, why.
	Assistant interface {
		Ready() (ok bool, why string)
		Reply(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Part, error]
		Remember(conversation, heard, said string)
	}
)

// Need is what a step waits for before it is made. A step waits for nothing else,
// so the trouble of one server never delays a step that needs another (M1). The
// zero Need waits for nothing.
type Need struct {
	Server string // the server whose tools are about to be called
	House  bool   // the house: a name in the sentence is unknown
	Again  bool   // with House: make one more attempt if no server has told of a house
}

// Limits of a wait. A step waits for its server during the server's first attempts
// to connect, but never longer than needBudget. A text that no sentence fits may
// still name a thing of the house, but is more likely free talk for the model,
// which begins after the shorter storyBudget.
const (
	needBudget  = 20 * time.Second
	storyBudget = 500 * time.Millisecond
)

// unsettled reports whether the decision could change once more of the house is
// known.
func unsettled(d intent.Decision) bool {
	return d.NeedHouse || d.Route == intent.Reject && slices.Contains([]string{"unknown_name", "unknown_area", "no_device"}, d.Reason)
}

// awaited matches the text again each time a server has told of its house, as long
// as a house still to come could change the decision.
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

// awaitHouse waits for a house. A text that may be free talk waits only storyBudget
// if a model is ready to answer it.
func (a *Answerer) awaitHouse(ctx context.Context, story bool) {
	if story {
		before := a.match.House()
		moment, cancel := context.WithTimeout(ctx, storyBudget)
		defer cancel()
		_ = a.calls.caller.Await(moment, Need{House: true}) // running out of time is expected here
		if ready, _ := a.model.Ready(); ready || a.match.House() != before {
			return
		}
	}
	a.calls.await(ctx, Need{House: true, Again: true})
}
