package mcpint

// State is what a server's supervisor is at.
type State string

// The states of DESIGN M4.
const (
	Disconnected State = "disconnected" // not tried yet, or just lost
	Connecting   State = "connecting"   // an attempt is under way
	Connected    State = "connected"
	Retrying     State = "retrying" // waiting for the next attempt
	Failed       State = "failed"   // the attempts are used up; still tried, slowly
)

// event is what moves a server from state to state.
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
var transitions = map[State]map[event]State{
	Disconnected: {waits: Retrying, tried: Connecting, forced: Connecting, again: Retrying, gaveUp: Failed, stopped: Disconnected},
	Connecting:   {tried: Connecting, forced: Connecting, opened: Connected, again: Retrying, gaveUp: Failed, stopped: Disconnected},
	Connected:    {lost: Disconnected, forced: Connected, stopped: Disconnected},
	Retrying:     {waits: Retrying, tried: Connecting, forced: Connecting, stopped: Disconnected},
	Failed:       {waits: Failed, tried: Failed, forced: Connecting, opened: Connected, gaveUp: Failed, stopped: Disconnected},
}

// next is the state after an event, and whether the event can happen there; if
// not, the state stays.
func next(s State, e event) (State, bool) {
	to, ok := transitions[s][e]
	if !ok {
		return s, false
	}
	return to, true
}
