// Package timers keeps the book of timers, alarms, reminders and commands for later
// (REQUIREMENTS T5). It is pure: the time comes in as a Moment, and the state to save
// goes out as Saved. The owner of a Book saves that before it reports anything, so that a
// kill at any point neither loses nor doubles a timer. A new kind of timer is a Kind with
// its patience in kinds; a new way to change one is a line in changes.
package timers

import (
	"encoding/json"
	"time"
)

// Kind is what a timer is for.
type Kind string

// The kinds.
const (
	Countdown Kind = "timer"    // rings after a time
	Alarm     Kind = "alarm"    // rings at a time of day
	Reminder  Kind = "reminder" // rings and says what of
	Command   Kind = "command"  // carries a sentence out, and rings not at all
	End       Kind = "end"      // restores things to their earlier state, and does not ring
)

// kinds says how late each kind is still useful; after that the user only hears that it
// was missed. A pan is still on the stove after an hour; a person who was to be woken
// half an hour ago is up; and a house that acts minutes late surprises people. Only the
// end of an act happens however late it is, unless the thing has been changed since.
var kinds = map[Kind]struct{ patience time.Duration }{
	Countdown: {time.Hour},
	Alarm:     {30 * time.Minute},
	Reminder:  {time.Hour},
	Command:   {5 * time.Minute},
	End:       {Longest}, // a heater that was to heat for an hour must not heat for days because the gateway was off
}

// Bounds of the book.
const (
	Most        = 100                  // timers at once
	Longest     = 366 * 24 * time.Hour // until a timer ends: a year, also a leap year
	RingsFor    = 15 * time.Minute     // ringing stops after that
	SnoozeFor   = 10 * time.Minute     // as long as most alarm clocks sleep on
	LateFrom    = time.Minute          // a timer that rings so late says so
	longestName = 64                   // characters
	longestText = 300                  // characters
)

// State is where a timer stands.
type State string

// The states. A command that is being carried out is shown as running.
const (
	Running  State = "running"
	Paused   State = "paused"
	Ringing  State = "ringing"
	Unseen   State = "unseen" // it has rung to its end, and no person has said a word; only Stop takes it away
	carrying State = "carrying"
)

// Timer is one of them as others see it.
type Timer struct {
	ID      string    `json:"id"`
	Kind    Kind      `json:"kind"`
	Name    string    `json:"name"`
	Text    string    `json:"text"`    // what to remind of
	Command string    `json:"command"` // the sentence to carry out
	Area    string    `json:"area"`    // the room that asked for it
	State   State     `json:"state"`
	Due     time.Time `json:"due,omitzero"` // local, whole seconds; absent while it is paused
	Left    int       `json:"left"`         // seconds, rounded up; 0 while it rings
	Length  int       `json:"length"`       // seconds it was started with; 0 if it was given a time of day
	Every   string    `json:"every"`        // day, weekday, weekend, monday … sunday; "" for once
	At      string    `json:"at"`           // HH:MM, or by the sun as in a Wish; "" if it was given a length

	Things []string `json:"things,omitempty"` // of an end: the ids of the things that it puts back
}

// Back is a thing that is restored to its state before an act with an end began.
type Back struct {
	Thing string          `json:"thing"` // its id in the house
	Name  string          `json:"name"`
	Was   json.RawMessage `json:"was"` // what the act did to it, in the words of who puts it back
}

// Wish asks for a new timer. Either Seconds or At is given.
type Wish struct {
	Kind      Kind   `json:"kind"`
	Seconds   *int   `json:"seconds,omitempty"`
	At        string `json:"at,omitempty"`     // HH:MM, or sunrise, sunset, dawn, dusk, perhaps with minutes: "sunset-30"
	Twelve    bool   `json:"twelve,omitempty"` // At may mean the morning or the evening: the next of both
	Day       string `json:"day,omitempty"`    // today, tomorrow, monday … sunday, YYYY-MM-DD, --MM-DD, ---DD, +days
	Every     string `json:"every,omitempty"`
	Name      string `json:"name,omitempty"`
	Text      string `json:"text,omitempty"`
	Command   string `json:"command,omitempty"`
	Confirmed bool   `json:"confirmed,omitempty"` // the question about many devices, or a costly one, was answered yes
	Area      string `json:"area,omitempty"`

	Back []Back `json:"-"` // of an end; no program can ask for one
}

// Which says which timers are meant. Every field that is set must match.
type Which struct {
	ID      string `json:"id,omitempty"`
	Name    string `json:"name,omitempty"` // or a near one
	Kind    Kind   `json:"kind,omitempty"`
	Seconds int    `json:"seconds,omitempty"` // the length it was started with
	Nth     int    `json:"nth,omitempty"`     // the number among those that match, in the order in which they were set: 1 is the first, -1 the last; 0: any
	At      string `json:"at,omitempty"`
	Day     string `json:"day,omitempty"`  // on which it is due: today, tomorrow, a weekday, a repetition, a date
	Part    string `json:"part,omitempty"` // of the day: morning, afternoon, evening, night
	Next    bool   `json:"next,omitempty"` // the one that is due first
	Area    string `json:"area,omitempty"`

	on onDays
}

// Change asks for something to be done with timers.
type Change struct {
	Action  Action `json:"action"`
	Which   Which  `json:"which,omitzero"`
	Seconds int    `json:"seconds,omitempty"` // to add or subtract; how long to snooze
	Area    string `json:"area,omitempty"`    // the room that asks: its timers come first
}

// Action is what is done with timers.
type Action string

// The actions.
const (
	Cancel    Action = "cancel"
	CancelAll Action = "cancel_all"
	Pause     Action = "pause"
	Resume    Action = "resume"
	Add       Action = "add"
	Subtract  Action = "subtract"
	Snooze    Action = "snooze"
	Stop      Action = "stop"
)

// Outcome is what became of an order, a change or a question.
type Outcome string

// The outcomes.
const (
	Started   Outcome = "started"
	Cancelled Outcome = "cancelled"
	WasPaused Outcome = "paused"
	Resumed   Outcome = "resumed"
	Changed   Outcome = "changed"
	Snoozed   Outcome = "snoozed"
	Stopped   Outcome = "stopped"
	Listed    Outcome = "listed"
	None      Outcome = "none"    // no timer is like that
	Several   Outcome = "several" // which one is not clear
	Refused   Outcome = "refused"
)

// Reason says why something was refused or not found.
type Reason string

// The reasons.
const (
	Past          Reason = "past"      // the day that was given is over
	TooLong       Reason = "too_long"  // over a year
	TooShort      Reason = "too_short" // under a second
	TooMany       Reason = "too_many"  // a hundred are set
	NothingRings  Reason = "nothing_rings"
	UnknownName   Reason = "unknown_name"   // there are timers, but none with that name
	UnknownLength Reason = "unknown_length" // there are timers, but none of that length
	Repeats       Reason = "repeats"        // what comes then comes on other days as well
	TooFew        Reason = "too_few"        // less are set than the number that was given
	NoTime        Reason = "no_time"        // neither a length nor a time of day, or both
	NoPlace       Reason = "no_place"       // it follows the sun, and the position of the house is not configured
	NoSun         Reason = "no_sun"         // the sun does not rise or set in the next days
	BadTime       Reason = "bad_time"       // no time of day, day or repetition
	BadKind       Reason = "bad_kind"
	BadAction     Reason = "bad_action"
	NoCommand     Reason = "no_command"     // a command without a sentence
	NotATimer     Reason = "not_a_timer"    // a timer for a time of day has no length to pause or change
	NotSaved      Reason = "not_saved"      // done, but it is kept until the program ends only
	NotUnderstood Reason = "not_understood" // the sentence to carry out fits nothing here
	IsDangerous   Reason = "dangerous"      // the sentence to carry out is never carried out later
	ManyDevices   Reason = "many_devices"   // the sentence to carry out needs a yes first
	TooOften      Reason = "too_often"      // over what a program may ask for within a minute
	NoBell        Reason = "no_bell"        // nobody here runs to ring
)

// Result is the answer to a caller.
type Result struct {
	Outcome Outcome   `json:"outcome"`
	Reason  Reason    `json:"reason"`
	Timers  []Timer   `json:"timers"` // those it is about, the next first; never null
	Now     time.Time `json:"now"`
}

// Moment is a point in time: what the wall clock says, which may be wrong and may
// jump, and the time since the program began, which does neither.
type Moment struct {
	Wall time.Time
	Up   time.Duration
}
