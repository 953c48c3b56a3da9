package grammar_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/language/speech"
)

func load(tb testing.TB, path string) *home.House {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	h, err := home.Load(data)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

func ours(tb testing.TB) *home.House {
	tb.Helper()
	return load(tb, "../testdata/house.json")
}

func build(tb testing.TB, h *home.House) *grammar.Grammar {
	tb.Helper()
	g, err := grammar.New(intent.English(), h)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// meant is what a sentence means, alone or after another one.
func meant(m *intent.Matcher, text string) intent.Decision {
	if d := (intent.Short{Matcher: m}).After(text, ""); d.Route != intent.Model {
		return d
	}
	return m.Match(text, "")
}

// TestWhatIsHeardIsUnderstood walks through the grammar at random: the matcher
// must understand every sentence the recogniser can hear, if only to refuse an
// unknown thing or to ask which one was meant.
func TestWhatIsHeardIsUnderstood(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]*home.House{
		"own house":   ours(t),
		"clips house": load(t, fake.Shared(t, "speech", "clips", "home.json")),
		"big house":   load(t, fake.Shared(t, "intents", "natural_home.json")),
		"no house":    nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := build(t, h)
			m, err := intent.New(intent.English(), h)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, 2))
			for range 1000 {
				text := g.Sample(random)
				d := meant(m, text)
				understood := d.Route == intent.Local || d.Route == intent.Ask ||
					d.Route == intent.Reject && d.Reason.NamesNothing()
				if !understood {
					t.Fatalf("%q is heard but not understood: %s %s", text, d.Route, d.Reason)
				}
				if g.Judge(text) == speech.Incomplete {
					t.Fatalf("%q is a sentence but judged incomplete", text)
				}
			}
		})
	}
}

// TestSpokenClipsAreInTheGrammar demands that every recorded command can be heard.
func TestSpokenClipsAreInTheGrammar(t *testing.T) {
	t.Parallel()
	g := build(t, load(t, fake.Shared(t, "speech", "clips", "home.json")))
	file, err := os.Open(fake.Shared(t, "speech", "clips", "manifest.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c struct{ Text, Kind string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		whole := g.Judge(c.Text) != speech.Incomplete
		switch c.Kind {
		case "command", "wake+command":
			if !whole {
				t.Errorf("%q cannot be heard", c.Text)
			}
		case "oog":
			if whole {
				t.Errorf("%q is taken for a command", c.Text)
			}
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		partial string
		want    speech.Completeness
	}{
		"nothing":                     {"", speech.Incomplete},
		"beginning":                   {"turn on the", speech.Incomplete},
		"half a name":                 {"turn on the coffee", speech.Incomplete},
		"whole name":                  {"turn on the kitchen light", speech.Closed},
		"plural":                      {"turn on the kitchen lights", speech.Closed},
		"polite tail":                 {"turn on the kitchen light please", speech.Closed},
		"polite head":                 {"could you turn on the kitchen light", speech.Closed},
		"name that may grow":          {"turn off the lights", speech.Growable},
		"kind that may get an area":   {"open the curtains", speech.Growable},
		"area said":                   {"open the curtains in the bedroom", speech.Closed},
		"area begun":                  {"open the curtains in the", speech.Incomplete},
		"number without unit":         {"dim the bedroom lamp to forty", speech.Incomplete},
		"number with unit":            {"dim the bedroom lamp to forty percent", speech.Closed},
		"number that may grow":        {"set the thermostat to twenty", speech.Growable},
		"number that may get a half":  {"set the thermostat to twenty one", speech.Growable},
		"degrees":                     {"set the thermostat to twenty one degrees", speech.Closed},
		"shortest name of two":        {"set the thermostat", speech.Incomplete},
		"and after a whole sentence":  {"turn on the kitchen light and", speech.Incomplete},
		"second command begun":        {"turn on the kitchen light and close", speech.Incomplete},
		"two commands":                {"turn on the kitchen light and lock the front door", speech.Closed},
		"decoy":                       {"turn on the dishwasher", speech.Closed},
		"not a command":               {"the dog chased the cat", speech.Incomplete},
		"words in the wrong order":    {"light kitchen the on turn", speech.Incomplete},
		"upper case":                  {"What Time Is It", speech.Closed},
		"politeness only":             {"please", speech.Incomplete},
		"question":                    {"is the front door locked", speech.Closed},
		"only words of other choices": {"open the kitchen light", speech.Incomplete},
		"only for those who type":     {"toggle the kitchen light", speech.Incomplete},
	}
	g := build(t, ours(t))
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := g.Judge(tt.partial); got != tt.want {
				t.Errorf("Judge(%q) = %v, want %v", tt.partial, got, tt.want)
			}
		})
	}
}

// TestATimeBehindACommand: every command for later that can be heard is understood, and a
// command without a time ends as early as before.
func TestATimeBehindACommand(t *testing.T) {
	t.Parallel()
	for language, command := range map[string]string{
		"en": "turn on the kitchen light", "de": "schalte die leselampe ein", "es": "enciende la luz de la cocina", "fr": "allume la lampe de la cuisine",
	} {
		pack, err := intent.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		h := ours(t)
		if language != "en" {
			h = load(t, "../testdata/house_"+language+".json")
		}
		g, err := grammar.New(pack, h)
		if err != nil {
			t.Fatal(err)
		}
		m, err := intent.New(pack, h)
		if err != nil {
			t.Fatal(err)
		}
		heard := language != "fr" // whose names are glued to their articles, and are not in the grammar
		if c := g.Judge(command); language == "en" && c != speech.Closed || heard && c == speech.Incomplete {
			t.Errorf("%s: %q is %v", language, command, c)
		}
		if len(pack.Later) == 0 {
			t.Errorf("%s: no time may follow a command", language)
		}
		for _, later := range pack.Later {
			text := command + " " + later
			words := strings.Fields(text)
			begun := strings.Join(words[:len(words)-1], " ")
			if heard && g.Judge(text) != speech.Closed || g.Judge(begun) != speech.Incomplete {
				t.Errorf("%s: %q is %v, %q is %v", language, text, g.Judge(text), begun, g.Judge(begun))
			}
			d := m.Match(text, "")
			want := "HassStartTimer"
			if strings.HasPrefix(later, "for ") || strings.HasPrefix(later, "until ") {
				want = "LocalUntil"
			}
			if d.Route != intent.Local || d.Actions[0].Intent != want || len(d.Actions[0].Later) != 1 {
				t.Errorf("%s: %q is %s %s", language, text, d.Route, d.Reason)
			}
			if strings.Contains(g.JSGF(), later) {
				t.Errorf("%s: %q is in the grammar, and commands in noise will end in it", language, later)
			}
		}
	}
}

func TestJSGFIsCleanAndSmall(t *testing.T) {
	t.Parallel()
	h := ours(t)
	for i := range 20 {
		h.Entities = append(h.Entities, home.Entity{ID: fmt.Sprint(i), Name: fmt.Sprintf("Spot %d", i+1), Domain: "light", Area: "Attic (North)"})
	}
	h.Entities = append(h.Entities, home.Entity{ID: "evil", Name: `x; <y> | [z] {w} * + / "q" = 'r' #s`, Domain: "switch"})
	g := build(t, h)
	text := g.JSGF()
	if n := strings.Count(text, "\n"); n > 200 {
		t.Errorf("%d lines, want a few hundred at most", n)
	}
	if strings.ToLower(text[len("#JSGF V1.0;"):]) != text[len("#JSGF V1.0;"):] {
		t.Error("upper case in the grammar")
	}
	words := g.Words()
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, `;|()[]<>{}*+/"=#0123456789`) || strings.HasPrefix(w, "'") {
			t.Errorf("%q is no word", w)
		}
	}
	if !slices.Contains(words, "twelve") || g.Judge("turn on spot twelve") != speech.Closed {
		t.Error("digits in a name are not spelled out")
	}
	if g.Judge("turn on the lights in the attic north") != speech.Closed {
		t.Error("an area with brackets cannot be said")
	}
}

// TestEveryWordOfTheTextIsListed reads the text of the grammar back: the
// recogniser refuses the whole grammar if it is not asked to look up one of its
// words.
func TestEveryWordOfTheTextIsListed(t *testing.T) {
	t.Parallel()
	g := build(t, ours(t))
	_, body, _ := strings.Cut(g.JSGF(), "public")
	words := g.Words()
	for _, w := range strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune(" \n;|()[]=", r) }) {
		if !strings.HasPrefix(w, "<") && !slices.Contains(words, w) {
			t.Errorf("%q is in the text but not in Words", w)
		}
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	h := ours(t)
	h.Entities = append(h.Entities, home.Entity{ID: "n", Name: "Zyxel Lamp", Aliases: []string{"router lamp"}, Domain: "light"},
		home.Entity{ID: "m", Name: "Qwrtz", Domain: "switch"})
	g := build(t, h)
	less, lost := g.Without([]string{"zyxel", "qwrtz", "unmute", "please"})
	if !slices.Equal(lost, []string{"Qwrtz"}) {
		t.Errorf("lost %q, want only the name without another form", lost)
	}
	for _, w := range []string{"zyxel", "qwrtz", "unmute", "please"} {
		if slices.Contains(less.Words(), w) || strings.Contains(less.JSGF(), w) {
			t.Errorf("%q is still there", w)
		}
	}
	if less.Judge("turn on the router lamp") != speech.Closed || less.Judge("turn on the kitchen light") != speech.Closed {
		t.Error("more fell out than had to")
	}
	if g.Judge("turn on the zyxel lamp") != speech.Closed {
		t.Error("the first grammar has changed")
	}
	again, lost := less.Without([]string{"router"})
	if !slices.Contains(lost, "Zyxel Lamp") || again.Judge("turn on the router lamp") != speech.Incomplete {
		t.Errorf("a second Without forgets the first: %q", lost)
	}
}

func ExampleGrammar_Judge() {
	g, err := grammar.New(intent.English(), &home.House{
		Areas:    []home.Area{{Name: "Kitchen"}},
		Entities: []home.Entity{{ID: "k", Name: "Kitchen Light", Domain: "light", Area: "Kitchen"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Judge("turn on the kitchen") == speech.Incomplete)
	fmt.Println(g.Judge("turn on the kitchen light") == speech.Closed)
	fmt.Println(g.Judge("turn on the lights") == speech.Growable)
	// Output:
	// true
	// true
	// true
}

func BenchmarkJudge(b *testing.B) {
	g := build(b, ours(b))
	b.ReportAllocs()
	for b.Loop() {
		g.Judge("dim the bedroom lamp to forty percent")
	}
}

func BenchmarkNew(b *testing.B) {
	h, p := ours(b), intent.English()
	for b.Loop() {
		if _, err := grammar.New(p, h); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzNew(f *testing.F) {
	f.Add("Kitchen Light", "Kitchen", "turn on the")
	f.Add("'", "]", ";|")
	f.Add("lamp 2", "1st floor", "turn on lamp two and")
	pack := intent.English()
	f.Fuzz(func(t *testing.T, name, area, partial string) {
		h := &home.House{Entities: []home.Entity{{ID: "x", Name: name, Domain: "light", Area: area}}}
		g, err := grammar.New(pack, h)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range g.Words() {
			if strings.ContainsAny(w, ` ;|()[]<>{}*+/"=#`) {
				t.Fatalf("%q is no word", w)
			}
		}
		g.Judge(partial)
	})
}

// TestEveryLanguageHasAGrammar makes the grammar of each of our packs. The
// matcher of a language understands everything its grammar accepts.
func TestEveryLanguageHasAGrammar(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"de", "es", "fr"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			pack, err := intent.Ours(language)
			if err != nil {
				t.Fatal(err)
			}
			h := load(t, "../testdata/house_"+language+".json")
			g, err := grammar.New(pack, h)
			if err != nil {
				t.Fatal(err)
			}
			m, err := intent.New(pack, h)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(3, 4))
			for range 300 {
				text := g.Sample(random)
				d := meant(m, text)
				if d.Route == intent.Model || d.Reason == intent.Overheard {
					t.Fatalf("%q is heard but not understood: %s %s", text, d.Route, d.Reason)
				}
			}
			t.Logf("%s: %d words, %d bytes", language, len(g.Words()), len(g.JSGF()))
		})
	}
}

// TestWordsThatLeadOn: a pack that joins no commands has the words of its language that
// lead to another sentence all the same.
func TestWordsThatLeadOn(t *testing.T) {
	t.Parallel()
	for language, word := range map[string]string{"en": "and", "de": "und", "es": "y", "fr": "et"} {
		g, err := grammar.New(&intent.Pack{Language: language}, &home.House{})
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Joins()) > 0 || !slices.Contains(g.LeadOn(), word) {
			t.Errorf("%s: joined by %q, led on by %q; want none, and %q", language, g.Joins(), g.LeadOn(), word)
		}
	}
}

// TestCorrectionsAreHeard: texts that correct a turn or answer its question can
// be recognised in every language, and the matcher knows them.
func TestCorrectionsAreHeard(t *testing.T) {
	t.Parallel()
	for language, texts := range map[string]map[string]string{
		"en": {
			"undo": "LocalUndo", "undo that": "LocalUndo", "the other one": "LocalOther", "no the other one": "LocalOther",
			"no": "LocalNo", "yes": "LocalYes", "stop": "LocalStop", "cancel that": "HassNevermind",
		},
		"de": {"mach das rückgängig": "LocalUndo", "die andere": "LocalOther", "nein das andere": "LocalOther", "nein": "LocalNo", "ja": "LocalYes", "stopp": "LocalStop"},
		"es": {"deshaz eso": "LocalUndo", "la otra": "LocalOther", "no el otro": "LocalOther", "no": "LocalNo", "sí": "LocalYes", "para": "LocalStop"},
		"fr": {"annule ça": "LocalUndo", "l'autre": "LocalOther", "non l'autre": "LocalOther", "non": "LocalNo", "oui": "LocalYes", "stop": "LocalStop"},
	} {
		pack, err := intent.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		g, err := grammar.New(pack, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := intent.New(pack, nil)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range texts {
			if g.Judge(text) == speech.Incomplete {
				t.Errorf("%s: %q cannot be heard", language, text)
			}
			if d := m.Match(text, ""); d.Route != intent.Local || d.Actions[0].Intent != want {
				t.Errorf("%s: %q is %s %+v, expected %s", language, text, d.Route, d.Actions, want)
			}
		}
	}
}

// TestGrammarStaysSmall keeps the recogniser's network in bounds: every word and
// sentence more costs accuracy.
func TestGrammarStaysSmall(t *testing.T) {
	t.Parallel()
	g := build(t, ours(t))
	words, text := len(g.Words()), g.JSGF()
	t.Logf("%d words, %d bytes", words, len(text))
	if words > 240 || len(text) > 9000 {
		t.Errorf("%d words and %d bytes of grammar, want at most 240 and 9,000: mark new sentences text_only", words, len(text))
	}
}
