package form

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"voicegateway/internal/home"
)

// keptEvents bounds the events that are remembered for a reader who missed some.
const keptEvents = 256

// EventLog numbers the events of a house and keeps the newest. Its owner guards it.
type EventLog struct {
	urgent func(home.Event) bool
	boot   string
	next   uint64
	events []home.Event
}

// NewEventLog makes an empty log. Events that are urgent are dropped last.
func NewEventLog(urgent func(home.Event) bool) *EventLog {
	return &EventLog{urgent: urgent, boot: strconv.FormatUint(rand.Uint64(), 36), next: 1}
}

// File numbers an event and keeps it. If there are too many, the oldest is dropped, an
// alarm only when there is nothing else: a lamp that flickers must not hide smoke.
func (l *EventLog) File(e home.Event) {
	e.Seq = l.next
	l.next++
	if len(l.events) >= keptEvents {
		oldest := max(0, slices.IndexFunc(l.events, func(o home.Event) bool { return !l.urgent(o) }))
		l.events = slices.Delete(l.events, oldest, oldest+1)
	}
	l.events = append(l.events, e)
}

// Events returns the newest events.
func (l *EventLog) Events() Events {
	return Events{Boot: l.boot, Next: l.next, Events: append([]home.Event{}, l.events...)}
}
