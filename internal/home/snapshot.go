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
