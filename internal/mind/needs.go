package mind

import (
	"context"
	"iter"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/dialogue"
)

type (
	// Matcher understands a sentence without a model.
	Matcher interface {
		Match(text, area string) intent.Decision
		Judge(partial string) speech.Completeness
		House() *home.House
	}
	// Caller reaches every tool.
	Caller = calling.Caller
	// Assistant is the language model with its tool-call loop. If no model answers,
	// Reply's first error is ErrNoModel. Ready reports whether a model answers and, if
	// not, why.
	Assistant interface {
		Ready() (ok bool, why string)
		Reply(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Part, error]
		Remember(conversation, heard, said string)
	}
)

// Need is what a step waits for before it is made.
type Need = calling.Need

// storyBudget is how long a text that no sentence fits waits for a house. It may name a
// thing of the house, but is more likely free talk for the model.
const storyBudget = 500 * time.Millisecond

// unsettled reports whether the decision could change once more of the house is
// known.
func unsettled(d intent.Decision) bool {
	return d.NeedHouse || namesNothing(d)
}

// namesNothing reports whether a text names a thing or a room that the house does not have.
func namesNothing(d intent.Decision) bool {
	return d.Route == intent.Reject && d.Reason.NamesNothing()
}

// await waits until more of the house is known, and matches the text again each time a
// server has published its house, as long as a missing house could change the decision.
func (m *Mind) await(ctx context.Context, x Exchange, seen Memory, t *turn) Exchange {
	t.waits()
	ctx, cancel := context.WithTimeout(ctx, calling.NeedBudget)
	defer cancel()
	d := m.hope(x)
	for told := true; told && unsettled(d); {
		before := m.match.House()
		m.awaitHouse(ctx, d.Route == intent.Model)
		d = m.match.Match(x.Text, x.Area)
		told = m.match.House() != before
	}
	x.Alone, x.Settled = d, true
	return m.respell(x, seen, m.match.House())
}

// awaitHouse waits for a house. A text that may be free talk waits only storyBudget
// if a model is ready to answer it.
func (m *Mind) awaitHouse(ctx context.Context, story bool) {
	if story {
		before := m.match.House()
		moment, cancel := context.WithTimeout(ctx, storyBudget)
		defer cancel()
		_ = m.calls.Caller.Await(moment, Need{House: true}) // running out of time is expected here
		if ready, _ := m.model.Ready(); ready || m.match.House() != before {
			return
		}
	}
	m.calls.Await(ctx, Need{House: true, Again: true})
}
