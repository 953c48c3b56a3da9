package turn

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// State is where the microphone's turn stands.
type State string

// The states of a turn. They are also the words published on MQTT.
const (
	Idle      State = "idle"
	Listening State = "listening"
	Thinking  State = "thinking"
	Speaking  State = "speaking"
)

// Kind is what happened.
type Kind string

// The events that move a turn. Every state has a deadline of its own, so that
// TimedOut reaches every state but Idle.
const (
	Woken        Kind = "woken"         // wake word, or a request to listen
	Heard        Kind = "heard"         // the utterance ended with speech in it
	NothingHeard Kind = "nothing_heard" // it ended without
	Answered     Kind = "answered"      // there is a reply to say
	Finished     Kind = "finished"      // nothing (more) to say
	SayAsked     Kind = "say_asked"     // somebody asked to have a text spoken
	Stopped      Kind = "stopped"       // stop, from any source
	TimedOut     Kind = "timed_out"
	Failed       Kind = "failed"
)

// next is the whole behaviour of a turn's state. What is not in it is ignored.
var next = map[State]map[Kind]State{
	Idle:      {Woken: Listening, SayAsked: Speaking},
	Listening: {Heard: Thinking, NothingHeard: Idle, Stopped: Idle, TimedOut: Idle, Failed: Idle},
	Thinking:  {Answered: Speaking, Finished: Idle, Stopped: Idle, TimedOut: Idle, Failed: Idle},
	Speaking:  {Woken: Listening, Finished: Idle, Stopped: Idle, TimedOut: Idle, Failed: Idle},
}

// Next returns the state after k, and whether k means anything in s.
func Next(s State, k Kind) (State, bool) {
	to, ok := next[s][k]
	if !ok {
		return s, false
	}
	return to, true
}

// Diagram draws the table for a document (Mermaid).
func Diagram() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n    [*] --> idle\n")
	for _, from := range []State{Idle, Listening, Thinking, Speaking} {
		for _, k := range slices.Sorted(maps.Keys(next[from])) {
			fmt.Fprintf(&b, "    %s --> %s: %s\n", from, next[from][k], k)
		}
	}
	return b.String()
}
