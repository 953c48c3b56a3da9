package template_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/language/template"
)

func TestSpellings(t *testing.T) {
	t.Parallel()
	rules := map[string]*template.Node{}
	for name, text := range map[string]string{"the": "[the|my] ", "turn": "(turn|switch)"} {
		n, err := template.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		rules[name] = n
	}
	tests := map[string]struct {
		template string
		want     []string
	}{
		"word":               {"hello", []string{"hello"}},
		"glued":              {"light[s]", []string{"lights", "light"}},
		"suffix":             {"turn(s|ing)", []string{"turns", "turning"}},
		"optional choice":    {"[a|b]c", []string{"ac", "bc", "c"}},
		"top level":          {"a|b c", []string{"a", "b c"}},
		"escape":             {`\(a\)`, []string{"(a)"}},
		"rule":               {"<turn> on", []string{"turn on", "switch on"}},
		"permutation":        {"(a;b)", []string{" a  b ", " b  a "}},
		"mixed separators":   {"(a|b;c)", []string{" a  c ", " b  c ", " c  a ", " c  b "}},
		"white space folds":  {"  a \t b ", []string{"a b"}},
		"typographic quote":  {"what’s", []string{"what's"}},
		"empty optional":     {"[]a", []string{"a", "a"}},
		"optional at border": {"<the>x", []string{"the x", "my x", " x"}},
	}
	delete(rules, "the")
	n, _ := template.Parse("(the |my | )")
	rules["the"] = n
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, err := template.Parse(tt.template)
			if err != nil {
				t.Fatal(err)
			}
			got, err := template.Spellings(n, rules, 100)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want template.Node
	}{
		"list":         {"{name}", template.Node{Kind: template.List, Name: "name", Slot: "name"}},
		"slot":         {"{level:brightness}", template.Node{Kind: template.List, Name: "level", Slot: "brightness"}},
		"capture":      {"{x:@y}", template.Node{Kind: template.List, Name: "x", Slot: "y", Capture: true}},
		"bare capture": {"{@x}", template.Node{Kind: template.List, Name: "x", Slot: "x", Capture: true}},
		"range":        {"{0..100:level}", template.Node{Kind: template.Range, Slot: "level", To: 100, Step: 1}},
		"step":         {"{10..100,5:level}", template.Node{Kind: template.Range, Slot: "level", From: 10, To: 100, Step: 5}},
		"negative":     {"{-10..10:t}", template.Node{Kind: template.Range, Slot: "t", From: -10, To: 10, Step: 1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, err := template.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.WordEnd = tt.want.Kind == template.List
			if fmt.Sprint(*n) != fmt.Sprint(tt.want) {
				t.Errorf("got %+v, want %+v", *n, tt.want)
			}
		})
	}
}

// TestWordEnd tells free text that ends with a word from one that may end within.
func TestWordEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"{a}": true, "{a} b": true, "({a})b": true, "[{a}|b]": true, "{a}b": false, "{a}[b]": false, "{a}{b} c": false, "{1..2:a} b": false,
	} {
		n, err := template.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var first *template.Node
		n.Walk(func(n *template.Node) {
			if first == nil && (n.Kind == template.List || n.Kind == template.Range) {
				first = n
			}
		})
		if first.WordEnd != want {
			t.Errorf("%s: got %v", text, first.WordEnd)
		}
	}
}

func TestParseRejects(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"open group":      {"(a", `missing ')'`},
		"stray bracket":   {"a]", "unexpected"},
		"open list":       {"{name", `missing '}'`},
		"empty list":      {"{}", "no name"},
		"empty slot":      {"{a:}", "expected {list}"},
		"bad range":       {"{5..1:x}", "from <= to"},
		"zero step":       {"{1..5,0:x}", "from <= to"},
		"last backslash":  {`a\`, "backslash"},
		"too deep":        {strings.Repeat("(", 100), "nested deeper"},
		"too long":        {strings.Repeat("a", 5000), "5000 bytes"},
		"big permutation": {"(a;b;c;d;e;f)", "permutation of 6"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := template.Parse(tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestPhrasesCutAtWords(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"plain":        {"turn on [the] {name}", "(turn on (the | ()) {name})"},
		"glued":        {"all light[s] off", "(all ((lights) | (light)) off)"},
		"inner spaces": {"(in |)the", "(((in | ()) the)"},
		"glued choice": {"[re]start", "((restart) | (start))"},
		"list in row":  {"{area} {name}", "({area} {name})"},
		"unit":         {"to {level}[ ][%|percent]", "(to (({level} %) | ({level} percent) | ({level})))"},
		"possessive":   {"the {area}['s] light", "(the (({area}'s) | ({area})) light)"},
		"elision":      {"éteins (la |l'){area}", "(éteins ((la {area}) | (l'{area})))"},
		"typed only":   {"{level}(%| percent)", "(({level} percent))"},
	}
	tests["inner spaces"] = struct{ text, want string }{"(in |)the", "((in | ()) the)"}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, err := template.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			p, err := template.NewPhrases(nil).Of(n)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(p); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPhrasesReject(t *testing.T) {
	t.Parallel()
	loop, _ := template.Parse("a <loop>")
	rules := map[string]*template.Node{"loop": loop}
	for _, text := range []string{"<loop>", "<unknown>", "{area}licht", "x<loop>"} {
		n, err := template.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := template.NewPhrases(rules).Of(n); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

func show(p *template.Phrase) string {
	switch p.Kind {
	case template.Word:
		return p.Text
	case template.Value:
		return p.Before + "{" + p.Value.Name + "}" + p.After
	case template.Named:
		return "<" + p.Text + ">"
	case template.All, template.Any:
	}
	parts := make([]string, len(p.Items))
	for i, item := range p.Items {
		parts[i] = show(item)
	}
	if p.Kind == template.Any {
		return "(" + strings.Join(parts, " | ") + ")"
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func ExampleParse() {
	n, err := template.Parse("(turn|switch) on [the] light[s]")
	if err != nil {
		fmt.Println(err)
		return
	}
	texts, err := template.Spellings(n, nil, 10)
	fmt.Println(len(texts), texts[0], err)
	// Output: 8 turn on the lights <nil>
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"turn (on|off) [the] {name:x}", "a;b|c", "{0..9,2:x}", "<r>", `\{`, "[[[", "light[s]{n}"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		n, err := template.Parse(s)
		if err != nil {
			return
		}
		n.Walk(func(*template.Node) {})
		_, _ = template.Spellings(n, nil, 100)
		_, _ = template.NewPhrases(map[string]*template.Node{"r": n}).Of(n)
	})
}
