package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/language/template"
)

// Pack is a language's sentences with all they need. It is never changed after
// loading.
type Pack struct {
	Language string
	// Exact packs are matched to the letter of the template language and nothing is
	// added: no fuzzy names, no refusals, no second command. Packs of Home
	// Assistant are exact, ours are not.
	Exact bool
	// IgnoreSpace drops all spaces of templates and sentences (Chinese, Japanese).
	IgnoreSpace bool
	Blocks      []Block // in file order, which decides ties
	Answers     []Block // what people say to a question, without a verb: only heard, the dialogue understands it
	Lists       map[string]List
	Rules       map[string]*template.Node
	// SpokenRules replace Rules where the recogniser's grammar is made: the
	// same thing in fewer words, because every word more costs accuracy.
	SpokenRules map[string]*template.Node
	Skip        []string // polite words that mean nothing, longest first
	Polite      Polite
	Later       []string // times that may stand behind a command
	Pronouns    Pronouns
	Join        []string // words between two commands
	Denials     []string // words before a command that puts another right: "no"
	Except      Except
	NotNames    []string // words that no device or area name is made of
	Common      []string // words that alone do not name a door: "door", "big"
	Moments     []string // how times and conditions begin, which are neither places nor things
	Decoys      Decoys
	Texts       map[string]string // phrases of questions, by key

	compiled *once
}

// Decoys are common names of things and rooms. The recogniser offers them beside
// those of the house, so that a thing the house lacks is heard as itself and
// refused instead of being forced onto the nearest device.
type Decoys struct {
	Names []string `yaml:"names"`
	Areas []string `yaml:"areas"`
}

// Polite are the skip words the recogniser listens for around a sentence.
type Polite struct {
	Before []string `yaml:"before"`
	After  []string `yaml:"after"`
}

// Block is a group of sentences of one intent that share slots and conditions.
type Block struct {
	Intent    string
	Sentences []*template.Node
	Source    []string       // the sentences as written
	Slots     map[string]any // fixed, filled only where the sentence did not
	Domains   []string       // requires_context.domain: what {name} may be
	NeedsArea bool           // requires_context.area: the microphone's area fills the slot
	Response  string         // the key of the reply
	Context   []Condition    // all of requires_context and excludes_context
	Keywords  []string       // the sentence must hold one of these words, lower case
	Custom    bool           // written by the user: goes before what is built in
	Scoped    *Scoped        // lists and rules of this block alone, or nil
	Metadata  map[string]any // as written
	Meta      Meta
}

// Scoped are lists and rules that hold for one block and hide those of the pack.
type Scoped struct {
	Lists map[string]List
	Rules map[string]*template.Node
}

// Condition is one line of requires_context or excludes_context.
type Condition struct {
	Key     string
	Values  []any  // the value is one of them; without any, every value fits
	Slot    string // the value goes into this slot if the sentence left it empty
	Exclude bool   // the value must not be one of them
}

// Meta is what our own packs add to a block.
type Meta struct {
	// Scope says where unnamed devices are looked for when the sentence holds
	// no area: "room" (the microphone's; the default) or "house".
	Scope string `yaml:"scope"`
	// Text keeps the block out of the recogniser's grammar; typed and freely
	// transcribed text still matches it.
	Text bool `yaml:"text_only"`
	// Wide keeps the block out of the grammar of a recogniser that every word more
	// makes worse.
	Wide bool `yaml:"wide"`
	// Closed forbids unknown names, because the sentence is too loose to show that a device
	// was meant.
	Closed bool `yaml:"closed"`
	// Question marks sentences that only read.
	Question bool `yaml:"question"`
	// One asks back when several devices fit, instead of taking all.
	One bool `yaml:"one"`
	// Where "outside" looks for sensors that are outdoors.
	Where string `yaml:"where"`
	// Shy sentences may hold a part of a name or a misheard one. They are too loose
	// to refuse an unknown name with.
	Shy bool `yaml:"shy"`
	// After marks sentences that mean nothing without the sentence before them. Only
	// Matcher.After matches them.
	After bool `yaml:"after"`
	// Without is a domain. If the house has a thing of it, the block does not apply, because
	// its words are about that thing.
	Without string `yaml:"without"`
	// With are domains, separated by blanks. Only if the house has a thing of one of them
	// does the block apply.
	With string `yaml:"with"`
	// Own is the slot for one of a thing's own words: a source, a preset, a mode. The block is
	// only about things that have such words.
	Own string `yaml:"own"`
	// Unnamed are words, separated by blanks. If the house has a thing with one of these
	// names, the block does not apply, because its words are about that thing.
	Unnamed string `yaml:"unnamed"`
	// Reject ends the match, because the sentence is not a command but talk that
	// was overheard.
	Reject Reason `yaml:"reject"`
}

// AppliesIn reports whether a house has what a block is about.
func (m *Meta) AppliesIn(house *home.House) bool {
	domains := strings.Fields(m.With)
	return len(domains) == 0 || slices.ContainsFunc(house.Entities, func(e home.Entity) bool { return slices.Contains(domains, e.Domain) })
}

// ListKind says where the values of a list come from.
type ListKind uint8

// The kinds of lists.
const (
	TextList ListKind = iota
	RangeList
	WildcardList
	HostList // name, area, floor: from the house
)

// List is one named list of a pack.
type List struct {
	Kind     ListKind
	Values   []ListValue // TextList
	Range    RangeDef    // RangeList
	Multiply float64     // RangeList: the value is multiplied by this; 0 counts as 1
	Words    int         // WildcardList: how many words a text may have; 0 means any number
}

// ListValue is one value of a text list; Texts are all its spellings.
type ListValue struct {
	Texts    []string
	Out      any            // string or number; nil: the text that matched
	Context  map[string]any // joins the context of a match
	Metadata map[string]any // handed on untouched
}

// RangeDef is a list of numbers as packs write it.
type RangeDef struct {
	From       int     `yaml:"from"`
	To         int     `yaml:"to"`
	Step       int     `yaml:"step"`
	Type       string  `yaml:"type"`
	Fractions  string  `yaml:"fractions"` // "", "halves", "tenths" or "parts": any
	Multiplier float64 `yaml:"multiplier"`
	Digits     *bool   `yaml:"digits"`
	Words      *bool   `yaml:"words"`
	Language   string  `yaml:"words_language"` // of the words, if not the pack's
	SpokenTo   int     `yaml:"spoken_to"`      // the highest the recogniser listens for; 0: To
}

// hostLists are the lists the house fills.
var hostLists = map[string]bool{"name": true, "area": true, "floor": true}
