//go:build accept && cgo

package stt_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// challengePairs returns how many pairs each voice says to each recogniser: one in
// sixteen of the list, or, by hand, a quarter of it.
func challengePairs() int {
	if *every {
		return 64
	}
	return 16
}

// TestAcceptChallengeWords says words of challenges in the voices of the tests, another
// part of the list in each, and prints which are heard as which. A word that is
// confused again and again belongs out of the list.
func TestAcceptChallengeWords(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"pocketsphinx", "moonshine"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			e := listening(t, engine)
			confused := map[string]int{}
			var table strings.Builder
			for i, voice := range voices {
				right, rejected := 0, 0
				said := pairs(uint64(i))[:challengePairs()]
				for n, p := range said {
					text := p[0] + " " + p[1]
					got := answerTo(t, e, inRoom(say(t, voice, text+"."), 1, quietRoom, uint64(n)))
					switch words := strings.Fields(got.Text); {
					case hears(got, text):
						right++
					case got.Text == "":
						rejected++
						confused[text+" → (other speech)"]++
					case len(words) == 2:
						for k, w := range words {
							if w != p[k] {
								confused[p[k]+" → "+w]++
							}
						}
					default:
						confused[text+" → "+got.Text]++
					}
				}
				fmt.Fprintf(&table, "  %-8s %3d of %d heard, %d taken for other speech\n", voice, right, len(said), rejected)
				if floor := map[bool]int{true: 50, false: 80}[voice == "espeak"]; 100*right < floor*len(said) {
					t.Errorf("%s: %d of %d pairs were heard, expected %d %%", voice, right, len(said), floor)
				}
			}
			for _, pair := range slices.Sorted(maps.Keys(confused)) {
				fmt.Fprintf(&table, "  %d× %s\n", confused[pair], pair)
			}
			t.Logf("words of challenges by %s:\n%s", engine, &table)
		})
	}
}
