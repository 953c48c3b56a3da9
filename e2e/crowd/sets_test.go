// Package crowd plays what a crowd said to assistants at home to the gateway's own
// understanding, without a language model, and judges what would be done. It exists because
// sentences that we write ourselves are the ones we understand. The sentences are read from
// the shared data beside the repository and stay out of it. A new kind of order is a line in
// the table of kinds.
package crowd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
)

const (
	given     = "slurp-devel" // the half of the second source that is reported
	otherwise = "nlu"         // the source that a reader is trained with before it is reported
	here      = "Living Room" // where everything is said
)

// sentence is what somebody said, with the kind of order that people took it for.
type sentence struct {
	Text   string
	Label  string // of a scenario and an action: "iot/coffee"
	Source string
	Parts  []struct{ Type, Text string } `json:"entities"`
}

// loadSentences reads the sentences of a source.
func loadSentences(tb testing.TB, source string) []sentence {
	tb.Helper()
	data, err := os.ReadFile(fake.Shared(tb, "intents", "crowd", "train.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	var out []sentence
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var s sentence
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			tb.Fatal(err)
		}
		if s.Source == source {
			out = append(out, s)
		}
	}
	return out
}

// loadHouse reads the house that has what the sentences name.
func loadHouse(tb testing.TB) *home.House {
	tb.Helper()
	data, err := os.ReadFile(fake.Shared(tb, "intents", "crowd", "home.json"))
	if err != nil {
		tb.Fatal(err)
	}
	file, err := home.LoadFile(data)
	if err != nil {
		tb.Fatal(err)
	}
	return file.Main
}
