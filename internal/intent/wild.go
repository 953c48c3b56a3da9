package intent

import (
	"strings"
	"unicode/utf8"
)

// closeAtText ends free text at each place where the text of a step begins. If
// the template has a space behind the free text, the first of these places must
// be the start of a word. In our own packs every one must, because the "o" at the
// end of "oscuro" is not the word "o".
func (r *run) closeAtText(n int32, at place) {
	i := &r.m.insts[n]
	want := r.m.textOf(i)
	if at.start {
		want = want[i.indent:]
	}
	from := r.skip(at)
	text := r.view(at)
	apart := r.current.captures[r.current.n-1].at.wordEnd
	pos := r.firstAt(text, want, from, apart)
	if pos == from {
		pos = r.firstAt(text, want, from+1, apart)
	}
	for pos > from {
		if *r.steps--; *r.steps < 0 {
			return
		}
		r.closeAt(n, from, place{pos: pos, start: true, broken: at.broken})
		pos = r.firstAt(text, want, pos+1, apart && !r.m.pack.Exact)
	}
}

// closeAt continues with step n after the free text from..to.
func (r *run) closeAt(n int32, from int, to place) {
	c := &r.current.captures[r.current.n-1]
	text := strings.TrimSpace(r.text[from:to.pos])
	if text == "" {
		return
	}
	start, end := c.start, c.end
	c.start = from + strings.Index(r.text[from:to.pos], text)
	c.end = c.start + len(text)
	r.exec(n, to)
	c = &r.current.captures[r.current.n-1]
	c.start, c.end = start, end
}

// firstAt returns the place of want at or after from; -1 if it is not there.
func (r *run) firstAt(text, want string, from int, wordStart bool) int {
	for pos := from; pos < len(text); pos++ {
		n := strings.Index(text[pos:], want)
		if n < 0 {
			return -1
		}
		if pos += n; !wordStart || startsWord(text, pos, from) {
			return pos
		}
	}
	return -1
}

// startsWord reports whether a word may start at pos; the place where the search began
// counts as one.
func startsWord(text string, pos, from int) bool {
	after, _ := utf8.DecodeRuneInString(text[pos:])
	before, _ := utf8.DecodeLastRuneInString(text[:pos])
	return isWord(after) != (pos > from && isWord(before))
}

// closeAtList ends free text wherever a value of the list may begin.
func (r *run) closeAtList(n int32, i listStep, at place) {
	from := r.skip(at)
	text := r.view(at)
	for pos := from + 1; pos < len(text); pos++ {
		if *r.steps--; *r.steps < 0 {
			return
		}
		if !at.broken && !r.isEdge(pos) || !r.mayBegin(i, text, pos, from) {
			continue
		}
		to := place{pos: pos, start: at.start, broken: at.broken}
		if i.op == opNumber && isDigit(text[pos]) && pos > from+1 && text[pos-1] == '-' {
			to.pos--
		}
		r.closeAt(n, from, to)
	}
}

// mayBegin reports whether a value of the list may begin at a place. In an exact
// pack a number may begin within a word, as the template language allows.
func (r *run) mayBegin(i listStep, text string, pos, from int) bool {
	wordEnd := r.current.captures[r.current.n-1].at.wordEnd && i.op != opNumber
	switch {
	case !utf8.RuneStart(text[pos]) || text[pos] == ' ':
		return false
	case i.op == opNumber && isDigit(text[pos]):
		return !isDigit(text[pos-1])
	case (wordEnd || !r.m.pack.Exact) && !startsWord(text, pos, from):
		return false
	}
	return !r.m.pack.Exact || r.m.lists.of(i.gap).trie.begins(text[pos])
}

// isEdge reports whether mayBegin may be true at a place of the text that is not its first. It
// only looks once at every place, because many sentences ask.
func (r *run) isEdge(pos int) bool {
	if r.m.pack.Exact || pos >= 64*len(r.edges) {
		return true
	}
	if !r.edged {
		r.edged, r.edges = true, [4]uint64{}
		for pos := 1; pos < min(len(r.text), 64*len(r.edges)); pos++ {
			if startsWord(r.text, pos, 0) || isDigit(r.text[pos]) && !isDigit(r.text[pos-1]) {
				r.edges[pos/64] |= 1 << (pos % 64)
			}
		}
	}
	return r.edges[pos/64]&(1<<(pos%64)) != 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
