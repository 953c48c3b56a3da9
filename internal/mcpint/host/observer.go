package host

import (
	"time"

	"voicegateway/internal/mcpint"
)

// Observer receives what happens to the servers, for metrics and for parts that have to
// react. A func that is nil is not called. The funcs run on the goroutine where the event
// happens: State, Attempt, Connected and Lost one at a time for each server, the others
// also at the same time. They must not block and must not call the Host.
type Observer struct {
	// State is called at every move from one state to another.
	State func(server string, from, to mcpint.State)
	// Held is called when a server, before an attempt, lacks something it needs (REQUIREMENTS
	// M8), and when that wait is over.
	Held func(server string, held bool)
	// Attempt is called at the end of every attempt, successful or not.
	Attempt func(Attempt)
	// Connected is called when a connection's tools can be used.
	Connected func(Connection)
	// Lost is called when a connection ended that the host did not close.
	Lost func(server string, reason error)
	// Breaker is called at every change of a breaker: closed, open, half-open.
	Breaker func(server string, from, to mcpint.BreakerState)
	// Call is called at the end of every tool call.
	Call func(CallReport)
	// Health is called at every change of the verdict, with the reason in words.
	Health func(server string, from, to mcpint.Health, reason string)
	// Overall is called with the state of all servers (REQUIREMENTS M5): at the start, and
	// whenever it changes.
	Overall func(state mcpint.Overall)
	// ToolsChanged is called with the tools whose description or schema differs from the one
	// that was seen first (REQUIREMENTS S5).
	ToolsChanged func(server string, names []string)
}

// Connection is a connection that has been made.
type Connection struct {
	Server  string
	Attempt int           // its number, from 1
	Took    time.Duration // the attempt itself: start, handshake and tool list
	Away    time.Duration // since the start of Run, or since the connection before was lost
	Tools   int
}

// CallReport is how a tool call went.
type CallReport struct {
	Server  string
	Tool    string // its name on the server
	Outcome mcpint.CallOutcome
	Took    time.Duration // all of it, with a reconnect where one was needed
}
