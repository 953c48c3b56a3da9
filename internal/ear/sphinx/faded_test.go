//go:build cgo

package sphinx

import "testing"

// TestALastWordInSilenceWasNotSaid: a sentence that is laid over its own beginning has its
// last word where the speech has died away.
func TestALastWordInSilenceWasNotSaid(t *testing.T) {
	words := path{text: "set it to eight", segments: []segment{
		{from: 0, to: 40}, {from: 40, to: 60, word: true}, {from: 60, to: 70, word: true}, {from: 75, to: 90, word: true}, {from: 90, to: 101, word: true}, {from: 101, to: 130},
	}}
	for name, c := range map[string]struct {
		sound [][2]float64
		path  path
		text  string // what is left of the sentence; "": it is whole
	}{
		"died away":              {[][2]float64{{-65, 40}, {-30, 51}, {-65, 39}}, words, "set it to"},
		"said":                   {[][2]float64{{-65, 40}, {-30, 61}, {-65, 29}}, words, ""},
		"said, its end breathed": {[][2]float64{{-65, 40}, {-30, 54}, {-65, 36}}, words, ""},
		"in noise":               {[][2]float64{{-40, 40}, {-36, 61}, {-40, 29}}, words, ""},
		"one word":               {[][2]float64{{-65, 40}, {-30, 2}, {-65, 88}}, path{text: "stop", segments: words.segments[:2]}, ""},
		"nothing":                {[][2]float64{{-65, 130}}, path{}, ""},
	} {
		r := recogniser{utterance: utterance{sound: sound(c.sound...)}}
		r.held.floor = c.sound[0][0]
		got := r.resultOf(finished{whole: c.path, sofar: c.path, frames: 130}, 0)
		want := Result{Text: c.path.text}
		if c.text != "" {
			want = Result{Text: c.text, Unfinished: true}
		}
		if got.Text != want.Text || got.Unfinished != want.Unfinished {
			t.Errorf("%s: %q, unfinished %v; want %q, %v", name, got.Text, got.Unfinished, want.Text, want.Unfinished)
		}
	}
}
