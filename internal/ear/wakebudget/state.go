package wakebudget

import "time"

// State is what is known of the wake words, for people and programs.
type State struct {
	Engine     string    `json:"engine"`
	Budget     int       `json:"budget"`
	Adjustable bool      `json:"adjustable"`    // the thresholds are moved
	Why        string    `json:"why,omitempty"` // they are not
	FalseToday int       `json:"false_today"`   // in the last 24 hours
	Words      []Account `json:"words"`         // as configured
}

// Account is a wake word with the last move of its threshold.
type Account struct {
	Word
	Last *Moved `json:"last_move,omitempty"`
}

// Moved is the last move of a threshold since the start.
type Moved struct {
	From float64   `json:"from"`
	To   float64   `json:"to"`
	Why  Why       `json:"why"`
	Time time.Time `json:"time"`
}
