package dialogue_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"voicegateway/internal/mind/dialogue"
)

// TestSources: arguments are made of the user's words, of what was sent before and of runs of
// an answer, and of nothing that could stand for something else.
func TestSources(t *testing.T) {
	t.Parallel()
	from := dialogue.Sources{
		Own: "read the file about blue whales and wait 12 minutes", Sent: []string{`{"path":"/data/notes"}`},
		Theirs: []string{"[FILE] 2024-plan (draft).txt\n[FILE] alpha bravo.md\nid 417, zero one two three, 59.913"},
		Schema: json.RawMessage(`{"properties":{"path":{"type":"string"},"n":{"type":"integer"},"list":{"type":"array"},"unit":{"enum":["metric","imperial"]},"deep":{"properties":{"query":{}}}}}`),
		Today:  time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC),
	}
	guarded := from
	guarded.Guarded = true
	for args, want := range map[string]string{
		`{"path":"Blue, whales?","n":12}`:              "true [] 0",
		`{"path":"/data/notes/2024-plan (draft).txt"}`: "true [2024 plan draft txt] 0",
		`{"path":"/data/notes"}`:                       "true [] 0",
		`{"list":["alpha bravo.md",417]}`:              "true [alpha bravo md 417] 0",
		`{"n":59.913}`:                                 "true [59 913] 0",
		`{"deep":{"query":"whales"},"unit":"metric"}`:  "true [] 0",
		`{"path":"morgen"}`:                            "true [] 1",
		`{"path":"2026-11-30","n":100}`:                "true [] 2",
		`{"n":3,"path":true,"list":null}`:              "true [] 1",
		`{"path":"/"}`:                                 "true [] 0",
		`{}`:                                           "true [] 0",
		``:                                             "true [] 0",
		`{"path":"2027-05-30"}`:                        "false [] 0",
		`{"path":"bravo alpha"}`:                       "true [bravo alpha] 0",
		`{"path":"alphabravo"}`:                        "false [] 0",
		`{"path":"secret"}`:                            "false [] 0",
		`{"n":4711}`:                                   "false [] 0",
		`{"4711":"whales"}`:                            "false [] 0",
		`{"path":"whales!!!!!!!"}`:                     "false [] 0",
		`{"path":"!!!!"}`:                              "false [] 0",
		`{"path":"whales\u200b"}`:                      "false [] 0",
		`{"path":"wh\u0430les"}`:                       "false [] 0",
		`{"path":"whales 🐋🐋"}`:                         "false [] 0",
		`{"path":`:                                     "false [] 0",
	} {
		found, ok := from.Of(json.RawMessage(args))
		if got := fmt.Sprint(ok, " ", found.Pieces, " ", found.Small); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	for args, want := range map[string]bool{`{"n":3}`: false, `{"path":"3"}`: false, `{"n":100}`: false, `{"path":"2026-11-30"}`: true, `{"path":"alpha bravo.md"}`: true} {
		if _, ok := guarded.Of(json.RawMessage(args)); ok != want {
			t.Errorf("guarded, %s: %v", args, ok)
		}
	}
}

// TestReassembles: a number is known again in whatever pieces it is sent.
func TestReassembles(t *testing.T) {
	t.Parallel()
	const before = "my locker is number 4711"
	for args, want := range map[string]bool{
		`{"a":"47","b":"11"}`: true, `{"a":[4,7,1,1]}`: true, `{"a":"4-7 1.1"}`: true, `{"a":{"b":4},"c":[{"d":"711"}]}`: true, `{"a":"47","b":"12"}`: false, `{"a":"leeks"}`: false,
	} {
		if got := dialogue.Reassembles([]json.RawMessage{json.RawMessage(args)}, "leeks", before); got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
	calls := []json.RawMessage{json.RawMessage(`{"a":47}`), json.RawMessage(`{"a":11}`)}
	if !dialogue.Reassembles(calls, "leeks", before) || dialogue.Reassembles(calls, "open 4711", before) {
		t.Error("two calls are judged wrongly")
	}
}
