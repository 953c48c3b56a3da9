package host

import (
	"cmp"

	"voicegateway/internal/mcpint"
)

// event is something that moves a server from one state to another.
type event string

const (
	waits   event = "waits"   // what the server needs is looked for first
	tried   event = "tried"   // an attempt begins
	forced  event = "forced"  // somebody wants a fresh start
	opened  event = "opened"  // the attempt succeeded
	again   event = "again"   // no connection, and attempts are left
	gaveUp  event = "gave up" // no connection, and none are left
	lost    event = "lost"    // the connection ended
	stopped event = "stopped" // the gateway stops
)

// transitions is the whole state machine. A server that failed stays failed
// while it is tried slowly: its status must not flicker.
var transitions = map[mcpint.State]map[event]mcpint.State{
	mcpint.Disconnected: {waits: mcpint.Retrying, tried: mcpint.Connecting, forced: mcpint.Connecting, again: mcpint.Retrying, gaveUp: mcpint.Failed, stopped: mcpint.Disconnected},
	mcpint.Connecting:   {tried: mcpint.Connecting, forced: mcpint.Connecting, opened: mcpint.Connected, again: mcpint.Retrying, gaveUp: mcpint.Failed, stopped: mcpint.Disconnected},
	mcpint.Connected:    {lost: mcpint.Disconnected, forced: mcpint.Connected, stopped: mcpint.Disconnected},
	mcpint.Retrying:     {waits: mcpint.Retrying, tried: mcpint.Connecting, forced: mcpint.Connecting, stopped: mcpint.Disconnected},
	mcpint.Failed:       {waits: mcpint.Failed, tried: mcpint.Failed, forced: mcpint.Connecting, opened: mcpint.Connected, gaveUp: mcpint.Failed, stopped: mcpint.Disconnected},
}

// next returns the state after an event, and whether the event can happen in this
// state; if it cannot, the state stays.
func next(s mcpint.State, e event) (mcpint.State, bool) {
	to, ok := transitions[s][e]
	return cmp.Or(to, s), ok
}
