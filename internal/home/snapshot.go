package home

// Snapshot is the house as it is shown: its structure, and the states that the
// servers currently report.
type Snapshot struct {
	Floors   []Floor       `json:"floors"`
	Areas    []Area        `json:"areas"`
	Entities []EntityState `json:"entities"`
}

// EntityState is an entity with its state.
type EntityState struct {
	Entity
	Server    string `json:"server"`
	State     any    `json:"state"`     // null: not known
	Reachable *bool  `json:"reachable"` // null: not known
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
