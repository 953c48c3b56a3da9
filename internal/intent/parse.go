package intent

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxCaptures is how many list values one sentence may hold.
const maxCaptures = 8

// maxTies is how many equally good unknown-name parses are kept, because the
// same words may fit blocks for different kinds of devices.
const maxTies = 16

// capture is one list value that matched.
type capture struct {
	at         *gap
	start, end int
	value      int32   // index in the list: text value, area or floor
	number     float64 // opNumber
	items      []int32 // opName: entities of that name
	pronoun    bool    // opName: a word that stands for the items
	unknown    bool    // the words stand in the place of a name that the house does not have
}

// parse is one way to read the whole text.
type parse struct {
	block    *block
	text     string // lower case
	raw      string // as written
	captures [maxCaptures]capture
	n        int
	literal  int // letters matched as text of the template
	name     int // letters of a known name
	wild     int // free texts and unknown names
	wildText int // letters in them
	unknown  bool
}

// begin empties a parse for a text and a block. The captures of the one before are left:
// only the first n count.
func (p *parse) begin(b *block, text, raw string) {
	p.block, p.text, p.raw = b, text, raw
	p.n, p.literal, p.name, p.wild, p.wildText, p.unknown = 0, 0, 0, 0, 0, false
}

// accept keeps the parse unless an earlier one was better.
func (r *run) accept() {
	p := &r.current
	if r.refuses(p) {
		return
	}
	if !r.m.pack.Exact && !r.open && !r.placed(p) {
		if r.misplaced == nil {
			wrong := *p
			r.misplaced = &wrong
		}
		return
	}
	p.count()
	if !r.m.pack.Exact && p.name > 0 && r.m.onlyPlural(p) {
		p.name = -1
	}
	r.fits++
	if r.open {
		r.keep(p)
		return
	}
	if len(r.best) == 0 || p.better(&r.best[0]) {
		r.best = append(r.best[:0], *p)
	}
}

// refuses reports whether a parse lacks what its sentence requires, or has a free text that
// is too long.
func (r *run) refuses(p *parse) bool {
	return !r.open && !r.satisfied(p) || r.pronouns && p.pronoun() == "" || p.rambles()
}

// keep collects those readings of a text with an unknown name that leave the least of the
// text unexplained. Only the names of the house can decide which of them is right.
func (r *run) keep(p *parse) {
	if len(r.best) > 0 && p.wild < r.best[0].wild {
		r.best = r.best[:0]
	}
	switch {
	case p.saysIs(r.m.pack.Texts["is"]):
	case len(r.best) == maxTies || len(r.best) > 0 && p.wild > r.best[0].wild:
	case slices.ContainsFunc(r.best, func(q parse) bool { return q.sameGuess(p) }):
	default:
		r.best = append(r.best, *p)
	}
}

// count fills the figures that parses are ranked by. A name counts only in the
// slot "name".
func (p *parse) count() {
	p.name, p.wild, p.wildText = 0, 0, 0
	if _, fixed := p.block.Slots["name"]; fixed {
		p.name = 1
	}
	for i := range p.n {
		c := &p.captures[i]
		letters := utf8.RuneCountInString(p.text[c.start:c.end])
		switch {
		case c.unknown, c.at.op == opWild:
			p.wild++
			p.wildText += letters
		case c.at.slot == "name":
			p.name = max(p.name, 1+letters)
		}
	}
}

// placed reports whether the named thing is in the named area. It is true if the sentence
// names only one of them or neither.
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
		if r.m.allowed[p.block.order][e] && r.m.house.Entities[e].In(r.m.areas[area.value]) {
			return true
		}
	}
	return false
}

// rambles reports whether a free text has more words than its list allows, so that it has
// swallowed the rest of a sentence: "tokyo when it is noon in berlin" is no place.
func (p *parse) rambles() bool {
	for i := range p.n {
		c := &p.captures[i]
		if c.at.op == opWild && c.at.list != nil && len(strings.Fields(p.text[c.start:c.end])) > c.at.list.words {
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

// better ranks as hassil does: the user's own sentences first, then a known name and the longest of them, then
// fewer open ends, more letters of the template, less free text. Equal parses
// keep file order.
func (p *parse) better(q *parse) bool {
	switch {
	case p.block.Custom != q.block.Custom:
		return p.block.Custom
	case p.name != q.name:
		return p.name > q.name
	case p.wild != q.wild:
		return p.wild < q.wild
	case p.literal != q.literal:
		return p.literal > q.literal
	}
	return p.wildText < q.wildText
}

// fixedWords are the words of the sentence itself, without the names and free texts in
// it.
func (p *parse) fixedWords() string {
	var b strings.Builder
	from := 0
	for i := range p.n {
		c := &p.captures[i]
		if c.at.op == opName || c.at.op == opArea || c.at.op == opWild {
			b.WriteString(p.text[from:max(from, c.start)] + " ")
			from = max(from, c.end)
		}
	}
	b.WriteString(p.text[from:])
	return b.String()
}
