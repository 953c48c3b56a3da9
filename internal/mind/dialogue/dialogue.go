// Package dialogue holds the types that pass between the mind (package mind) and
// a language model: what a model is asked, what it answers piece by piece, and what
// is decided about a turn whose server is lost. It exists so that the mind and the
// model need not know each other, or copy one's types into the other's. It is pure.
// A new piece of an answer is a field of Part.
//
// It also judges text of others (REQUIREMENTS S2, S6): what a model has read of a search, a
// page, a foreign tool or a device's free words may try to give orders, or to carry out of
// the house what the model knows.
package dialogue

import (
	"context"
	"errors"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// ErrNoModel means that there is no language model to ask.
var ErrNoModel = errors.New("no language model answers")

// Failure says how a language model failed, as far as the person who asked needs to
// know. A phrase of the language files belongs to each, model_ with its name.
type Failure string

// The failures of a model that is set up.
const (
	Unreachable   Failure = "unreachable"   // nothing answers at its address
	KeyRefused    Failure = "key"           // it wants another key
	Slow          Failure = "slow"          // it took too long
	Nonsense      Failure = "nonsense"      // what it answered cannot be understood
	Miscalled     Failure = "miscalled"     // it called tools only in ways in which none can be called
	Unfinished    Failure = "unfinished"    // its answer was cut off before its first sentence
	Filtered      Failure = "filtered"      // the answer was withheld
	Busy          Failure = "busy"          // it has too much to do
	QuotaUsed     Failure = "quota"         // what was paid for is used up
	TooLong       Failure = "too_long"      // it was asked more than it takes in
	Misconfigured Failure = "misconfigured" // it does not know the request, or what is asked for by name
	Faulty        Failure = "faulty"        // it has trouble of its own
)

// ModelError is why a reply, or the rest of one, did not come.
type ModelError struct {
	Failure Failure
	Err     error
}

func (e *ModelError) Error() string { return e.Err.Error() }

func (e *ModelError) Unwrap() error { return e.Err }

// Prompt is what the user wants.
type Prompt struct {
	Text string
	Area string // where the user is; may be empty
	// Conversation names the turns that share memory: those of one room and source.
	Conversation string
	House        *home.House // the house that the model knows; it does not change
	MayAct       bool        // it is a command; a question is offered only tools that read
	// Elsewhere says that the command is not for the house: of the tools that change
	// something, only foreign ones are offered. If there are none, the turn may not act.
	Elsewhere bool
	// Act carries out the calls of one round that change something, in the model's
	// order. A call that has a failed result already has arguments that the schema of
	// its tool does not allow. If Act is nil, such calls are refused.
	Act func(ctx context.Context, calls []Call) Acted
	// Read says in the language of the house what calls have read; "" if they are about
	// no thing in the house. It may be nil.
	Read func(calls []Call) string
	// Look reads things of the house by their ids, and says how they are; "" if that cannot
	// be known now. It may be nil.
	Look func(ctx context.Context, things []string) string
}

// Part is the next piece of a reply: a sentence to say or a call that was made or
// refused, but for those that went through Act.
type Part struct {
	Sentence string // complete and clean for speech
	Receipt  bool   // the sentence is what the house tells, not the model's words
	Undone   bool   // the sentence says that what was asked was not done
	Lost     bool   // the sentence says which server came to nothing
	Call     *Call
}

// Asks reports whether the model asks the user something with a sentence of its own.
func (p Part) Asks() bool {
	return !p.Receipt && strings.HasSuffix(strings.TrimRight(p.Sentence, ` "'”’»)`), "?")
}

// Call is a tool call of the model and what came of it.
type Call struct {
	tools.Call            // Args are valid JSON, whatever the model wrote
	Spec       tools.Spec // zero for a tool that is not offered
	Result     tools.Result
	Err        error         // the call did not happen
	Took       time.Duration // zero if it was not made
}

// Acted is what came of the calls of one round that change something.
type Acted struct {
	Calls []Call // the requested calls in their order, with the results that the model reads
	Say   string // what the user hears about them; "" for nothing
	Stop  bool   // the reply ends here: the user was asked something, or the task was given up
	Left  bool   // a call was refused for a reason that the user does not hear
}

// Trouble describes a task whose server was lost in the middle of it, for the Choice how
// it continues (REQUIREMENTS M10).
type Trouble struct {
	Server     string
	Health     string   // healthy, degraded, unresponsive or dead
	Failures   int      // calls in a row that got no answer
	Attempts   int      // to connect, since the last stable connection
	Reason     string   // why the call got no answer
	Asked      string   // the text of the turn
	Done       []string // the confirmed steps, in words
	Open       []string // the open steps, in words
	Unreached  bool     // the reconnect that the call itself makes (M6) did not succeed
	Reconnects int      // how often this task has reconnected already
}
