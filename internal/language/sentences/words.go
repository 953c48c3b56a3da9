package sentences

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Words are the single words of a language that the gateway has to know. en_words.yaml
// says what each of them is for. They never change after loading.
type Words struct {
	Language string            `yaml:"language"`
	Names    Names             `yaml:"names"`
	Sounds   Sounds            `yaml:"sounds"`
	Numbers  Numbers           `yaml:"numbers"`
	Hazards  Hazards           `yaml:"hazards"`
	Openings Openings          `yaml:"openings"`
	Writing  Writing           `yaml:"writing"`
	Claims   Claims            `yaml:"claims"`
	Offers   []string          `yaml:"offers"`  // patterns of questions that offer to do something
	Musings  []string          `yaml:"musings"` // what people say to themselves before they answer, and not in an answer
	Invented Invented          `yaml:"invented"`
	Warmth   Warmth            `yaml:"warmth"`
	Lasting  List              `yaml:"lasting"`   // things that stay on when everything is switched off
	Cities   map[string]string `yaml:"cities"`    // IANA zones of places without one of their name
	Lands    map[string]string `yaml:"countries"` // IANA zones of countries, with the city where there are several
	Acts     Acts              `yaml:"acts"`
	Examples Examples          `yaml:"examples"`
	Rehearse Rehearsal         `yaml:"rehearsal"`
	Shown    map[string]string `yaml:"home_assistant"` // names of the gateway's entities in Home Assistant, by key
	Lookups  Lookups           `yaml:"lookups"`
	Products Products          `yaml:"products"`
	Typed    Typed             `yaml:"typed"`
	Named    map[string]string `yaml:"languages"` // how languages are called, by their codes
}

// Examples are sentences to show a newcomer. {} stands for a name, # for a temperature.
type Examples struct {
	On       []string `yaml:"on"`
	State    []string `yaml:"state"`
	Off      []string `yaml:"off"`
	Warmth   []string `yaml:"warmth"`
	Anywhere []string `yaml:"anywhere"` // for a house without a thing that fits
	Cover    []string `yaml:"cover"`
	Climate  []string `yaml:"climate"`
	Lock     []string `yaml:"lock"`
	Timer    []string `yaml:"timer"`
	Undo     []string `yaml:"undo"`
}

// Rehearsal are the words for the rehearsal of names.
type Rehearsal struct {
	Said   []string          `yaml:"said"`   // commands about a thing; % stands for its name
	Others map[string]List   `yaml:"others"` // other words for what a name ends in
	Kinds  map[string]string `yaml:"kinds"`  // a word for what a thing is, by domain
	Longer List              `yaml:"longer"` // words that make any name longer
}

// Lookups are words of names and sentences that single parts look for.
type Lookups struct {
	Misspelt List `yaml:"misspelt"` // short words that a misspelt one may stand for
	Left     List `yaml:"left"`
	Right    List `yaml:"right"`
	Sensors  List `yaml:"sensors"` // of temperatures
	Back     List `yaml:"back"`    // words that stand for what was said before
}

// Products are the words in names and product descriptions that tell what a thing is. One
// with a hyphen before it may also end a longer word.
type Products struct {
	Lights   List `yaml:"lights"`
	Fans     List `yaml:"fans"`
	Blinds   List `yaml:"blinds"`
	Curtains List `yaml:"curtains"`
	Shades   List `yaml:"shades"`
	Awnings  List `yaml:"awnings"`
	Shutters List `yaml:"shutters"`
	Plugs    List `yaml:"plugs"`
}

// Typed is how a yes and a no are typed.
type Typed struct {
	Yes List `yaml:"yes"`
	No  List `yaml:"no"`
}

// Every joins a list of words of all our languages, because families name things in
// several.
func Every(list func(*Words) List) List {
	var all List
	for _, w := range EveryWords() {
		all = append(all, list(w)...)
	}
	return all
}

// Names are the words that have a special role in the names of rooms and things.
type Names struct {
	Dropped   List              `yaml:"dropped"`
	NotFirst  List              `yaml:"not_first"`
	HeardAs   map[string]string `yaml:"heard_as"`
	Also      map[string]string `yaml:"also"`
	Kinds     []List            `yaml:"kinds"`
	Plural    string            `yaml:"plural"`
	Endings   List              `yaml:"endings"` // of words for kinds, which may be missing
	Several   List              `yaml:"several"`
	Compounds bool              `yaml:"compounds"`
	Household List              `yaml:"household"`
	Glued     List              `yaml:"glued"`
	Strips    List              `yaml:"strips"`

	Ordinals    []List `yaml:"ordinals"` // from the first on
	OrdinalEnds List   `yaml:"ordinal_ends"`
	Numbering   List   `yaml:"numbering"`
}

// Sounds is how a language writes its sounds.
type Sounds struct {
	Letters  List  `yaml:"letters"`
	Together Pairs `yaml:"together"`
}

// Numbers are what people say for numbers, beside the names of the numbers.
type Numbers struct {
	More      Amounts `yaml:"more"`
	Halves    List    `yaml:"halves"`
	Alone     List    `yaml:"alone"`
	Point     List    `yaml:"point"`
	Minus     List    `yaml:"minus"`
	Percents  Amounts `yaml:"percents"`
	Counts    Amounts `yaml:"counts"`
	Alike     Amounts `yaml:"alike"`
	Compounds bool    `yaml:"compounds"`
	Units     List    `yaml:"units"`
	Durations Amounts `yaml:"durations"`
	Shorter   Pairs   `yaml:"shorter"`
	Hundreds  string  `yaml:"hundreds"`
}

// Hazards are the words for what must not be opened or switched on by mistake.
type Hazards struct {
	Words        ByHazard `yaml:"words"`
	Tails        ByHazard `yaml:"tails"`
	Together     ByHazard `yaml:"together"`
	Begins       ByHazard `yaml:"begins"`
	None         List     `yaml:"none"`
	Heads        List     `yaml:"heads"`
	Unlike       List     `yaml:"unlike"`
	Gates        []string `yaml:"gates"` // patterns of words for gates; a group is the word that none may not be
	Drives       List     `yaml:"drives"`
	Openers      List     `yaml:"openers"`
	Rooms        List     `yaml:"rooms"`
	Appliances   List     `yaml:"appliances"`
	Lights       About    `yaml:"lights"`
	Shades       About    `yaml:"shades"`
	Harmless     About    `yaml:"harmless"`
	NotLights    List     `yaml:"not_lights"`
	BeforeRoom   List     `yaml:"before_room"`
	Carriers     List     `yaml:"carriers"`
	Prepositions List     `yaml:"prepositions"`
	Conjunctions List     `yaml:"conjunctions"`
	Articles     List     `yaml:"articles"`
}

// ByHazard are words by what they warn of.
type ByHazard struct {
	Gate List `yaml:"gate"`
	Hot  List `yaml:"hot"`
	Wet  List `yaml:"wet"`
	Loud List `yaml:"loud"`
}

// Openings are the words in a thing's name that show which opening of the house it is.
type Openings struct {
	Door   List `yaml:"door"`
	Window List `yaml:"window"`
	Garage List `yaml:"garage"`
	Gate   List `yaml:"gate"`
	Hatch  List `yaml:"hatch"`
}

// About are the words that tell what a thing is by their place in its name.
type About struct {
	Last  List `yaml:"last"`  // the last word of the name
	Tails List `yaml:"tails"` // the end of its last word
	First List `yaml:"first"` // its first word
}

// Writing are the abbreviations whose dot does not end a sentence.
type Writing struct {
	Titles    List `yaml:"titles"`
	Numbered  List `yaml:"numbered"`
	Shortened List `yaml:"shortened"`
}

// Claims are the words with which a sentence says that something was or will be done, or
// how something in the house is.
type Claims struct {
	Common     List            `yaml:"common"`
	Short      Pairs           `yaml:"short"`
	First      List            `yaml:"first"`
	Let        List            `yaml:"let"`
	Have       List            `yaml:"have"`
	Will       List            `yaml:"will"`
	Am         List            `yaml:"am"`
	Been       List            `yaml:"been"`
	Happens    List            `yaml:"happens"`
	Others     List            `yaml:"others"`
	Present    List            `yaml:"present"`
	Tells      List            `yaml:"tells"`
	Errands    List            `yaml:"errands"`
	Makes      List            `yaml:"makes"`
	Lists      List            `yaml:"lists"`
	Days       List            `yaml:"days"`
	Requests   List            `yaml:"requests"`
	Doing      List            `yaml:"doing"`
	Yours      List            `yaml:"yours"`
	Advice     List            `yaml:"advice"`
	Sorry      List            `yaml:"sorry"`
	Thinking   List            `yaml:"thinking"`
	Looking    List            `yaml:"looking"`
	Own        List            `yaml:"own"`
	AloneEnds  List            `yaml:"alone_ends"`
	Acts       List            `yaml:"acts"`
	Orders     List            `yaml:"orders"`
	Finite     List            `yaml:"finite"`
	Serves     List            `yaml:"serves"`
	Done       List            `yaml:"done"`
	Polite     List            `yaml:"polite"`
	Yes        List            `yaml:"yes"`
	No         List            `yaml:"no"`
	Able       List            `yaml:"able"`
	Denials    List            `yaml:"denials"`
	Asks       List            `yaml:"asks"`
	Joins      List            `yaml:"joins"`
	Unless     List            `yaml:"unless"`
	Pronouns   List            `yaml:"pronouns"`
	Definite   List            `yaml:"definite"`
	Indefinite List            `yaml:"indefinite"`
	Adverbs    List            `yaml:"adverbs"`
	Changed    List            `yaml:"changed"`
	Every      List            `yaml:"every"`
	None       List            `yaml:"none"`
	Particles  List            `yaml:"particles"`
	ToVerb     List            `yaml:"to_verb"` // stands before an infinitive
	Measures   List            `yaml:"measures"`
	Hours      List            `yaml:"hours"`
	Kinds      map[string]List `yaml:"kinds"`  // things of a house, by what they are
	Rooms      map[string]List `yaml:"rooms"`  // rooms of a house, by what they are for
	Kept       map[string]List `yaml:"kept"`   // what a gateway keeps: timers, lists
	States     map[string]List `yaml:"states"` // what things report
}

// Invented is what recognisers write when there is no speech.
type Invented struct {
	Credits []string `yaml:"credits"`
	Murmurs []string `yaml:"murmurs"`
}

// Acts are the words that show what a sentence does: whether it orders something, or
// asks, tells, forbids or only plans it. en_words.yaml explains them.
type Acts struct {
	Openers     Wordings `yaml:"openers"`
	Polite      Wordings `yaml:"polite"`
	Fillers     Wordings `yaml:"fillers"`
	Tags        Wordings `yaml:"tags"`
	Requests    Wordings `yaml:"requests"`
	Supposing   Wordings `yaml:"supposing"`
	Offers      Wordings `yaml:"offers"`
	Wishes      Wordings `yaml:"wishes"`
	Reasons     Wordings `yaml:"reasons"`
	Switching   Wordings `yaml:"switching"`
	Verbs       Wordings `yaml:"verbs"`
	General     Wordings `yaml:"general"`
	Forms       Wordings `yaml:"forms"`
	Finals      Wordings `yaml:"finals"`
	Asking      Wordings `yaml:"asking"`
	You         Wordings `yaml:"you"`
	Enclitics   List     `yaml:"enclitics"`
	Telling     Wordings `yaml:"telling"`
	Later       Wordings `yaml:"later"`
	Questions   Wordings `yaml:"questions"`
	Why         Wordings `yaml:"why"`
	Auxiliaries Wordings `yaml:"auxiliaries"`
	Must        Wordings `yaml:"must"`
	Leaving     Wordings `yaml:"leaving"`
	Standing    Wordings `yaml:"standing"`
	Excess      Wordings `yaml:"excess"`
	Complaints  Wordings `yaml:"complaints"`
	Past        Wordings `yaml:"past"`
	Future      Wordings `yaml:"future"`
	Negators    Wordings `yaml:"negators"`
	Forbidding  Wordings `yaml:"forbidding"`
	Exceptions  Wordings `yaml:"exceptions"`
	Conditions  Wordings `yaml:"conditions"`
	Times       Wordings `yaml:"times"`
	Reports     Wordings `yaml:"reports"`
	Subjects    Wordings `yaml:"subjects"`
	Determiners Wordings `yaml:"determiners"`
	Objects     Wordings `yaml:"objects"`
	Places      Wordings `yaml:"places"`
	States      Wordings `yaml:"states"`
	Qualities   Wordings `yaml:"qualities"`
	Quantities  Wordings `yaml:"quantities"`
	Things      Wordings `yaml:"things"`
	Foreign     Wordings `yaml:"foreign"`
	Joins       Wordings `yaml:"joins"`
	Breaks      Wordings `yaml:"breaks"`
	Numbers     Wordings `yaml:"numbers"`
	Measures    Wordings `yaml:"measures"`
	NoVerbs     Wordings `yaml:"no_verbs"`
	NoOrder     string   `yaml:"no_order"`
	Adverbial   string   `yaml:"adverbial"`
	Owners      List     `yaml:"owners"`
	Apart       string   `yaml:"apart"`
	VerbLast    bool     `yaml:"verb_last"`
	Infinitive  string   `yaml:"infinitive"`
	Endings     List     `yaml:"endings"`
	Inserted    string   `yaml:"inserted"`
}

// Wordings are templates of one or several words. In a file they are a text with
// commas between them.
type Wordings []string

// UnmarshalYAML reads the text.
func (p *Wordings) UnmarshalYAML(n *yaml.Node) error {
	var text string
	if err := n.Decode(&text); err != nil {
		return fmt.Errorf("line %d: expected a text with commas between the phrases: %w", n.Line, err)
	}
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one != "" {
			*p = append(*p, one)
		}
	}
	return nil
}

// Warmth are the words that show whether a bare number is a temperature, and of which
// scale.
type Warmth struct {
	Not        List `yaml:"not"`
	Degrees    List `yaml:"degrees"`
	Celsius    List `yaml:"celsius"`
	Fahrenheit List `yaml:"fahrenheit"`
}

// List holds words. In a file it is a text of words with spaces between, or a
// list if some of them hold spaces.
type List []string

// UnmarshalYAML reads either form.
func (l *List) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*l = strings.Fields(n.Value)
		return nil
	}
	return n.Decode((*[]string)(l))
}

// Set returns the list as a set, for looking words up.
func (l List) Set() map[string]bool {
	out := make(map[string]bool, len(l))
	for _, w := range l {
		out[w] = true
	}
	return out
}

// Pair is a text and its replacement.
type Pair struct{ From, To string }

// Pairs keep the order of the file, in which they are tried.
type Pairs []Pair

// UnmarshalYAML reads a mapping.
func (p *Pairs) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: expected texts with texts, such as {ph: F}", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		*p = append(*p, Pair{n.Content[i].Value, n.Content[i+1].Value})
	}
	return nil
}

// Amount is a text that stands for a number.
type Amount struct {
	Text  string
	Value float64
}

// Amounts keep the order of the file.
type Amounts []Amount

// UnmarshalYAML reads a mapping.
func (a *Amounts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: expected texts with numbers, such as {half: 50}", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		one := Amount{Text: n.Content[i].Value}
		if err := n.Content[i+1].Decode(&one.Value); err != nil {
			return err
		}
		*a = append(*a, one)
	}
	return nil
}

const worded = "_words.yaml"

// loaded are the words of our languages, each read at its first use.
var loaded = sync.OnceValue(func() map[string]func() (*Words, error) {
	out := make(map[string]func() (*Words, error))
	for _, code := range Languages() {
		out[code] = sync.OnceValues(func() (*Words, error) {
			data, err := files.ReadFile(code + worded)
			if err != nil {
				return nil, fmt.Errorf("there are no words of the language %q", code)
			}
			w, err := LoadWords(data)
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", code, worded, err)
			}
			return w, nil
		})
	}
	return out
})

// WordsOf returns the words of a language by its code, where "de-CH" counts as
// "de", and empty words for a language we do not have. The files are part of the
// program, and a test proves that they load.
func WordsOf(language string) *Words {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	if load := loaded()[base]; load != nil {
		if w, err := load(); err == nil {
			return w
		}
	}
	return &Words{}
}

// EveryWords returns the words of all our languages, for decisions that do not
// depend on the language.
func EveryWords() []*Words {
	var out []*Words
	for _, code := range Languages() {
		out = append(out, WordsOf(code))
	}
	return out
}

// LoadWords reads the words of a language. A key that is unknown or missing is an
// error that names it: so every language has the same keys.
func LoadWords(data []byte) (*Words, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("reading words: %w", err)
	}
	if len(root.Content) != 1 {
		return nil, errors.New("reading words: the file is empty")
	}
	if key := unknownKey(root.Content[0], reflect.TypeFor[Words]()); key != "" {
		return nil, fmt.Errorf("reading words: the key %s is unknown; expected one of those the other languages have", key)
	}
	var w Words
	if err := root.Decode(&w); err != nil {
		return nil, fmt.Errorf("reading words: %w", err)
	}
	if key := missing(root.Content[0], reflect.TypeFor[Words]()); key != "" {
		return nil, fmt.Errorf("reading words: the key %s is missing; write \"\", [] or {} where the language has none", key)
	}
	return &w, nil
}

// missing is the first key of a type that a mapping lacks, as a path, or "".
func missing(n *yaml.Node, t reflect.Type) string {
	for f := range t.Fields() {
		key := f.Tag.Get("yaml")
		var value *yaml.Node
		for k := 0; k+1 < len(n.Content); k += 2 {
			if n.Content[k].Value == key {
				value = n.Content[k+1]
			}
		}
		if value == nil {
			return key
		}
		if f.Type.Kind() == reflect.Struct {
			if inner := missing(value, f.Type); inner != "" {
				return key + "." + inner
			}
		}
	}
	return ""
}

// unknownKey is the first key of a mapping that a type does not have, as a path, or
// "". The file is read once for both checks, because every program that names
// things reads the words of all languages when it starts.
func unknownKey(n *yaml.Node, t reflect.Type) string {
	fields := make(map[string]reflect.Type)
	for f := range t.Fields() {
		fields[f.Tag.Get("yaml")] = f.Type
	}
	for k := 0; k+1 < len(n.Content); k += 2 {
		key := n.Content[k].Value
		field, known := fields[key]
		if !known {
			return key
		}
		if field.Kind() == reflect.Struct {
			if inner := unknownKey(n.Content[k+1], field); inner != "" {
				return key + "." + inner
			}
		}
	}
	return ""
}
