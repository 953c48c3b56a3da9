package rival_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/ear/rival"
	"voicegateway/internal/language/speech"
)

var sounds = map[string][]string{
	"turn": {"T ER N"}, "on": {"AA N", "AO N"}, "off": {"AO F"}, "the": {"DH AH", "DH IY"}, "lamp": {"L AE M P"}, "light": {"L AY T"},
	"lights": {"L AY T S"}, "desk": {"D EH S K"}, "heater": {"HH IY T ER"}, "all": {"AO L"}, "lock": {"L AA K"}, "unlock": {"AH N L AA K"},
	"door": {"D AO R"}, "dim": {"D IH M"}, "to": {"T UW"}, "fifteen": {"F IH F T IY N"}, "fifty": {"F IH F T IY"}, "ninety": {"N AY N T IY"},
	"percent": {"P ER S EH N T"}, "please": {"P L IY Z"},
}

// automaton makes a chain of places, each a choice of phrases; "" may be left out.
func automaton(sentences ...string) speech.Automaton {
	a := speech.Automaton{States: make([]speech.AutomatonState, 2)}
	ids := map[string]int32{}
	word := func(w string) int32 {
		if id, ok := ids[w]; ok {
			return id
		}
		ids[w] = int32(len(a.Words))
		a.Words = append(a.Words, w)
		return ids[w]
	}
	a.States[1].Accept = true
	for _, sentence := range sentences {
		from := int32(0)
		words := strings.Fields(sentence)
		for i, choice := range words {
			to := int32(1)
			if i < len(words)-1 {
				to = int32(len(a.States))
				a.States = append(a.States, speech.AutomatonState{})
			}
			for w := range strings.SplitSeq(choice, "|") {
				a.States[from].Moves = append(a.States[from].Moves, speech.AutomatonMove{Word: word(w), To: to})
			}
			from = to
		}
	}
	return a
}

func TestRivals(t *testing.T) {
	t.Parallel()
	s := rival.New(automaton(
		"turn on|off the lamp|light|lights|heater", "turn on|off the desk lamp", "turn on|off all the lights",
		"lock|unlock the door", "dim the lamp to fifteen|fifty|ninety percent",
	), sounds)
	tests := map[string]struct {
		text string
		want []string // all of them are found
		not  []string
	}{
		"an act":           {"turn off the light", []string{"turn on the light", "turn off the lights"}, []string{"turn off the desk lamp"}},
		"two acts":         {"lock the door", []string{"unlock the door"}, nil},
		"a number":         {"dim the lamp to fifteen percent", []string{"dim the lamp to fifty percent"}, []string{"dim the lamp to ninety percent"}},
		"a longer name":    {"turn on the desk lamp", []string{"turn off the desk lamp"}, []string{"turn on the heater"}},
		"not a sentence":   {"turn off the", nil, []string{"turn on the"}},
		"an unknown word":  {"turn off the radio", nil, nil},
		"nothing":          {"", nil, nil},
		"nothing is alike": {"turn on the heater", []string{"turn off the heater"}, []string{"turn on the lamp"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := s.Of(tc.text, 6)
			for _, w := range tc.want {
				if !slices.Contains(got, w) {
					t.Errorf("the rivals of %q are %q, without %q", tc.text, got, w)
				}
			}
			for _, n := range append(tc.not, tc.text) {
				if slices.Contains(got, n) {
					t.Errorf("the rivals of %q are %q, with %q", tc.text, got, n)
				}
			}
			for _, g := range got {
				if !s.Whole(g) {
					t.Errorf("%q is a rival of %q, and no sentence", g, tc.text)
				}
			}
		})
	}
}

// TestWordsWithoutMeaning: a word that may be left out everywhere makes no rival.
func TestWordsWithoutMeaning(t *testing.T) {
	t.Parallel()
	a := automaton("turn on|off the lamp")
	// "the" is optional, and "please" may follow.
	a.States[3].Moves = append(a.States[3].Moves, a.States[4].Moves...)
	a.Words = append(a.Words, "please")
	a.States = append(a.States, speech.AutomatonState{Accept: true})
	a.States[1].Moves = []speech.AutomatonMove{{Word: int32(len(a.Words) - 1), To: int32(len(a.States) - 1)}}
	s := rival.New(a, sounds)
	for _, text := range []string{"turn on the lamp", "turn on lamp", "turn on lamp please"} {
		want := []string{strings.Replace(text, "on", "off", 1)}
		if got := s.Of(text, 6); !slices.Equal(got, want) {
			t.Errorf("the rivals of %q are %q, want %q", text, got, want)
		}
	}
}

func TestNoGrammarHasNoRivals(t *testing.T) {
	t.Parallel()
	s := rival.New(speech.Automaton{}, nil)
	if s.Whole("turn on") || s.Of("turn on", 3) != nil {
		t.Error("an empty grammar has sentences")
	}
}

func Example() {
	s := rival.New(automaton("turn on|off the lamp"), sounds)
	fmt.Println(s.Of("turn on the lamp", 3))
	// Output: [turn off the lamp]
}
