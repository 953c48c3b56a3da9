package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/intent/numbers"
)

// maxCaptures is how many list values one sentence may hold.
const maxCaptures = 8

// maxTies is how many equally good unknown-name parses are kept, because the
// same words may fit blocks for different kinds of devices.
const maxTies = 8

// capture is one list value that matched.
type capture struct {
	at         *inst
	start, end int
	value      int32   // index in the list: text value, area or floor
	number     float64 // opNumber
	items      []int32 // opName: entities of that name
	unknown    bool    // the words fit the place but the house has no such name
}

// parse is one way to read the whole text.
type parse struct {
	block    *block
	text     string
	captures [maxCaptures]capture
	n        int
	literal  int // letters matched as text of the template
	name     int // letters of a known name
	wild     int // open ends
	wildText int // letters in them
	unknown  bool
}

// run is one search through all sentences.
type run struct {
	m       *Matcher
	text    string
	area    string
	open    bool // unknown names are allowed
	present []bool
	steps   *int
	current parse
	best    []parse // equally good ones in file order; only the first unless open

	misplaced *parse // all fits, but the named thing is not in the named area
}

func (m *Matcher) newRun(text, area string, steps *int, open bool) *run {
	r := &run{m: m, text: text, area: area, open: open, steps: steps, present: make([]bool, len(m.ids))}
	for word := range strings.FieldsSeq(text) {
		r.mark(word)
		if strings.ContainsAny(word, "-_") {
			for part := range strings.FieldsFuncSeq(word, func(c rune) bool { return c == '-' || c == '_' }) {
				r.mark(part)
			}
		}
	}
	return r
}

func (r *run) mark(word string) {
	if id, ok := r.m.ids[word]; ok {
		r.present[id] = true
	}
}

func (r *run) found() bool { return len(r.best) > 0 }

// search tries every sentence and reports whether one fits.
func (r *run) search() bool {
	for i := range r.m.sentences {
		s := &r.m.sentences[i]
		if r.open && (!s.names || s.block.Meta.Closed) || s.block.NeedsArea && r.area == "" || !met(s.clauses, r.present) {
			continue
		}
		r.current = parse{block: s.block, text: r.text}
		r.exec(s.start, 0)
		if *r.steps < 0 {
			break
		}
	}
	return r.found()
}

// exec follows one path from step i at byte pos and returns when all its
// continuations are tried.
func (r *run) exec(i *inst, pos int) {
	literal := r.current.literal
	r.follow(i, pos)
	r.current.literal = literal
}

func (r *run) follow(i *inst, pos int) {
	for {
		if *r.steps--; *r.steps < 0 {
			return
		}
		switch i.op {
		case opEnd:
			if pos == len(r.text) || r.text[pos] == ' ' && pos+1 == len(r.text) {
				r.accept()
			}
			return
		case opText:
			if !strings.HasPrefix(r.text[pos:], i.text) {
				return
			}
			pos += len(i.text)
			r.current.literal += len(i.text)
		case opSpace:
			var ok bool
			if pos, ok = r.space(pos); !ok {
				return
			}
		case opChoice:
			for _, alt := range i.alts {
				r.exec(alt, pos)
			}
			return
		default:
			r.list(i, pos)
			return
		}
		i = i.next
	}
}

// space passes a border between words: the start, the end, or a space.
func (r *run) space(pos int) (int, bool) {
	switch {
	case pos == 0 || pos == len(r.text) || r.text[pos-1] == ' ':
		return pos, true
	case r.text[pos] == ' ' || r.text[pos] == '-' || r.text[pos] == '_':
		return pos + 1, true
	}
	return pos, false
}

// list tries every value of a list at pos.
func (r *run) list(i *inst, pos int) {
	if pos < len(r.text) && r.text[pos] == ' ' && (pos == 0 || r.text[pos-1] == ' ') {
		pos++
	}
	if pos >= len(r.text) || r.current.n == maxCaptures {
		return
	}
	if i.op == opWild {
		r.words(i, pos, len(r.text), false)
		return
	}
	if i.op == opNumber && r.digits(i, pos) {
		return
	}
	r.walk(i, pos)
	if r.open && !r.current.unknown && (i.op == opName || i.op == opArea) {
		r.words(i, pos, 4, true)
	}
}

// walk follows the list's trie and goes on after every entry on the way.
func (r *run) walk(i *inst, pos int) {
	t := &i.list.trie
	if len(t.nodes) == 0 {
		return
	}
	at := int32(0)
	for end := pos; end < len(r.text); end++ {
		if at = t.step(at, r.text[end]); at < 0 {
			return
		}
		values := t.nodes[at].values
		switch {
		case len(values) == 0:
		case i.op == opName:
			if r.allowed(values) {
				r.with(capture{at: i, start: pos, end: end + 1, items: values})
			}
		case i.op == opNumber:
			for _, v := range values {
				r.with(capture{at: i, start: pos, end: end + 1, number: i.list.numbers[v] * i.list.multiply})
			}
		default:
			for _, v := range values {
				r.with(capture{at: i, start: pos, end: end + 1, value: v})
			}
		}
	}
}

func (r *run) allowed(entities []int32) bool {
	for _, e := range entities {
		if r.current.block.allowed[e] {
			return true
		}
	}
	return false
}

// digits handles a number written in digits; then no words are tried.
func (r *run) digits(i *inst, pos int) bool {
	if !i.list.digits {
		return false
	}
	value, n := numbers.Digits(r.text[pos:], i.list.fraction)
	if n == 0 {
		return false
	}
	if i.list.span.Holds(value) {
		r.with(capture{at: i, start: pos, end: pos + n, number: value * i.list.multiply})
	}
	return true
}

// words tries up to most whole words from pos as free text or unknown name.
func (r *run) words(i *inst, pos, most int, unknown bool) {
	start := pos
	for n := 0; n < most && pos < len(r.text); n++ {
		end := strings.IndexByte(r.text[pos:], ' ')
		if end < 0 {
			end = len(r.text)
		} else {
			end += pos
		}
		word := r.text[pos:end]
		if unknown && (r.m.notNames[word] || n == 0 && articles[word]) {
			return
		}
		r.current.unknown = r.current.unknown || unknown
		r.with(capture{at: i, start: start, end: end, unknown: unknown})
		if unknown {
			r.current.unknown = false
		}
		pos = end + 1
	}
}

// articles cannot begin a name.
var articles = map[string]bool{"the": true, "my": true, "our": true, "a": true, "an": true, "this": true, "these": true, "those": true}

// with goes on with one more list value and takes it back afterwards.
func (r *run) with(c capture) {
	r.current.captures[r.current.n] = c
	r.current.n++
	r.exec(c.at.next, c.end)
	r.current.n--
}

// accept keeps the parse if none before it was better.
func (r *run) accept() {
	p := &r.current
	if !r.open && !r.placed(p) {
		if r.misplaced == nil {
			wrong := *p
			r.misplaced = &wrong
		}
		return
	}
	p.name, p.wild, p.wildText = 0, 0, 0
	for i := range p.n {
		c := &p.captures[i]
		switch {
		case c.unknown, c.at.op == opWild:
			p.wild++
			p.wildText += c.end - c.start
		case c.at.op == opName:
			p.name = max(p.name, c.end-c.start)
		}
	}
	if len(r.best) == 0 || p.better(&r.best[0]) {
		r.best = append(r.best[:0], *p)
		return
	}
	if r.open && len(r.best) < maxTies && !r.best[0].better(p) {
		r.best = append(r.best, *p)
	}
}

// placed reports whether the named thing stands in the named area; without both
// it does.
func (r *run) placed(p *parse) bool {
	var name, area *capture
	for i := range p.n {
		c := &p.captures[i]
		if c.at.op == opName {
			name = c
		}
		if c.at.op == opArea {
			area = c
		}
	}
	if name == nil || area == nil {
		return true
	}
	for _, e := range name.items {
		if p.block.allowed[e] && r.m.house.Entities[e].In(r.m.areas[area.value]) {
			return true
		}
	}
	return false
}

// span is the text from the first capture of these kinds to the last.
func (p *parse) span(ops ...opcode) string {
	start, end := len(p.text), 0
	for i := range p.n {
		if c := &p.captures[i]; slices.Contains(ops, c.at.op) {
			start, end = min(start, c.start), max(end, c.end)
		}
	}
	return p.text[min(start, end):end]
}

// names is the text from the first name or area to the last.
func (p *parse) names() string { return p.span(opName, opArea) }

// better ranks as hassil does: a known name first and the longest of them, then
// fewer open ends, more letters of the template, less free text. Equal parses
// keep file order.
func (p *parse) better(q *parse) bool {
	switch {
	case p.name != q.name:
		return p.name > q.name
	case p.wild != q.wild:
		return p.wild < q.wild
	case p.literal != q.literal:
		return p.literal > q.literal
	}
	return p.wildText < q.wildText
}
