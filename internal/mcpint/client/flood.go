package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Bounds of messages that answer no request: a number at once, and then a number a
// second. The busiest house announces some ten changes a second, and heartbeats come
// every few seconds.
const (
	mostMessages    = 20_000 // announcements, comments and empty events
	messagesASecond = 100
	mostBytes       = 2 * maxAnswer
	bytesASecond    = 1 << 20
	// leastRead is what a read counts at least, in bytes: many small ones cost more
	// than a large one.
	leastRead = 256
	// messagesAsked and bytesAsked are added for each request of ours. They are small,
	// because a server can cause requests: after it announces a change, we list it.
	messagesAsked = 100
	bytesAsked    = 1 << 20
)

// quota bounds what a server sends, over all streams of a session. It is refilled as
// time passes and with every request of ours, wholly with a call, so that neither a
// long connection nor many calls use it up.
type quota struct {
	mu       sync.Mutex
	messages float64
	bytes    float64
	at       time.Time // when it was refilled last
}

func newQuota() *quota {
	return &quota{messages: mostMessages, bytes: mostBytes, at: time.Now()}
}

// refillForCall refills the quota for a call of a tool.
func (q *quota) refillForCall() { q.refill(mostMessages, mostBytes) }

// refillForRequest refills the quota for any other request of ours.
func (q *quota) refillForRequest() { q.refill(messagesAsked, bytesAsked) }

func (q *quota) refill(messages, size float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.messages = min(mostMessages, max(0, q.messages)+messages)
	q.bytes = min(mostBytes, max(0, q.bytes)+size)
}

// spend counts what has come. The error is a *floodError.
func (q *quota) spend(messages, size int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	passed := now.Sub(q.at).Seconds()
	q.at = now
	q.messages = min(mostMessages, q.messages+passed*messagesASecond) - float64(messages)
	q.bytes = min(mostBytes, q.bytes+passed*bytesASecond) - float64(size)
	switch {
	case q.messages < 0:
		return &floodError{fmt.Sprintf("over %d messages and heartbeats that answer nothing", mostMessages)}
	case q.bytes < 0:
		return &floodError{fmt.Sprintf("over %d bytes that answer nothing", mostBytes)}
	}
	return nil
}

// floodError says that a server sends without an end.
type floodError struct{ what string }

func (e *floodError) Error() string { return e.what }

// excess returns what is too much in an error, nil if nothing is.
func excess(err error) error {
	if long, ok := errors.AsType[*tooLongError](err); ok {
		return long
	}
	if flood, ok := errors.AsType[*floodError](err); ok {
		return flood
	}
	return nil
}

func isExcess(err error) bool { return excess(err) != nil }

// meter passes on what from reads, and fails when the quota is used up.
type meter struct {
	from   io.Reader
	quota  *quota
	events bool // a stream of events; else a message a line, or one in all
	lines  bool // a message a line

	filled bool // events: the line so far is not empty
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if n == 0 {
		return n, err
	}
	messages := 0
	switch {
	case m.events:
		messages = m.count(p[:n])
	case m.lines:
		messages = bytes.Count(p[:n], []byte{'\n'})
	}
	if flood := m.quota.spend(messages, max(n, leastRead)); flood != nil {
		return 0, flood
	}
	return n, err
}

// count counts the comments that begin in a piece of an event stream, and the empty
// lines, each of which ends an event.
func (m *meter) count(piece []byte) (messages int) {
	for len(piece) > 0 {
		line, rest, whole := bytes.Cut(piece, []byte{'\n'})
		if line = bytes.TrimRight(line, "\r"); len(line) > 0 {
			if !m.filled && line[0] == ':' {
				messages++
			}
			m.filled = true
		}
		if whole {
			if !m.filled {
				messages++
			}
			m.filled = false
		}
		piece = rest
	}
	return messages
}
