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

// Limits of one match. A spoken sentence has some hundred bytes; the steps are
// a hundred times what the dearest real sentence needs.
const (
	maxText  = 1000
	maxSteps = 300_000
)

// Matcher understands sentences about one house. It is never changed after New
// and may be used by many goroutines; when the house changes, make a new one.
type Matcher struct {
	pack      *Pack
	house     *home.House
	areas     []string // by index of the area list
	sentences []sentence
	ids       map[string]int32 // word -> number, for the required words
	skip      []string         // " word "
	join      [][]string
	notNames  map[string]bool
	index     *names.Index // of entities
	areaIndex *names.Index
	decoys    map[string]bool
	bare      map[string]bool // what is only a name or a verb
}

// block is a Block ready for matching.
type block struct {
	*Block
	order   int
	allowed []bool // by entity: may it fill {name}
}

type sentence struct {
	start   *inst
	clauses []clause
	block   *block
	names   bool // it has {name} or {area}, so an unknown one may stand there
}

// New compiles a pack for a house. The house may be nil or empty while nothing
// is known about it.
func New(pack *Pack, house *home.House) (*Matcher, error) {
	if house == nil {
		house = &home.House{}
	}
	lang, _ := numbers.For(pack.Language)
	c := &compiler{pack: pack, lang: lang, house: newHouseLists(house, pack)}
	c.compileLists()
	m := &Matcher{
		pack: pack, house: house, areas: house.AreaNames(), ids: make(map[string]int32),
		notNames: make(map[string]bool), decoys: make(map[string]bool),
		bare: make(map[string]bool),
	}
	m.words(pack)
	phrases := template.NewLoosePhrases(pack.Rules)
	allowed := make(map[string][]bool)
	for i := range pack.Blocks {
		b := &block{Block: &pack.Blocks[i], order: i}
		key := strings.Join(b.Domains, " ")
		if _, ok := allowed[key]; !ok {
			allowed[key] = m.allow(b.Domains)
		}
		b.allowed = allowed[key]
		for j, n := range b.Sentences {
			s, err := m.sentence(c, phrases, b, n)
			if err != nil {
				return nil, fmt.Errorf("compiling %s, %q: %w", b.Intent, b.Source[j], err)
			}
			m.sentences = append(m.sentences, s)
			if s.names && s.start.op == opText {
				m.bare[s.start.text] = true
			}
		}
	}
	return m, nil
}

func (m *Matcher) words(pack *Pack) {
	for _, s := range pack.Skip {
		m.skip = append(m.skip, " "+s+" ")
	}
	for _, s := range pack.Join {
		m.join = append(m.join, strings.Fields(s))
	}
	for _, s := range pack.NotNames {
		m.notNames[s] = true
	}
	for _, s := range slices.Concat(pack.Decoys.Names, pack.Decoys.Areas) {
		m.decoys[strings.Join(names.Normalise(s), " ")] = true
	}
	entries := make([]names.Entry, len(m.house.Entities))
	for i, e := range m.house.Entities {
		entries[i] = names.Entry{Name: e.Name, Aliases: e.Aliases}
		for _, n := range append([]string{e.Name}, e.Aliases...) {
			m.bare[strings.Join(names.Normalise(n), " ")] = true
		}
	}
	m.index = names.New(entries)
	areas := make([]names.Entry, len(m.areas))
	for i, a := range m.areas {
		areas[i].Name = a
		if area := m.house.Area(a); area != nil {
			areas[i].Aliases = area.Aliases
		}
	}
	m.areaIndex = names.New(areas)
}

func (m *Matcher) allow(domains []string) []bool {
	out := make([]bool, len(m.house.Entities))
	for i := range out {
		out[i] = len(domains) == 0 || slices.Contains(domains, m.house.Entities[i].Domain)
	}
	return out
}

func (m *Matcher) sentence(c *compiler, phrases *template.Phrases, b *block, n *template.Node) (sentence, error) {
	c.count = 0
	start, err := c.compile(n, &inst{op: opEnd, block: b})
	if err != nil {
		return sentence{}, err
	}
	s := sentence{start: start, block: b}
	phrase, err := phrases.Of(n)
	if err != nil {
		return sentence{}, err
	}
	s.clauses = required(phrase, m.ids)
	n.Walk(func(n *template.Node) {
		s.names = s.names || n.Kind == template.List && (n.Name == "name" || n.Name == "area")
	})
	return s, nil
}

// Match decides what a sentence asks for. Area is the microphone's, or "". It
// never fails: what it does not understand goes to the model.
func (m *Matcher) Match(text, area string) Decision {
	if len(text) > maxText {
		return Decision{Route: Reject, Reason: "too_long"}
	}
	text = normalise(text)
	if text == "" {
		return Decision{Route: Reject, Reason: "empty"}
	}
	if a := m.house.Area(area); a != nil {
		area = a.Name
	}
	d := m.match(text, area)
	d.NeedHouse = d.NeedHouse || m.house.Empty() && d.Route == Model
	return d
}

func (m *Matcher) match(text, area string) Decision {
	steps := maxSteps
	d, ok := m.known(text, area, &steps)
	if ok && (d.Route == Local || d.Route == Ask) {
		return d
	}
	if all, joined := m.several(text, area, &steps); joined {
		return all
	}
	if ok {
		return d
	}
	if d, ok = m.unknown(m.strip(text), area, &steps); ok {
		return d
	}
	if steps < 0 {
		return Decision{Route: Model, Reason: "too_complex"}
	}
	// Only the name of a thing or a single word of command: too weak to act on.
	if m.bare[text] || m.bare[strings.Join(names.Normalise(text), " ")] {
		return Decision{Route: Reject, Reason: "bare_name", Heard: text}
	}
	return Decision{Route: Model, Reason: "no_sentence"}
}

// known matches with the names of the house, first as spoken, then without
// polite words. Free text at an edge would swallow them, so a match with free
// text gives way to one without them.
func (m *Matcher) known(text, area string, steps *int) (Decision, bool) {
	r := m.newRun(text, area, steps, false)
	r.search()
	if stripped := m.strip(text); stripped != text && stripped != "" && (!r.found() || r.best[0].wild > 0) {
		if s := m.newRun(stripped, area, steps, false); s.search() && s.best[0].block.Meta.Reject == "" {
			r = s
		}
	}
	switch {
	case r.found() && r.best[0].block.Meta.Reject != "":
		return Decision{Route: Reject, Reason: r.best[0].block.Meta.Reject}, true
	case r.found():
		return m.resolve(&r.best[0], area), true
	case r.misplaced != nil:
		return Decision{Route: Reject, Reason: "no_device", Heard: r.misplaced.names()}, true
	}
	return Decision{}, false
}

// several takes a text apart at "and"; every part must be understood by itself.
func (m *Matcher) several(text, area string, steps *int) (Decision, bool) {
	all := Decision{Route: Local, Reason: "sentences"}
	parts := m.parts(text)
	if len(parts) < 2 {
		return Decision{}, false
	}
	for _, part := range parts {
		d, ok := m.known(part, area, steps)
		if !ok || d.Route != Local {
			return Decision{}, false
		}
		all.Actions = append(all.Actions, d.Actions...)
	}
	return all, true
}
