package mind

import (
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/past"
)

// Order is what a step makes of a text: what is to be put back, done, asked, denied and
// said. The step that makes it changes nothing; carry does what it says.
type Order struct {
	By string // the step that made it

	Read  *Exchange // how the text is read, for carry or the next steps; nil: as it was
	Await bool      // it is no order: the step is tried again when more of the house is known

	Meant  intent.Decision // what was understood; without a route nothing was
	Alone  bool            // the text stands by itself, or answers which thing a command is about
	Manner Manner          // how the acts are judged and told

	Claim   *remembered     // the turn that is taken back, if no other turn has done so
	Do      []plan.Step     // the acts, with what is put back before them
	Then    []plan.Step     // done after Do has set something, and not told: what was set before is cancelled
	Last    []past.Deed     // what was done before: Do is not done, but gives this its end
	Denied  []plan.Step     // dangerous parts of what is put back: refused, which is said
	Rest    bool            // a part of what is taken back is no state of a device, which is said
	Task    string          // Resuming: the id of the stopped task; "": the newest
	Mend    *mended         // Mending: what was meant
	Round   *round          // Planned: the model's calls
	Think   bool            // a language model is asked
	Answers *modelQuestion  // with Think: the model's question that the text answers
	Replies *resumption     // the answer to a server's question, in the middle of earlier work
	Learn   *intent.Action  // what is said of the turn before, to learn from it
	Reading *record.Reading // what the reader has made of the text; nil: it was not read
	Teaches string          // the words of which a person has said that the sentence was meant; "": none

	Say      *answer   // known before anything is done
	Homeless bool      // nothing is known of a house, and the house's server is asked why
	Ask      *question // kept for the answer
	Reopen   bool      // the question that is open gets its time again
	Settles  offered   // the offer to resume a task that it answers

	Leaves  func(did past.Turn) past.Turn // what is remembered of what was done; nil: all of it
	Subject *subject                      // what the next short sentence is about; nil: what was meant
	Less    bool                          // the text asked for a step back
}

// Manner says how the acts of an order are judged, made and told.
type Manner int

// The manners. A new one is a case in permit, make and makeCalls.
const (
	Ordinary  Manner = iota // a sentence: all of its acts or none
	Passed                  // a dangerous act whose challenge was passed
	Explained               // readings, for the answer to a question about the past
	Due                     // an end, allowed when it was ordered; only its failures are told
	Resuming                // the open calls of a stopped task
	Mending                 // of a sentence that has grown: what it has become is judged and told
	Planned                 // a round of a language model: each act by itself
)

// answer is a reply with how the turn ends.
type answer struct {
	reply string
	end   record.Outcome
	why   string       // for the record, of a turn that failed
	route record.Route // "": that of what was meant
}

// say lets an order be answered without a call.
func (o Order) say(reply string, end record.Outcome, why string) Order {
	o.Say = &answer{reply: reply, end: end, why: why}
	return o
}

// ignore is the order for a text that was not said to the house.
func ignore() Order { return Order{}.say("", record.Ignored, "") }
