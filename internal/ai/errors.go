package ai

import (
	"strings"
	"time"
)

// Kind is what went wrong with a reply.
type Kind string

// The ways a reply can fail.
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

// Error is why a reply failed.
type Error struct {
	Kind       Kind
	RetryAfter time.Duration // with Busy: how long to wait, if the server said so
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
