package learn

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reader"
)

// Sentence is what somebody of a crowd said, with the label that the crowd gave it.
type Sentence struct {
	Text   string `json:"text"`
	Label  string `json:"label"` // a scenario and an action: "iot/coffee"
	Source string `json:"source"`
	Parts  []Part `json:"entities"`
}

// Part is a part of a sentence with its type: "time", "house_place".
type Part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Crowd reads a crowd's sentences, an object of JSON each.
func Crowd(r io.Reader) ([]Sentence, error) {
	var out []Sentence
	for lines := bufio.NewScanner(r); lines.Scan(); {
		var s Sentence
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("reading sentence %d of the crowd: %w", len(out)+1, err)
		}
		out = append(out, s)
	}
	return out, nil
}

// Examples are the crowd's sentences to learn from. Each is taken once, however polite it is
// and whatever assistant it is said to. Without is a source that is not learned from; then
// nothing that it also has is, because the sources share sentences: three in four orders of
// slurp-devel are in nlu.
func Examples(crowd []Sentence, without string) []Example {
	known := map[string]bool{}
	for _, s := range crowd {
		if without != "" && s.Source == without {
			known[core(s.Text)] = true
		}
	}
	var out []Example
	for _, s := range crowd {
		if key := core(s.Text); !known[key] {
			known[key] = true
			out = append(out, Example{s.Text, reader.Labelled(s.Label)})
		}
	}
	return out
}

// empty are the words that make no other sentence of one.
var empty = []string{"please", "olly", "hey", "alexa", "siri", "google", "the", "a", "my"}

// core is a text without empty words.
func core(text string) string {
	words := strings.Fields(intent.Plain(text))
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return slices.Contains(empty, w) }), " ")
}
