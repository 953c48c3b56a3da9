package intent

import (
	"encoding/binary"
	"slices"
	"strings"

	"voicegateway/internal/language/template"
)

// clause is a set of things, at least one of which a sentence needs. Pieces of
// words are given by their number n, lists by -n-1.
type clause []int32

// clauseSet holds each clause once: many sentences begin with the same verbs.
type clauseSet struct {
	all   []clause
	known map[string]int32
}

// numbers returns the numbers of clauses, new ones for new clauses.
func (s *clauseSet) numbers(clauses []clause) []int32 {
	out := make([]int32, 0, len(clauses))
	var key []byte
	for _, one := range clauses {
		key = key[:0]
		for _, id := range one {
			key = binary.AppendVarint(key, int64(id))
		}
		number, known := s.known[string(key)]
		if !known {
			if s.known == nil {
				s.known = make(map[string]int32)
			}
			number = int32(len(s.all))
			s.known[string(key)] = number
			s.all = append(s.all, one)
		}
		out = append(out, number)
	}
	return out
}

// demandsOf returns the pieces of text and the lists that a template demands: every clause
// must be met. Testing them once per utterance spares most sentences the
// matching. A piece need not be a whole word, because letters may touch a list.
func (c *compiler) demandsOf(n *template.Node, pieces *growingTrie) []clause {
	var out []clause
	switch n.Kind {
	case template.Text:
		for piece := range strings.FieldsSeq(c.pack.fold(n.Text)) {
			out = append(out, clause{pieces.number(piece)})
		}
	case template.Sequence, template.Shuffle:
		for _, item := range n.Items {
			out = append(out, c.demandsOf(item, pieces)...)
		}
	case template.Choice:
		return c.commonDemand(n.Items, pieces)
	case template.List:
		if l, op, err := c.findList(n.Name); err == nil && op != opWild && (op != opNumber || c.pack.Exact) {
			out = []clause{{-1 - l.number(op)}}
		}
	case template.Rule:
		if body, err := c.rule(n.Name); err == nil {
			return c.demandsOf(body, pieces)
		}
	case template.Range:
	}
	return out
}

// commonDemand returns what every one of several templates demands: one thing out of
// each.
func (c *compiler) commonDemand(items []*template.Node, pieces *growingTrie) []clause {
	var union clause
	for _, item := range items {
		inner := c.demandsOf(item, pieces)
		if len(inner) == 0 {
			return nil
		}
		union = append(union, slices.MinFunc(inner, c.sharper)...)
	}
	slices.Sort(union)
	return []clause{slices.Compact(union)}
}

// number returns the number of a list among all lists.
func (l *list) number(op opcode) int32 {
	switch op {
	case opName:
		return nameList
	case opArea:
		return areaList
	case opFloor:
		return floorList
	case opEnd, opText, opChoice, opValue, opNumber, opWild:
	}
	return l.id
}

// sharper orders clauses by how many sentences they promise to exclude: text
// before lists, because lists take time to ask, and few pieces before many.
func (c *compiler) sharper(a, b clause) int {
	cost := func(x clause) int {
		n := len(x)
		for _, id := range x {
			if id < 0 {
				n += 1000
			}
		}
		return n
	}
	return cost(a) - cost(b)
}

// demandIndex finds sentences by the first of their clauses, the sharpest one, so that
// most sentences are never looked at. The sentences are given by their numbers.
type demandIndex struct {
	byPiece, byList [][]int32 // those whose first clause a piece or a list meets
	free            []int32   // those that no demand excludes
}

// indexDemands makes the index. In a language without spaces a skip word may stand inside
// a text that a sentence demands, so that no demand excludes one.
func (p *program) indexDemands(pieces int32, spaces bool) demandIndex {
	x := demandIndex{byPiece: make([][]int32, pieces), byList: make([][]int32, len(p.all))}
	for i := range p.sentences {
		demanded := p.sentences[i].clauses
		if len(demanded) == 0 || !spaces {
			x.free = append(x.free, int32(i))
			continue
		}
		for _, id := range p.clauses[demanded[0]] {
			by := x.byPiece
			if id < 0 {
				by, id = x.byList, -1-id
			}
			by[id] = append(by[id], int32(i))
		}
	}
	return x
}

// presence says which pieces and lists occur in one text, and which clauses it meets.
type presence struct {
	m       *Matcher
	text    string
	open    bool // names and areas may be any words, known or not
	pieces  []bool
	lists   []answer
	clauses []answer
}

// answer is what is known about a list or a clause.
type answer uint8

const (
	unasked answer = iota
	present
	absent
)

func newPresence(m *Matcher, text string, open bool) *presence {
	p := &presence{m: m, text: text, open: open, pieces: make([]bool, len(m.demands.byPiece))}
	answers := make([]answer, len(m.all)+len(m.clauses))
	p.lists, p.clauses = answers[:len(m.all)], answers[len(m.all):]
	t := &m.pieces
	for from := range len(text) {
		at := t.start(text[from])
		for i := from + 1; at >= 0; i++ {
			for _, id := range t.endingAt(at) {
				p.pieces[id] = true
			}
			if i == len(text) {
				break
			}
			at = t.follow(at, text[i])
		}
	}
	return p
}

// findDemands lists the sentences whose first clause the text meets, in the order of the
// pack, a bit for each.
func (p *presence) findDemands() []uint64 {
	bits := make([]uint64, (len(p.m.sentences)+63)/64)
	mark := func(sentences []int32) {
		for _, i := range sentences {
			bits[i/64] |= 1 << (i % 64)
		}
	}
	x := &p.m.demands
	mark(x.free)
	for id, there := range p.pieces {
		if there {
			mark(x.byPiece[id])
		}
	}
	for id, sentences := range x.byList {
		if len(sentences) > 0 && p.has(int32(-1-id)) {
			mark(sentences)
		}
	}
	return bits
}

// met reports whether the text satisfies every clause.
func (p *presence) met(clauses []int32) bool {
	for _, number := range clauses {
		a := &p.clauses[number]
		if *a == unasked {
			*a = absent
			if slices.ContainsFunc(p.m.clauses[number], p.has) {
				*a = present
			}
		}
		if *a == absent {
			return false
		}
	}
	return true
}

func (p *presence) has(id int32) bool {
	if id >= 0 {
		return p.pieces[id]
	}
	a := &p.lists[-1-id]
	if *a == unasked {
		*a = absent
		if p.holds(-1 - id) {
			*a = present
		}
	}
	return *a == present
}

func (p *presence) holds(id int32) bool {
	var l *list
	switch id {
	case nameList:
		l = p.m.lists.name
	case areaList:
		l = p.m.lists.area
	case floorList:
		l = p.m.lists.floor
	default:
		l = p.m.all[id]
	}
	if p.open && (id == nameList || id == areaList) || l.digits && strings.ContainsAny(p.text, "0123456789") {
		return true
	}
	return l.trie.within(p.text)
}
