package ai

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/mind/dialogue"
)

// TestMachineryIsNeverSpoken checks whole answers: thoughts, data and marks are not
// said, whatever is around them.
func TestMachineryIsNeverSpoken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"<think>It is 21.5.</think>Lisbon is the capital.":                                                   {"Lisbon is the capital."},
		"[THINK]Hm. Well.[/THINK]Lisbon is the capital.":                                                     {"Lisbon is the capital."},
		"<|channel|>analysis<|message|>Hm. Well.<|end|><|start|>assistant<|channel|>final<|message|>Lisbon.": {"Lisbon."},
		"Here you are: {\"name\": \"nobody\", \"arguments\": {}} Lisbon is the capital.":                     {"Here you are: Lisbon is the capital."},
		"```json\n{\"capital\": \"Lisbon\"}\n```\nLisbon is the capital.":                                    {"Lisbon is the capital."},
		"I could ask get_datetime about it. Lisbon is the capital.":                                          {"Lisbon is the capital."},
		"unknown_tool(city=\"Lisbon\")\nLisbon is the capital.":                                              {"Lisbon is the capital."},
		"Lisbon is the capital.<|im_end|>\n<|im_start|>user\nThank you. Bye.":                                {"Lisbon is the capital."},
	} {
		h := hear(t.Context(), talk(t, serve(t, says(text)), &box{}), dialogue.Prompt{Text: "x"})
		if h.err != nil || !slices.Equal(h.sentences, want) {
			t.Errorf("%s\nsaid %q, %v, want %q", text, h.sentences, h.err, want)
		}
	}
}

// TestAModelThatOnlyEndsItsThoughts checks that nothing more of a thought is spoken
// once its end has come, and nothing at all from the second answer on, which also
// may have no thought.
func TestAModelThatOnlyEndsItsThoughts(t *testing.T) {
	t.Parallel()
	thought := "Well. They ask for the capital of Portugal, which must be"
	s := serve(t,
		says(thought+"</think>Lisbon is the capital."), says("Hm. Well. Hm.</think>Porto is a city."), says("Porto is a city."),
		func(w http.ResponseWriter, _ *http.Request) {
			stream(w, content("Hm. Well. Let me see."), callDelta(0, "a", "get_state", `{}`), finish("tool_calls"), done)
		}, says("</think>Porto is a city."),
		func(w http.ResponseWriter, _ *http.Request) {
			stream(w, content("Hm. Well. Let me"), finish("length"), done)
		})
	a := talk(t, s, &box{})
	ask := func() []string { return hear(t.Context(), a, dialogue.Prompt{Text: "x"}).sentences }
	if got := ask(); !slices.Contains(got, "Lisbon is the capital.") || strings.Contains(strings.Join(got, " "), "Portugal") {
		t.Errorf("the first answer is %q", got)
	}
	for _, name := range []string{"with a thought", "without one", "with a call"} {
		if got := ask(); !slices.Equal(got, []string{"Porto is a city."}) {
			t.Errorf("an answer %s is %q", name, got)
		}
	}
	if got := ask(); len(got) != 0 {
		t.Errorf("a thought that was cut is spoken: %q", got)
	}
}

// TestAThoughtIsHeldFromItsFirstSentence checks the first answer of a model that only
// ends its thoughts: sentences that sound like a thought wait for its end. If it does not
// come, only sentences that can be nothing but a thought are left out.
func TestAThoughtIsHeldFromItsFirstSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Okay, the user wants the capital. It is Lisbon. I have turned on the lamp.\n</think>\n\nLisbon is the capital.": {"Lisbon is the capital."},
		"Der Nutzer fragt nach der Hauptstadt. Das ist Lissabon.</think>Lissabon ist die Hauptstadt.":                    {"Lissabon ist die Hauptstadt."},
		"The user wants the capital. Lisbon is the capital.":                                                             {"Lisbon is the capital."},
		"Whales use the oceans. Users of ships see them.":                                                                {"Whales use the oceans.", "Users of ships see them."},
	} {
		h := hear(t.Context(), talk(t, serve(t, says(text)), &box{}), dialogue.Prompt{Text: "x", MayAct: true})
		if h.err != nil || !slices.Equal(h.sentences, want) {
			t.Errorf("%s\nsaid %q, %v, want %q", text, h.sentences, h.err, want)
		}
	}
}

// TestWrittenCallsAreMade checks that a call of an offered tool is made though it is
// written as text, and passes the same checks; one of a tool that is not offered is
// neither made nor said.
func TestWrittenCallsAreMade(t *testing.T) {
	t.Parallel()
	t.Run("offered", func(t *testing.T) {
		t.Parallel()
		b := &box{}
		s := serve(t, says(`Let me look. functools[get_state(n=1)] It is 99 degrees.`), says("It is 21.5 degrees."))
		h := hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "x"})
		if !slices.Equal(b.calls(), []string{`get_state{"n":1}`}) || !slices.Equal(h.sentences, []string{"It is 21.5 degrees."}) {
			t.Errorf("called %q, said %q, %v", b.calls(), h.sentences, h.err)
		}
		if back := s.requests()[1].Messages[2]; len(back.ToolCalls) != 1 || back.ToolCalls[0].Function.Name != "get_state" {
			t.Errorf("the model reads of its call %+v", back)
		}
	})
	t.Run("not offered", func(t *testing.T) {
		t.Parallel()
		b := &box{}
		h := hear(t.Context(), talk(t, serve(t, says(`{"name": "control", "arguments": {}} Hello.`)), b), dialogue.Prompt{Text: "x"})
		if len(b.calls()) != 0 || !slices.Equal(h.sentences, []string{"Hello."}) {
			t.Errorf("called %q, said %q, %v", b.calls(), h.sentences, h.err)
		}
	})
	t.Run("beside a real one", func(t *testing.T) {
		t.Parallel()
		b := &box{}
		s := serve(t, saysAndCalls(`get_state(n=1) `, want{"get_state", `{"n":2}`}), says("So it is."))
		hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "x"})
		if !slices.Equal(b.calls(), []string{`get_state{"n":2}`}) {
			t.Errorf("called %q", b.calls())
		}
	})
}
