package ai

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/mind/dialogue"
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
	Miscalled   Kind = "miscalled"   // it only called tools that do not exist, or with wrong arguments
	Filter      Kind = "filtered"    // withheld by the provider
	Quota       Kind = "quota"       // the paid credit is used up
	Oversized   Kind = "oversized"   // the request is more than the model takes
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

// failures is what the user hears about each kind of error.
var failures = map[Kind]dialogue.Failure{
	Unavailable: dialogue.Unreachable,
	Denied:      dialogue.KeyRefused,
	Busy:        dialogue.Busy,
	Rejected:    dialogue.Misconfigured,
	Broken:      dialogue.Faulty,
	Silent:      dialogue.Slow,
	Dropped:     dialogue.Unfinished,
	Malformed:   dialogue.Nonsense,
	TooLong:     dialogue.Unfinished,
	TooSlow:     dialogue.Slow,
	Confused:    dialogue.Nonsense,
	Empty:       dialogue.Nonsense,
	Miscalled:   dialogue.Miscalled,
	Filter:      dialogue.Filtered,
	Quota:       dialogue.QuotaUsed,
	Oversized:   dialogue.TooLong,
}

// asFailure adds to our own errors what the user hears about them. Errors of the context
// stay as they are.
func asFailure(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return &dialogue.ModelError{Failure: failures[e.Kind], Err: err}
	}
	return err
}

// faults are the words with which servers name a fault. The names, found in codes and
// types, are tried first; the words, found in messages, cover faults for which some
// servers have no code.
var faults = []struct {
	kind         Kind
	names, words []string
}{
	{Miscalled, []string{"tool_use_failed", "tool_call_parse", "invalid_tool_call"}, []string{"parsing tool call", "parse tool call", "failed to call a function"}},
	{Oversized, []string{"context_length", "context_window", "exceed_context", "request_too_large", "string_above_max_length"}, []string{
		"context length", "context size", "context window", "maximum context", "prompt is too long", "too many tokens", "input is too long",
	}},
	{Quota, []string{"insufficient_quota", "billing", "credit", "quota"}, []string{"current quota", "insufficient quota", "insufficient balance", "out of credit"}},
	{Filter, []string{"content_filter", "content_policy", "responsibleaipolicy"}, []string{"content management policy", "content policy"}},
	{Denied, []string{"invalid_api_key", "authentication", "permission", "unauth"}, []string{"invalid api key", "incorrect api key"}},
	{Busy, []string{"rate_limit", "too_many_requests", "resource_exhausted", "overloaded", "unavailable"}, []string{"loading model", "overloaded", "rate limit"}},
	{Rejected, []string{"not_found", "invalid_request", "badrequest", "unsupported"}, nil},
}

// kindOf reads a refusal: its status (0 within an answer that had begun), the
// server's names for it, and its message.
func kindOf(status int, names, said string) Kind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return Denied
	case http.StatusPaymentRequired:
		return Quota
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return Silent
	case http.StatusRequestEntityTooLarge:
		return Oversized
	}
	names, said = strings.ToLower(names), strings.ToLower(said)
	for _, f := range faults {
		told := func(in string) func(string) bool { return func(word string) bool { return strings.Contains(in, word) } }
		if slices.ContainsFunc(f.names, told(names)) || slices.ContainsFunc(f.words, told(said)) {
			return f.kind
		}
	}
	switch {
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable || status == overloaded:
		return Busy
	case status >= 500 || status == 0:
		return Broken
	}
	return Rejected
}

// overloaded is the status with which some providers say that they have too much to
// do.
const overloaded = 529
