package mind

import (
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
)

// Exchange is one text on its way through the steps, with what is known of it. It does
// not change: a step that reads the text in another way makes another exchange of it.
type Exchange struct {
	record.Request
	Turn    string          // the id of the turn
	Woken   bool            // a wake word was heard before the text
	Heard   string          // the recogniser that heard it; "" if it was written
	Alone   intent.Decision // what the text means by itself, in its area
	Ready   bool            // a language model answers what no sentence fits
	Settled bool            // no more of the house is waited for
	Doubts  int             // questions in a row about what was said that led to this text
	Made    []plan.Step     // made already for the same sentence; they count towards the fan-out limit
}

// written are the sources of typed texts.
var written = []record.Source{record.FromHTTP, record.FromCLI, record.FromMQTT, record.FromPage, record.FromMCP}

// typed reports whether a text was typed: such a text is meant for the house, and its
// author reads the answer.
func (x *Exchange) typed() bool {
	return slices.Contains(written, x.Source) && !x.FollowUp && !x.Unfinished
}

// mistaken reports whether a typed text was taken for talk that the ear has overheard.
func (x *Exchange) mistaken() bool {
	return x.typed() && x.Alone.Route == intent.Reject && x.Alone.Reason == intent.Overheard
}

// overheard reports whether a decision is a "no" without a question, heard without a wake
// word: people in the room are talking to each other.
func (x *Exchange) overheard(asked bool, d intent.Decision) bool {
	return !asked && x.Source == record.FromMic && !x.Woken && len(d.Actions) == 1 && d.Actions[0].Intent == catalogue.No
}
