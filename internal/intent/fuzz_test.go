package intent_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"voicegateway/internal/intent"
	"voicegateway/internal/language/template"
)

// hostile are utterances that made matchers slow or wrong, and odd bytes.
var hostile = []string{
	"turn on the kitchen light", "add best butter to my plate now", "set 21.5 percent", "open the A.C.", "twenty-one twenty two",
	strings.Repeat("add a to ", 100), strings.Repeat("-", 900), strings.Repeat("please ", 140), "a" + strings.Repeat(" a", 450),
	strings.Repeat("x", 10_000), "\xff\xfe\x00", "İSTANBUL ŉ ß", "’’’", ". . .", "1,2,3,4", "\u202eabc", "",
}

// everything is a pack with every form of the language.
func everything(tb testing.TB) *intent.Matcher {
	tb.Helper()
	m, err := exactly(files("skip_words: [please, 'o', to]", `
  - sentences:
      - "turn (on;[the] {name};[please])"
      - "add {free} to [the|my] {thing} [now]"
      - "set {level}[ ][%|percent]"
      - "heat {warm} [and {free} {level} minutes]"
      - "{free} {more:free}[s] x"
      - "{area}licht (an|aus) [[a] [a] [a] [a] [a] [a]]"
      - "keep {@thing}{kind}|{free}"
    requires_context: {size: null}
  - sentences: ["{free}", "{name} {10..20,5:n}"]
    excludes_context: {domain: [lock]}
    required_keywords: [a, x]`))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// FuzzExact matches any text with a pack of every form of the language.
func FuzzExact(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, "Kitchen")
	}
	m := everything(f)
	f.Fuzz(func(t *testing.T, text, area string) {
		d := m.Match(text, area)
		if (d.Route == intent.Local) != (len(d.Actions) == 1) || d.Reason == "" {
			t.Fatalf("%q: %+v", text, d)
		}
	})
}

// FuzzTemplate compiles any template, with itself as a rule, and matches any text
// with it.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{
		"turn (on|off) [the] {name:x}", "<r> <r>", "<a><a> {level} {free}[s]", "a;b|c", "{0..9,2:x}", "<r>", `\{`, "light[s]{free}", "(a;b;c;d;e)", "{free}{free}", "<r> {@thing}",
		strings.Repeat("[a ", 30) + strings.Repeat("]", 30), strings.Repeat("[[a] [a]] ", 40), "{-5..1000000:x}", "{area}{area}{area}", "(|||)", "[;]",
	} {
		f.Add(s, "turn on the kitchen light")
	}
	word, err := template.Parse("kitchen")
	if err != nil {
		f.Fatal(err)
	}
	lists := map[string]intent.List{
		"free":  {Kind: intent.WildcardList},
		"thing": {Values: []intent.ListValue{{Texts: []string{"cup", "cups"}, Out: 1}, {Texts: []string{"plate"}}}},
		"level": {Kind: intent.RangeList, Range: intent.RangeDef{To: 30}},
	}
	f.Fuzz(func(_ *testing.T, s, text string) {
		n, err := template.Parse(s)
		if err != nil {
			return
		}
		p := &intent.Pack{
			Language: "en", Exact: true, Lists: lists, Skip: []string{"please", text},
			Rules:  map[string]*template.Node{"r": n, "a": word},
			Blocks: []intent.Block{{Intent: "I", Sentences: []*template.Node{n}, Source: []string{s}}},
		}
		if m, err := intent.New(p, smallHouse); err == nil {
			m.Match(text, "Kitchen")
		}
		steps := 1000
		_, _ = template.SpellingsWithin(n, p.Rules, 100, &steps)
		_, _ = template.NewPhrases(p.Rules).Of(n)
	})
}

// FuzzLoadDir reads any bytes as the files of a pack.
func FuzzLoadDir(f *testing.F) {
	for name, file := range files("skip_words: [a]\nsettings: {ignore_whitespace: true}", "  - sentences: ['<turn> {name}']\n    name_domains: default") {
		f.Add(name, file.Data)
	}
	f.Add("lists/a.yaml", []byte("lists: {a: &a {values: [{in: x, out: [1, b], context: {c: 1}}]}, b: *a}"))
	f.Add("sentences/en/I/c.yaml", []byte("data: [{sentences: ['{a}'], lists: {a: {range: {from: 1, to: 3, words_language: de}}}, slots: {a: 1.5}}]"))
	f.Fuzz(func(_ *testing.T, name string, data []byte) {
		fsys := files("", "  - sentences: ['<turn> on {name}', '{level} {free}']")
		fsys[name] = &fstest.MapFile{Data: data}
		if m, err := exactly(fsys); err == nil {
			m.Match("turn on the kitchen light", "Kitchen")
		}
	})
}

// TestNothingIsUnbounded matches texts that would take for ever without limits.
func TestNothingIsUnbounded(t *testing.T) {
	t.Parallel()
	m := everything(t)
	for _, s := range hostile {
		m.Match(s, "Kitchen")
	}
	if d := m.Match(strings.Repeat("x ", 5000), ""); d.Reason != intent.TooLong {
		t.Errorf("10 KB: %+v", d)
	}
	slow, err := exactly(files("", "  - sentences: ['"+strings.Repeat("[[a ][a ]]", 60)+"z']"))
	if err != nil {
		t.Fatal(err)
	}
	if d := slow.Match(strings.Repeat("a ", 50)+"y z", ""); d.Reason != intent.TooComplex {
		t.Errorf("backtracking without end: %+v", d)
	}
}
