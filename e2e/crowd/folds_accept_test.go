//go:build accept

package crowd

import (
	"testing"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/learn"
	"voicegateway/internal/intent/reader"
)

// folds is in how many parts the whole crowd is cut, so that each is judged by a reader that
// has seen only the others.
const folds = 5

// judgeAll judges every sentence of the crowd, whatever its source, by a reader that has not
// seen it. Understand makes an understanding of a reader.
func (j judge) judgeAll(tb testing.TB, pack *intent.Pack, crowd []learn.Sentence, understand func(*reader.Model) func(string) intent.Decision) []finding {
	tb.Helper()
	const held = "held out"
	var out []finding
	for fold := range folds {
		var seen, said []learn.Sentence
		for i, s := range different(crowd) {
			if i%folds == fold {
				s.Source = held
				said = append(said, s)
			}
			seen = append(seen, s)
		}
		data, _ := learn.Reader(pack, seen, held)
		model, err := reader.Read(pack.Language, data)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, j.all(said, understand(model))...)
	}
	return out
}

// different are the sentences without those that were said before.
func different(crowd []learn.Sentence) []learn.Sentence {
	var out []learn.Sentence
	known := map[string]bool{}
	for _, s := range crowd {
		if !known[s.Text] {
			known[s.Text] = true
			out = append(out, s)
		}
	}
	return out
}
