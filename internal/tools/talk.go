package tools

import "context"

// Talk is what a server does during a call besides answering it: it says that it still
// works, and it asks the person for whom the call is made. A turn puts its Talk into the
// context of its calls; a call without one has no person to ask. Its methods may be called
// from any goroutine.
type Talk interface {
	// Working notes that a server reports progress of a call.
	Working(server string)
	// Ask asks the person and returns when there is an answer, or none is to be expected.
	Ask(ctx context.Context, q Question) Answer
}

// Question is what a server asks the person during a call. All texts are the server's:
// cleaned and bounded, but not to be believed.
type Question struct {
	Server  string // the id of the server
	Text    string // on one line
	Field   string // what the server calls the thing it asks for, and how it describes it
	Kind    QuestionKind
	Options []string // OneOf: what can be chosen, as it is said
	Whole   bool     // ANumber: without a fraction
	Least   *float64 // ANumber: nil for no bound
	Most    *float64
}

// QuestionKind says how a question can be answered.
type QuestionKind int

// The kinds of questions.
const (
	YesOrNo QuestionKind = iota
	OneOf                // one of the options
	ANumber
)

// Answer is what the person answered.
type Answer struct {
	Given  bool // false: there is no answer, or the person does not want to give one
	Yes    bool
	Option int // the index of the option
	Number float64
}

type talkKey struct{}

// WithTalk returns a context for calls whose servers may talk meanwhile.
func WithTalk(ctx context.Context, t Talk) context.Context {
	return context.WithValue(ctx, talkKey{}, t)
}

// TalkOf returns the Talk of a call; nil if there is none.
func TalkOf(ctx context.Context) Talk {
	t, _ := ctx.Value(talkKey{}).(Talk)
	return t
}
