package client

import (
	"bytes"
	"io"
	"sync"
)

// A server over stdio writes one message a line. Some write more than that, and the client
// library drops what it cannot read as a line: a byte-order mark or a banner before a
// message, messages that are indented over several lines, several messages in one line,
// or a batch. framing makes lines of them. It also keeps the beginning of what a server
// writes, for the words of a failure.
type framing struct {
	from io.Reader
	in   []byte // read and not looked at yet
	out  []byte // ready for the reader
	sent int    // how much of it the reader has
	buf  []byte

	depth    int  // how many braces are open
	inString bool // within a text of JSON
	escaped  bool // after a backslash
	prose    bool // the line so far holds something that is no message
	marked   bool // the line so far holds a byte-order mark
	ended    bool // a message has ended in this line, and nothing followed it
	fresh    bool // a line within a message has just begun
	held     bool // that line begins with a brace, which is not passed on yet

	mu    sync.Mutex
	begin []byte // the first bytes of all
}

const (
	framingBuffer = 64 << 10
	// maxBegin bounds what is kept of the beginning, in bytes.
	maxBegin = 512
)

// newFraming passes on what a reader gives, as lines.
func newFraming(from io.Reader) *framing {
	return &framing{from: from, buf: make([]byte, framingBuffer)}
}

// Read implements io.Reader.
func (f *framing) Read(p []byte) (int, error) {
	for f.sent == len(f.out) {
		f.out, f.sent = f.out[:0], 0
		n, err := f.from.Read(f.buf)
		if n > 0 {
			f.keep(f.buf[:n])
			f.in = f.buf[:n]
			for len(f.in) > 0 {
				f.step()
			}
		}
		if err != nil && f.held {
			f.held = false
			f.out = append(f.out, '{')
		}
		if err != nil && len(f.out) == 0 {
			return 0, err
		}
	}
	n := copy(p, f.out[f.sent:])
	f.sent += n
	return n, nil
}

// keep keeps the beginning of all that is read.
func (f *framing) keep(piece []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begin = append(f.begin, piece[:min(len(piece), maxBegin-len(f.begin))]...)
}

// beginning returns the first bytes that were read.
func (f *framing) beginning() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.Clone(f.begin)
}

// step takes one byte, or several that need no look.
func (f *framing) step() {
	switch c := f.in[0]; {
	case f.inString:
		f.text()
		return
	case f.depth > 0 && (f.fresh || f.held):
		f.begins(c)
	case f.depth > 0:
		f.within()
		return
	default:
		f.outside(c)
	}
	f.in = f.in[1:]
}

// take passes on the first n bytes of what is read.
func (f *framing) take(n int) {
	f.out = append(f.out, f.in[:n]...)
	f.in = f.in[n:]
}

// text takes over what stands within a text of JSON. A line break cannot stand there, so
// that the message is broken and the next line begins afresh.
func (f *framing) text() {
	if f.escaped {
		f.escaped = false
		f.take(1)
		return
	}
	for i, c := range f.in {
		switch c {
		case '"':
			f.inString = false
		case '\\':
			f.escaped = true
		case '\n':
			f.inString, f.depth, f.prose, f.marked = false, 0, false, false
		default:
			continue
		}
		f.take(i + 1)
		return
	}
	f.take(len(f.in))
}

// begins takes a byte at the beginning of a line within a message. A line that begins with
// a brace and a quotation mark is a new message: the one before it was broken off.
func (f *framing) begins(c byte) {
	if f.fresh && c == '{' {
		f.fresh, f.held = false, true
		return
	}
	f.fresh = false
	if f.held {
		f.held = false
		if c == '"' {
			f.out = append(f.out, '\n')
			f.depth = 0
		}
		f.out = append(f.out, '{')
		f.depth++
	}
	f.out = append(f.out, f.look(c))
}

// within takes over what stands in a message outside its texts, as far as the next text,
// the end of the line or the end of the message.
func (f *framing) within() {
	for i, c := range f.in {
		switch c {
		case '{', '}', '"', '\n', '\r':
			look := f.look(c)
			if look == c && !f.inString && f.depth > 0 {
				continue
			}
			f.take(i + 1)
			f.out[len(f.out)-1] = look
			return
		}
	}
	f.take(len(f.in))
}

// look notes what a byte of a message outside its texts means for what follows, and
// returns what is passed on in its place.
func (f *framing) look(c byte) byte {
	switch c {
	case '"':
		f.inString = true
	case '{':
		f.depth++
	case '}':
		f.depth--
		f.ended, f.prose, f.marked = f.depth == 0, false, false
	case '\n':
		f.fresh = true
		return ' '
	case '\r':
		return ' '
	}
	return c
}

// outside takes a byte that belongs to no message so far.
func (f *framing) outside(c byte) {
	if f.ended && !isBlank(c) { // something follows a message in its line
		f.out = append(f.out, '\n')
		f.ended = false
	}
	switch {
	case c == '\n':
		f.prose, f.marked, f.ended = false, false, false
	case isBlank(c):
	case c == '{' && !f.prose && !f.marked:
		f.depth = 1
	case c == '{' && (!f.prose || beginsMessage(f.in)):
		f.out = append(f.out, '\n')
		f.depth = 1
	case isMark(c):
		f.marked = true
	default:
		f.prose = true
	}
	f.out = append(f.out, c)
}

// isBlank reports whether a byte between messages means nothing.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// isMark reports whether a byte is of a byte-order mark, or fills a gap.
func isMark(c byte) bool { return c == 0xEF || c == 0xBB || c == 0xBF || c == 0 }

// beginsMessage reports whether a message of JSON-RPC begins.
func beginsMessage(b []byte) bool {
	rest := bytes.TrimLeft(b[1:], " \t\r\n")
	for _, key := range []string{`"jsonrpc"`, `"id"`, `"result"`, `"error"`, `"method"`} {
		if bytes.HasPrefix(rest, []byte(key)) {
			return true
		}
	}
	return false
}
