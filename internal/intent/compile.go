package intent

import (
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/intent/numbers"
	"voicegateway/internal/intent/template"
)

// opcode is one step of a compiled sentence.
type opcode uint8

const (
	opEnd    opcode = iota // all text must be used up
	opText                 // these very letters
	opSpace                // a border between words
	opChoice               // try each of alts
	opName                 // a name of the house
	opArea                 // an area of the house
	opFloor                // a floor of the house
	opValue                // a value of a text list
	opNumber               // a number of a range
	opWild                 // any words
)

// inst is one step and what comes after it. Shared ends make it a graph.
type inst struct {
	op    opcode
	text  string
	list  *list
	slot  string // "" when the value is captured for the reply only
	alts  []*inst
	next  *inst
	block *block // opEnd
}

// list is a list ready for matching.
type list struct {
	trie     trie
	values   []any // text lists: by value index; nil means the matched text
	numbers  []float64
	span     numbers.Range
	digits   bool
	fraction bool
	multiply float64
}

// maxInsts bounds one compiled sentence; the largest of known packs has some
// hundred steps.
const maxInsts = 20000

// compiler turns the templates of a pack into steps.
type compiler struct {
	pack  *Pack
	lists map[string]*list
	lang  *numbers.Language
	count int
	depth int
	house *houseLists
}

// houseLists are the lists a house fills.
type houseLists struct{ name, area, floor *list }

func newHouseLists(h *home.House, p *Pack) *houseLists {
	hl := &houseLists{name: &list{}, area: &list{}, floor: &list{}}
	if h == nil {
		return hl
	}
	for i := range h.Entities {
		for _, text := range EntityNames(&h.Entities[i], p) {
			hl.name.trie.add(text, int32(i))
		}
	}
	for i, name := range h.AreaNames() {
		for _, text := range AreaSpoken(h, name, p) {
			hl.area.trie.add(text, int32(i))
		}
	}
	for i, f := range h.Floors {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			for _, text := range names.Spoken(name) {
				hl.floor.trie.add(text, int32(i))
			}
		}
	}
	return hl
}

// EntityNames lists everything an entity may be called in a sentence, lower
// case, the plain name first.
func EntityNames(e *home.Entity, p *Pack) []string {
	var out []string
	add := func(texts []string) {
		for _, text := range texts {
			if text != "" && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	suffixes := ""
	switch e.Domain {
	case "lock":
		suffixes = p.Texts["lock_suffix"]
	case "cover":
		suffixes = p.Texts["cover_suffix"]
	}
	lang, _ := numbers.For(p.Language)
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		add(names.Spoken(name))
		add(names.Spoken(lang.InWords(name)))
		for suffix := range strings.FieldsSeq(suffixes) {
			if head, ok := strings.CutSuffix(strings.ToLower(name), " "+suffix); ok {
				add(names.Spoken(head))
			}
		}
	}
	return out
}

// AreaSpoken lists everything an area may be called, the plain name first.
func AreaSpoken(h *home.House, name string, p *Pack) []string {
	lang, _ := numbers.For(p.Language)
	all := []string{name}
	if a := h.Area(name); a != nil {
		all = append(all, a.Aliases...)
	}
	var out []string
	for _, n := range all {
		out = append(out, names.Spoken(n)...)
		out = append(out, names.Spoken(lang.InWords(n))...)
	}
	return out
}

func (c *compiler) compileLists() {
	c.lists = make(map[string]*list, len(c.pack.Lists))
	for name, l := range c.pack.Lists {
		out := &list{}
		switch l.Kind {
		case TextList:
			for i, v := range l.Values {
				out.values = append(out.values, v.Out)
				for _, text := range v.Texts {
					out.trie.add(text, int32(i))
				}
			}
		case RangeList:
			out = c.numberList(Span(l.Range), l.Multiply)
			out.digits = l.Range.Digits == nil || *l.Range.Digits
			if l.Range.Words != nil && !*l.Range.Words {
				out.trie = trie{}
			}
		case WildcardList, HostList:
			out = nil
		}
		c.lists[name] = out
	}
}

// Span is the range a pack's definition stands for.
func Span(d RangeDef) numbers.Range {
	return numbers.Range{
		From: d.From, To: d.To, Step: max(d.Step, 1),
		Halves: d.Fractions == "halves", Tenths: d.Fractions == "tenths",
	}
}

func (c *compiler) numberList(span numbers.Range, multiply float64) *list {
	l := &list{span: span, digits: true, fraction: span.Halves || span.Tenths, multiply: multiply}
	if multiply == 0 {
		l.multiply = 1
	}
	if c.lang == nil {
		return l
	}
	for _, s := range c.lang.Spellings(span) {
		l.trie.add(s.Text, int32(len(l.numbers)))
		l.numbers = append(l.numbers, s.Value)
	}
	return l
}

// compile builds the steps of n that go on with next.
func (c *compiler) compile(n *template.Node, next *inst) (*inst, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.count++; c.count > maxInsts || c.depth > 100 {
		return nil, fmt.Errorf("a sentence that is too large, or rules in a circle")
	}
	switch n.Kind {
	case template.Text:
		return c.text(n.Text, next), nil
	case template.Sequence:
		return c.sequence(n.Items, next)
	case template.Choice:
		return c.choice(n.Items, next)
	case template.Shuffle:
		orders := make([]*template.Node, 0, len(n.Items))
		for order := range template.Orders(len(n.Items)) {
			items := make([]*template.Node, len(order))
			for i, j := range order {
				items[i] = n.Items[j]
			}
			orders = append(orders, &template.Node{Kind: template.Sequence, Items: items})
		}
		return c.choice(orders, next)
	case template.Range:
		l := c.numberList(numbers.Range{From: n.From, To: n.To, Step: n.Step}, 1)
		return &inst{op: opNumber, list: l, slot: n.Slot, next: next}, nil
	case template.List:
		return c.list(n, next)
	case template.Rule:
	}
	body, ok := c.pack.Rules[n.Name]
	if !ok {
		return nil, fmt.Errorf("unknown rule <%s>", n.Name)
	}
	return c.compile(body, next)
}

func (c *compiler) choice(items []*template.Node, next *inst) (*inst, error) {
	out := &inst{op: opChoice}
	for _, item := range items {
		alt, err := c.compile(item, next)
		if err != nil {
			return nil, err
		}
		out.alts = append(out.alts, alt)
	}
	return out, nil
}

func (c *compiler) sequence(items []*template.Node, next *inst) (*inst, error) {
	for _, item := range slices.Backward(items) {
		var err error
		if next, err = c.compile(item, next); err != nil {
			return nil, err
		}
	}
	return next, nil
}

func (c *compiler) text(text string, next *inst) *inst {
	pieces := strings.Split(strings.ToLower(text), " ")
	for i, piece := range slices.Backward(pieces) {
		if piece != "" {
			next = &inst{op: opText, text: piece, next: next}
		}
		if i > 0 {
			next = &inst{op: opSpace, next: next}
		}
	}
	return next
}

func (c *compiler) list(n *template.Node, next *inst) (*inst, error) {
	i := &inst{slot: n.Slot, next: next}
	if n.Capture {
		i.slot = ""
	}
	switch n.Name {
	case "name":
		i.op, i.list = opName, c.house.name
		return i, nil
	case "area":
		i.op, i.list = opArea, c.house.area
		return i, nil
	case "floor":
		i.op, i.list = opFloor, c.house.floor
		return i, nil
	}
	def, ok := c.pack.Lists[n.Name]
	if !ok {
		return nil, fmt.Errorf("unknown list {%s}", n.Name)
	}
	i.list = c.lists[n.Name]
	switch def.Kind {
	case TextList:
		i.op = opValue
	case RangeList:
		i.op = opNumber
	case WildcardList, HostList:
		i.op = opWild
	}
	return i, nil
}
