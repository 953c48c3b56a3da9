package home

import "time"

// Snapshot is the house as it is shown: its structure, and the states that the
// servers currently report.
type Snapshot struct {
	Floors   []Floor       `json:"floors"`
	Areas    []Area        `json:"areas"`
	Entities []EntityState `json:"entities"`
	// Away are the houses that cannot be reached: what is told of their things is old.
	Away []Absence `json:"away,omitempty"`
}

// Absence is a house that cannot be reached.
type Absence struct {
	Server string     `json:"server"`          // the MCP server of its things
	Name   string     `json:"name"`            // what people call it
	Since  *time.Time `json:"since,omitempty"` // nil: not known
}

// EntityState is an entity with its state.
type EntityState struct {
	Entity
	Server    string `json:"server"`
	State     any    `json:"state"`     // null: not known
	Reachable *bool  `json:"reachable"` // null: not known
	// Values are what it is set to and measures, by ability: percent, and degrees in the scale
	// of the house; empty where the server tells none.
	Values map[string]any `json:"values,omitempty"`
	// Told is when a thing that cannot be reached last reported, to the minute; nil for every
	// other one, and where that is not known.
	Told *time.Time `json:"told,omitempty"`
	// Guarded says that to unlock it, to open it or to switch it on is dangerous, and done by
	// voice or not at all.
	Guarded bool `json:"guarded,omitempty"`
}

// Structure is a house without its states.
func (h *House) Structure() Snapshot {
	s := Snapshot{Floors: h.Floors, Areas: h.Areas, Entities: make([]EntityState, len(h.Entities))}
	for i, e := range h.Entities {
		e.State = nil
		s.Entities[i] = EntityState{Entity: e, Server: e.Server}
	}
	return s
}
