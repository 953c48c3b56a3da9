package lessons_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/lessons"
)

// ours are the sentences of the English pack in a house.
type ours struct {
	*intent.Matcher
	house *home.House
}

func (s ours) House() *home.House { return s.house }

func english(tb testing.TB) *intent.Pack {
	tb.Helper()
	pack, err := intent.Ours("en")
	if err != nil {
		tb.Fatal(err)
	}
	return pack
}

func in(tb testing.TB, h *home.House) ours {
	tb.Helper()
	m, err := intent.New(english(tb), h)
	if err != nil {
		tb.Fatal(err)
	}
	return ours{m, h}
}

func wordingsIn(tb testing.TB, dir string) *family.Wordings {
	tb.Helper()
	return family.NewWordings(dir, english(tb).Bare, nil, slog.New(slog.DiscardHandler))
}

// acts are what a sentence of the house does, as a wording keeps it.
func acts(tb testing.TB, h *home.House, sentence string) []record.KeptAct {
	tb.Helper()
	d := in(tb, h).Match(sentence, "")
	kept, err := lessons.Acts(h, d.Actions)
	if err != nil || len(kept) == 0 {
		tb.Fatalf("%s: %+v, %v", sentence, d, err)
	}
	return kept
}

func cosy(tb testing.TB, h *home.House, area string) record.Wording {
	tb.Helper()
	return record.Wording{ID: "w1", Text: "Make it cosy!", Area: area, Acts: acts(tb, h, "turn on the kitchen light")}
}

// TestAWordingIsUnderstood: without a model, in its room, with polite words, and never
// where a sentence of the house has the same words.
func TestAWordingIsUnderstood(t *testing.T) {
	t.Parallel()
	h := fake.House()
	b := wordingsIn(t, "")
	house := lessons.Matcher{Sentences: in(t, h), Kept: b}
	if d := house.Match("make it cosy", "Kitchen"); d.Route != intent.Model {
		t.Fatalf("before it is kept: %+v", d)
	}
	if err := b.Keep(cosy(t, h, "Kitchen")); err != nil {
		t.Fatal(err)
	}
	if err := b.Keep(record.Wording{ID: "w2", Text: "turn off the kitchen light", Acts: acts(t, h, "turn on the kitchen light")}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"make it cosy":               "local wording HassTurnOn",
		"Make it cosy, please.":      "local wording HassTurnOn",
		"turn off the kitchen light": "local sentence HassTurnOff", // the sentence counts
		"make it cosier":             "llm no_sentence ",
		"did you make it cosy":       "llm no_sentence ",
		"don't make it cosy":         "llm no_sentence ",
	} {
		d := house.Match(text, "kitchen")
		name := ""
		if len(d.Actions) > 0 {
			name = d.Actions[0].Intent
		}
		if got := fmt.Sprint(d.Route, " ", d.Reason, " ", name); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if d := house.Match("make it cosy", "Bedroom"); d.Route != intent.Model {
		t.Errorf("in another room: %+v", d)
	}
	if _, err := b.Edit("w1", "make it cosy", ""); err != nil {
		t.Fatal(err)
	}
	if d := house.Match("make it cosy", "Bedroom"); d.Route != intent.Local {
		t.Errorf("everywhere: %+v", d)
	}
	list := house.List()
	if len(list) != 2 || list[0].Error == "" || list[1].Error != "" {
		t.Errorf("the list does not say which one is never understood: %+v", list)
	}
}

// TestTheHouseHasChanged: each use looks at the house as it is.
func TestTheHouseHasChanged(t *testing.T) {
	t.Parallel()
	base := fake.House()
	w := cosy(t, base, "")
	thing := w.Acts[0].Things[0].ID
	for name, tt := range map[string]struct {
		change func(h *home.House, e *home.Entity)
		model  bool
		want   string
	}{
		"nothing":                {func(*home.House, *home.Entity) {}, false, "local wording"},
		"renamed":                {func(_ *home.House, e *home.Entity) { e.Name = "Cooking Lamp" }, false, "local wording"},
		"joined again":           {func(_ *home.House, e *home.Entity) { e.ID = "new" }, false, "local wording"},
		"gone":                   {func(_ *home.House, e *home.Entity) { e.ID, e.Name = "other", "Another Lamp" }, false, "reject unknown_name"},
		"gone, with a model":     {func(_ *home.House, e *home.Entity) { e.ID, e.Name = "other", "Another Lamp" }, true, "llm no_sentence"},
		"its id is a lock's now": {func(_ *home.House, e *home.Entity) { e.Domain, e.Name = "lock", "Front Door" }, false, "reject unknown_name"},
		"dangerous now":          {func(_ *home.House, e *home.Entity) { e.Name = "Garage Door" }, false, "llm no_sentence"},
		"dangerous, misspelt":    {func(_ *home.House, e *home.Entity) { e.Name = "Garge Dor" }, false, "llm no_sentence"},
		"cannot be controlled":   {func(_ *home.House, e *home.Entity) { e.Control = nil }, false, "llm no_sentence"},
	} {
		h := *base
		h.Entities = slices.Clone(base.Entities)
		e := h.Entity(thing)
		tt.change(&h, e)
		b := wordingsIn(t, "")
		if err := b.Keep(w); err != nil {
			t.Fatal(err)
		}
		house := lessons.Matcher{Sentences: in(t, &h), Kept: b, Model: func() bool { return tt.model }}
		d := house.Match("make it cosy", "")
		if got := fmt.Sprint(d.Route, " ", d.Reason); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestWhatIsNeverKept: what is dangerous, what only reads, what is no thing of the house.
func TestWhatIsNeverKept(t *testing.T) {
	t.Parallel()
	h := fake.House()
	h.Entities = append(h.Entities, home.Entity{
		ID: "lock.1", Name: "Front Door", Domain: "lock", Server: "zwave", Abilities: []home.Ability{home.Lock}, Control: &home.Control{Tool: "set", ID: "Front Door"},
	})
	light := h.Entities[0].ID
	for name, actions := range map[string][]intent.Action{
		"nothing":             nil,
		"unlocking":           {{Intent: "HassTurnOff", Devices: []string{"lock.1"}}},
		"one of two":          {{Intent: "HassTurnOn", Devices: []string{light}}, {Intent: "HassTurnOff", Devices: []string{"lock.1"}}},
		"a question":          {{Intent: "HassGetState", Devices: []string{light}}},
		"the volume":          {{Intent: "HassSetVolume", Slots: map[string]any{"volume_level": 3}}},
		"a tool of others":    {{Devices: []string{`add{"text":"milk"}`}}},
		"what cannot be done": {{Intent: "HassSetPosition", Slots: map[string]any{"position": 3.0}, Devices: []string{light}}},
	} {
		if kept, err := lessons.Acts(h, actions); err == nil && len(kept) > 0 {
			t.Errorf("%s is kept: %+v", name, kept)
		}
	}
	if _, err := lessons.Acts(h, []intent.Action{{Intent: "HassTurnOn", Devices: []string{"lock.1"}}}); err != nil {
		t.Errorf("locking is not dangerous: %v", err)
	}
}

// FuzzKeptWordings: whatever stands in the state directory, a wording is understood as
// an act on things of the house that is not dangerous, or not at all.
func FuzzKeptWordings(f *testing.F) {
	f.Add([]byte(`[{"id":"1","text":"make it cosy","acts":[{"name":"HassTurnOn","slots":{},"things":[{"id":"light.kitchen","name":"Kitchen Light","domain":"light"}]}]}]`))
	f.Add([]byte(`[{"id":"1","text":"make it cosy","acts":[{"name":"LocalWhy","things":[]}]}]`))
	f.Add([]byte(`[{"id":"1","text":"make it cosy","acts":[{"name":"HassLightSet","slots":{"brightness":"x"},"things":[{"name":"Kitchen Light","domain":"light"}]}]}]`))
	f.Add([]byte(`{`))
	h := fake.House()
	s := in(f, h)
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "wordings.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		house := lessons.Matcher{Sentences: s, Kept: wordingsIn(t, dir)}
		for _, w := range house.List() {
			d := house.Match(w.Text, w.Area)
			if d.Reason != intent.ByWording {
				continue
			}
			for _, a := range d.Actions {
				for _, id := range a.Devices {
					if e := h.Entity(id); e == nil || intent.Dangerous(a, e) {
						t.Errorf("%q does %+v", w.Text, a)
					}
				}
			}
		}
	})
}

// Wordings that an earlier version kept are understood as before.
func TestWordingsOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../keep/family/testdata/before")); err != nil {
		t.Fatal(err)
	}
	house := lessons.Matcher{Sentences: in(t, fake.House()), Kept: wordingsIn(t, dir)}
	if d := house.Match("make it cosy", "Kitchen"); d.Reason != "wording" || len(d.Actions) != 1 || d.Actions[0].Intent != "HassTurnOn" || !slices.Equal(d.Actions[0].Devices, []string{"light.Kitchen Light"}) {
		t.Errorf("%+v", d)
	}
	if list := house.List(); len(list) != 2 || list[0].Error != "the words order nothing" || list[1].Error != "" {
		t.Errorf("%+v", list)
	}
}

// TestAYesTellsWhichThing: a yes to the question whether one thing is meant is a wording, in the languages
// that nothing was learned in too; where another thing may be meant it is asked about again.
func TestAYesTellsWhichThing(t *testing.T) {
	t.Parallel()
	coffee := func(id, name string) home.Entity {
		e := *fake.Bungalow("en").Entity("coffee")
		e.ID, e.Name, e.Aliases = id, name, nil
		return e
	}
	for language, tt := range map[string]struct{ said, thing, other, order string }{
		"de": {"mach mir einen kaffee", "Kaffeemaschine", "Kaffeemühle", "schalte die kaffeemaschine ein"},
		"es": {"hazme un café", "Máquina de Café", "Molinillo de Café", "enciende la máquina de café"},
		"fr": {"fais-moi un café", "Machine à Café", "Moulin à Café", "allume la machine à café"},
	} {
		pack, err := intent.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		move := func(things ...home.Entity) ours {
			h := &home.House{Entities: things}
			m, err := intent.New(pack, h)
			if err != nil {
				t.Fatal(err)
			}
			return ours{m, h}
		}
		one := move(coffee("switch.one", tt.thing))
		words := family.NewWordings(t.TempDir(), pack.Bare, nil, slog.New(slog.DiscardHandler))
		matcher := func(o ours) lessons.Matcher { return lessons.Matcher{Sentences: o, Kept: words} }
		asked := matcher(one).Match(tt.said, "")
		if asked.Route != intent.Ask || len(asked.Options) != 1 {
			t.Fatalf("%s: %q is %s %s, want a question about one thing", language, tt.said, asked.Route, asked.Reason)
		}
		if err := lessons.Ours(asked, one.house); err != nil {
			t.Errorf("%s: %q cannot be kept: %v", language, tt.said, err)
		}
		kept, err := lessons.Acts(one.house, one.Match(tt.order, "").Actions)
		if err != nil || len(kept) == 0 {
			t.Fatalf("%s: %q: %v, %v", language, tt.order, kept, err)
		}
		if err := words.Keep(record.Wording{ID: "1", Text: tt.said, Acts: kept}); err != nil {
			t.Fatal(err)
		}
		if d := matcher(one).Match(tt.said, ""); d.Route != intent.Local || !slices.Equal(d.Actions[0].Devices, []string{"switch.one"}) {
			t.Errorf("%s: %q is %s %s after a yes", language, tt.said, d.Route, d.Reason)
		}
		if d := matcher(move(coffee("switch.two", tt.other))).Match(tt.said, ""); d.Route == intent.Local {
			t.Errorf("%s: %q does something with another thing: %+v", language, tt.said, d.Actions)
		}
		both := move(coffee("switch.one", tt.thing), coffee("switch.two", tt.other))
		if d := matcher(both).Match(tt.said, ""); d.Route != intent.Ask {
			t.Errorf("%s: %q with two such things is %s %s", language, tt.said, d.Route, d.Reason)
		}
	}
}
