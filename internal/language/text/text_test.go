package text_test

import (
	"slices"
	"testing"

	"voicegateway/internal/language/text"
)

// Every form of the same texts, beside each other.
func TestForms(t *testing.T) {
	t.Parallel()
	signs := func(s string) string { return text.Plain(s, ".,!?’\"“”") }
	for _, c := range []struct {
		name  string
		form  func(string) string
		pairs [][2]string
	}{
		{"Lower", text.Lower, [][2]string{
			{"", ""}, {"L’Été  À  21.5°", "l'été  à  21.5°"}, {"KU\u0308CHE", "küche"}, {"ŁÓDŹ", "łódź"},
		}},
		{"Tidy", text.Tidy, [][2]string{{"", ""}, {"  The\tGarage\u00a0Door ", "The Garage Door"}, {"l’e\u0301te\u0301", "l'été"}}},
		{"Plain", signs, [][2]string{
			{"", ""}, {" … ", "…"}, {"“Turn on  the light!”", "turn on the light"}, {"21.5, please.", "21.5 please"}, {"’l’Été’ ,", "l'été"}, {"'quoted'", "'quoted'"},
		}},
		{"Folded", text.Fold, [][2]string{{"", ""}, {" Living\n Room ", "living room"}, {"KÜCHE", "küche"}, {"it’s", "it’s"}}},
		{"WithoutMarks", text.WithoutMarks, [][2]string{
			{"", ""}, {"lampe", "lampe"}, {"Küche", "Kuche"}, {"ku\u0308che", "kuche"}, {"apágala niño", "apagala nino"}, {"straße", "straße"}, {"søster", "søster"}, {"שָׁלוֹם", "שלום"},
		}},
		{"Unaccented", text.StripAccents, [][2]string{
			{"", ""},
			{"lampe", "lampe"},
			{"küche", "kuche"},
			{"ku\u0308che", "kuche"},
			{"straße", "strasse"},
			{"søster", "soster"},
			{"œuvre ærø", "oeuvre aero"},
			{"łódź", "lodz"},
			{"șapte țări", "sapte tari"},
			{"ığdır", "igdir"},
			{"þórður", "thordur"},
			{"đèn bếp", "den bep"},
			{"がっこう", "がっこう"},
			{"한국", "한국"},
			{"ไฟ", "ไฟ"},
		}},
		{"SpeltOut", text.SpeltOut, [][2]string{
			{"", ""},
			{"lampe", "lampe"},
			{"küche", "kueche"},
			{"ku\u0308che", "kueche"},
			{"größe", "groesse"},
			{"hügel öl äpfel", "huegel oel aepfel"},
			{"été niño", "ete nino"},
			{"søster", "soster"},
			{"한국", "한국"},
		}},
		{"Unstressed", text.StripStress, [][2]string{{"", ""}, {"apágala", "apagala"}, {"enciéndela", "enciendela"}, {"niño pingüino", "niño pingüino"}}},
	} {
		for _, p := range c.pairs {
			if got := c.form(p[0]); got != p[1] {
				t.Errorf("%s(%q) is %q, expected %q", c.name, p[0], got, p[1])
			}
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for s, want := range map[string][]string{
		"": {}, "– …": {}, "Remind me: the cat's tablets, 2x!": {"remind", "me", "the", "cat", "s", "tablets", "2x"}, "L’Été": {"l", "été"},
	} {
		if got := text.Words(s); !slices.Equal(got, want) {
			t.Errorf("%q: %q, expected %q", s, got, want)
		}
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]bool{
		{"Kitchen", " kitchen "}: true, {"KÜCHE", "küche"}: true, {"", "  "}: true, {"living room", "living  room"}: false, {"küche", "kuche"}: false,
	} {
		if text.Same(pair[0], pair[1]) != want {
			t.Errorf("%q: expected %v", pair, want)
		}
	}
}

// FuzzForms: a form of a form is the same form, so that it does not matter who took it
// first.
func FuzzForms(f *testing.F) {
	for _, s := range []string{"Küche’s  Łamp", "ku\u0308che", "\xff’", "ǿǽ", "한국 がっこう", "İstanbul"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, form := range map[string]func(string) string{
			"Tidy": text.Tidy, "Folded": text.Fold, "WithoutMarks": text.WithoutMarks, "Unaccented": text.StripAccents, "SpeltOut": text.SpeltOut, "Unstressed": text.StripStress,
		} {
			if once := form(s); form(once) != once {
				t.Errorf("%s(%q) is %q, and of that %q", name, s, once, form(once))
			}
		}
	})
}
