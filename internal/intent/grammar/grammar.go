// Package grammar makes the recogniser's view of the sentences: a JSGF grammar of what
// can be said in this house, automata of the same and of more, and the judgement whether
// the words heard so far are a whole sentence (REQUIREMENTS H6). All come from the
// sentences that the matcher uses, so that nothing is heard that is not understood. To
// keep a sentence out of the grammar give its block text_only; to keep it for recognisers
// that hear no worse for more sentences, wide; to say something in fewer words give it a
// spoken rule. A test compares what is heard with what is understood; its list of
// exceptions says where they differ.
package grammar

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/template"
)

// Grammar is what can be said. It is never changed after New.
type Grammar struct {
	pack      *intent.Pack
	house     *home.House
	missing   map[string]bool // words the recogniser does not know
	sentences []sentence
	root      *node      // the choice of those that are not wide, without politeness
	names     []string   // things and areas that cannot be said in any form
	auto      *automaton // of root
	wide      *automaton // of all sentences that are no answers
	answers   *automaton // of what is one only after a question
	skip      [][]string // polite phrases as words
}

// New makes the grammar of a house. The house may be nil or empty; then only
// what needs no house can be said.
func New(pack *intent.Pack, house *home.House) (*Grammar, error) {
	if house == nil {
		house = &home.House{}
	}
	return build(pack, house, nil)
}

// Without returns the grammar without the sentences that need one of the words. lost are
// the names that can then no longer be said in any form.
func (g *Grammar) Without(missing []string) (without *Grammar, lost []string) {
	all := maps.Clone(g.missing)
	if all == nil {
		all = make(map[string]bool, len(missing))
	}
	for _, word := range missing {
		all[strings.ToLower(word)] = true
	}
	without, err := build(g.pack, g.house, all)
	if err != nil { // cannot happen: the same sentences have compiled before
		return g, nil
	}
	return without, without.names
}

// Words are all words of the grammar, each once, in alphabetical order.
func (g *Grammar) Words() []string {
	set := make(map[string]bool)
	for _, polite := range slices.Concat(g.before(), g.after()) {
		for word := range strings.FieldsSeq(polite) {
			set[word] = true
		}
	}
	g.root.addWords(set)
	return slices.Sorted(maps.Keys(set))
}

func build(pack *intent.Pack, house *home.House, missing map[string]bool) (*Grammar, error) {
	b := &builder{
		pack: pack, house: house, missing: missing, shared: make(map[string]*node),
		spoken: make(map[int][]string),
	}
	b.lang, _ = numbers.For(pack.Language)
	b.prepare()
	rules := maps.Clone(pack.Rules)
	maps.Copy(rules, pack.SpokenRules)
	b.phrases = template.NewPhrases(rules)
	g := &Grammar{pack: pack, house: house, missing: missing}
	for i := range pack.Blocks {
		if b.block = &pack.Blocks[i]; b.block.Meta.Text || b.block.NeedsArea || !b.block.Meta.AppliesIn(house) {
			continue
		}
		if err := g.add(b, false); err != nil {
			return nil, err
		}
	}
	for i := range pack.Answers {
		if b.block = &pack.Answers[i]; house.Empty() { // nothing is asked about
			continue
		}
		if err := g.add(b, true); err != nil {
			return nil, err
		}
	}
	g.root = g.choice(func(s *sentence) bool { return !s.wide })
	wide := g.choice(func(s *sentence) bool { return s.kind != answer })
	g.names, g.auto, g.wide, g.answers = b.lost, compile(g.root), compile(wide), g.of(answer, true)
	for _, s := range pack.Skip {
		g.skip = append(g.skip, strings.Fields(s))
	}
	return g, nil
}

// choice is the choice of the sentences that are wanted.
func (g *Grammar) choice(wanted func(s *sentence) bool) *node {
	out := &node{kind: choice}
	for i := range g.sentences {
		if s := &g.sentences[i]; wanted(s) {
			out.items = append(out.items, s.node)
		}
	}
	return out
}

// sentence is one sentence of the pack with the names of the house.
type sentence struct {
	node *node
	kind sentenceKind
	wide bool // not for a recogniser that more words make worse

	timed bool // an act on things of the house, which may have an end or be for later
}

// sentenceKind says what may stand around a sentence.
type sentenceKind uint8

const (
	order    sentenceKind = iota // polite words, and other sentences joined
	question                     // the same, but no order is joined to it: "is it raining and close the window"
	after                        // polite words: it continues the sentence before, or answers it
	answer                       // polite words behind it
)

// add makes the sentences of the builder's block.
func (g *Grammar) add(b *builder, answers bool) error {
	for i, source := range b.block.Source {
		phrase, err := b.phrases.Of(b.block.Sentences[i])
		if err != nil {
			return fmt.Errorf("making the grammar of %s, %q: %w", b.block.Intent, source, err)
		}
		b.count = 0
		n := b.of(phrase)
		if b.count > maxNodes {
			return fmt.Errorf("making the grammar of %s, %q: larger than %d parts", b.block.Intent, source, maxNodes)
		}
		if n == nil || n.empty() {
			continue
		}
		s := sentence{node: n, wide: b.block.Meta.Wide || answers, timed: timed(b.block.Intent) && b.block.Meta.Scope != "room"}
		switch {
		case answers:
			s.kind = answer
		case b.block.Meta.After || answersTurn(b.block.Intent):
			s.kind = after
		case b.pack.SpeechAct(strings.Join(n.first(nil), " ")).Asks():
			s.kind = question
		}
		g.sentences = append(g.sentences, s)
	}
	return nil
}

// timed reports whether an intent is an act on things of the house that can be put back,
// behind which a time may stand. What is about the room of the speaker is not: a command
// for later is carried out by its words, which must name the room.
func timed(name string) bool {
	in := catalogue.Of(name)
	return in.Undo == catalogue.Restored && slices.Contains([]catalogue.Plan{catalogue.Switch, catalogue.Command}, in.Plan)
}

// answersTurn reports whether an intent is about what was just said or asked, so that
// with an order before or behind it nobody knows what counts: "lock the door and no".
func answersTurn(name string) bool {
	alone := []string{catalogue.Yes, catalogue.No, catalogue.Nevermind, catalogue.Stop, catalogue.NotForYou}
	return catalogue.Of(name).Plan == catalogue.Before || slices.Contains(alone, name)
}

func (g *Grammar) before() []string { return g.knownPhrases(g.pack.Polite.Before) }
func (g *Grammar) after() []string  { return g.knownPhrases(g.pack.Polite.After) }

func (g *Grammar) knownPhrases(phrases []string) []string {
	return slices.DeleteFunc(slices.Clone(phrases), func(text string) bool { return hasAny(text, g.missing) })
}

func hasAny(text string, missing map[string]bool) bool {
	for word := range strings.FieldsSeq(text) {
		if missing[word] {
			return true
		}
	}
	return false
}

// builder turns phrases into nodes for one house.
type builder struct {
	pack    *intent.Pack
	house   *home.House
	lang    *numbers.Language
	phrases *template.Phrases
	missing map[string]bool
	block   *intent.Block
	shared  map[string]*node
	spoken  map[int][]string // by entity: what it may be called, all words known
	decoys  struct{ names, areas []string }
	lost    []string
	count   int
}

// maxNodes bounds one sentence of the grammar; real ones have some dozen parts.
const maxNodes = 20000

// prepare collects the names that can be recognised, and those decoys that cannot
// be mistaken for one of the names.
func (b *builder) prepare() {
	entries := make([]names.Entry, 0, len(b.house.Entities))
	for i := range b.house.Entities {
		e := &b.house.Entities[i]
		entries = append(entries, names.Entry{Name: e.Name, Aliases: e.Aliases})
		if b.spoken[i] = b.sayable(intent.EntityNames(e, b.pack)); len(b.spoken[i]) == 0 {
			b.lost = append(b.lost, e.Name)
		}
	}
	areas := make([]names.Entry, 0, len(b.house.Areas))
	for _, name := range b.house.AreaNames() {
		entry := names.Entry{Name: name}
		if a := b.house.Area(name); a != nil {
			entry.Aliases = a.Aliases
		}
		areas = append(areas, entry)
	}
	b.decoys.names = b.strange(b.pack.Decoys.Names, names.New(entries))
	b.decoys.areas = b.strange(b.pack.Decoys.Areas, names.New(areas))
}

// strange keeps the decoys that are unlike everything in the house.
func (b *builder) strange(decoys []string, index *names.Index) []string {
	return slices.DeleteFunc(b.sayable(decoys), func(text string) bool {
		return index.Resolve(text, nil).Verdict != names.None
	})
}

// sayable keeps texts made of words the recogniser can know: letters and
// apostrophes only.
func (b *builder) sayable(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		return text == "" || hasAny(text, b.missing) || strings.ContainsFunc(text, func(r rune) bool {
			return r != ' ' && r != '\'' && !unicode.IsLetter(r)
		}) || strings.HasPrefix(text, "'") || strings.Contains(text, " '")
	})
}

// of turns a phrase into a node; nil when it cannot be said.
func (b *builder) of(p *template.Phrase) *node {
	if b.count++; b.count > maxNodes {
		return nil
	}
	switch p.Kind {
	case template.Word:
		word := strings.ToLower(p.Text)
		if b.missing[word] {
			return nil
		}
		return &node{kind: wordNode, word: word}
	case template.All:
		n := &node{kind: sequence}
		for _, item := range p.Items {
			inner := b.of(item)
			if inner == nil {
				return nil
			}
			n.items = append(n.items, inner)
		}
		return n
	case template.Any:
		n := &node{kind: choice}
		for _, item := range p.Items {
			if inner := b.of(item); inner != nil {
				n.items = append(n.items, inner)
			}
		}
		if len(n.items) == 0 {
			return nil
		}
		return n
	case template.Named:
		return b.of(p.Items[0])
	case template.Value:
	}
	return b.value(p.Value)
}

// value is the shared rule of a list.
func (b *builder) value(v *template.Node) *node {
	key := v.Name
	if v.Kind == template.Range {
		key = fmt.Sprintf("range_%d_%d_%d", v.From, v.To, v.Step)
	}
	if v.Name == "name" {
		key = "name_" + strings.Join(b.block.Domains, "_")
		if b.block.Meta.Closed {
			key += "_closed"
		}
	}
	if n, ok := b.shared[key]; ok {
		return n
	}
	n := phrasesNode(b.texts(v))
	if n != nil {
		n.rule = key
	}
	b.shared[key] = n
	return n
}

// texts lists what may stand for a list value.
func (b *builder) texts(v *template.Node) []string {
	if v.Kind == template.Range {
		return b.numbers(numbers.Range{From: v.From, To: v.To, Step: v.Step})
	}
	switch v.Name {
	case "name":
		return b.nameTexts()
	case "area":
		return b.areaTexts()
	case "floor":
		return b.floorTexts()
	}
	l := b.pack.Lists[v.Name]
	var out []string
	switch l.Kind {
	case intent.TextList:
		for _, value := range l.Values {
			out = append(out, b.sayable(value.Texts)...)
		}
	case intent.RangeList:
		span := intent.SpanIn(l.Range, b.house)
		// Tenths are understood, but offering nine fractions of every number
		// makes the recogniser invent them.
		span.Halves, span.Tenths = span.Halves || span.Tenths, false
		if l.Range.SpokenTo > 0 {
			span.To = min(span.To, l.Range.SpokenTo)
		}
		out = b.numbers(span)
	case intent.WildcardList, intent.HostList:
	}
	return out
}

func (b *builder) areaTexts() []string {
	var out []string
	for _, name := range b.house.AreaNames() {
		texts := b.sayable(intent.AreaSpoken(b.house, name, b.pack))
		if len(texts) == 0 && !slices.Contains(b.lost, name) {
			b.lost = append(b.lost, name)
		}
		out = append(out, texts...)
	}
	if len(out) == 0 {
		return nil
	}
	return append(out, b.decoys.areas...)
}

func (b *builder) floorTexts() []string {
	var out []string
	for _, f := range b.house.Floors {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			out = append(out, b.sayable(names.SpokenForms(name))...)
		}
	}
	return out
}

// nameTexts lists the names a block accepts, with decoys where any kind of
// device may be said.
func (b *builder) nameTexts() []string {
	var out []string
	for i := range b.house.Entities {
		if len(b.block.Domains) == 0 || slices.Contains(b.block.Domains, b.house.Entities[i].Domain) {
			out = append(out, b.spoken[i]...)
		}
	}
	if !b.block.Meta.Closed && slices.Contains(b.block.Domains, "switch") && !b.block.Meta.Question {
		out = append(out, b.decoys.names...)
	}
	return out
}

func (b *builder) numbers(r numbers.Range) []string {
	if b.lang == nil {
		return nil
	}
	var out []string
	for _, s := range b.lang.Spellings(r) {
		out = append(out, s.Text)
	}
	return b.sayable(out)
}
