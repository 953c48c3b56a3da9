package intent

import (
	"encoding/binary"
	"errors"
	"fmt"
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
// across sentences.
type inst struct {
	op      opcode
	wordEnd bool   // opWild: what follows starts a word
	indent  uint16 // opText: spaces text begins with
	letters uint16 // opText: without the spaces around it
	text    string
	next    *inst
	*branch
}

// branch is what steps other than opText have. It stands apart because most of the
// tens of thousands of steps are text.
type branch struct {
	list *list
	slot string // "" when the value is captured for the reply only
	alts []*inst
}

// straight is the branch of steps that have none.
var straight = &branch{} //nolint:gochecknoglobals // never written

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

// ends finds equal steps, so that sentences with the same ending share it. Texts and
// choices, which most steps are, have maps of their own with small keys.
type ends struct {
	texts   map[textStep]*inst
	choices map[string]*inst // by the numbers of the alternatives
	others  map[step]*inst
	ids     map[*inst]uint64 // the numbers of alternatives
	last    *inst
	room    []inst // where the next steps are put
}

// together is how many steps share one block of memory: separately, each would keep a
// whole page of memory from the time of reading.
const together = 256

// textStep is what makes two steps equal that are text.
type textStep struct {
	letters string
	next    *inst
}

// step is what makes two steps equal that are neither text nor choices.
type step struct {
	op      opcode
	wordEnd bool
	list    *list
	slot    string
	next    *inst
}

// newEnds makes room for the steps of sentences with so many letters in all.
func newEnds(letters int) ends {
	return ends{
		texts: make(map[textStep]*inst, letters/4), choices: make(map[string]*inst, letters/4), others: make(map[step]*inst),
		ids: make(map[*inst]uint64, letters/4), last: &inst{op: opEnd, branch: straight},
	}
}

// intern returns a step that is equal to i: an existing one, or i itself if there
// is none.
func (e *ends) intern(i inst) *inst {
	switch i.op {
	case opText:
		return share(e, e.texts, textStep{i.text, i.next}, i)
	case opChoice:
		numbers := make([]byte, 0, 64)
		for _, alt := range i.alts {
			numbers = binary.AppendUvarint(numbers, e.number(alt))
		}
		return share(e, e.choices, string(numbers), i)
	case opEnd, opName, opArea, opFloor, opValue, opNumber, opWild:
	}
	return share(e, e.others, step{i.op, i.wordEnd, i.list, i.slot, i.next}, i)
}

// share returns the step of a key, which is a copy of i where there is none yet.
func share[K comparable](e *ends, known map[K]*inst, key K, i inst) *inst {
	if same, ok := known[key]; ok {
		return same
	}
	if len(e.room) == 0 {
		e.room = make([]inst, together)
	}
	fresh := &e.room[0]
	e.room = e.room[1:]
	*fresh = i
	known[key] = fresh
	return fresh
}

// number returns the number of an alternative, which it gives to a new one.
func (e *ends) number(alt *inst) uint64 {
	n, ok := e.ids[alt]
	if !ok {
		n = uint64(len(e.ids))
		e.ids[alt] = n
	}
	return n
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
func (c *compiler) compile(n *template.Node, next *inst) (*inst, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.count++; c.count > maxInsts || c.depth > maxNest {
		return nil, errors.New("a sentence that is too large, or rules in a circle")
	}
	if c.total+c.count > maxProgram {
		return nil, fmt.Errorf("a pack of more than %d steps", maxProgram)
	}
	switch n.Kind {
	case template.Text:
		return c.text(n.Text, next), nil
	case template.Sequence:
		return c.sequence(n.Items, next)
	case template.Choice:
		return c.choice(n.Items, next)
	case template.Shuffle:
		return c.shuffle(n.Items, 0, next, make(map[int]*inst))
	case template.Range:
		l, err := c.numberList(numbers.Range{From: n.From, To: n.To, Step: n.Step}, 1, "")
		if err != nil {
			return nil, err
		}
		return c.ends.intern(inst{op: opNumber, branch: &branch{list: c.number(l), slot: n.Slot}, next: next}), nil
	case template.List:
		return c.list(n, next)
	case template.Rule:
	}
	body, err := c.rule(n.Name)
	if err != nil {
		return nil, err
	}
	return c.compile(body, next)
}

func (c *compiler) choice(items []*template.Node, next *inst) (*inst, error) {
	var alts []*inst
	for _, item := range items {
		alt, err := c.compile(item, next)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(alts, alt) {
			alts = append(alts, alt)
		}
	}
	return c.either(alts), nil
}

func (c *compiler) either(alts []*inst) *inst {
	if len(alts) == 1 {
		return alts[0]
	}
	return c.ends.intern(inst{op: opChoice, branch: &branch{alts: alts}})
}

// shuffle builds what can come after the parts in used.
func (c *compiler) shuffle(items []*template.Node, used int, next *inst, done map[int]*inst) (*inst, error) {
	if used == 1<<len(items)-1 {
		return next, nil
	}
	if known, ok := done[used]; ok {
		return known, nil
	}
	var alts []*inst
	for i, item := range items {
		if used&(1<<i) != 0 {
			continue
		}
		rest, err := c.shuffle(items, used|1<<i, next, done)
		if err != nil {
			return nil, err
		}
		alt, err := c.compile(item, rest)
		if err != nil {
			return nil, err
		}
		alts = append(alts, alt)
	}
	done[used] = c.either(alts)
	return done[used], nil
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
	if text = c.pack.fold(text); text == "" {
		return next
	}
	bare := strings.TrimLeft(text, " ")
	return c.ends.intern(inst{
		op: opText, text: text, next: next, branch: straight,
		indent:  uint16(len(text) - len(bare)),
		letters: uint16(utf8.RuneCountInString(strings.TrimRight(bare, " "))),
	})
}

func (c *compiler) list(n *template.Node, next *inst) (*inst, error) {
	l, op, err := c.findList(n.Name)
	if err != nil {
		return nil, err
	}
	i := inst{op: op, branch: &branch{list: l, slot: n.Slot}, next: next, wordEnd: n.WordEnd && !c.pack.IgnoreSpace}
	if n.Capture {
		i.slot = ""
	}
	return c.ends.intern(i), nil
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
