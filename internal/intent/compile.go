package intent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/template"
)

// opcode is one step of a compiled sentence.
type opcode uint8

const (
	opEnd    opcode = iota // all text must be used up
	opText                 // these very letters and spaces
	opChoice               // try each of alts
	opName                 // a name of the house
	opArea                 // an area of the house
	opFloor                // a floor of the house
	opValue                // a value of a text list
	opNumber               // a number of a range
	opWild                 // any words
)

// inst is one step and what comes after it. Shared ends make it a graph, also
// across sentences. It holds no pointers, because there are tens of thousands.
type inst struct {
	op      opcode
	indent  uint8  // opText: spaces text begins with
	letters uint16 // opText: without the spaces around it
	size    uint32 // opText: of the text; opChoice: how many alternatives
	at      uint32 // opText: where the text begins; opChoice: the first alternative; otherwise the number of the place
	next    int32
}

// gap is what stands in a sentence where its text does not decide alone: a list.
type gap struct {
	op      opcode
	wordEnd bool // opWild: what follows starts a word
	list    *list
	slot    string // "" when the value is captured for the reply only
}

// steps are the compiled sentences: whoever follows one begins at its start.
type steps struct {
	insts []inst // by number; the first ends a sentence
	text  string // of all steps, one after the other
	alts  []int32
	gaps  []gap
}

// textOf returns the text of a step.
func (s *steps) textOf(i *inst) string { return s.text[i.at : i.at+i.size] }

// altsOf returns the alternatives of a choice, by their numbers.
func (s *steps) altsOf(i *inst) []int32 { return s.alts[i.at : i.at+i.size] }

// Limits of what is compiled. The largest sentence of known packs has some
// hundred steps, the largest pack some ten thousand.
const (
	maxInsts   = 20_000    // of one sentence, shared ones counted again
	maxNest    = 100       // groups and rules within each other
	maxProgram = 5_000_000 // of a pack, shared ones counted again
	wordSteps  = 20        // what one spelling of a number counts for
)

// compiler turns the templates of a pack into steps.
type compiler struct {
	pack  *Pack
	lists map[string]*list
	local *Scoped          // of the block at hand
	own   map[string]*list // lists of the block at hand
	lang  *numbers.Language
	all   []*list
	count int // steps of the sentence at hand
	total int // steps of those before it
	depth int
	ends  ends

	spelled map[wordsKey]*list
	clauses clauseSet
}

// ends finds equal steps, so that sentences with the same ending share it.
type ends struct {
	insts []inst
	known map[inst]int32
	text  []byte
	texts map[string]uint32 // where each begins
	alts  []int32
	sets  map[string]uint32 // where each set of alternatives begins, by their numbers
	gaps  []gap
	lists map[gap]uint32
}

// last is the number of the step that ends every sentence.
const last int32 = 0

func newEnds() ends {
	return ends{
		insts: []inst{{op: opEnd}}, known: make(map[inst]int32),
		texts: make(map[string]uint32), sets: make(map[string]uint32), lists: make(map[gap]uint32),
	}
}

// steps are all steps, without the room that was left for more.
func (e *ends) steps() steps {
	return steps{insts: slices.Clone(e.insts), text: string(e.text), alts: slices.Clone(e.alts), gaps: slices.Clone(e.gaps)}
}

// intern returns the number of a step. Equal steps have the same number.
func (e *ends) intern(i inst) int32 {
	n, ok := e.known[i]
	if !ok {
		n = int32(len(e.insts))
		e.insts = append(e.insts, i)
		e.known[i] = n
	}
	return n
}

func (e *ends) addText(text string, next int32) int32 {
	at, ok := e.texts[text]
	if !ok {
		at = uint32(len(e.text))
		e.text = append(e.text, text...)
		e.texts[text] = at
	}
	bare := strings.TrimLeft(text, " ")
	return e.intern(inst{
		op: opText, at: at, size: uint32(len(text)), next: next,
		indent:  uint8(min(len(text)-len(bare), math.MaxUint8)),
		letters: uint16(utf8.RuneCountInString(strings.TrimRight(bare, " "))),
	})
}

func (e *ends) addChoice(alts []int32) int32 {
	key := make([]byte, 0, 64)
	for _, alt := range alts {
		key = binary.AppendUvarint(key, uint64(alt))
	}
	at, ok := e.sets[string(key)]
	if !ok {
		at = uint32(len(e.alts))
		e.alts = append(e.alts, alts...)
		e.sets[string(key)] = at
	}
	return e.intern(inst{op: opChoice, at: at, size: uint32(len(alts))})
}

func (e *ends) addGap(g gap, next int32) int32 {
	at, ok := e.lists[g]
	if !ok {
		at = uint32(len(e.gaps))
		e.gaps = append(e.gaps, g)
		e.lists[g] = at
	}
	return e.intern(inst{op: g.op, at: at, next: next})
}

func (c *compiler) compileLists() error {
	c.lists = make(map[string]*list, len(c.pack.Lists))
	var err error
	for name, l := range c.pack.Lists {
		if c.lists[name], err = c.compileList(l); err != nil {
			return fmt.Errorf("list %q: %w", name, err)
		}
	}
	return nil
}

// enter prepares the lists of one block.
func (c *compiler) enter(b *Block) error {
	c.local, c.own = b.Scoped, nil
	if b.Scoped == nil {
		return nil
	}
	c.own = make(map[string]*list, len(b.Scoped.Lists))
	var err error
	for name, l := range b.Scoped.Lists {
		if c.own[name], err = c.compileList(l); err != nil {
			return fmt.Errorf("list %q: %w", name, err)
		}
	}
	return nil
}

func (c *compiler) rule(name string) (*template.Node, error) {
	if c.local != nil {
		if n, ok := c.local.Rules[name]; ok {
			return n, nil
		}
	}
	if n, ok := c.pack.Rules[name]; ok {
		return n, nil
	}
	return nil, fmt.Errorf("unknown rule <%s>", name)
}

// findList finds a list by its name: in the block, else in the house, else in the
// pack.
func (c *compiler) findList(name string) (*list, opcode, error) {
	if c.local != nil {
		if def, ok := c.local.Lists[name]; ok {
			return c.own[name], def.opcode(), nil
		}
	}
	switch name {
	case "name":
		return nil, opName, nil
	case "area":
		return nil, opArea, nil
	case "floor":
		return nil, opFloor, nil
	}
	def, ok := c.pack.Lists[name]
	if !ok {
		return nil, opEnd, fmt.Errorf("unknown list {%s}", name)
	}
	return c.lists[name], def.opcode(), nil
}

func (l *List) opcode() opcode {
	switch l.Kind {
	case TextList:
		return opValue
	case RangeList:
		return opNumber
	case WildcardList, HostList:
	}
	return opWild
}

// compile builds the steps of n, which are followed by next.
func (c *compiler) compile(n *template.Node, next int32) (int32, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.count++; c.count > maxInsts || c.depth > maxNest {
		return 0, errors.New("a sentence that is too large, or rules in a circle")
	}
	if c.total+c.count > maxProgram {
		return 0, fmt.Errorf("a pack of more than %d steps", maxProgram)
	}
	switch n.Kind {
	case template.Text:
		return c.text(n.Text, next), nil
	case template.Sequence:
		return c.sequence(n.Items, next)
	case template.Choice:
		return c.choice(n.Items, next)
	case template.Shuffle:
		return c.shuffle(n.Items, 0, next, make(map[int]int32))
	case template.Range:
		l, err := c.numberList(numbers.Range{From: n.From, To: n.To, Step: n.Step}, 1, "")
		if err != nil {
			return 0, err
		}
		return c.ends.addGap(gap{op: opNumber, list: c.number(l), slot: n.Slot}, next), nil
	case template.List:
		return c.list(n, next)
	case template.Rule:
	}
	body, err := c.rule(n.Name)
	if err != nil {
		return 0, err
	}
	return c.compile(body, next)
}

func (c *compiler) choice(items []*template.Node, next int32) (int32, error) {
	var alts []int32
	for _, item := range items {
		alt, err := c.compile(item, next)
		if err != nil {
			return 0, err
		}
		if !slices.Contains(alts, alt) {
			alts = append(alts, alt)
		}
	}
	return c.either(alts), nil
}

func (c *compiler) either(alts []int32) int32 {
	if len(alts) == 1 {
		return alts[0]
	}
	return c.ends.addChoice(alts)
}

// shuffle builds what can come after the parts in used.
func (c *compiler) shuffle(items []*template.Node, used int, next int32, done map[int]int32) (int32, error) {
	if used == 1<<len(items)-1 {
		return next, nil
	}
	if known, ok := done[used]; ok {
		return known, nil
	}
	var alts []int32
	for i, item := range items {
		if used&(1<<i) != 0 {
			continue
		}
		rest, err := c.shuffle(items, used|1<<i, next, done)
		if err != nil {
			return 0, err
		}
		alt, err := c.compile(item, rest)
		if err != nil {
			return 0, err
		}
		alts = append(alts, alt)
	}
	done[used] = c.either(alts)
	return done[used], nil
}

func (c *compiler) sequence(items []*template.Node, next int32) (int32, error) {
	for _, item := range slices.Backward(items) {
		var err error
		if next, err = c.compile(item, next); err != nil {
			return 0, err
		}
	}
	return next, nil
}

func (c *compiler) text(text string, next int32) int32 {
	if text = c.pack.fold(text); text == "" {
		return next
	}
	return c.ends.addText(text, next)
}

func (c *compiler) list(n *template.Node, next int32) (int32, error) {
	l, op, err := c.findList(n.Name)
	if err != nil {
		return 0, err
	}
	g := gap{op: op, list: l, slot: n.Slot, wordEnd: n.WordEnd && !c.pack.IgnoreSpace}
	if n.Capture {
		g.slot = ""
	}
	return c.ends.addGap(g, next), nil
}

// captures is how many list values one parse of a sentence can hold.
func (c *compiler) captures(n *template.Node) int {
	most, sum := 0, 0
	for _, item := range n.Items {
		k := c.captures(item)
		most = max(most, k)
		sum += k
	}
	switch n.Kind {
	case template.List, template.Range:
		return 1
	case template.Rule:
		if body, err := c.rule(n.Name); err == nil {
			return c.captures(body)
		}
	case template.Choice:
		return most
	case template.Text, template.Sequence, template.Shuffle:
	}
	return sum
}
