package mind_test

import (
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// TestWhatIsNotKnownIsNotClaimed: after a lost server the things are named once, and the
// reply never says of a command that was sent that nothing was done.
func TestWhatIsNotKnownIsNotClaimed(t *testing.T) {
	t.Parallel()
	const both = "turn on the kitchen light and turn off the bedroom lamp"
	neither := map[string]error{"Kitchen Light": tools.ErrNoAnswer, "Bedroom Lamp": tools.ErrNoAnswer}
	for name, tt := range map[string]struct {
		text   string
		lost   map[string]error // in the first turn
		arb    *arbiter
		heals  bool
		first  string
		then   map[string]error // while the task is resumed
		second string           // the answer to "resume"; "" if that is not said
	}{
		"going on, one device":   {"turn on the kitchen light", neither, nil, false, "I don't know whether the kitchen light did it. Please check.", nil, ""},
		"going on, both unknown": {both, neither, &arbiter{choices: []record.Choice{record.Continue}}, false, "I don't know whether the kitchen light and the bedroom lamp did it. Please check.", nil, ""},
		"connected anew":         {both, neither, nil, true, "I don't know whether the kitchen light and the bedroom lamp did it. Please check.", nil, ""},
		"one of two":             {both, map[string]error{"Bedroom Lamp": tools.ErrNoAnswer}, nil, true, "The kitchen light is on. I don't know whether the bedroom lamp did it. Please check.", nil, ""},
		"a toggle is given up": {
			"toggle the kitchen light and toggle the bedroom lamp", neither, nil, false,
			"I don't know whether the kitchen light and the bedroom lamp did it. Please check.", nil, "",
		},
		"resumed behind an open breaker": {
			both, neither, nil, false, "I stopped: zwave does not answer, with 2 of 2 still open. Say resume to do the rest.",
			map[string]error{"Kitchen Light": tools.ErrNotConnected, "Bedroom Lamp": tools.ErrNotConnected},
			"I don't know whether the kitchen light and the bedroom lamp did it. Please check.",
		},
		"resumed without a first call": {
			both,
			map[string]error{"Bedroom Lamp": tools.ErrNotConnected},
			nil, false, "I stopped: zwave does not answer, with 1 of 2 still open. Say resume to do the rest.",
			map[string]error{"Bedroom Lamp": tools.ErrNotConnected},
			"The connection to the bedroom lamp is down.",
		},
		"resumed": {
			both,
			map[string]error{"Bedroom Lamp": tools.ErrNotConnected},
			nil, false, "I stopped: zwave does not answer, with 1 of 2 still open. Say resume to do the rest.",
			map[string]error{},
			"The rest is done.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &patient{lost: tt.lost, heals: tt.heals}
			a := answererFor(t, p, tt.arb, &shelf{}, &fake.Assistant{})
			if rec := a.Turn(t.Context(), record.Request{Text: tt.text, Source: record.FromHTTP}); rec.Reply != tt.first || rec.Outcome != record.Failed {
				t.Errorf("it ends %s:\ngot  %q\nwant %q", rec.Outcome, rec.Reply, tt.first)
			}
			if tt.second == "" {
				return
			}
			p.mu.Lock()
			p.lost = tt.then
			p.mu.Unlock()
			if rec := a.Turn(t.Context(), record.Request{Text: "resume", Source: record.FromHTTP}); rec.Reply != tt.second {
				t.Errorf("resume ends %s:\ngot  %q\nwant %q", rec.Outcome, rec.Reply, tt.second)
			}
		})
	}
}
