package record

import "time"

// Happening is one thing that has happened in the house, for those who ask later.
type Happening struct {
	Time  time.Time     `json:"time"`
	Kind  HappeningKind `json:"kind"`
	Thing string        `json:"thing,omitempty"` // its id in the house; absent for a button that is no thing of it, and for what rang
	Name  string        `json:"name"`            // of the thing or the button; "" for what rang
	Area  string        `json:"area,omitempty"`  // of the thing
	Said  string        `json:"said"`            // its state by that, or what was said as it rang, in the language of the family
	// By is who it was: the source of a turn, tap for an order on the page without words, program
	// for one of another program, and itself for what nobody is known to have ordered.
	By     string `json:"by"`
	Turn   string `json:"turn,omitempty"`   // the id of the turn that did it
	Unsure bool   `json:"unsure,omitempty"` // the thing has not confirmed it
	Belied bool   `json:"belied,omitempty"` // it was told as done and turned out not to be; Said is what the thing really is
}

// HappeningKind is what kind of thing happened.
type HappeningKind string

// The kinds of what happens.
const (
	HasActed    HappeningKind = "act"    // a turn did it
	HasReported HappeningKind = "report" // a thing reported it
	HasPressed  HappeningKind = "press"  // a button was pressed
	HasRung     HappeningKind = "ring"   // a timer, an alarm or a reminder rang
)

// What By says beside the sources of turns.
const (
	ByTap     = "tap"
	ByProgram = "program"
	ByItself  = "itself"
)
