package reader

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
)

// Words are what a language knows for writing sentences of ours. They are never changed
// after they are loaded, but for the names of the last house, and may be used by many
// goroutines.
type Words struct {
	last atomic.Pointer[namedHouse]

	numbers     *numbers.Language
	neutral     phrases
	forbids     map[string]bool
	orders      phrases         // how an order or a wish begins
	polite      phrases         // what may stand before it
	instead     phrases         // texts that are read as others, by these
	relays      map[string]bool // an order to tell a thing something is one to the thing
	joins       map[string]bool // words that join two parts of one order
	tells       map[string]bool // words of a report
	time        timeWords
	families    map[string]*family
	kinds       map[Kind]*kindWords
	texts       map[string]string
	places      map[string]bool // what stands before a place
	storeys     map[string]bool // what a floor is called in every house
	to, by      map[string]bool // what stands before the number of a percentage, and of a step
	level, from map[string]bool // what stands before the number of a level, and before what is left
	percent     phrases
}

// file is a language's file as it is written.
type file struct {
	Neutral []string            `yaml:"neutral"`
	Forbids []string            `yaml:"forbids"`
	Begins  []string            `yaml:"begins"`
	Polite  []string            `yaml:"polite"`
	Instead map[string][]string `yaml:"instead"`
	Relays  []string            `yaml:"relays"`
	Joins   []string            `yaml:"joins"`
	Tells   []string            `yaml:"tells"`
	Time    timeFile            `yaml:"time"`
	Number  map[string][]string `yaml:"number"`
	All     []string            `yaml:"all"`
	Here    []string            `yaml:"here"`
	Places  []string            `yaml:"places"`
	Storeys []string            `yaml:"storeys"`
	Texts   map[string]string   `yaml:"texts"`
	Kinds   map[Kind]kindFile   `yaml:"kinds"`
	Family  map[string]struct {
		About    []string            `yaml:"about"`
		Uses     []string            `yaml:"uses"`
		Things   []string            `yaml:"things"`
		Domain   string              `yaml:"domain"`
		Found    map[string][]string `yaml:"found"`
		Clock    bool                `yaml:"clock"`
		Dates    bool                `yaml:"dates"`
		Rooms    bool                `yaml:"rooms"`
		Directed bool                `yaml:"directed"`
	} `yaml:"families"`
}

type timeFile struct {
	Anchors  []string `yaml:"anchors"`
	Joins    []string `yaml:"joins"`
	Starts   []string `yaml:"starts"`
	Loose    []string `yaml:"loose"`
	Links    []string `yaml:"links"`
	Ago      []string `yaml:"ago"`
	Ordinals []string `yaml:"ordinals"`
	Hundred  []string `yaml:"hundred"`
	Units    []string `yaml:"units"`
}

type kindFile struct {
	Family string   `yaml:"family"`
	Says   []string `yaml:"says"`
	Shows  []string `yaml:"shows"`
	Yields bool     `yaml:"yields"`
	Asks   bool     `yaml:"asks"`
	Free   bool     `yaml:"free"`
	Whole  bool     `yaml:"whole"`
	Uses   []string `yaml:"uses"`
	Forms  []string `yaml:"forms"`
}

// timeWords are the words of which times are made: anchors make a time, joins stand
// between them, and only starts stay where a time begins.
type timeWords struct {
	anchors, joins, starts, loose, links, ordinals map[string]bool
	hundred                                        map[string]bool // behind an hour: "eight hundred"
	units                                          map[string]bool // of lengths
	ago                                            phrases         // what follows a length to make a time of it: "from now"
}

// family is a group of kinds about the same things: the words of a text, not its kind,
// decide between them.
type family struct {
	lexicon  phrases
	things   []string
	domain   string // of things that it is about whatever they are called; "": none
	kinds    []Kind
	clock    bool // a number alone can be a time
	dates    bool // its words are words of times, too
	directed bool // the words must say which kind it is
	rooms    bool // a room alone says what it is about: "make the kitchen blue"
}

// kindWords are what a kind adds to its family: whether its words give way to those of
// another kind, the words that it is used to, and the sentences.
type kindWords struct {
	family *family
	yields bool
	asks   bool     // it only reads
	free   bool     // its answer tells everything, whatever else was said
	whole  bool     // it is left if a word is not explained
	shows  []string // classes of pieces that say the kind
	uses   phrases
	forms  []form
}

// phrases are texts with the classes they are in, by their words.
type phrases struct {
	classes map[string][]string
	longest int // words
}

// The classes that the code knows.
const (
	classAbout = "about"
	classUses  = "uses"
	classAll   = "all"
	classHere  = "here"
	says       = "says " // before a kind
)

func (p *phrases) add(class string, texts ...string) {
	if p.classes == nil {
		p.classes = map[string][]string{}
	}
	for _, t := range texts {
		p.classes[t] = append(p.classes[t], class)
		p.longest = max(p.longest, len(strings.Fields(t)))
	}
}

// longestAt returns the longest phrase with which the words begin: how many words it has,
// 0 for none, and its classes.
func (p *phrases) longestAt(words []string) (n int, classes []string) {
	for n := min(p.longest, len(words)); n > 0; n-- {
		if c := p.classes[strings.Join(words[:n], " ")]; c != nil {
			return n, c
		}
	}
	return 0, nil
}

var vocabularies sync.Map // *Words or nil, by language

// WordsOf returns the words of a language; nil if it has none.
func WordsOf(language string) *Words {
	if w, ok := vocabularies.Load(language); ok {
		return w.(*Words)
	}
	data, err := sentences.Rewriting(language)
	var w *Words
	if err == nil {
		w, _ = parse(language, data) // the files are part of the program, and a test loads them
	}
	got, _ := vocabularies.LoadOrStore(language, w)
	return got.(*Words)
}

func parse(language string, data []byte) (*Words, error) {
	var f file
	if err := yaml.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("the words of the reader: %w", err)
	}
	w := &Words{forbids: set(f.Forbids), texts: f.Texts, families: map[string]*family{}, kinds: map[Kind]*kindWords{}}
	w.numbers, _ = numbers.For(language)
	w.neutral.add(classUses, f.Neutral...)
	w.orders.add(classUses, f.Begins...)
	w.polite.add(classUses, f.Polite...)
	for text, said := range f.Instead {
		w.instead.add(text, said...)
	}
	w.relays, w.joins = set(f.Relays), set(f.Joins)
	w.tells = set(f.Tells)
	w.places, w.storeys = set(f.Places), set(f.Storeys)
	w.to, w.by = set(f.Number["to"]), set(f.Number["by"])
	w.level, w.from = set(f.Number["level"]), set(f.Number["from"])
	w.percent.add(classUses, f.Number["percent"]...)
	w.time = timeWords{set(f.Time.Anchors), set(f.Time.Joins), set(f.Time.Starts), set(f.Time.Loose), set(f.Time.Links), set(f.Time.Ordinals), set(f.Time.Hundred), set(f.Time.Units), phrases{}}
	w.time.ago.add(classUses, f.Time.Ago...)
	for name, g := range f.Family {
		group := &family{things: g.Things, domain: g.Domain, clock: g.Clock, dates: g.Dates, rooms: g.Rooms, directed: g.Directed}
		group.lexicon.add(classAll, f.All...)
		group.lexicon.add(classHere, f.Here...)
		group.lexicon.add(classAbout, g.About...)
		group.lexicon.add(classUses, g.Uses...)
		for class, texts := range g.Found {
			group.lexicon.add(class, texts...)
		}
		w.families[name] = group
	}
	for kind, k := range f.Kinds {
		group := w.families[k.Family]
		if group == nil {
			return nil, fmt.Errorf("the kind %q has the family %q, which there is not", kind, k.Family)
		}
		group.lexicon.add(says+string(kind), k.Says...)
		for _, said := range k.Says {
			if slices.ContainsFunc(strings.Fields(said), func(word string) bool { return slices.Contains(group.lexicon.classes[word], classAbout) }) {
				group.lexicon.add(classAbout, said)
			}
		}
		group.kinds = append(group.kinds, kind)
		slices.Sort(group.kinds)
		own := &kindWords{family: group, yields: k.Yields, asks: k.Asks, free: k.Free, whole: k.Whole, shows: k.Shows}
		own.uses.add(classUses, k.Uses...)
		for _, text := range k.Forms {
			own.forms = append(own.forms, newForm(text))
		}
		w.kinds[kind] = own
	}
	return w, nil
}

// plain is a text as it is compared, with the words that are read as others in their place.
func (w *Words) plain(text string) string {
	words := strings.Fields(intent.Plain(text))
	var out []string
	for len(words) > 0 {
		n, texts := w.instead.longestAt(words)
		if n == 0 {
			n, texts = 1, words
		}
		out = append(out, texts[0])
		words = words[n:]
	}
	return strings.Join(out, " ")
}

// UnknownStorey returns the word of a text for a floor of which the house knows nothing,
// such as "upstairs"; "" if there is none.
func (w *Words) UnknownStorey(text string, h *home.House) string {
	known := w.houseNames(h)
	for word := range strings.FieldsSeq(intent.Plain(text)) {
		if w.storeys[word] && known[word] == nil {
			return word
		}
	}
	return ""
}

func set(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}
