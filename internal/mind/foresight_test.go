package mind_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/keep/record"
)

// TestWhatIsExpectedToBeSaid: before the devices are asked, the voice gets the sentence that will
// be said if they confirm. What is said depends on their receipts alone.
func TestWhatIsExpectedToBeSaid(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct {
		outcome string // of the right lamp
		expects string // "": nothing can be known before
		said    string
	}{
		"turn on the kitchen light":                    {"", "The kitchen light is on.", "The kitchen light is on."},
		"set the left lamp to 40 percent":              {"", "The left lamp is at 40 percent.", "The left lamp is at 40 percent."},
		"lock the front door":                          {"", "The front door is locked.", "The front door is locked."},
		"turn on the left lamp and the kitchen light":  {"", "The left lamp is on. The kitchen light is on.", "The left lamp is on. The kitchen light is on."},
		"turn on the right lamp":                       {"no_answer/dead", "The right lamp is on.", "I can't reach the right lamp. Check the power."},
		"turn on the right lamp and the kitchen light": {"no_answer/dead", "The right lamp is on. The kitchen light is on.", "I can't reach the right lamp. Check the power. The kitchen light is on."},
		"turn on the kitchen light for ten minutes":    {"", "", ""},
		"is the kitchen light on":                      {"", "", "No, the kitchen light is off."},
		"unlock the front door":                        {"", "", "Unlocking is switched off here."},
		"turn on the lamp":                             {"", "", "Do you mean the left lamp or the right lamp?"},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := converse(t, "en", nil)
				if c.outcome != "" {
					k.world.Outcome["Right Lamp"] = c.outcome
				}
				var expected, said []string
				var before []int // calls made when a reply was expected
				rec := record.Record{ID: record.NewID(), Source: record.FromMic, Wake: &record.Wake{}}
				k.answer.Answer(t.Context(), record.Turn{
					Request: record.Request{Text: text, Area: "Bedroom", Source: record.FromMic}, Record: &rec, Watch: record.Stopwatch{Zero: time.Now()},
					Say:    func(s string) { said = append(said, s) },
					Expect: func(s string) { expected, before = append(expected, s), append(before, len(k.world.Calls)) },
				})
				want := []string{c.expects}
				if c.expects == "" {
					want = nil
				}
				if !slices.Equal(expected, want) || slices.ContainsFunc(before, func(n int) bool { return n > 0 }) {
					t.Errorf("expected %q after %v calls", expected, before)
				}
				if c.said != "" && !slices.Equal(said, []string{c.said}) {
					t.Errorf("said %q", said)
				}
			})
		})
	}
}
