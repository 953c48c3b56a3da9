package client

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// maxStrange bounds what is kept of a line that is no message, in bytes.
const maxStrange = 200

// strangeLines passes on what a server writes and keeps the first line that is no message:
// a banner, a log, or a message in the frames of another protocol. The client library skips
// such lines, so the server seems to be silent.
type strangeLines struct {
	from io.Reader

	mu    sync.Mutex
	line  []byte // the beginning of the line so far
	first []byte // the first strange line; nil: there is none
}

func (s *strangeLines) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	for rest := p[:n]; s.first == nil && len(rest) > 0; {
		piece, after, whole := bytes.Cut(rest, []byte{'\n'})
		s.line = append(s.line, piece[:min(len(piece), maxStrange-len(s.line))]...)
		if !whole {
			break
		}
		if line := bytes.TrimSpace(s.line); len(line) > 0 && line[0] != '{' && line[0] != '[' {
			s.first = bytes.Clone(line)
		}
		s.line, rest = s.line[:0], after
	}
	return n, err
}

// strange returns the first line that is no message, "" if there is none.
func (s *strangeLines) strange() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.first)
}

// strangeError says that a server wrote something else than messages, and answered nothing.
type strangeError struct {
	line  string // fit to be shown
	cause error
}

func (e *strangeError) Error() string {
	return fmt.Sprintf("%v; its output is no MCP: it begins with %q", e.cause, e.line)
}

func (e *strangeError) Unwrap() error { return e.cause }
