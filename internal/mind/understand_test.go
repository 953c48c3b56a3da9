package mind_test

import (
	"testing"

	"voicegateway/internal/keep/record"
)

// TestWhatATextComesToIsFoundOutWithoutDoingIt: a text can be understood any number of
// times, and neither the house nor what is remembered of its author changes.
func TestWhatATextComesToIsFoundOutWithoutDoingIt(t *testing.T) {
	t.Parallel()
	f := move(t, "en")
	f.say("turn on the bedroom lamp")
	made := len(f.world.Calls)
	for _, tc := range []struct {
		text, by, said string
		acts           int
	}{
		{"turn on the kitchen light", "a local sentence", "", 1},
		{"turn off the kitchen light and turn on the bedroom lamp", "a local sentence", "", 2},
		{"undo", "a word about the turn before", "There is nothing to undo.", 0},
		{"what did you say", "a wish to hear the answer again", "I haven't said anything lately.", 0},
		{"turn on the sauna", "a local sentence", "I can't find a sauna.", 0},
		{"tell me a story about a dragon", "the language model", "", 0},
	} {
		for range 3 {
			by, acts, said := f.answer.Understand(t.Context(), record.Request{Text: tc.text, Area: "Kitchen", Source: f.source})
			if by != tc.by || acts != tc.acts || said != tc.said {
				t.Errorf("%q: %s makes an order of %d acts and says %q; expected %s, %d and %q", tc.text, by, acts, said, tc.by, tc.acts, tc.said)
			}
		}
	}
	if did := f.world.Calls[made:]; len(did) > 0 {
		t.Errorf("called %q, expected nothing", did)
	}
	if calls, _ := f.say("undo"); calls != "bedroom_lamp off" {
		t.Errorf("undo does %q, expected what was done before", calls)
	}
}
