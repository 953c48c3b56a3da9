package intent_test

import (
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/sentences"
)

func TestEnglishLoads(t *testing.T) {
	t.Parallel()
	data, err := sentences.Pack("en")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := intent.LoadPack(data); err != nil {
		t.Fatal(err)
	}
	if n := len(intent.English().Blocks); n < 50 {
		t.Errorf("%d blocks", n)
	}
}

func TestLoadPack(t *testing.T) {
	t.Parallel()
	block := func(s string) string {
		return "language: en\nintents:\n  X:\n    data:\n      - sentences: [hello]\n" + s
	}
	tests := map[string]struct{ yaml, wantErr string }{
		"empty":                  {"", ""},
		"smallest":               {block(""), ""},
		"domain as one word":     {block("        requires_context: {domain: light}\n"), ""},
		"no yaml":                {"\t:", "reading sentences"},
		"bad template":           {"intents:\n  X:\n    data:\n      - sentences: ['(a']\n", "intent X: block 1"},
		"whole context":          {block("        requires_context: {slot: {value: [a, b], slot: true}}\n        excludes_context: {domain: light}\n"), ""},
		"keywords":               {block("        required_keywords: [a]\n"), ""},
		"local lists and rules":  {block("        lists: {a: {wildcard: true}}\n        expansion_rules: {a: b}\n"), ""},
		"slot that is no value":  {block("        slots: {a: {b: c}}\n"), "slot a"},
		"slot that is endless":   {block("        slots: {a: .inf}\n"), "slot a"},
		"unknown key":            {block("        requires_weather: {a: b}\n"), "requires_weather is not supported"},
		"odd context":            {block("        requires_context: {domain: {value: {a: b}}}\n"), "requires_context: domain"},
		"odd slot of context":    {block("        requires_context: {domain: {slot: [a]}}\n"), "slot is [a], expected true or a name"},
		"bad local list":         {block("        lists: {a: {}}\n"), `list "a": expected values`},
		"bad local rule":         {block("        expansion_rules: {a: '('}\n"), "rule <a>"},
		"value context":          {"lists: {a: {values: [{in: x, context: {y: z}, metadata: {m: 1}}]}}", ""},
		"odd value context":      {"lists: {a: {values: [{in: x, context: {y: [z]}}]}}", "context: y is not one plain value"},
		"odd out":                {"lists: {a: {values: [{in: x, out: {y: z}}]}}", "out is map"},
		"odd fractions":          {"lists: {a: {range: {from: 1, to: 9, fractions: thirds}}}", `fractions "thirds" is not supported`},
		"no way to say it":       {"lists: {a: {range: {from: 1, to: 9, digits: false, words: false}}}", "neither digits nor words"},
		"endless range":          {"lists: {a: {range: {from: 1, to: 9000000}}}", "within a million"},
		"empty list":             {"lists: {a: {}}", "expected values, range or wildcard"},
		"empty value":            {"lists: {a: {values: ['']}}", "no text"},
		"backwards range":        {"lists: {a: {range: {from: 9, to: 1}}}", "above"},
		"list of the house":      {"lists: {name: {wildcard: true}}", "the house fills this list"},
		"bad rule":               {"expansion_rules: {a: '('}", "rule <a>"},
		"too many value spells":  {"lists: {a: {values: ['" + strings.Repeat("[a]", 12) + "']}}", "more than 1000 spellings"},
		"range in a value":       {"lists: {a: {values: ['{1..5:x}']}}", "where only text can"},
		"template nested deeply": {block("") + "      - sentences: ['" + strings.Repeat("[", 60) + "']", "nested deeper"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := intent.LoadPack([]byte(tt.yaml))
			if tt.wantErr == "" && err != nil || tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)) {
				t.Errorf("got error %v, want %q", err, tt.wantErr)
			}
		})
	}
}

func TestCompileErrorsNameTheSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"say <nothing>": "unknown rule <nothing>", "say {nothing}": "unknown list {nothing}", "a <loop>": "in a circle",
		"a" + strings.Repeat(" {1..5:x}", 9): "9 lists in one sentence", "<bomb>": "too large",
	} {
		p, err := intent.LoadPack([]byte("expansion_rules: {loop: 'x <loop>', bomb: '" + strings.Repeat("<b1>", 40) +
			"', b1: '" + strings.Repeat("<b2>", 40) + "', b2: '" + strings.Repeat("[a]", 40) + "'}\nintents: {X: {data: [{sentences: ['" + text + "']}]}}"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = intent.New(p, nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: got error %v", text, err)
		}
	}
}

// TestTemplateForms runs every form of the template language through the matcher.
func TestTemplateForms(t *testing.T) {
	t.Parallel()
	const pack = `
language: en
lists:
  thing: {values: [{in: "(cup|mug)[s]", out: cup}, plate]}
  n: {range: {from: 0, to: 100, multiplier: -1}}
  free: {wildcard: true}
expansion_rules: {the: "(the|my)"}
intents:
  I:
    data:
      - sentences:
          - "glue light[s] turn(s|ed)"
          - "order (red;green;blue)"
          - "list {thing} {thing:other}"
          - "inline {10..20,5:v}"
          - "down by {n:v}"
          - "write {free:text} on <the> wall"
          - 'odd \(x\)'
          - "hush {@thing} now|shush"
        slots: {fixed: 1}
        requires_context: {area: {slot: true}}
`
	p, err := intent.LoadPack([]byte(pack))
	if err != nil {
		t.Fatal(err)
	}
	m, err := intent.New(p, &home.House{})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]map[string]any{
		"glue lights turned":              {},
		"glue light turns":                {},
		"glue light s turns":              nil,
		"order blue red green":            {},
		"order red red green":             nil,
		"list mugs plate":                 {"thing": "cup", "other": "plate"},
		"inline fifteen":                  {"v": 15},
		"inline 15":                       {"v": 15},
		"inline 16":                       nil,
		"down by forty two":               {"v": -42},
		"write good morning on the wall":  {"text": "good morning"},
		"write hi on the wall on my wall": {"text": "hi on the wall"},
		"write on the wall":               nil,
		"odd (x)":                         {},
		"hush cup now":                    {},
		"shush":                           {},
		"glue-lights turned":              {},
	}
	for text, want := range tests {
		d := m.Match(text, "Attic")
		if want == nil {
			if d.Route == intent.Local {
				t.Errorf("%q: matched %v", text, d.Actions)
			}
			continue
		}
		if d.Route != intent.Local {
			t.Errorf("%q: %s", text, d.Route)
			continue
		}
		got := d.Actions[0].Slots
		if len(got) != len(want)+2 || got["area"] != "Attic" || got["fixed"] != 1 {
			t.Errorf("%q: slots %v", text, got)
		}
		for k, v := range want {
			if got[k] != v {
				t.Errorf("%q: slot %s is %v, want %v", text, k, got[k], v)
			}
		}
	}
	if d := m.Match("shush", ""); d.Route == intent.Local {
		t.Error("matched without the area it requires")
	}
}

// TestHostileTemplateIsBounded loads a pack with a template whose backtracking would
// never end.
func TestHostileTemplateIsBounded(t *testing.T) {
	t.Parallel()
	sentence := strings.Repeat("{w} ", 8) + strings.Repeat("[[a] [a]] ", 12) + "z"
	p, err := intent.LoadPack([]byte("lists: {w: {wildcard: true}}\nintents: {X: {data: [{sentences: ['" + sentence + "']}]}}"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := intent.New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := m.Match(strings.Repeat("a ", 300)+"z", ""); d.Route == intent.Local {
		t.Logf("matched: %v", d)
	}
}

func FuzzLoadPack(f *testing.F) {
	f.Add([]byte("language: en\nintents: {X: {data: [{sentences: ['a [b] {name}']}]}}"))
	f.Add([]byte("lists: {a: {values: [{in: 'x[y]', out: 1}]}}\nexpansion_rules: {r: '<r>'}"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		p, err := intent.LoadPack(data)
		if err != nil {
			return
		}
		if m, err := intent.New(p, nil); err == nil {
			m.Match("turn on the light", "Kitchen")
		}
	})
}
