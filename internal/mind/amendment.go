package mind

import (
	"context"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/past"
)

// Amends reports whether a text heard without a wake word, while the microphone is
// open after a turn, is meant for the house: one of the few exact texts that
// correct what was just done, answer no, or ask for quiet. Anything else is taken
// for television.
func (a *Answerer) Amends(text string) bool {
	return a.choosing.Amendment(text) != choosing.NoAmendment
}

// Amendable reports whether there is anything a correction could be about: what
// the last turn of a source in an area did, or a question that waits.
func (a *Answerer) Amendable(s record.Source, area string) bool {
	return a.memory.holds(asker(record.Request{Source: s, Area: area}))
}

// overheard reports whether a text is a "no" without a question, heard without a wake
// word: people in the room are talking to each other.
func overheard(x *exchange, d intent.Decision) bool {
	return !x.asked && x.Source == record.FromMic && x.rec.Wake == nil && len(d.Actions) == 1 && d.Actions[0].Intent == catalogue.No
}

// amended is the step for the few exact texts that correct the turn before.
func (a *Answerer) amended(ctx context.Context, x *exchange) bool {
	x.asked = x.asked || a.declines(x.Request, x.before)
	d, ok := a.amendment(x)
	if ok {
		a.perform(x, d, func() past.Turn { return a.carryOut(ctx, x, d) })
	}
	return ok
}

// amendment reads the exact texts that correct the turn before, in every language
// and with any pack of sentences. A "no" answers a question if one waits; otherwise
// it takes back what the turn before did.
func (a *Answerer) amendment(x *exchange) (intent.Decision, bool) {
	name := ""
	switch a.choosing.Amendment(x.Text) {
	case choosing.Undo:
		name = catalogue.Undo
	case choosing.Other:
		name = catalogue.Other
	case choosing.Halt:
		name = catalogue.Stop
	case choosing.Wrong:
		name = catalogue.Wrong
	case choosing.Keep:
		name = catalogue.Remember
	case choosing.Not:
		name = catalogue.No
		if b := x.before; !x.asked && b != nil && b.latest && !b.asked && b.Undone == 0 {
			name = catalogue.Undo
		}
	case choosing.NoAmendment:
		return intent.Decision{}, false
	}
	return plainDecision(name), true
}
