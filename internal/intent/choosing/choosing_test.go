package choosing_test

import (
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/language/sentences"
)

func english(t *testing.T) *choosing.Words {
	t.Helper()
	w, err := choosing.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestOurs: every language has words for each kind of answer, and the error names a
// language that has none.
func TestOurs(t *testing.T) {
	t.Parallel()
	for language, all := range map[string][4]string{
		"en": {"yes", "both", "neither", "undo that"}, "de": {"ja", "beide", "keine", "mach das rückgängig"},
		"es": {"sí", "las dos", "ninguna", "deshaz eso"}, "fr": {"oui", "les deux", "aucune", "annule ça"},
	} {
		w, err := choosing.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		if !w.Yes(all[0]) || !w.All(all[1]) || !w.None(all[2]) || w.Amendment(all[3]) != choosing.Undo {
			t.Errorf("%s: not understood: one of %q", language, all)
		}
	}
	if _, err := choosing.Ours("xx"); err == nil || !strings.Contains(err.Error(), `"xx"`) {
		t.Errorf("an unknown language: %v", err)
	}
}

// TestYes: what agrees to a question, and what only seems to.
func TestYes(t *testing.T) {
	t.Parallel()
	w := english(t)
	for text, want := range map[string]bool{"Yes.": true, "yes please": true, "go ahead": true, "no": false, "": false, "yes and no": false} {
		if w.Yes(text) != want {
			t.Errorf("Yes(%q) = %v", text, !want)
		}
	}
}

// TestPoliteAnswers: an answer is the same with a please.
func TestPoliteAnswers(t *testing.T) {
	t.Parallel()
	for language, texts := range map[string][4]string{
		"en": {"both of them please", "none of them, thank you", "yes, thanks", "the desk lamp please"},
		"de": {"alle bitte", "keine von beiden, danke", "bitte ja", "die desk lamp bitte"},
		"es": {"las dos, gracias", "ninguna gracias", "sí gracias", "la desk lamp, gracias"},
		"fr": {"les deux s'il te plaît", "aucune merci", "oui s’il te plaît", "la desk lamp s'il vous plaît"},
	} {
		w, err := choosing.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		one := []*home.Entity{{Name: "Desk Lamp"}, {Name: "Oven"}}
		if !w.All(texts[0]) || !w.None(texts[1]) || !w.Yes(texts[2]) || len(w.Choose(texts[3], one)) != 1 {
			t.Errorf("%s: not understood: one of %q", language, texts)
		}
		if w.Yes("please") || w.All("bitte") || w.None("gracias") {
			t.Errorf("%s: politeness alone is an answer", language)
		}
	}
}

// TestAmendment sorts the words about the turn before.
func TestAmendment(t *testing.T) {
	t.Parallel()
	for language, cases := range map[string]map[string]choosing.Amendment{
		"en": {"No!": choosing.Not, "no, the OTHER one.": choosing.Other, "undo that": choosing.Undo, "Stop": choosing.Halt, "that’s wrong": choosing.Wrong, "remember that": choosing.Keep, "not now": choosing.NoAmendment, "": choosing.NoAmendment},
		"de": {"Nein.": choosing.Not, "mach das RÜCKGÄNGIG": choosing.Undo, "die andere": choosing.Other, "Stopp!": choosing.Halt, "nein danke": choosing.NoAmendment},
		"es": {"¡no!": choosing.Not, "deshaz eso": choosing.Undo, "no, la otra": choosing.Other, "para": choosing.Halt, "para siempre": choosing.NoAmendment},
		"fr": {"non": choosing.Not, "annule ça": choosing.Undo, "L’autre": choosing.Other, "arrête": choosing.Halt, "l'autre jour": choosing.NoAmendment},
	} {
		w, err := choosing.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range cases {
			if got := w.Amendment(text); got != want {
				t.Errorf("%s: %q is %q, expected %q", language, text, got, want)
			}
		}
	}
}

// TestChoose: the answers to "the left lamp or the right lamp?".
func TestChoose(t *testing.T) {
	t.Parallel()
	thing := func(id, name, domain, area string) *home.Entity {
		return &home.Entity{ID: id, Name: name, Domain: domain, Area: area}
	}
	two := []*home.Entity{thing("l", "Left Lamp", "light", "Bedroom"), thing("r", "Right Lamp", "light", "Bedroom")}
	rooms := []*home.Entity{thing("k", "Ceiling Light", "light", "Kitchen"), thing("b", "Ceiling Light", "light", "Bedroom"), thing("h", "Hall Light", "light", "Hall")}
	nested := []*home.Entity{thing("d", "Door", "cover", "Hall"), thing("f", "Front Door", "lock", "Hall")}
	lampen := []*home.Entity{thing("s", "Stehlampe", "light", "Wohnzimmer"), thing("l", "Leselampe", "light", "Küche")}
	luces := []*home.Entity{thing("t", "Luz de techo", "light", "Salón"), thing("m", "Luz de mesa", "light", "Salón")}
	lampes := []*home.Entity{thing("e", "Lampe de l'entrée", "light", "Entrée"), thing("s", "Lampe du salon", "light", "Salon")}
	for _, tt := range []struct {
		language string
		things   []*home.Entity
		text     string
		want     string
	}{
		{"en", two, "the left one", "l"},
		{"en", two, "Left.", "l"},
		{"en", two, "I meant the right lamp", "r"},
		{"en", two, "the right light please", "r"},
		{"en", two, "the second one", "r"},
		{"en", two, "first", "l"},
		{"en", two, "the last one", "r"},
		{"en", two, "both", "lr"},
		{"en", two, "all of them", "lr"},
		{"en", two, "the bedroom one", "lr"},
		{"en", two, "the lamps", "lr"},
		{"en", two, "yes", ""},
		{"en", two[:1], "yes", "l"},
		{"en", two, "the one", ""},
		{"en", two, "the third one", ""},
		{"en", two, "the kitchen one", ""},
		{"en", two, "turn off the left lamp", ""},
		{"en", two, "left lamp off", ""},
		{"en", two, strings.Repeat("left ", 100), ""},
		{"en", nil, "both", ""},
		{"en", rooms, "the kitchen one", "k"},
		{"en", rooms, "bedroom", "b"},
		{"en", rooms, "the hall light", "h"},
		{"en", rooms, "the third", "h"},
		{"en", rooms, "ceiling", "kb"},
		{"en", nested, "the door", "d"},
		{"en", nested, "the front door", "f"},
		{"de", lampen, "die in der Küche", "l"},
		{"de", lampen, "die Stehlampe bitte", "s"},
		{"de", lampen, "beide", "sl"},
		{"de", lampen, "die zweite", "l"},
		{"es", luces, "la de la mesa", "m"},
		{"es", luces, "las dos", "tm"},
		{"es", luces, "la primera", "t"},
		{"fr", lampes, "celle de l'entrée", "e"},
		{"fr", lampes, "celle du salon", "s"},
		{"fr", lampes, "les deux", "es"},
	} {
		w, err := choosing.Ours(tt.language)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range w.Choose(tt.text, tt.things) {
			got += e.ID
		}
		if got != tt.want {
			t.Errorf("%s: %q chooses %q, expected %q", tt.language, tt.text, got, tt.want)
		}
	}
}

// TestPlace: the answers to "in which room?".
func TestPlace(t *testing.T) {
	t.Parallel()
	h := &home.House{
		Areas:    []home.Area{{Name: "Living Room", Aliases: []string{"Lounge"}}, {Name: "Kitchen"}},
		Entities: []home.Entity{{ID: "x", Name: "X", Area: "The One"}},
	}
	w := english(t)
	for text, want := range map[string]string{
		"kitchen": "Kitchen", "in the kitchen please": "Kitchen", "The living room.": "Living Room", "lounge": "Living Room", "the one": "The One",
		"here": "", "": "", "turn on the kitchen": "", "the": "",
	} {
		if got := w.Place(text, h); got != want {
			t.Errorf("%q is %q, expected %q", text, got, want)
		}
	}
}

// FuzzAnswers: no answer to a question breaks anything, and only things that were
// asked about are chosen.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{"both", "the left one", "l'entrée", "'", "’s", "é́", "no", "\xff", "the the"} {
		f.Add(s)
	}
	things := []*home.Entity{{ID: "l", Name: "Left Lamp", Domain: "light"}, {ID: "r", Name: "Right Lamp", Domain: "light"}}
	h := &home.House{Areas: []home.Area{{Name: "Kitchen"}}}
	var all []*choosing.Words
	for _, language := range sentences.Languages() {
		w, err := choosing.Ours(language)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, w)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range all {
			if n := len(w.Choose(text, things)); n > len(things) {
				t.Errorf("%q chooses %d", text, n)
			}
			if got := w.Place(text, h); got != "" && got != "Kitchen" {
				t.Errorf("%q is the room %q", text, got)
			}
			w.Amendment(text)
		}
	})
}
