package intent

import (
	"iter"
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"

	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
)

// run is one search through all sentences.
type run struct {
	m        *Matcher
	text     string // lower case, with a space at its end
	raw      string // as written
	broken   string // text with hyphens as spaces; empty if it has none
	area     string
	open     bool // unknown names are allowed
	presence *presence
	steps    *int
	fits     int // parses accepted so far
	current  parse
	best     []parse // equally good ones in file order; only the first unless open

	short    bool    // only sentences that need one before them; otherwise only the others
	pronouns bool    // a name is only a pronoun, and there must be one
	things   []int32 // what pronouns stand for

	misplaced *parse // everything fits, but the named thing is not in the named area

	counts     *numbers.Language // of the numbers that were looked for
	numberless [4]uint64         // the first places of the text at which no number can begin, as bits
	heard      []heard           // the numbers that were found at other places
	edges      [4]uint64         // the first places of the text at which a word or a number may begin or end, as bits
	edged      bool              // edges is filled in
}

// heard is what was read at one place of the text as a number of one range. Many sentences
// look for the same number at the same place.
type heard struct {
	pos      int
	span     numbers.Range
	readings []numbers.Reading
}

// mostHeard bounds what is noted of a text full of numbers.
const mostHeard = 32

// place is where a search stands in the text.
type place struct {
	pos    int
	start  bool // spaces may be skipped on both sides
	broken bool // hyphens count as spaces from here on
	wild   bool // the last capture is free text that has not found its end
}

func (m *Matcher) newRun(text, area string, steps *int, open bool) *run {
	r := &run{m: m, area: area, open: open, steps: steps}
	r.set(text, text)
	r.presence = newPresence(m, r.text, open)
	return r
}

// set exchanges the text: in lower case and as it was written.
func (r *run) set(text, raw string) {
	r.text, r.raw, r.broken, r.numberless, r.heard, r.edged = text, raw, "", [4]uint64{}, nil, false
	if !r.m.pack.IgnoreSpace {
		r.text += " "
	}
	if strings.ContainsAny(text, "-_") {
		r.broken = breaker.Replace(r.text)
	}
}

var breaker = strings.NewReplacer("-", " ", "_", " ")

func (r *run) found() bool { return len(r.best) > 0 }

// search tries every sentence and reports whether one fits.
func (r *run) search() bool {
	for s := range r.candidates() {
		if s.block.Meta.After != r.short || r.open && (!s.names || s.block.Meta.Closed) || !r.possible(s) {
			continue
		}
		r.try(s)
		if *r.steps < 0 {
			break
		}
	}
	return r.found()
}

// candidates are the sentences that a look at the text does not exclude, in the order
// of the pack.
func (r *run) candidates() iter.Seq[*sentence] {
	return func(yield func(*sentence) bool) {
		for word, left := range r.presence.findDemands() {
			for ; left != 0; left &= left - 1 {
				if !yield(&r.m.sentences[word*64+bits.TrailingZeros64(left)]) {
					return
				}
			}
		}
	}
}

// possible reports whether a candidate may fit at all.
func (r *run) possible(s *sentence) bool {
	return !r.m.barred[s.block.order] && (!s.block.NeedsArea || r.area != "") && (r.m.pack.IgnoreSpace || r.presence.met(s.clauses))
}

// try matches one sentence with the whole text.
func (r *run) try(s *sentence) {
	r.current.begin(s.block, r.text, r.raw)
	r.exec(s.start, place{start: true})
}

// exec follows one path from step i and returns when all its continuations are
// tried.
func (r *run) exec(n int32, at place) {
	literal := r.current.literal
	r.follow(n, at)
	r.current.literal = literal
}

func (r *run) follow(n int32, at place) {
	for {
		if *r.steps--; *r.steps < 0 {
			return
		}
		i := &r.m.insts[n]
		switch i.op {
		case opEnd:
			r.acceptPath(at)
			return
		case opText:
			if at.wild {
				if i.letters > 0 {
					r.closeAtText(n, at)
					return
				}
				at.pos, at.start = r.skip(at), true
				break
			}
			var ok bool
			if at, ok = r.letters(i, at); !ok {
				return
			}
		case opChoice:
			for _, alt := range r.m.altsOf(i) {
				if r.misses(&r.m.insts[alt], at) {
					*r.steps--
					continue
				}
				r.exec(alt, at)
			}
			return
		default:
			r.list(n, at)
			return
		}
		n = i.next
	}
}

// view returns the text as the path sees it: with or without hyphens.
func (r *run) view(at place) string {
	if at.broken {
		return r.broken
	}
	return r.text
}

// skip returns the place after spaces, if they may be skipped.
func (r *run) skip(at place) int {
	if text := r.view(at); at.start {
		for at.pos < len(text) && text[at.pos] == ' ' {
			at.pos++
			*r.steps-- // each costs a step, because a row of hyphens can be as long as the text
		}
	}
	return at.pos
}

// letters passes the text of one step. If it does not fit, hyphens are read as
// spaces; such a match does not count for the ranking.
func (r *run) letters(i *inst, at place) (place, bool) {
	want := r.m.textOf(i)
	if at.start {
		want = want[i.indent:]
	}
	pos := r.skip(at)
	text := r.view(at)
	switch {
	case strings.HasPrefix(text[pos:], want):
		at.pos, at.start = pos+len(want), want == "" || want[len(want)-1] == ' '
		r.current.literal += int(i.letters)
		return at, true
	case i.letters == 0 && strings.TrimLeft(text[pos:], " ") == "":
		return at, true // the text is used up: no space is needed behind it
	case r.broken == "" || at.broken:
		return at, false
	}
	at.broken = true
	if pos = r.skip(at); !strings.HasPrefix(r.broken[pos:], want) {
		return at, false
	}
	at.pos = pos + len(want)
	return at, true
}

// misses reports whether the text of a step does not stand at a place, as its first letter
// tells: most alternatives end here.
func (r *run) misses(i *inst, at place) bool {
	if i.op != opText || i.letters == 0 || at.wild || r.broken != "" {
		return false
	}
	want := i.at
	if at.start {
		want += uint32(i.indent)
		if at.pos < len(r.text) && r.text[at.pos] == ' ' {
			return false
		}
	}
	return at.pos >= len(r.text) || r.text[at.pos] != r.m.text[want]
}

// acceptPath accepts a path that has used up the text.
func (r *run) acceptPath(at place) {
	rest := r.text[at.pos:]
	if at.wild {
		c := &r.current.captures[r.current.n-1]
		text := strings.TrimSpace(rest)
		if text == "" {
			return
		}
		c.start = at.pos + strings.Index(rest, text)
		c.end = c.start + len(text)
		r.accept()
		c.end = c.start
		return
	}
	if strings.Trim(rest, marks+" ") == "" {
		r.accept()
	}
}

// list tries every value of a list.
func (r *run) list(n int32, at place) {
	if at.pos >= len(r.text) || r.current.n == maxCaptures {
		return
	}
	i := listStep{gap: &r.m.gaps[r.m.insts[n].at], next: r.m.insts[n].next}
	if i.op == opWild {
		if at.wild {
			return // two free texts in a row: the first would be empty
		}
		at.wild = true
		r.with(i, capture{start: at.pos, end: at.pos}, at)
		return
	}
	if at.wild {
		r.closeAtList(n, i, at)
		return
	}
	if i.op == opName && r.pronouns {
		r.pronoun(i, at)
		return
	}
	if i.op == opNumber {
		at.pos = r.skipAll(at)
		if !r.m.pack.Exact {
			r.read(i, at)
			return
		}
		if r.digits(i, at) {
			return
		}
	} else {
		at.pos = r.skip(at)
	}
	r.walk(i, at)
	if r.open && !r.current.unknown && (i.op == opName || i.op == opArea) {
		r.tryUnknown(i, at, 4)
	}
}

// listStep is a step whose text is a value of a list.
type listStep struct {
	*gap
	next int32
}

// skipAll returns the place after spaces, which never count before a number.
func (r *run) skipAll(at place) int {
	at.start = true
	return r.skip(at)
}

// walk follows the list's trie and continues after every entry on the way.
func (r *run) walk(i listStep, at place) {
	t := &r.m.lists.of(i.gap).trie
	if t.empty() {
		return
	}
	text, node, broken := r.view(at), int32(0), at.broken
	for end := at.pos; end < len(text); end++ {
		to := t.follow(node, text[end])
		if to < 0 && (text[end] == '-' || text[end] == '_') {
			to, broken = t.follow(node, ' '), true
		}
		if node = to; node < 0 {
			return
		}
		if values := t.endingAt(node); len(values) > 0 {
			r.values(i, at, r.after(i, at, end+1, broken), values)
		}
	}
}

// after is the place behind a list value that ends at end.
func (r *run) after(i listStep, at place, end int, broken bool) place {
	to := place{pos: end, start: at.start, broken: broken}
	switch {
	case i.op == opNumber:
		to.start = false // the words of a number count as text, and that text ended here
	case !r.m.pack.Exact && end < len(r.text) && strings.IndexByte(" -_", r.text[end]) < 0:
		to.start = false // our own sentences never end a name within a word
	}
	return to
}

// values continues with every value that ends at one place.
func (r *run) values(i listStep, from, to place, values []int32) {
	c := capture{start: from.pos, end: to.pos}
	switch i.op {
	case opName:
		if r.allowed(values) {
			c.items = values
			r.with(i, c, to)
		}
	case opNumber:
		literal := r.current.literal
		r.current.literal += utf8.RuneCountInString(r.text[from.pos:to.pos])
		for _, v := range values {
			c.number = i.list.numbers[v] * i.list.multiply
			r.with(i, c, to)
		}
		r.current.literal = literal
	default:
		for _, v := range values {
			if i.op == opValue && clashes(r.current.block.Context, i.list.context(v)) {
				continue
			}
			c.value = v
			r.with(i, c, to)
		}
	}
}

func (r *run) allowed(entities []int32) bool {
	for _, e := range entities {
		if r.m.allowed[r.current.block.order][e] {
			return true
		}
	}
	return false
}

// read tries every number that people would hear at this place.
func (r *run) read(i listStep, at place) {
	text := r.view(at)
	for _, n := range r.hear(i.list, at, text) {
		to := at
		to.pos += n.Length
		if !isDigit(text[at.pos]) {
			to.start = false // words of a number are text, and they ended here
		}
		r.with(i, capture{start: at.pos, end: to.pos, number: n.Value * i.list.multiply}, to)
	}
}

// hear returns the numbers of a list that may stand at a place of a text. It notes them for
// the usual view of the text, in the language of the first list that asks.
func (r *run) hear(l *list, at place, text string) []numbers.Reading {
	if r.counts == nil {
		r.counts = l.lang
	}
	if at.broken || r.counts != l.lang {
		return l.lang.Read(nil, text[at.pos:], r.m.spanOf(l))
	}
	if r.isNumberless(at.pos) {
		return nil
	}
	span := r.m.spanOf(l)
	for i := range r.heard {
		if h := &r.heard[i]; h.pos == at.pos && h.span == span {
			return h.readings
		}
	}
	if !l.lang.Begins(text[at.pos:]) {
		if at.pos < 64*len(r.numberless) {
			r.numberless[at.pos/64] |= 1 << (at.pos % 64)
		}
		return nil
	}
	readings := l.lang.Read(nil, text[at.pos:], span)
	if len(r.heard) < mostHeard {
		r.heard = append(r.heard, heard{at.pos, span, readings})
	}
	return readings
}

// isNumberless reports whether it is known that no number begins at a place of the text, in the
// language of the first list that asked.
func (r *run) isNumberless(pos int) bool {
	return pos < 64*len(r.numberless) && r.numberless[pos/64]&(1<<(pos%64)) != 0
}

// digits handles a number written in digits; then no words are tried.
func (r *run) digits(i listStep, at place) bool {
	value, n := numbers.Digits(r.text[at.pos:], i.list.fraction)
	if n == 0 {
		return false
	}
	if i.list.digits && i.list.span.Holds(value) {
		to := at
		to.pos += n
		r.with(i, capture{start: at.pos, end: to.pos, number: value * i.list.multiply}, to)
	}
	return true
}

// tryUnknown tries up to most whole words as an unknown name.
func (r *run) tryUnknown(i listStep, at place, most int) {
	start, pos := at.pos, at.pos
	for n := 0; n < most && pos < len(r.text); n++ {
		end := pos + strings.IndexByte(r.text[pos:], ' ')
		if end < pos {
			end = len(r.text)
		}
		word := r.text[pos:end]
		if r.m.notNames[word] || n == 0 && notFirst()[word] {
			return
		}
		r.current.unknown = true
		at.pos = end
		r.with(i, capture{start: start, end: end, unknown: true}, at)
		r.current.unknown = false
		pos = end + 1
	}
}

// notFirst are the words of all our languages that cannot begin a name.
var notFirst = sync.OnceValue(func() map[string]bool {
	var all sentences.List
	for _, w := range sentences.EveryWords() {
		all = append(all, w.Names.NotFirst...)
	}
	return all.Set()
})

// with continues with one more list value, and removes it afterwards.
func (r *run) with(i listStep, c capture, at place) {
	c.at = i.gap
	r.current.captures[r.current.n] = c
	r.current.n++
	r.exec(i.next, at)
	r.current.n--
}
