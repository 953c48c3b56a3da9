package intent

import (
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/numbers"
)

// list is a list ready for matching.
type list struct {
	trie     trie
	values   []ListValue // text lists
	numbers  []float64   // exact packs: by index in the trie
	lang     *numbers.Language
	span     numbers.Range
	degrees  bool // it holds set points; the house's thermostats set its range
	digits   bool
	fraction bool
	multiply float64
	words    int   // of a free text; 0 means any number
	id       int32 // number among all lists of a matcher, so that it is asked only once whether a text holds a value of it
}

// context returns what a value of a text list adds to the context of a match.
func (l *list) context(value int32) map[string]any { return l.values[value].Context }

// houseLists are the lists a house fills.
type houseLists struct{ name, area, floor *list }

// Numbers of the lists a house fills.
const (
	nameList int32 = iota
	areaList
	floorList
	houseListCount
)

// of returns the list that a step needs, which may be one of the house.
func (h *houseLists) of(i *gap) *list {
	switch i.op {
	case opName:
		return h.name
	case opArea:
		return h.area
	case opFloor:
		return h.floor
	case opEnd, opText, opChoice, opValue, opNumber, opWild:
	}
	return i.list
}

func newHouseLists(h *home.House, p *Pack) *houseLists {
	hl := &houseLists{name: &list{}, area: &list{}, floor: &list{}}
	if h == nil {
		return hl
	}
	var things, areas, floors growingTrie
	for i := range h.Entities {
		for _, text := range entityTexts(&h.Entities[i], p) {
			things.add(text, int32(i))
		}
	}
	for i, name := range h.AreaNames() {
		var aliases []string
		if a := h.Area(name); a != nil {
			aliases = a.Aliases
		}
		texts := verbatim(p, name, aliases)
		if !p.Exact {
			texts = alsoGlued(p, AreaSpoken(h, name, p))
		}
		for _, text := range texts {
			areas.add(text, int32(i))
		}
	}
	for i, f := range h.Floors {
		texts := verbatim(p, f.Name, f.Aliases)
		if !p.Exact {
			texts = nil
			for _, name := range append([]string{f.Name}, f.Aliases...) {
				texts = append(texts, names.SpokenForms(name)...)
			}
		}
		for _, text := range texts {
			floors.add(text, int32(i))
		}
	}
	hl.name.trie, hl.area.trie, hl.floor.trie = things.pack(), areas.pack(), floors.pack()
	return hl
}

func entityTexts(e *home.Entity, p *Pack) []string {
	if p.Exact {
		return verbatim(p, e.Name, e.Aliases)
	}
	return alsoGlued(p, EntityNames(e, p))
}

// alsoGlued adds the forms of names in which words are written together or apart, and
// those in which things are numbered. They are matched, but not in the recogniser's
// grammar, because they sound alike or would make it longer.
func alsoGlued(p *Pack, texts []string) []string {
	for _, text := range slices.Clone(texts) {
		texts = append(texts, names.CompoundForms(p.Language, text)...)
		texts = append(texts, names.NumberForms(p.Language, text)...)
	}
	return texts
}

// verbatim lists names as an exact pack compares them: as they are written.
func verbatim(p *Pack, name string, aliases []string) []string {
	var out []string
	for _, n := range append([]string{name}, aliases...) {
		if text := p.fold(tidy(n)); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// fold lowers a text and, where the language wants it, drops its spaces.
func (p *Pack) fold(text string) string {
	if text = fold(text); p.IgnoreSpace {
		return strings.ReplaceAll(text, " ", "")
	}
	return text
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
		add(names.SpokenForms(name))
		add(names.SpokenForms(lang.InWords(name)))
		for _, form := range names.OrdinalForms(p.Language, name) {
			add(names.SpokenForms(form))
		}
		for suffix := range strings.FieldsSeq(suffixes) {
			if head, ok := strings.CutSuffix(strings.ToLower(name), " "+suffix); ok {
				add(names.SpokenForms(head))
			}
		}
	}
	add(p.vessels(e))
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
		out = append(out, names.SpokenForms(n)...)
		out = append(out, names.SpokenForms(lang.InWords(n))...)
	}
	return out
}

// compileList makes a list of a pack ready; nil for wildcards of any length.
func (c *compiler) compileList(l List) (*list, error) {
	switch l.Kind {
	case TextList:
		var texts growingTrie
		for i, v := range l.Values {
			for _, text := range v.Texts {
				if text = c.pack.fold(text); text != "" {
					texts.add(text, int32(i))
				}
			}
		}
		return c.number(&list{values: l.Values, trie: texts.pack()}), nil
	case RangeList:
		out, err := c.numberList(Span(l.Range), l.Multiply, l.Range.Language)
		if err != nil {
			return nil, err
		}
		out.degrees = l.Range.Type == temperature
		return c.number(out), nil
	case WildcardList:
		if l.Words > 0 {
			return &list{words: l.Words}, nil
		}
	case HostList:
	}
	return nil, nil //nolint:nilnil // a wildcard has no values
}

// number gives a list its number among all lists.
func (c *compiler) number(l *list) *list {
	l.id = int32(len(c.all))
	c.all = append(c.all, l)
	return l
}

// Span is the range a pack's definition stands for.
func Span(d RangeDef) numbers.Range {
	return numbers.Range{
		From: d.From, To: d.To, Step: max(d.Step, 1),
		Halves: d.Fractions == "halves", Tenths: d.Fractions == "tenths", Parts: d.Fractions == "parts", Percent: d.Type == "percentage",
		NoDigits: d.Digits != nil && !*d.Digits, NoWords: d.Words != nil && !*d.Words,
	}
}

// numberList prepares a range. Our packs read numbers as people say them; an exact pack
// gets only the spellings of the table.
func (c *compiler) numberList(span numbers.Range, multiply float64, language string) (*list, error) {
	l := &list{span: span, digits: !span.NoDigits, fraction: span.Halves || span.Tenths || span.Parts, multiply: multiply, lang: c.lang}
	if multiply == 0 {
		l.multiply = 1
	}
	if language != "" {
		var ok bool
		if l.lang, ok = numbers.For(language); !ok {
			return nil, fmt.Errorf("words_language: %s has no number words here", language)
		}
	}
	if !c.pack.Exact {
		return l, nil
	}
	key := wordsKey{span, l.lang}
	words, ok := c.spelled[key]
	if !ok {
		if n := (span.To - span.From) / max(span.Step, 1); n >= numbers.MaxValues && !span.NoWords {
			return nil, fmt.Errorf("a range of %d numbers, at most %d are allowed with words", n+1, numbers.MaxValues)
		}
		words = &list{}
		var texts growingTrie
		for _, s := range l.lang.Spellings(span) {
			if c.total += wordSteps; c.total > maxProgram {
				return nil, fmt.Errorf("ranges of more than %d words for numbers in one pack", maxProgram/wordSteps)
			}
			texts.add(c.pack.fold(s.Text), int32(len(words.numbers)))
			words.numbers = append(words.numbers, s.Value)
		}
		words.trie = texts.pack()
		c.spelled[key] = words
	}
	l.trie, l.numbers = words.trie, words.numbers
	return l, nil
}

// wordsKey names the spellings of one range.
type wordsKey struct {
	span numbers.Range
	lang *numbers.Language
}
