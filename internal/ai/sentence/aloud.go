package sentence

import (
	"strings"

	"voicegateway/internal/tools"
)

// maxKept bounds what is kept of a block to read calls from, in bytes.
const maxKept = 32 << 10

// Text is a model's text while it grows. The zero value knows no tools.
type Text struct {
	// Tools are those that a call may be written of.
	Tools []tools.Spec
	// Held keeps everything back until a thought has ended, for a model that ends its
	// thoughts and does not begin them.
	Held bool
	// Data says that the user asked for JSON or code.
	Data bool

	rest   string          // not judged yet
	out    strings.Builder // said, and not given to the reader yet
	inWord bool            // rest continues a word whose beginning was judged
	inLine bool            // rest does not begin a line
	open   *block
	held   strings.Builder
	calls  []tools.Call
	called bool // the model wrote a call: text after it was written before the call's result
	over   bool // the answer has ended, and what follows is no part of it
	ended  bool // a thought ended that had no beginning
}

// block is a part of the text that is not said.
type block struct {
	ends     []mark // what ends it; none: brackets, or the end of the text
	brackets *brackets
	call     bool // it may hold a call
	header   bool // it is the head of a message
	text     strings.Builder
}

// mark ends a block. kept keeps its text, because it also begins the next block.
type mark struct {
	text string
	kept bool
}

// Push adds text and returns what of it is said and certain.
func (t *Text) Push(text string) string {
	t.rest += text
	t.judge(false)
	return t.sayable()
}

// Flush returns what was held back, at the end of the text.
func (t *Text) Flush() string {
	t.judge(true)
	said := t.sayable()
	if t.open != nil {
		t.close()
	}
	if t.Held {
		t.Held = false
		return t.held.String()
	}
	return said
}

// Cut returns what was held back of a text that broke off. A thought that may not
// have ended is not said.
func (t *Text) Cut() string {
	t.judge(true)
	return t.sayable()
}

// Calls are the calls that were written of the tools.
func (t *Text) Calls() []tools.Call { return t.calls }

// Ended reports whether a thought ended that had no beginning, so that all the text
// before was part of it, and forgets it.
func (t *Text) Ended() bool {
	ended := t.ended
	t.ended = false
	return ended
}

// Names reports whether a sentence contains the name of a tool, such as get_state. Only a
// model writes such names; no user says them.
func (t *Text) Names(sentence string) bool {
	for _, s := range t.Tools {
		if strings.ContainsAny(s.Name, "_-") && strings.Contains(sentence, s.Name) {
			return true
		}
	}
	return false
}

// sayable gives the reader what is said.
func (t *Text) sayable() string {
	text := t.out.String()
	t.out.Reset()
	if t.Held {
		t.held.WriteString(text)
		return ""
	}
	return text
}

// judge judges as much of the rest as is certain, and all of it at the end of the text.
func (t *Text) judge(end bool) {
	for t.rest != "" {
		if t.open != nil {
			if !t.skip(end) {
				break
			}
			continue
		}
		n, found := t.next(end)
		if n > 0 && !t.over && !t.called {
			t.out.WriteString(t.rest[:n])
		}
		t.step(n)
		if !found.certain {
			break
		}
		if found.ended {
			t.hideThought()
		}
		t.step(found.length)
		t.over = t.over || found.over
		t.open = found.open
	}
}

// hideThought makes all that came before a thought.
func (t *Text) hideThought() {
	t.ended, t.over, t.called, t.Held, t.open, t.calls = true, false, false, false, nil, nil
	t.held.Reset()
	t.out.Reset()
}

// step goes on by n bytes.
func (t *Text) step(n int) {
	if n == 0 {
		return
	}
	last := t.rest[n-1]
	t.inWord, t.inLine = wordByte(last), last != '\n'
	t.rest = t.rest[n:]
}

// skip drops the inside of the open block, and reports whether its end was found. In
// what looks like a call, a thought may end that had no beginning.
func (t *Text) skip(end bool) bool {
	limit, mark := len(t.rest), ""
	if t.open.call {
		limit, mark = thoughtEnd(t.rest, end)
	}
	n, m, found := t.open.findEnd(t.rest[:limit], end && mark == "")
	switch {
	case found:
		t.open.keep(t.rest[:n])
		if !m.kept {
			n += len(m.text)
		}
		t.step(n)
		t.close()
		return true
	case mark != "":
		t.step(limit + len(mark))
		t.hideThought()
		return true
	}
	t.open.keep(t.rest[:n])
	t.step(n)
	return false
}

// close ends the open block, and reads the calls in it.
func (t *Text) close() {
	b := t.open
	t.open = nil
	text := b.text.String()
	switch {
	case b.header:
		t.open, t.over = message(text), t.over || stranger(text)
	case b.call && !t.over:
		calls := read(text, t.Tools)
		t.calls = append(t.calls, calls...)
		t.called = t.called || len(calls) > 0
	case !b.call:
		t.release()
	}
}

// release releases what was held back: a thought had its beginning after all.
func (t *Text) release() {
	if t.Held {
		t.Held = false
		after := t.out.String()
		t.out.Reset()
		t.out.WriteString(t.held.String() + after)
	}
}

func (b *block) keep(text string) {
	if b.text.Len()+len(text) <= maxKept {
		b.text.WriteString(text)
	} else if b.text.Len() <= maxKept {
		b.text.Reset() // half of it cannot be read
		b.text.WriteString(strings.Repeat(" ", maxKept+1))
	}
}

// findEnd finds where a block ends in the text that follows. Without an end, n is how
// much is certainly inside.
func (b *block) findEnd(text string, final bool) (n int, m mark, found bool) {
	if b.brackets != nil {
		n, found = b.brackets.findEnd(text)
		return n, mark{}, found
	}
	n, longest := -1, 1
	for _, one := range b.ends {
		longest = max(longest, len(one.text))
		if at := indexFold(text, one.text); at >= 0 && (n < 0 || at < n) {
			n, m, found = at, one, true
		}
	}
	if found {
		return n, m, true
	}
	if final {
		return len(text), m, false
	}
	return max(0, len(text)-longest+1), m, false
}

// brackets follows brackets until the first is closed, with the texts in quotes
// between them.
type brackets struct {
	depth   int
	quote   byte // 0 outside of quotes
	escaped bool
	before  byte // the last byte that was no space
}

func (b *brackets) findEnd(text string) (n int, found bool) {
	for i := range len(text) {
		c := text[i]
		switch {
		case b.escaped:
			b.escaped = false
		case b.quote != 0:
			b.escaped = c == '\\'
			if c == b.quote {
				b.quote = 0
			}
		case c == '"' || c == '\'' && strings.IndexByte("({[,:=", b.before) >= 0:
			b.quote = c
		case strings.IndexByte("({[", c) >= 0:
			b.depth++
		case strings.IndexByte(")}]", c) >= 0:
			if b.depth--; b.depth <= 0 {
				return i + 1, true
			}
		}
		if c > ' ' {
			b.before = c
		}
	}
	return len(text), false
}

// indexFold finds an ASCII word whatever its case.
func indexFold(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i] == word[0] && strings.EqualFold(s[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
