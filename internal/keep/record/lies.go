package record

import (
	"slices"
	"time"
)

// FoundOut is how long after its report an act may turn out not to be done. It is longer
// than a turn and reading the value back take.
const FoundOut = time.Minute

// mostLies bounds those that are kept, as some belong to no turn that is known.
const mostLies = 64

// Lies keeps acts that were reported as done and turned out not to be, until the turn that
// each belongs to has ended. T is what is kept of an act. The zero value is ready for use;
// it is not safe for concurrent use.
type Lies[T any] struct{ kept []dated[T] }

// dated is an act and when it was found out, by our clock.
type dated[T any] struct {
	act T
	at  time.Time
}

// Keep adds an act that was found out now.
func (l *Lies[T]) Keep(act T) {
	l.kept = append(l.kept, dated[T]{act, time.Now()})
	l.kept = slices.Clone(l.kept[max(0, len(l.kept)-mostLies):])
}

// Take removes the acts for which belongs returns true, and those that were found out more
// than FoundOut ago. at is when an act was found out.
func (l *Lies[T]) Take(belongs func(act T, at time.Time) bool) {
	l.kept = slices.DeleteFunc(l.kept, func(d dated[T]) bool { return time.Since(d.at) > FoundOut || belongs(d.act, d.at) })
}
