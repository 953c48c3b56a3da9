package ai

import (
	"context"
	"iter"

	"voicegateway/internal/tools"
)

// Model completes a conversation. A stream ends after a Delta with Finish set or
// with an error, which is an *Error or the context's; breaking out of the loop
// ends the request.
type Model interface {
	Complete(ctx context.Context, req Request) iter.Seq2[Delta, error]
}

// Lister is a Model that can list its models. A Model that is no Lister counts as
// always available.
type Lister interface {
	Models(ctx context.Context) ([]string, error)
}

// Toolbox is where the assistant finds its tools.
type Toolbox interface {
	Specs() []tools.Spec
	Call(ctx context.Context, c tools.Call) (tools.Result, error)
}

// refusedTools is a Toolbox that is told which tools the server of a model refuses, so
// that a person is shown it.
type refusedTools interface {
	Refused(spec tools.Spec)
}

// unusedTools is a Toolbox that knows tools which are there and not used.
type unusedTools interface {
	// Unused says why one is not used; empty: it is not one of them.
	Unused(name string) (why string)
}

// Role says who wrote a Message.
type Role string

// The roles of a conversation.
const (
	System     Role = "system"
	User       Role = "user"
	Answer     Role = "assistant"
	ToolResult Role = "tool"
)

// Message is one piece of a conversation.
type Message struct {
	Role   Role
	Text   string
	Calls  []tools.Call // of an Answer: the calls it asked for
	CallID string       // of a ToolResult: the call it belongs to
}

// Request is what a Model is asked.
type Request struct {
	Model       string
	Messages    []Message
	Tools       []tools.Spec
	NoCalls     bool    // the tools are listed for reference only
	MaxTokens   int     // 0: the model's own limit
	Temperature float64 // 0: the model's own
}

// Finish says why a completion ended.
type Finish string

// The ends of a completion.
const (
	Stopped  Finish = "stop"
	CutOff   Finish = "length" // MaxTokens
	Filtered Finish = "content_filter"
)

// Delta is the next piece of a completion. An empty Delta is a sign of life, such
// as another piece of a call's arguments.
type Delta struct {
	Text   string
	Hidden bool        // the model is thinking; that text is not part of the answer
	Call   *tools.Call // whole; its Args are as the model wrote them, JSON or not
	Finish Finish      // set on the last one
}
