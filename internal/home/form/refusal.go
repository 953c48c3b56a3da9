package form

import (
	"errors"
	"fmt"

	"voicegateway/internal/tools"
)

// Refusal is a sentence that says why a command is not sent, or a question not answered.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Refuse makes a refusal of a sentence for people.
func Refuse(format string, args ...any) error { return Refusal(fmt.Sprintf(format, args...)) }

// refusedFor is a refusal with a reason of its own for the receipt.
type refusedFor struct {
	Refusal

	reason tools.Reason
	limits []float64 // between which a refused number would be taken; nil: not known
}

// RefuseFor is Refuse with a reason for the receipt.
func RefuseFor(reason tools.Reason, format string, args ...any) error {
	return refusedFor{Refusal: Refusal(fmt.Sprintf(format, args...)), reason: reason}
}

// RefuseBeyond refuses a number that is outside of what a device takes.
func RefuseBeyond(least, most float64, format string, args ...any) error {
	return refusedFor{Refusal(fmt.Sprintf(format, args...)), tools.RefusedValue, []float64{least, most}}
}

// LimitsOf are the limits that a refusal tells; nil if it tells none.
func LimitsOf(err error) []float64 {
	own, _ := errors.AsType[refusedFor](err)
	return own.limits
}

// As lets errors.As find it as a refusal.
func (r refusedFor) As(target any) bool {
	no, ok := target.(*Refusal)
	if ok {
		*no = r.Refusal
	}
	return ok
}

// ReasonOf returns the reason of a refusal, or usual if it has none.
func ReasonOf(err error, usual tools.Reason) tools.Reason {
	if own, ok := errors.AsType[refusedFor](err); ok {
		return own.reason
	}
	return usual
}
