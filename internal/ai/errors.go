package ai

import (
	"fmt"
	"strings"
	"time"
)

// Kind is what went wrong with a reply.
type Kind string

// The ways a reply can fail. Every one has a sentence to say.
const (
	Unavailable Kind = "unavailable" // nothing answers at the address
	Denied      Kind = "denied"      // the key is missing or wrong
	Busy        Kind = "busy"        // too many requests (429)
	Rejected    Kind = "rejected"    // it does not accept the request, e.g. an unknown model
	Broken      Kind = "broken"      // it reports a fault of its own (5xx)
	Silent      Kind = "silent"      // it accepted the request and said nothing in time
	Dropped     Kind = "dropped"     // the stream ended in the middle
	Malformed   Kind = "malformed"   // what came is not in the protocol
	TooLong     Kind = "too_long"    // the answer did not end
	TooSlow     Kind = "too_slow"    // the whole reply took longer than ai.timeout
	Confused    Kind = "confused"    // still asking for tools after the last round
	Empty       Kind = "empty"       // a reply without words
	Filter      Kind = "filtered"    // withheld by the provider
)

// Error is why a reply failed. Error is for the log, Spoken for the family.
type Error struct {
	Kind       Kind
	RetryAfter time.Duration // of Busy: how long to wait, if it said so
	Err        error         // what happened, without secrets; may be nil
}

func (e *Error) Error() string {
	text := "language model: " + strings.ReplaceAll(string(e.Kind), "_", " ")
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Spoken is a sentence for the family: what happened, without codes.
func (e *Error) Spoken() string {
	switch e.Kind {
	case Unavailable:
		return "I can't reach the language model."
	case Denied:
		return "The language model does not accept our key."
	case Busy:
		if e.RetryAfter >= time.Second {
			return fmt.Sprintf("The language model is busy. Please try again in %s.", spokenWait(e.RetryAfter))
		}
		return "The language model is busy. Please try again."
	case Rejected:
		return "The language model did not accept the request."
	case Broken:
		return "The language model has a problem."
	case Silent, TooSlow:
		return "The language model did not answer in time."
	case Dropped:
		return "The language model stopped in the middle."
	case TooLong:
		return "That answer was getting too long."
	case Confused:
		return "I could not work that out."
	case Filter:
		return "The language model would not answer that."
	case Malformed, Empty:
		return "I got no usable answer."
	}
	return "That did not work."
}

// spokenWait rounds up: a wait that is too short is worse than one too long.
func spokenWait(d time.Duration) string {
	switch seconds := int((d + time.Second - 1) / time.Second); {
	case seconds == 1:
		return "a second"
	case seconds < 90:
		return fmt.Sprintf("%d seconds", seconds)
	default:
		return fmt.Sprintf("%d minutes", (seconds+59)/60)
	}
}
