package intent

import (
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/mood"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/numbers"
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
	inventory
	*program
	areas   []string                        // by index of the area list
	lists   *houseLists                     // what the house calls its things
	degrees map[numbers.Range]numbers.Range // the ranges of set points, by what the pack says of them
	allowed [][]bool                        // by block, by entity: may it fill {name}
	barred  []bool                          // by block: the house has what it must be without, or lacks what it is about
	mood    *mood.Reader
	called  *mood.Names // what the house calls its rooms and things
	specialWords
	index     *names.Index // of entities
	areaIndex *names.Index
	own       *ownWords       // of the names of the house
	days      map[string]bool // words that say a day
}

// specialWords are the words to leave out, the words that join commands, and the words
// that decide about texts that fit no sentence.
type specialWords struct {
	skip     []string // " word "
	polite   Polite
	numbers  *numbers.Language // nil: of this language none are known
	join     [][]string
	except   Except
	notNames map[string]bool
	decoys   map[string]bool
	bare     map[string]bool   // texts that are only a name or a verb
	kinds    map[string]string // domains of words that only name a kind of thing: "lights"
	common   map[string]bool   // words that alone do not name an entrance
	written  map[string]bool   // names as the house writes them
	leads    map[string]bool   // words with which the name of a thing may begin
	nouns    map[string]string // kinds of things by the words for them, as names are compared
}

// New prepares a pack for a house. The house may be nil or empty while nothing
// is known about it.
func New(pack *Pack, house *home.House) (*Matcher, error) {
	if house == nil {
		house = &home.House{}
	}
	p, err := pack.program()
	if err != nil {
		return nil, err
	}
	things := inventory{pack: pack, house: house, coverClass: coverClasses(house, pack)}
	m := &Matcher{inventory: things, program: p, areas: house.AreaNames(), lists: newHouseLists(house, pack), own: &ownWords{}}
	m.mood = mood.For(pack.Language)
	m.called = m.mood.Names(namesOf(house, pack.Language))
	m.measureDegrees(p.all)
	for i := range pack.Blocks {
		meta := &pack.Blocks[i].Meta
		m.barred = append(m.barred, meta.Without != "" && len(m.ofKind(meta.Without, nil)) > 0 || m.namesOneOf(meta.Unnamed) || !meta.AppliesIn(house))
	}
	m.prepare(pack)
	m.days = dayWords(pack)
	known := make(map[string][]bool)
	for i := range pack.Blocks {
		b := &pack.Blocks[i]
		key := domainKey(b.Context) + b.Meta.Own
		if _, ok := known[key]; !ok {
			known[key] = m.allow(b)
		}
		m.allowed = append(m.allowed, known[key])
	}
	return m, nil
}

// prepare sorts the words of a pack and of the house.
func (m *Matcher) prepare(pack *Pack) {
	m.numbers, _ = numbers.For(pack.Language)
	m.notNames, m.decoys, m.bare = make(map[string]bool), make(map[string]bool), make(map[string]bool)
	if pack.Exact {
		return
	}
	m.noteVerbs()
	for _, s := range pack.Skip {
		m.skip = append(m.skip, " "+s+" ")
	}
	for _, s := range pack.Join {
		m.join = append(m.join, strings.Fields(s))
	}
	m.polite, m.except = pack.Polite, pack.Except
	for _, s := range pack.NotNames {
		m.notNames[s] = true
	}
	for _, s := range slices.Concat(pack.Decoys.Names, pack.Decoys.Areas) {
		m.decoys[strings.Join(names.Normalise(s), " ")] = true
	}
	m.kinds, m.common = kindWords(pack), make(map[string]bool)
	for _, w := range pack.Common {
		m.common[w] = true
	}
	entries := make([]names.Entry, len(m.house.Entities))
	for i, e := range m.house.Entities {
		entries[i] = names.Entry{Name: e.Name, Aliases: e.Aliases, Places: placesOf(m.house, e.Area)}
		for _, n := range append([]string{e.Name}, e.Aliases...) {
			m.bare[strings.Join(names.Normalise(n), " ")] = true
		}
	}
	m.index = names.NewFor(pack.Language, entries)
	m.written, m.nouns = writtenNames(m.house), m.kindNouns()
	areas := make([]names.Entry, len(m.areas))
	for i, a := range m.areas {
		areas[i].Name = a
		if area := m.house.Area(a); area != nil {
			areas[i].Aliases = area.Aliases
		}
	}
	m.areaIndex = names.NewFor(pack.Language, areas)
	m.leads = leadWords(pack, m.house)
}

// noteVerbs notes the words before a name that are no sentence by themselves.
func (m *Matcher) noteVerbs() {
	for i := range m.sentences {
		s := &m.sentences[i]
		if first := &m.insts[s.start]; !m.barred[s.block.order] && s.names && first.op == opText && !s.block.Meta.After {
			m.bare[strings.TrimSpace(m.textOf(first))] = true
		}
	}
}

// domainKey is a text that is equal for equal conditions on the domain.
func domainKey(conditions []Condition) string {
	var b strings.Builder
	for _, c := range conditions {
		if c.Key == "domain" {
			fmt.Fprintln(&b, c.Exclude, c.Values)
		}
	}
	return b.String()
}

// allow marks the entities whose domain and abilities fit a block.
func (m *Matcher) allow(b *Block) []bool {
	out := make([]bool, len(m.house.Entities))
	for i := range out {
		e := &m.house.Entities[i]
		out[i] = !clashes(b.Context, map[string]any{"domain": e.Domain}) && hasOwn(e, b.Meta.Own)
	}
	return out
}

// Match decides what a sentence asks for. area is that of the microphone, or "". It never
// fails: a sentence that it does not understand goes to the model. A sentence that is not
// an order changes nothing, even if it has the words of a command (U9).
func (m *Matcher) Match(text, area string) Decision {
	d := m.decide(text, area)
	if len(text) <= maxText {
		d.Act = m.act(text, &d)
		recase(text, &d)
	}
	if m.pack.Exact || d.custom {
		return d
	}
	return m.withdrawForbidden(d)
}

// decide decides by the words alone.
func (m *Matcher) decide(text, area string) Decision {
	if len(text) > maxText {
		return Decision{Route: Reject, Reason: TooLong}
	}
	if a := m.house.Area(area); a != nil {
		area = a.Name
	}
	if m.pack.Exact {
		return m.exact(exactly(text), area)
	}
	spoken := text
	text = normalise(spoken)
	if text == "" {
		return Decision{Route: Reject, Reason: Empty}
	}
	if d, ok := m.inScale(text, area); ok {
		return d
	}
	return m.decidePlain(spoken, text, area)
}

// decidePlain decides about a text, given as it was said and in the form for comparing,
// whose temperatures are in the scale of the house.
func (m *Matcher) decidePlain(spoken, text, area string) Decision {
	d, text := m.matchHere(text, area)
	d = m.keepDay(d, text, area)
	if d.Route != Local && d.Route != Ask {
		d = m.readAsQuestion(d, spoken, text, area)
	}
	if d.Route != Local && d.Route != Ask {
		d = m.rescue(d, spoken, text, area)
	}
	d.NeedHouse = d.NeedHouse || m.house.Empty() && d.Route == Model
	return d
}

// matchHere matches a text with what it says of the speaker's room, and returns the text
// that fits best.
func (m *Matcher) matchHere(text, area string) (Decision, string) {
	if here, ok := m.inThisRoom("my_room", text, area); ok {
		return here, text // by its words, "my room" is like the living room
	}
	d := m.match(text, area)
	if once := m.onceEach(text); once != text && d.Route != Local && d.Route != Ask {
		d, text = m.match(once, area), once
	}
	if d.Route == Local {
		return d, text
	}
	if here, ok := m.inThisRoom("here", text, area); ok {
		return here, text
	}
	return d, text
}

// rescue tries what a sentence can be that fits none as a whole: commands in a
// list, a group without some of its things, a number that cannot be. Otherwise it
// returns d.
func (m *Matcher) rescue(d Decision, spoken, text, area string) Decision {
	steps := maxSteps
	if some, ok := m.excepted(m.withJoins(spoken), area, &steps); ok {
		return some
	}
	if d.Route == Model {
		if all, ok := m.timersEach(m.withJoins(spoken), area, &steps); ok {
			return all // "a three, a five and a ten minute timer"
		}
	}
	if all, ok := m.listed(spoken, area); ok {
		return all
	}
	if order, ok := m.reasoned(text, area); ok {
		return order
	}
	if too, ok := m.beyond(text, area, &steps); ok {
		return too
	}
	return d
}

// readAsQuestion reads a statement with a question mark as a question, in languages in which only
// the mark makes the difference. For any other text it returns d.
func (m *Matcher) readAsQuestion(d Decision, spoken, text, area string) Decision {
	begin := m.pack.Texts["asked"]
	if begin == "" || !strings.HasSuffix(strings.TrimSpace(spoken), "?") {
		return d
	}
	if question := m.match(begin+" "+text, area); question.Route == Local || question.Route == Ask {
		return question
	}
	return d
}

func (m *Matcher) match(text, area string) Decision {
	steps := maxSteps
	d, ok := m.known(text, area, &steps)
	open := ok && d.Route == Ask && d.timed() // free text may have swallowed the time and another command
	if !ok || m.swallows(&d) {
		if all, each := m.timersEach(text, area, &steps); each {
			return all
		}
	}
	if ok && !open && slices.Contains([]Route{Local, Ask}, d.Route) {
		return d
	}
	if all, joined := m.several(text, area, true, &steps); joined && (!open || all.Route == Local) {
		return all
	}
	if ok {
		return d
	}
	if d, ok = m.unknown(m.strip(text), area, &steps); ok {
		return d
	}
	if steps < 0 {
		return Decision{Route: Model, Reason: TooComplex}
	}
	return m.bareName(text)
}

// bareName rejects a text that is only the name of a thing or a single word of command,
// which is too weak to act on. Anything else is for the model.
func (m *Matcher) bareName(text string) Decision {
	if heard := m.index.WithoutArticle(text); m.bare[text] || m.bare[heard] || m.bare[strings.Join(names.Normalise(text), " ")] {
		return Decision{Route: Reject, Reason: BareName, Heard: heard}
	}
	return Decision{Route: Model, Reason: NoSentence}
}

// known matches with the names of the house, first the text as spoken, then
// without polite words. Free text at an edge would swallow polite words, so a
// match with free text gives way to a match without them, unless the words belong to
// the sentence: "two hours from now".
func (m *Matcher) known(text, area string, steps *int) (Decision, bool) {
	r := m.newRun(text, area, steps, false)
	r.search()
	for _, bare := range m.tries(text) {
		if r.found() && r.best[0].wild == 0 {
			break
		}
		s := m.newRun(bare, area, steps, false)
		if s.search() && s.best[0].block.Meta.Reject == "" && (!r.found() || s.best[0].literal >= r.best[0].literal) {
			r = s
		}
	}
	switch {
	case r.found() && r.best[0].block.Meta.Reject != "":
		return Decision{Route: Reject, Reason: r.best[0].block.Meta.Reject}, true
	case r.found():
		d := m.checkDelayed(m.resolve(&r.best[0], area), &r.best[0], area, steps)
		d.custom, d.fixed = r.best[0].block.Custom, r.best[0].fixedWords()
		return d, true
	case r.misplaced != nil:
		if d, ok := m.calledThere(r.misplaced, area); ok {
			return d, true
		}
		return Decision{Route: Reject, Reason: NoDevice, Heard: r.misplaced.names()}, true
	}
	return Decision{}, false
}

// listed takes commands apart that are joined by commas only. Every part must be
// understood by itself, because as one sentence they were not.
func (m *Matcher) listed(spoken, area string) (Decision, bool) {
	if len(m.join) == 0 || !strings.ContainsAny(spoken, ",，;；") {
		return Decision{}, false
	}
	var parts []string
	for _, p := range strings.FieldsFunc(spoken, func(r rune) bool { return strings.ContainsRune(",，;；", r) }) {
		words := strings.Fields(normalise(p))
		if n := m.joinAt(words); n > 0 && len(parts) > 0 {
			words = words[n:] // "…, and …"
		}
		if len(words) == 0 {
			return Decision{}, false
		}
		if part := strings.Join(words, " "); m.strip(part) != "" {
			parts = append(parts, part)
		}
	}
	steps := maxSteps
	if orders := m.withoutReasons(parts, area, &steps); len(orders) < len(parts) {
		if len(orders) == 1 {
			return m.understood(orders[0], area)
		}
		parts = orders
	}
	join := " " + strings.Join(m.join[0], " ") + " "
	return m.several(strings.Join(parts, join), area, m.parts(normalise(spoken)) != nil, &steps)
}

// several takes a text apart at "and": into commands, and into things that share a
// command if that may be.
func (m *Matcher) several(text, area string, shares bool, steps *int) (Decision, bool) {
	parts := m.parts(text)
	if len(parts) < 2 {
		return Decision{}, false
	}
	return newJoined(m, area, shares, steps).all(parts)
}
