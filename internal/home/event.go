package home

import "time"

// Event is something that a house reports without a question: a device's own report, or a
// button that was pressed.
type Event struct {
	Seq      uint64    `json:"seq"`  // counts the events of a server since its start, from 1
	Time     time.Time `json:"time"` // when the server learnt of it
	Kind     EventKind `json:"kind"`
	Entity   string    `json:"entity"` // the Entity's ID; "" for a button that is no entity
	Thing    string    `json:"thing"`  // the name people use
	Area     string    `json:"area,omitempty"`
	Class    string    `json:"class,omitempty"`    // what is reported: smoke, moisture, door, lock, battery (its level, as it becomes low or full), reach (dead, alive) …
	Property string    `json:"property,omitempty"` // as in receipts
	State    any       `json:"state,omitempty"`    // in the words of the reading tool
	Before   any       `json:"before,omitempty"`   // the state it replaced; nil where none was known
	First    bool      `json:"first,omitempty"`    // the server had no state before: it says how things are, not that they changed
	Ours     bool      `json:"ours,omitempty"`     // it follows from a write of the same server
	Unsure   bool      `json:"unsure,omitempty"`   // of what was told as done and is not: it may have been so for a moment
	Press    string    `json:"press,omitempty"`    // of a button: pressed, double, triple, held, released
	Server   string    `json:"-"`                  // the MCP server it came from
}

// EventKind is what an Event is about.
type EventKind string

// The kinds of events.
const (
	Reported EventKind = "state"
	Pressed  EventKind = "button"
	// Belied is an act of the server that was reported as done and turned out not to be:
	// Before is the reported value, State the real one.
	Belied EventKind = "belied"
)
