package choosing_test

import (
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/language/sentences"
)

// TestJoined: what a beginning and an answer make together, words that were said
// twice once.
func TestJoined(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ language, begun, said, want string }{
		{"en", "turn on", "the fan", "turn on the fan"},
		{"en", "set it to", "to 21", "set it to 21"},
		{"en", "open the", "the curtains", "open the curtains"},
		{"en", "set the lamp to", "the lamp to 20", "set the lamp to 20"},
		{"en", "open the", "a curtain", "open a curtain"},
		{"en", "turn on the lights", "the kitchen", "turn on the lights in the kitchen"},
		{"de", "öffne das", "den Vorhang", "öffne den vorhang"},
		{"fr", "mets la lampe à", "à 20", "mets la lampe à 20"},
		{"es", "pon la luz", "20", "pon la luz a 20"},
	} {
		w, err := choosing.Ours(tt.language)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.JoinAnswer(tt.begun, tt.said); !slices.Contains(got, tt.want) {
			t.Errorf("%q and %q make %q, expected %q among them", tt.begun, tt.said, got, tt.want)
		}
	}
	if got := english(t).JoinAnswer("turn on", "..."); len(got) > 0 {
		t.Errorf("nothing makes %q", got)
	}
}

// TestWithoutJoin takes off what only leads to another command.
func TestWithoutJoin(t *testing.T) {
	t.Parallel()
	w := english(t)
	for text, want := range map[string]string{
		"turn on the lamp and": "turn on the lamp", "turn on the lamp and then": "turn on the lamp", "turn on the lamp": "", "and": "", "": "",
	} {
		if got := w.WithoutJoin(text); got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}

// TestDiffering finds the words that tell two readings apart, and puts others there.
func TestDiffering(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ one, other, a, b, answer, made string }{
		{"turn off the fan", "turn on the fan", "off", "on", "on", "turn on the fan"},
		{"set it to fifteen percent", "set it to fifty percent", "fifteen", "fifty", "to sixty percent", "set it to sixty percent"},
		{"lock it", "unlock it", "lock", "unlock", "unlock it", "unlock it"},
		{"turn on the lamp", "turn on the lamp", "", "", "", "turn on the lamp"},
		{"", "stop", "", "stop", "go", "go"},
	} {
		before, a, b, behind := choosing.Differing(tt.one, tt.other)
		if strings.Join(a, " ") != tt.a || strings.Join(b, " ") != tt.b {
			t.Errorf("%q and %q differ in %q and %q", tt.one, tt.other, a, b)
		}
		if got := choosing.Between(before, tt.answer, behind); got != tt.made {
			t.Errorf("%q in place of it makes %q, expected %q", tt.answer, got, tt.made)
		}
	}
}

// TestSays: an answer chooses one of two texts if it has words of that one alone.
func TestSays(t *testing.T) {
	t.Parallel()
	w := english(t)
	const off, on = "turn off the fan", "turn on the fan"
	for answer, want := range map[string]bool{
		"on": true, "on please": true, "turn it on": true, "the fan": false, "off": false, "on or off": false, "turn on the light": false, "": false,
		strings.Repeat("on ", 100): false,
	} {
		if got := w.Says(answer, on, off); got != want {
			t.Errorf("%q: %v", answer, got)
		}
	}
}

// TestTelling: a courtesy and an article alone are the beginning of nothing.
func TestTelling(t *testing.T) {
	t.Parallel()
	w := english(t)
	for text, want := range map[string]int{"": 0, "please": 0, "can you please": 0, "the": 0, "please turn": 1, "set the": 1, "turn on the": 2} {
		if got := w.Telling(text); got != want {
			t.Errorf("Telling(%q) is %d, expected %d", text, got, want)
		}
	}
}

// TestLastPart is the command that a speaker stopped in.
func TestLastPart(t *testing.T) {
	t.Parallel()
	w := english(t)
	for text, want := range map[string]string{"close the blind and open the": "open the", "open the": "open the", "turn it on and": "", "": ""} {
		if got := w.LastPart(text); got != want {
			t.Errorf("LastPart(%q) is %q, expected %q", text, got, want)
		}
	}
}

// TestOrdinal: the place of one of several.
func TestOrdinal(t *testing.T) {
	t.Parallel()
	w := english(t)
	for answer, want := range map[string]int{"the first": 0, "the second one": 1, "the latter": 1, "the last one": 1, "the third": -1, "on": -1} {
		got, ok := w.Ordinal(answer, 2)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is number %d, expected %d", answer, got, want)
		}
	}
}

// TestEveryLanguageGoesOn: each language has the words after which a sentence continues.
func TestEveryLanguageGoesOn(t *testing.T) {
	t.Parallel()
	for _, language := range sentences.Languages() {
		w, err := choosing.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Values()) < 4 || len(w.JoinAnswer("a", "b")) < 4 {
			t.Errorf("%s: values %q, joined %q", language, w.Values(), w.JoinAnswer("a", "b"))
		}
	}
	for language, text := range map[string]string{"en": "lamp and", "de": "Lampe und", "es": "lámpara y", "fr": "lampe et"} {
		w, err := choosing.Ours(language)
		if err != nil || w.WithoutJoin(text) == "" || !w.Hangs(text[:1]+" "+map[string]string{"en": "the", "de": "den", "es": "la", "fr": "le"}[language]) {
			t.Errorf("%s: %q does not hang", language, text)
		}
	}
}
