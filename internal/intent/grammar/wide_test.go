package grammar_test

import (
	"math/rand/v2"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/speech"
)

// TestAnswersAndWideSentences: what only a recogniser that weighs every word listens
// for is in the wide automaton and not in the one that holds what PocketSphinx hears.
func TestAnswersAndWideSentences(t *testing.T) {
	t.Parallel()
	g := build(t, ours(t))
	narrow, wide := walk(g.Automaton()), walk(g.Wide())
	for _, text := range []string{
		"tell me the time", "make the bedroom lamp blue", "lights out", "turn them off please", "raise the living room blinds",
		"the bedroom lamp", "in the office", "the kitchen one", "the second one", "both of them", "to twenty one", "to forty percent", "blue", "the office please",
		"turn on the kitchen light for ten minutes", "turn on the kitchen light until eight", "close the living room blinds in half an hour",
		"repeat that", "say that again", "set the thermostat to seventy degrees fahrenheit",
	} {
		if narrow.accepts(text) {
			t.Errorf("%q is in the narrow automaton", text)
		}
		if !wide.accepts(text) {
			t.Errorf("%q is not in the wide automaton", text)
		}
		if g.Judge(text) == speech.Incomplete {
			t.Errorf("%q is never over", text)
		}
	}
	for _, text := range []string{
		"please the bedroom lamp", "turn on the kitchen light and blue", "the office and turn it off", "on",
		"set the volume to thirty percent for ten minutes", "turn on the light for ten minutes", "is the kitchen light on for ten minutes",
	} {
		if wide.accepts(text) {
			t.Errorf("%q is a sentence", text)
		}
	}
	if c := g.Judge("the bedroom lamp"); c != speech.Growable {
		t.Errorf("a name is %v, but what to do may follow", c)
	}
}

// TestWideSentencesDelayNone: a sentence that PocketSphinx hears is judged as if there
// were no wide ones, so that no turn ends later.
func TestWideSentencesDelayNone(t *testing.T) {
	t.Parallel()
	for _, language := range sentences.Languages() {
		pack, h := packOf(t, language), houseOf(t, language)
		g := grammarOf(t, pack, h)
		less := *pack
		less.Answers, less.Blocks = nil, nil
		for _, b := range pack.Blocks {
			if !b.Meta.Wide {
				less.Blocks = append(less.Blocks, b)
			}
		}
		narrow := grammarOf(t, &less, h)
		random := rand.New(rand.NewPCG(9, 10))
		for range 2000 {
			text := narrow.Sample(random)
			if got, want := g.Judge(text), narrow.Judge(text); got != want {
				t.Errorf("%s: %q is judged %v, and %v without the wide sentences", language, text, got, want)
			}
		}
	}
}

func grammarOf(tb testing.TB, pack *intent.Pack, h *home.House) *grammar.Grammar {
	tb.Helper()
	g, err := grammar.New(pack, h)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func packOf(tb testing.TB, language string) *intent.Pack {
	tb.Helper()
	pack, err := intent.Ours(language)
	if err != nil {
		tb.Fatal(err)
	}
	return pack
}

// houseOf is the house of a family that speaks the language.
func houseOf(tb testing.TB, language string) *home.House {
	tb.Helper()
	if language == "en" {
		return ours(tb)
	}
	return load(tb, "../testdata/house_"+language+".json")
}
