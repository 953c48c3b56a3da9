package httpguard

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// StatusError is an HTTP answer that refuses the request.
type StatusError struct {
	Code       int
	RetryAfter time.Duration // how long the server asks to wait; 0: it does not say
	Said       string        // the server's own message: one line, bounded, without the key
	Reason     string        // the server's own names for it, its code, type and status: one line, bounded, without the key
}

func (e *StatusError) Error() string {
	text := strings.TrimSpace(fmt.Sprintf("status %d %s", e.Code, http.StatusText(e.Code)))
	if e.Said != "" {
		text += ": " + e.Said
	}
	return text
}

// refusal makes an error of an answer that refuses the request. A body that
// cannot be read is left out: the status says enough.
func (c *Client) refusal(resp *http.Response) *StatusError {
	e := &StatusError{Code: resp.StatusCode, RetryAfter: RetryAfter(resp.Header.Get("Retry-After"), time.Now())}
	if ms := resp.Header.Get("Retry-After-Ms"); ms != "" {
		e.RetryAfter = RetryAfter(ms+"ms", time.Now())
	}
	if body, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)); err == nil {
		e.Said, e.Reason = c.Quote(complaint(body), saidShown), c.Quote(reason(body), saidShown)
	}
	return e
}

// reason returns the names that a refusal's body gives to what is wrong, in
// {"error":{"code":…,"type":…,"status":…}} or without the error around them.
func reason(body []byte) string {
	var names struct {
		Error              json.RawMessage
		Code, Type, Status any
	}
	if json.Unmarshal(body, &names) != nil {
		return ""
	}
	if len(names.Error) > 0 {
		_ = json.Unmarshal(names.Error, &names) // the names outside stay if it is a text
	}
	var list []string
	for _, name := range []any{names.Code, names.Type, names.Status} {
		if name, ok := name.(string); ok {
			list = append(list, name)
		}
	}
	return strings.Join(list, " ")
}

// complaint returns the message in a refusal's body, one of
// {"error":{"message":…}}, {"error":"…"}, {"detail":"…"}, {"title":"…"} or plain
// text.
func complaint(body []byte) string {
	var wrapped struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
		Title  json.RawMessage `json:"title"`
	}
	if json.Unmarshal(body, &wrapped) != nil {
		return string(body)
	}
	for _, part := range []json.RawMessage{wrapped.Detail, wrapped.Error, wrapped.Title} {
		var text string
		var inner struct{ Message string }
		switch {
		case len(part) == 0:
		case json.Unmarshal(part, &text) == nil && text != "":
			return text
		case json.Unmarshal(part, &inner) == nil && inner.Message != "":
			return inner.Message
		}
	}
	return string(body)
}

// telling is the length in bytes from which the beginning of a key counts as revealing.
const telling = 8

// Quote makes a server's words fit for a message: one line of at most limit characters,
// without the key, and without the beginning of the key if the words were cut off in the
// middle of it.
func (c *Client) Quote(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.Map(printable, text)), " ")
	if key := c.cfg.Key; key != "" {
		text = strings.ReplaceAll(text, key, "…")
		for n := len(key) - 1; n >= telling; n-- {
			if begun, ok := strings.CutSuffix(text, key[:n]); ok {
				text = begun + "…"
				break
			}
		}
	}
	// The text is cut last, because part of a key would not be recognised.
	for i := range text {
		if limit == 0 {
			return text[:i] + "…"
		}
		limit--
	}
	return text
}

// printable replaces a character that cannot be shown by a blank.
func printable(r rune) rune {
	if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

// Bounds of a Retry-After in seconds. We wait a day at most; an absurdly large
// number is a mistake and is ignored.
const (
	longestWait  = 24 * time.Hour
	believedWait = 1e9
)

// RetryAfter reads the header in both of its forms, seconds and a date, and as a
// number with its unit ("250ms", "1m30s"), which some servers send. It returns how
// long to wait, or 0 without a usable header.
func RetryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if wait, err := time.ParseDuration(header); err == nil && wait > 0 {
		return min(wait, longestWait)
	}
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds >= 0 && seconds < believedWait {
		return min(time.Duration(seconds*float64(time.Second)), longestWait)
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(0, at.Sub(now)), longestWait)
	}
	return 0
}
