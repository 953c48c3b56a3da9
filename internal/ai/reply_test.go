package ai

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

func TestAnswerComesInSentences(t *testing.T) {
	t.Parallel()
	s := serve(t, says("<think>Hm, 21.5.</think>**Lisbon** is the capital of Portugal. It has 0.5 million people. See https://x.org"))
	a := talk(t, s, &box{})
	h := hear(t.Context(), a, dialogue.Prompt{Text: "what is the capital of portugal", Area: "Kitchen", House: cottage(false)})
	if want := []string{"Lisbon is the capital of Portugal.", "It has 0.5 million people.", "See"}; h.err != nil || !slices.Equal(h.sentences, want) {
		t.Errorf("said %q, %v, want %q", h.sentences, h.err, want)
	}
	r := s.requests()[0]
	if r.Model != "small" || !r.Stream || r.MaxTokens != 400 || len(r.Messages) != 2 || !strings.HasPrefix(r.Messages[1].Content, "what is the capital of portugal\n") {
		t.Errorf("asked %+v", r)
	}
	for i, parts := range [][]string{{`"Kitchen Light" lamp`}, {`The user is here: "Kitchen".`, "Nothing may be changed"}} {
		for _, part := range parts {
			if !strings.Contains(r.Messages[i].Content, part) {
				t.Errorf("message %d does not say %q", i, part)
			}
		}
	}
	if got := s.header[0].Get("Authorization"); got != "Bearer sk-secret-key" {
		t.Errorf("the key was sent as %q", got)
	}
}

func TestSentencesComeBeforeTheEnd(t *testing.T) {
	t.Parallel()
	first := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		stream(w, content("First sentence. "), content("Second "))
		select {
		case <-first:
		case <-r.Context().Done():
		}
		stream(w, content("sentence."), finish("stop"), done)
	})
	var got []string
	for part, err := range talk(t, s, &box{}).Reply(t.Context(), dialogue.Prompt{Text: "x"}) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, part.Sentence); len(got) == 1 {
			close(first)
		}
	}
	if want := []string{"First sentence.", "Second sentence."}; !slices.Equal(got, want) {
		t.Errorf("said %q", got)
	}
}

func TestCommandIsAnsweredByItsReceipt(t *testing.T) {
	t.Parallel()
	s := serve(t, saysAndCalls("Sure, I'll turn on the lamp! The lamp is on. ", want{"control", `{"device_name":"lamp","action":"on"}`}),
		says("The lamp is now on at 100 percent."))
	b := &box{}
	h := hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "turn on the lamp please", MayAct: true})
	if h.err != nil || !slices.Equal(h.sentences, []string{"The lamp is on."}) || !slices.Equal(h.receipts, h.sentences) {
		t.Errorf("said %q, receipts %q, %v", h.sentences, h.receipts, h.err)
	}
	if want := []string{`control{"device_name":"lamp","action":"on"}`}; !slices.Equal(b.calls(), want) {
		t.Errorf("called %q", b.calls())
	}
	if len(h.records) != 1 || h.records[0].Took <= 0 || h.records[0].Result.Text != "The lamp is on." || h.records[0].Spec.Risk != tools.Reversible {
		t.Errorf("the record is %+v", h.records)
	}
	second := s.requests()[1]
	last := second.Messages[len(second.Messages)-1]
	if last.Role != "tool" || last.ToolCallID != "id0" || !strings.Contains(last.Content, "The lamp is on.") || !strings.Contains(last.Content, "just heard") {
		t.Errorf("the model is told %+v", last)
	}
}

func TestClaimWithoutACallIsNotSpoken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		mayAct bool
		want   []string
	}{
		"claim":             {"I've turned on the lamp. Enjoy!", true, []string{"Enjoy!", "I did not change anything."}},
		"state":             {"The lamp is on.", true, []string{"I did not change anything."}},
		"in a question":     {"Done.", false, []string{"I did not change anything."}},
		"answer":            {"Which lamp do you mean?", true, []string{"Which lamp do you mean?"}},
		"state in question": {"The lamp is on.", false, []string{"I have not checked."}},
		"in German":         {"Ich habe die Lampe eingeschaltet.", true, []string{"I did not change anything."}},
		"a promise to look": {"Let me check that.", false, []string{"I have not checked."}},
		"an okay":           {"Okay!", true, []string{"I did not change anything."}},
		"thanks":            {"You're welcome.", true, []string{"You're welcome."}},
		"honest":            {"I can't find that lamp.", true, []string{"I can't find that lamp."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hear(t.Context(), talk(t, serve(t, says(c.text)), &box{}), dialogue.Prompt{Text: "x", MayAct: c.mayAct})
			if h.err != nil || !slices.Equal(h.sentences, c.want) {
				t.Errorf("said %q, %v, want %q", h.sentences, h.err, c.want)
			}
		})
	}
}

func TestReadingAndActingTogether(t *testing.T) {
	t.Parallel()
	t.Run("read in the same round", func(t *testing.T) {
		t.Parallel()
		s := serve(t, calls(want{"control", `{}`}, want{"get_state", `{"device_name":"sensor"}`}), says("It is 21.5 degrees. The lamp is on."))
		h := hear(t.Context(), talk(t, s, &box{}), dialogue.Prompt{Text: "turn on the lamp and tell me the temperature", MayAct: true})
		if want := []string{"The lamp is on.", "It is 21.5 degrees."}; h.err != nil || !slices.Equal(h.sentences, want) {
			t.Errorf("said %q, %v", h.sentences, h.err)
		}
	})
	t.Run("read before", func(t *testing.T) {
		t.Parallel()
		s := serve(t, calls(want{"get_state", `{}`}), calls(want{"control", `{}`}), says("The lamp is on. All good."))
		h := hear(t.Context(), talk(t, s, &box{}), dialogue.Prompt{Text: "turn on the lamp", MayAct: true})
		if want := []string{"The lamp is on."}; h.err != nil || !slices.Equal(h.sentences, want) {
			t.Errorf("said %q, %v", h.sentences, h.err)
		}
	})
}

// TestAReadingIsToldInItsOwnWords: where the model says something else than what it
// read.
func TestAReadingIsToldInItsOwnWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read, says string
		want       []string
	}{
		"the same":    {"It is 21.5 degrees.", "It is 21.5 degrees.", []string{"It is 21.5 degrees."}},
		"rounded":     {"It is 21.5 degrees.", "It is about 22 degrees.", []string{"It is about 22 degrees."}},
		"other words": {"It is 21.5 degrees.", "It is 25 degrees.", []string{"It is 21.5 degrees."}},
		"a state":     {"Front Door is unlocked.", "Yes, the door is locked.", []string{"Front Door is unlocked."}},
		"beside it":   {"Front Door is locked.", "The door is locked. Sleep well!", []string{"The door is locked.", "Sleep well!"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &box{answer: map[string]func(context.Context, json.RawMessage) (tools.Result, error){
				"get_state": func(context.Context, json.RawMessage) (tools.Result, error) { return tools.Result{Text: c.read}, nil },
			}}
			s := serve(t, calls(want{"get_state", `{"device_name":"x"}`}), says(c.says))
			h := hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "how is it"})
			if h.err != nil || !slices.Equal(h.sentences, c.want) {
				t.Errorf("said %q, %v, want %q", h.sentences, h.err, c.want)
			}
		})
	}
}

// TestReadingsComeFirst: what was read is told by the house, before the model is asked
// again; then what the model adds, without what was told already.
func TestReadingsComeFirst(t *testing.T) {
	t.Parallel()
	for text, expected := range map[string][]string{
		"It is 21.5 degrees. A light jacket will do.": {"The house: It is 21.5 degrees.", "A light jacket will do."},
		"It is 30 degrees.":                           {"The house: It is 21.5 degrees."},
		"I have opened the window for you.":           {"The house: It is 21.5 degrees."},
	} {
		read := func(calls []dialogue.Call) string { return "The house: " + calls[0].Result.Text }
		var order []string
		s := serve(t, calls(want{"get_state", `{"device_name":"x"}`}), func(w http.ResponseWriter, r *http.Request) {
			order = append(order, "asked again")
			says(text)(w, r)
		})
		var got []string
		for part, err := range talk(t, s, &box{}).Reply(t.Context(), dialogue.Prompt{Text: "what do I wear", Read: read}) {
			if err != nil {
				t.Fatal(err)
			}
			if part.Sentence != "" {
				got, order = append(got, part.Sentence), append(order, part.Sentence)
			}
		}
		if !slices.Equal(got, expected) || order[0] != expected[0] {
			t.Errorf("%q: said %q, want %q; in order %q", text, got, expected, order)
		}
	}
}

// TestWhatWasNotReadIsReadNow: in place of a sentence about things that were not read.
func TestWhatWasNotReadIsReadNow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says, looked string
		want         []string
	}{
		{"The kitchen light is on. Sleep well!", "kitchen_light", []string{"Sleep well!", "The kitchen light is off."}},
		{"All is off.", "", []string{"I have not checked."}},
		{"Sleep well!", "", []string{"Sleep well!"}},
	} {
		looked := ""
		look := func(_ context.Context, things []string) string {
			looked = strings.Join(things, " ")
			return "The kitchen light is off."
		}
		h := hear(t.Context(), talk(t, serve(t, says(c.says)), &box{}), dialogue.Prompt{Text: "what a day", House: lightHouse(), Look: look})
		if h.err != nil || looked != c.looked || !slices.Equal(h.sentences, c.want) {
			t.Errorf("%q: looked at %q, said %q, %v; want %q", c.says, looked, h.sentences, h.err, c.want)
		}
	}
}

// lightHouse is a house with one light.
func lightHouse() *home.House {
	return &home.House{Areas: []home.Area{{Name: "Kitchen"}}, Entities: []home.Entity{{ID: "kitchen_light", Name: "Kitchen Light", Domain: "light", Area: "Kitchen"}}}
}

// TestARefusalIsToldAsTheRefusal: the model asked for an act that is never done for it,
// and says that it worked.
func TestARefusalIsToldAsTheRefusal(t *testing.T) {
	t.Parallel()
	for text, expected := range map[string][]string{
		"It's open.":                        {"That is switched off here."},
		"I have unlocked it, come on in!":   {"That is switched off here."},
		"Sorry, I can't unlock doors here.": {"Sorry, I can't unlock doors here."},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			s := serve(t, calls(want{"unlock", `{}`}), says(text))
			h := hear(t.Context(), talk(t, s, &box{}), dialogue.Prompt{Text: "let me in", MayAct: true})
			if h.err != nil || !slices.Equal(h.sentences, expected) {
				t.Errorf("said %q, %v, want %q", h.sentences, h.err, expected)
			}
		})
	}
}
