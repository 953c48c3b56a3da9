package client

import (
	"bytes"
	"fmt"
	"io"
)

// limitLines passes on what r reads and fails as soon as a line grows beyond
// limit bytes. mcp-go reads a line of any length into memory.
func limitLines(r io.Reader, limit int) io.Reader {
	return &lineLimiter{r: r, limit: limit}
}

type lineLimiter struct {
	r     io.Reader
	limit int
	len   int // bytes of the line so far
}

func (l *lineLimiter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	rest := p[:n]
	for {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			l.len += len(rest)
			break
		}
		if l.len+end > l.limit {
			l.len += end
			break
		}
		l.len = 0
		rest = rest[end+1:]
	}
	if l.len > l.limit {
		return 0, &tooLongError{"a line", l.limit}
	}
	return n, err
}

// maxEventLines bounds the lines of one event. Real events have one line, or as
// many as an indented JSON text; the client library copies the whole event for
// every line.
const maxEventLines = 10_000

// limitAnswer passes on the body of an HTTP answer and fails as soon as it grows
// beyond limit bytes. In a stream of events the limit holds for each event, which
// is bounded in lines as well.
func limitAnswer(r io.Reader, events bool, limit int) io.Reader {
	return &answerLimiter{r: r, events: events, limit: limit}
}

type answerLimiter struct {
	r      io.Reader
	events bool
	limit  int
	len    int  // bytes of the answer or event so far
	lines  int  // lines of the event so far
	filled bool // the line so far is not empty
}

func (l *answerLimiter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	rest := p[:n]
	for l.events && len(rest) > 0 {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		l.filled = l.filled || len(bytes.TrimRight(line, "\r")) > 0
		if !whole {
			break
		}
		if l.len += len(line) + 1; l.len > l.limit {
			break
		}
		if l.lines++; l.lines > maxEventLines {
			return 0, &tooLongError{fmt.Sprintf("an event of over %d lines", maxEventLines), l.len}
		}
		if !l.filled { // an empty line ends an event
			l.len, l.lines = 0, 0
		}
		l.filled, rest = false, after
	}
	if l.len += len(rest); l.len > l.limit {
		return 0, &tooLongError{"an answer", l.limit}
	}
	return n, err
}

// tooLongError says that something is longer than its limit.
type tooLongError struct {
	what  string
	limit int
}

func (e *tooLongError) Error() string {
	return fmt.Sprintf("%s is longer than %d bytes", e.what, e.limit)
}
