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
	Waking    State = "wake" // a wake word was heard, the recogniser is being opened
	Listening State = "listening"
	Thinking  State = "thinking"
	Speaking  State = "speaking"
	// Muted is where a muted microphone rests; texts are still spoken and answered.
	Muted State = "muted"
	// EarFailed is where a turn ends whose ear did not work (the recogniser did not
	// open, died or did not answer), and where the ear rests while the wake word
	// engine cannot hear. It ends by itself, and everything that idle hears, it hears.
	EarFailed State = "error"
)

// States are all of them, in the order of a turn.
func States() []State { return []State{Idle, Waking, Listening, Thinking, Speaking, Muted, EarFailed} }

// Kind is what happened.
type Kind string

// The events that move a turn. Every state but Idle and Muted has a deadline, so
// that TimedOut reaches it.
const (
	Woken        Kind = "woken"         // wake word, or a request to listen
	Opened       Kind = "opened"        // the recogniser takes sound
	Heard        Kind = "heard"         // the utterance ended with speech in it, or a correction was heard
	NothingHeard Kind = "nothing_heard" // it ended without
	Answered     Kind = "answered"      // a reply begins to sound
	AskedBack    Kind = "asked_back"    // the reply was a question: its answer needs no wake word
	Finished     Kind = "finished"      // nothing (more) to say
	SayAsked     Kind = "say_asked"     // somebody asked to have a text spoken
	Stopped      Kind = "stopped"       // stop, from any source
	MicMuted     Kind = "muted"
	MicUnmuted   Kind = "unmuted"
	TimedOut     Kind = "timed_out"
	Failed       Kind = "failed"
)

// next is the whole behaviour of a turn's state. What is not in it is ignored.
// A wake word ends a turn that is thought about or spoken: what was sent to a
// device by then stays sent.
var next = map[State]map[Kind]State{
	Idle:      {Woken: Waking, Heard: Thinking, SayAsked: Speaking, MicMuted: Muted, Failed: EarFailed},
	Waking:    {Opened: Listening, Stopped: Idle, TimedOut: Idle, MicMuted: Muted, Failed: EarFailed},
	Listening: {Woken: Waking, Heard: Thinking, NothingHeard: Idle, Stopped: Idle, TimedOut: Idle, MicMuted: Muted, Failed: EarFailed},
	Thinking:  {Woken: Waking, Answered: Speaking, Finished: Idle, Stopped: Idle, TimedOut: Idle, Failed: EarFailed},
	Speaking:  {Woken: Waking, AskedBack: Waking, Finished: Idle, Stopped: Idle, TimedOut: Idle, Failed: EarFailed},
	Muted:     {SayAsked: Speaking, MicUnmuted: Idle},
	EarFailed: {Woken: Waking, Heard: Thinking, SayAsked: Speaking, Finished: Idle, Stopped: Idle, TimedOut: Idle, MicMuted: Muted},
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
	for _, from := range States() {
		for _, k := range slices.Sorted(maps.Keys(next[from])) {
			fmt.Fprintf(&b, "    %s --> %s: %s\n", from, next[from][k], k)
		}
	}
	return b.String()
}
