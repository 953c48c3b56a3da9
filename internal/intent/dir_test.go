package intent_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"voicegateway/internal/intent"
)

// TestLoadDirRejects demands errors that name the file and what is wrong in it.
func TestLoadDirRejects(t *testing.T) {
	t.Parallel()
	good := "  - sentences: [hello]\n"
	nested := strings.Repeat("[", 60) + strings.Repeat("]", 60)
	tests := map[string]struct {
		change  map[string]string // file: text; empty removes it
		wantErr []string
	}{
		"nothing wrong":      {nil, nil},
		"no intents.yaml":    {map[string]string{"intents.yaml": ""}, nil},
		"no common file":     {map[string]string{"sentences/en/_common.yaml": ""}, nil},
		"no yaml":            {map[string]string{"sentences/en/I/c.yaml": "\t:"}, []string{"reading sentences: sentences/en/I/c.yaml: yaml"}},
		"unknown key":        {map[string]string{"sentences/en/I/c.yaml": "data: []\nmagic: 1"}, []string{"c.yaml", "magic is not supported"}},
		"unknown block key":  {map[string]string{"sentences/en/I/c.yaml": "data:\n" + good + "    magic: 1"}, []string{"c.yaml: block 1", "magic is not supported"}},
		"unknown group":      {map[string]string{"sentences/en/I/c.yaml": "data:\n" + good + "    name_domains: x"}, []string{`no group "x" in intents.yaml`}},
		"odd domains":        {map[string]string{"sentences/en/I/c.yaml": "data:\n" + good + "    name_domains: {a: b}"}, []string{"name_domains"}},
		"bad template":       {map[string]string{"sentences/en/I/c.yaml": "data:\n  - sentences: ['{']"}, []string{"c.yaml: block 1", "missing"}},
		"deep template":      {map[string]string{"sentences/en/I/c.yaml": "data:\n  - sentences: ['" + nested + "']"}, []string{"nested deeper than 40"}},
		"big permutation":    {map[string]string{"sentences/en/I/c.yaml": "data:\n  - sentences: ['(a;b;c;d;e;f;g)']"}, []string{"permutation of 7 parts"}},
		"bad rule":           {map[string]string{"rules/en/a.yaml": "expansion_rules: {a: ')'}"}, []string{"rules/en/a.yaml", "rule <a>"}},
		"rules of no kind":   {map[string]string{"rules/en/a.yaml": "expansion_rules: [a]"}, []string{"rules/en/a.yaml"}},
		"odd key of rules":   {map[string]string{"rules/en/a.yaml": "other: {a: b}"}, []string{"other is not supported"}},
		"bad list":           {map[string]string{"lists/en/a.yaml": "lists: {a: {}}"}, []string{"lists/en/a.yaml", `list "a"`}},
		"list of the house":  {map[string]string{"lists/en/a.yaml": "lists: {floor: {wildcard: true}}"}, []string{"the house fills"}},
		"unknown setting":    {map[string]string{"sentences/en/_common.yaml": "settings: {magic: true}"}, []string{"_common.yaml", "settings", "magic"}},
		"bad intents.yaml":   {map[string]string{"intents.yaml": "[1"}, []string{"intents.yaml"}},
		"bad combinations":   {map[string]string{"intents.yaml": "I: {slot_combinations: {c: [1]}}"}, []string{"intents.yaml: I"}},
		"values without end": {map[string]string{"lists/en/a.yaml": manyValues()}, []string{"lists/en/a.yaml", "more than"}},
		"yaml bomb":          {map[string]string{"lists/en/a.yaml": yamlBomb()}, []string{"lists/en/a.yaml", "not supported"}},
		"huge file":          {map[string]string{"lists/en/a.yaml": strings.Repeat("# x\n", 3<<20)}, []string{"lists/en/a.yaml", "MB"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fsys := files("", good)
			for file, text := range tt.change {
				fsys[file] = &fstest.MapFile{Data: []byte(text)}
				if text == "" {
					delete(fsys, file)
				}
			}
			_, err := intent.LoadDir(fsys, "en")
			if len(tt.wantErr) == 0 && err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.wantErr {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got error %v, want one with %q", err, want)
				}
			}
		})
	}
}

// manyValues is a list whose values together cost more work than is allowed.
func manyValues() string {
	var b strings.Builder
	b.WriteString("lists: {a: {values: [")
	for range 3000 {
		b.WriteString("'" + strings.Repeat("[a]", 9) + "', ")
	}
	b.WriteString("x]}}")
	return b.String()
}

func yamlBomb() string {
	var b strings.Builder
	b.WriteString("a: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	b.WriteString("lists: {a: {values: *a9}}")
	return b.String()
}

func TestLoadDirLanguage(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{
		"en": "", "": "no language code", "..": "no language code", "en/I": "no language code", "xx": `"xx"; there are en`,
	} {
		_, err := intent.LoadDir(files("", "  - sentences: [a]"), language)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got error %v", language, err)
		}
	}
	if _, err := intent.LoadDir(fstest.MapFS{}, "en"); err == nil || !strings.Contains(err.Error(), "no directory sentences") {
		t.Errorf("got error %v", err)
	}
}

// TestLoadDirOrder shows what decides ties, and what becomes of sentences for
// recognisers of fixed phrases.
func TestLoadDirOrder(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"intents.yaml":            {Data: []byte("Z: {slot_combinations: {y: {}, x: {}}}\nA: {}\n")},
		"sentences/en/A/a.yaml":   {Data: []byte("data: [{sentences: [hello]}]")},
		"sentences/en/B/a.yaml":   {Data: []byte("data: [{sentences: [hello], speech_to_phrase: true}]")},
		"sentences/en/Z/x.yaml":   {Data: []byte("data: [{sentences: [hello], slots: {by: x}}]")},
		"sentences/en/Z/y.yaml":   {Data: []byte("data: [{sentences: [hello], slots: {by: phrase}, speech_to_phrase: true}, {sentences: ['{f}', 'a {f}', hello], slots: {by: y}}]")},
		"sentences/en/Z/new.yaml": {Data: []byte("data: [{sentences: [hello]}]")},
		"lists/a.yaml":            {Data: []byte("lists: {f: {wildcard: true}}")},
	}
	p, err := intent.LoadDir(fsys, "en")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range p.Blocks {
		got = append(got, fmt.Sprint(b.Intent, " ", cmp.Or(b.Slots["by"], any("")), " ", b.Source))
	}
	if want := "Z y [a {f} {f} hello],Z x [hello],Z  [hello],A  [hello],B  [hello]"; strings.Join(got, ",") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ","), want)
	}
}

// A foreign pack may have intents that are not in our table. Their values are written as
// text, and the decision says that nothing here can carry them out. An intent of Home
// Assistant's keeps its numbers and can be carried out.
func TestForeignIntentsAreMarked(t *testing.T) {
	t.Parallel()
	fsys := files("", "  - sentences: [hello]\n")
	fsys["lists/en/order.yaml"] = &fstest.MapFile{Data: []byte("lists:\n  cups: {values: [{in: two, out: 2}]}\n  roast: {values: [dark roast]}\n")}
	fsys["sentences/en/OrderDrink/order.yaml"] = &fstest.MapFile{Data: []byte("data:\n  - sentences: ['{cups} cups of {roast}']\n")}
	fsys["sentences/en/HassSetVolume/all.yaml"] = &fstest.MapFile{Data: []byte("data:\n  - sentences: ['volume {cups:volume_level}']\n")}
	pack, err := intent.LoadDir(fsys, "en")
	if err != nil {
		t.Fatal(err)
	}
	m, err := intent.New(pack, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := m.Match("two cups of dark roast", "")
	if !d.Foreign || d.Route != intent.Local || len(d.Actions) != 1 || d.Actions[0].Slots["cups"] != "2" || d.Actions[0].Slots["roast"] != "dark roast" {
		t.Errorf("%+v", d)
	}
	d = m.Match("volume two", "")
	if d.Foreign || d.Route != intent.Local || d.Actions[0].Slots["volume_level"] != 2 {
		t.Errorf("%+v", d)
	}
}
