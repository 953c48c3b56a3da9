package host

import (
	"time"

	"voicegateway/internal/mcpint"
)

// Observer is told what happens to the servers, for metrics and for parts that
// have to react. A func that is nil is not called. The funcs run on the goroutine
// where the event happens: State, Attempt, Connected and Lost one at a time for
// each server, the others also at the same time. They must not block and must not
// call the Host.
type Observer struct {
	// State is told of every move from one state to another.
	State func(server string, from, to mcpint.State)
	// Held is told when a server is found to lack something it needs before it is
	// tried (REQUIREMENTS M8), and when that wait is over.
	Held func(server string, held bool)
	// Attempt is told of every attempt when it ends, successful or not.
	Attempt func(Attempt)
	// Connected is told of a connection whose tools can be used.
	Connected func(Connection)
	// Lost is told of a connection that ended by itself.
	Lost func(server string, reason error)
	// Breaker is told of every change of a breaker: closed, open, half-open.
	Breaker func(server string, from, to mcpint.BreakerState)
	// Call is told of every tool call when it ends.
	Call func(CallReport)
	// Health is told of every change of the verdict, with the reason in words.
	Health func(server string, from, to mcpint.Health, reason string)
	// Overall is told of the state of all servers (REQUIREMENTS M5): first when
	// it is announced at the start, then whenever it changes.
	Overall func(state mcpint.Overall)
	// ToolsChanged is told of tools whose description or schema is not the one
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
