package reply

import (
	"time"

	"voicegateway/internal/intent/due"
	"voicegateway/internal/tools"
)

// Timer is a timer, an alarm, a reminder or a command for later.
type Timer = due.Timer

// Rings is what is said while a timer, an alarm or a reminder rings, such as "The
// pasta timer." or "Reminder: call mum.".
func (p *Phrases) Rings(t Timer) string { return p.due.Rings(t) }

// Rang is what is said of one that rang, or should have, before now, such as "The
// pasta timer rang 8 minutes ago.".
func (p *Phrases) Rang(t Timer, now time.Time) string { return p.due.Rang(t, now) }

// WhileOff says which ones were due while the gateway was off; "" if none were. A
// command among them was not carried out.
func (p *Phrases) WhileOff(missed []Timer, now time.Time) string { return p.due.WhileOff(missed, now) }

// NotDone says that a command was not carried out, because it was due too long ago.
func (p *Phrases) NotDone(t Timer, now time.Time) string { return p.due.NotDone(t, now) }

// Asks returns the timers that the one result of a plan asks about: it is not clear
// which of them is meant.
func (p *Phrases) Asks(results ...tools.Result) (all []Timer, asks bool) {
	return p.due.Asks(results...)
}

// Choose finds the one timer that an answer names, by its name, its length or its
// time.
func (p *Phrases) Choose(answer string, all []Timer) (chosen Timer, ok bool) {
	return p.due.Choose(answer, all)
}
