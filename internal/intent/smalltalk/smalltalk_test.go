package smalltalk_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/smalltalk"
)

var languages = []string{"en", "de", "fr", "es"}

// reader reads the small talk of a language.
func reader(t *testing.T, language string) *smalltalk.Reader {
	t.Helper()
	r, err := smalltalk.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func at(hour int) time.Time { return time.Date(2026, 11, 27, hour, 0, 0, 0, time.UTC) }

// A greeting is answered by the time of the day, whatever was said.
func TestGreetings(t *testing.T) {
	t.Parallel()
	for language, said := range map[string]struct {
		text string
		want [4]string // in the morning, at noon, in the evening, at night
	}{
		"en": {"good morning", [4]string{"Good morning.", "Hello.", "Good evening.", "Hello."}},
		"de": {"Guten Morgen!", [4]string{"Guten Morgen.", "Hallo.", "Guten Abend.", "Hallo."}},
		"fr": {"bonjour", [4]string{"Bonjour.", "Bonjour.", "Bonsoir.", "Bonsoir."}},
		"es": {"¡Hola!", [4]string{"Buenos días.", "Hola.", "Buenas tardes.", "Buenas noches."}},
	} {
		for i, hour := range []int{8, 12, 19, 23} {
			a, ok := reader(t, language).Answer(said.text, at(hour), fake.Villa(language))
			if !ok || a.Say != said.want[i] || a.Needs {
				t.Errorf("%s at %d: %q is answered with %q, want %q", language, hour, said.text, a.Say, said.want[i])
			}
		}
	}
}

// A sum is exact, in words and in digits, with multiplication before addition.
func TestSums(t *testing.T) {
	t.Parallel()
	for language, sums := range map[string]map[string]string{
		"en": {
			"what's 12 times 7": "84", "12*7": "84", "15 percent of 80": "12", "what is three plus four?": "7", "2 plus 3 times 4": "14", "10 minus 4 minus 3": "3",
			"1,000 minus 1": "999", "0.1 plus 0.2": "0.3", "a hundred divided by 8": "12.5", "10 / 3": "about 3.33", "5 minus 8": "-3", "25% of 200": "50", "three and a half times two": "7",
		},
		"de": {"wie viel ist 12 mal 7": "84", "zwölf plus dreizehn": "25", "15 Prozent von 80": "12", "2,5 mal 5": "12,5", "1.000 minus 1": "999", "zehn geteilt durch drei": "etwa 3,33", "drei mal vier": "12"},
		"fr": {"combien font 12 fois 7": "84", "vingt moins cinq": "15", "15 pour cent de 80": "12", "2,5 fois 5": "12,5", "dix divisé par quatre": "2,5"},
		"es": {"12 por 7": "84", "veinte menos cinco": "15", "15 por ciento de 80": "12", "2,5 por 5": "12,5", "diez entre cuatro": "2,5"},
	} {
		for text, want := range sums {
			if a, _ := reader(t, language).Answer(text, at(12), fake.Villa(language)); a.Topic != "Sum" || !strings.HasSuffix(a.Say, " "+want+".") {
				t.Errorf("%s: %q is %s, %q, want %s", language, text, a.Topic, a.Say, want)
			}
		}
	}
	for _, text := range []string{"12", "at 7 plus", "twelve", "set a timer for 5 minutes plus 3", "1 2 3", "kitchen plus 3"} {
		if a, ok := reader(t, "en").Answer(text, at(12), fake.Villa("en")); ok {
			t.Errorf("%q is %s, %q", text, a.Topic, a.Say)
		}
	}
	if a, _ := reader(t, "en").Answer("what's 5 divided by zero", at(12), fake.Villa("en")); a.Say != "Nothing can be divided by zero." {
		t.Errorf("a division by zero is %q", a.Say)
	}
}

// A text about the house that was not understood is not small talk, and the reply must
// not say that something else is missing.
func TestOrdersAreNoSmallTalk(t *testing.T) {
	t.Parallel()
	more := map[string][]string{
		"en": {"what's the kitchen thing doing", "why is the lamp on the desk so weird", "call the elevator to the kitchen", "find the kitchen light", "when does the heating start"},
		"de": {"wie viel Strom brauchen wir", "wann geht die Heizung an", "bestell das Küchenlicht", "was macht die Schlafzimmerlampe da"},
		"fr": {"commande les volets", "pourquoi la lampe du bureau clignote", "cherche la lumière de la cuisine"},
		"es": {"pide las persianas", "por qué parpadea la lámpara", "busca la luz de la cocina"},
	}
	for _, language := range languages {
		pack, err := intent.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		house := fake.Villa(language)
		matcher, err := intent.New(pack, house)
		if err != nil {
			t.Fatal(err)
		}
		texts := more[language]
		for _, file := range []string{"acts", "unseen"} {
			data, err := os.ReadFile("../testdata/" + file + "_" + language + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(data)) {
				kind, text, ok := strings.Cut(strings.TrimSpace(line), ": ")
				if ok && slices.Contains([]string{"command", "request", "wish", "may"}, kind) {
					texts = append(texts, text)
				}
			}
		}
		asked := 0
		for _, text := range texts {
			if matcher.Match(text, "").Route != intent.Model {
				continue
			}
			asked++
			if a, ok := reader(t, language).Answer(text, at(12), house); ok && a.Topic != "Music" { // how loud music is
				t.Errorf("%s: %q is %s, %q", language, text, a.Topic, a.Say)
			}
		}
		t.Logf("%s: %d sentences that fit none of ours", language, asked)
	}
}
