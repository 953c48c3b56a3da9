// Package crowd plays what a crowd said to assistants at home to the gateway's own
// understanding, without a language model, and judges what would be done. It exists because
// sentences that we write ourselves are the ones we understand. The sentences are read from
// the shared data beside the repository and stay out of it. A new kind of order is a line in
// the table of kinds.
package crowd

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/learn"
	"voicegateway/internal/intent/reader"
)

const (
	given = "slurp-devel" // the source that is reported, and that the reported reader has not seen
	here  = "Living Room" // where everything is said
)

// loadSentences reads what a crowd said.
func loadSentences(tb testing.TB) []learn.Sentence {
	tb.Helper()
	data, err := os.ReadFile(fake.Shared(tb, "intents", "crowd", "train.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	crowd, err := learn.Crowd(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	return crowd
}

// from returns the sentences of a source.
func from(source string, crowd []learn.Sentence) []learn.Sentence {
	return slices.DeleteFunc(slices.Clone(crowd), func(s learn.Sentence) bool { return s.Source != source })
}

// train makes a reader that has not seen the sentences that are reported.
func train(tb testing.TB, pack *intent.Pack, crowd []learn.Sentence) *reader.Model {
	tb.Helper()
	data, _ := learn.Reader(pack, crowd, given)
	model, err := reader.Read(pack.Language, data)
	if err != nil {
		tb.Fatal(err)
	}
	return model
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
