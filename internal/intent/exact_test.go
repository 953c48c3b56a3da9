package intent_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// files is a directory of sentences in memory: one intent I in one file, and
// what common holds.
func files(common, data string) fstest.MapFS {
	return fstest.MapFS{
		"intents.yaml": {Data: []byte(`
I:
  slot_combinations:
    c: {name_domain_groups: {default: [light, switch]}}
    here: {context_area: true}
`)},
		"sentences/en/_common.yaml": {Data: []byte(common)},
		"sentences/en/I/c.yaml":     {Data: []byte("language: en\ndata:\n" + data)},
		"lists/common.yaml": {Data: []byte(`
lists:
  level: {range: {from: 0, to: 100}}
  down: {range: {from: 0, to: 100, multiplier: -1}}
  warm: {range: {from: 0, to: 50, fractions: halves}}
  free: {wildcard: true}
  more: {wildcard: true}
  thing: {values: [{in: "(cup|mug)[s]", out: cup}, plate, {in: "Wi-Fi box", out: box}]}
  kind: {values: [{in: big, out: large, context: {size: large}}, {in: small, context: {size: little}}]}
`)},
		"lists/en/own.yaml":    {Data: []byte("lists: {colour: {values: [red, {in: blue, out: 3}]}}")},
		"rules/en/common.yaml": {Data: []byte("expansion_rules: {the: '(the|my)', turn: '(turn|switch)'}")},
	}
}

var smallHouse = &home.House{
	Floors: []home.Floor{{Name: "Upstairs"}},
	Areas:  []home.Area{{Name: "Kitchen", Aliases: []string{"galley"}}, {Name: "Living Room", Floor: "Upstairs"}, {Name: "Büro"}},
	Entities: []home.Entity{
		{ID: "light.k", Name: "Kitchen Light", Domain: "light", Area: "Kitchen"},
		{ID: "lock.k", Name: "Kitchen Light", Domain: "lock", Area: "Kitchen"},
		{ID: "light.l", Name: "Lamp", Aliases: []string{"A.C."}, Domain: "light", Area: "Living Room", Attributes: map[string]any{"device_class": "x"}},
		{ID: "fan.l", Name: "Lamp Fan", Domain: "fan"},
	},
}

// shown writes what a decision is about in one line.
func shown(d intent.Decision) string {
	if d.Route != intent.Local {
		return string(d.Route)
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(d.Actions[0].Slots)) {
		out = append(out, fmt.Sprintf("%s=%v", key, d.Actions[0].Slots[key]))
	}
	return strings.Join(append(out, d.Actions[0].Devices...), " ")
}

// TestExact goes through the rules of the template language one by one.
func TestExact(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		common, data string
		want         map[string]string // by text
	}{
		"text": {"", `
  - sentences: ["say [the] word[s]", "(a;b[c];d)", 'odd \(\|\) one']`, map[string]string{
			"Say the WORDS!": "", "say word": "", "  say   word ": "", "say thewords": "llm", "sayword": "llm", "say word s": "llm",
			"d bc a": "", "a b d": "", "a b": "llm", "bcad": "llm", "say-word": "", "say_the-words": "", "odd (|) one": "",
		}},
		"a list does not end a word": {"", `
  - sentences: ["in {area} on", "{area}licht", "x{thing} y"]`, map[string]string{
			"in kitchen on": "area=Kitchen kitchen", "in kitchenon": "area=Kitchen", "galley licht": "area=Kitchen", "bürolicht": "area=Büro",
			"xplate y": "thing=plate", "xplatey": "llm", "x plate y": "llm",
		}},
		"values": {"", `
  - sentences: ["get {thing} {colour:c}", "keep {@thing} {thing:@other}"]
    slots: {c: 9, fixed: [1, two]}`, map[string]string{
			"get mugs Blue": "c=3 fixed=[1 two] thing=cup", "get wi-fi-box red": "c=red fixed=[1 two] thing=box", "get wi fi box red": "llm",
			"keep cup plate": "c=9 fixed=[1 two]",
		}},
		"numbers": {"", `
  - sentences: ["set {level}[ ][%|percent]", "less {down:level}", "heat {warm}", "{10..20,5:inline} in", "{level} {level:other}"]`, map[string]string{
			"set 40%": "level=40", "set 40 percent": "level=40", "set forty-one percent": "level=41", "set forty one": "level=41",
			"set 101": "llm", "set 40.5": "llm", "set fortypercent": "level=40", "less twenty": "level=-20", "less 20": "level=-20",
			"heat 20.5": "warm=20.5", "heat 20,5": "warm=20.5", "heat twenty point five": "warm=20.5", "heat 20.3": "llm", "heat 51": "llm",
			"15 in": "inline=15", "fifteen in": "inline=15", "16 in": "llm", "20 1": "level=20 other=1", "twenty one": "level=20 other=1", "set -5": "llm",
		}},
		"free text": {"", `
  - sentences: ["add {free} to {thing}", "add {free} to {thing} now", "note {free}", "write {free}{colour}", "wait {free} {level} minutes", "two {free} {more}", "glue {free}ed end"]`, map[string]string{
			"add Best Butter to plate": "free=Best Butter thing=plate", "add to plate": "llm", "add to to plate": "free=to thing=plate",
			"add salt to egg to cup": "free=salt to egg thing=cup", "add tomato to cup now": "free=tomato thing=cup", "note": "llm",
			"note that, too": "free=that too", "write in red": "colour=red free=in", "wait for it ten minutes": "free=for it level=10",
			"wait for it 10 minutes": "free=for it level=10", "two a b": "llm", "glue painted end": "free=paint", "add potato cup": "llm",
		}},
		"punctuation": {"", `
  - sentences: ["open the {name}", "at {free} o'clock"]`, map[string]string{
			"¿open, the; kitchen light?!": "name=Kitchen Light light.k lock.k", "open the A.C.": "name=Lamp light.l", "at 10:30 o’clock": "free=10:30 o'clock"[:10],
			"open the A.C. ": "name=Lamp light.l", "open the AC": "llm", ".": "reject", "open the 'lamp'": "llm",
		}},
		"skip words": {"skip_words: [please, 'could you', 'could you please', 'o']", `
  - sentences: ["open the {name}", "note {free}", "{free} it is", "please me", "take {thing} o mine"]`, map[string]string{
			"please open the lamp": "name=Lamp light.l", "could you please open please the lamp please": "name=Lamp light.l",
			"please note milk please": "free=milk please", "milk please it is please": "free=milk please", "please me": "", "please please me": "llm",
			"take cup o mine": "thing=cup", "opleasen the lamp": "llm", "please": "llm",
		}},
		"context of names": {"", `
  - sentences: ["on {name}"]
    name_domains: default
  - sentences: ["lock {name}"]
    requires_context: {domain: lock}
  - sentences: ["any {name}"]
    excludes_context: {domain: [light, lock]}
  - sentences: ["class {name}"]
    requires_context: {domain: {value: [light], slot: kind}}`, map[string]string{
			"on kitchen light": "name=Kitchen Light light.k", "lock kitchen light": "name=Kitchen Light lock.k", "on lamp fan": "llm", "lock lamp": "llm",
			"any lamp fan": "name=Lamp Fan fan.l", "any lamp": "llm", "class lamp": "kind=light name=Lamp light.l",
		}},
		"context of values": {"", `
  - sentences: ["a {kind}", "b {kind} c"]
    requires_context: {size: {value: large, slot: true}}
  - sentences: ["a {kind}"]
    excludes_context: {size: large}
  - sentences: ["where"]
    requires_context: {weather: null}
  - sentences: ["both {kind} {kind:k}"]
    requires_context: {size: null}`, map[string]string{
			"a big": "kind=large size=large", "a small": "kind=small", "b small c": "llm", "where": "llm", "both big small": "k=small kind=large",
		}},
		"scoped": {"", `
  - sentences: ["<turn> {thing}"]
    lists: {thing: {values: [fork]}}
    expansion_rules: {turn: bend}
  - sentences: ["<turn> {thing}"]
    required_keywords: [Mug, cups]`, map[string]string{
			"bend fork": "thing=fork", "turn fork": "llm", "turn mug": "thing=cup", "turn mugs": "llm", "turn cups": "thing=cup", "bend cups": "llm",
		}},
		"ranking": {"", `
  - sentences: ["get {free:name}", "get {free:x} {thing}"]
  - sentences: ["get {name}"]
    slots: {by: name}
  - sentences: ["get [lamp] {thing}"]
    slots: {by: text}
  - sentences: ["get {colour} cup", "get red {thing}"]
    slots: {by: letters}
  - sentences: ["get {name} fan"]
    slots: {by: shorter}
  - sentences: ["get mine {free:x}"]
    metadata: {hass_custom_sentence: true}
  - sentences: ["get mine cup"]
    slots: {by: built in}`, map[string]string{
			"get lamp": "by=name name=Lamp light.l", "get lamp fan": "by=name name=Lamp Fan fan.l", "get lamp cup": "by=text thing=cup",
			"get red cup": "by=letters thing=cup", "get blue cup": "by=letters colour=3", "get mine cup": "x=cup", "get other cup": "thing=cup x=other",
		}},
		"no spaces": {"settings: {ignore_whitespace: true}\nskip_words: [qq]", `
  - sentences: ["turn on {name}", "add {free} to it"]`, map[string]string{
			"turnonkitchenlight": "name=Kitchen Light light.k lock.k", "t u r n o n lamp": "name=Lamp light.l", "turn qq on lamp": "name=Lamp light.l",
			"add milk to it": "free=milk",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := exactly(files(tt.common, tt.data))
			if err != nil {
				t.Fatal(err)
			}
			for text, want := range tt.want {
				want = strings.TrimSuffix(want, " kitchen")
				if got := shown(m.Match(text, "")); got != want {
					t.Errorf("%q: got %q, want %q", text, got, want)
				}
			}
		})
	}
}

func exactly(fsys fstest.MapFS) (*intent.Matcher, error) {
	p, err := intent.LoadDir(fsys, "en")
	if err != nil {
		return nil, err
	}
	return intent.New(p, smallHouse)
}

// TestExactArea covers the microphone's area and combinations that demand one.
func TestExactArea(t *testing.T) {
	t.Parallel()
	fsys := files("", `
  - sentences: ["lights in {area}"]
    inferred_domain: light
  - sentences: ["only here"]
    requires_context: {area: Kitchen}
  - sentences: ["not here"]
    excludes_context: {area: [Kitchen]}`)
	fsys["sentences/en/I/here.yaml"] = &fstest.MapFile{Data: []byte(`
data:
  - sentences: ["lights [in {area}]"]
    inferred_domain: light`)}
	m, err := exactly(fsys)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ text, area, want string }{
		{"lights", "galley", "area=Kitchen domain=light light.k"},
		{"lights", "Study", "area=Study domain=light"},
		{"lights", "", "llm"},
		{"lights in living room", "Kitchen", "area=Living Room domain=light light.l"},
		{"only here", "Kitchen", ""},
		{"only here", "Study", "llm"},
		{"only here", "", "llm"},
		{"not here", "Kitchen", "llm"},
		{"not here", "", ""},
	} {
		if got := shown(m.Match(tt.text, tt.area)); got != tt.want {
			t.Errorf("%q in %q: got %q, want %q", tt.text, tt.area, got, tt.want)
		}
	}
}
