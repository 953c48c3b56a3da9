package numbers

import (
	"slices"
	"strings"

	"voicegateway/internal/language/sentences"
)

// byHand holds what people say in one language and CLDR does not list. Spaces in
// its texts are borders between words, as in the table.
type byHand struct{ sentences.Numbers }

func hand(code string) byHand { return byHand{sentences.WordsOf(code).Numbers} }

// variants adds to the forms of n what people make of them: "a hundred" for "one
// hundred", "twenty seven hundred". say returns the spelling of smaller numbers.
func (h *byHand) variants(n int, forms []string, say func(int) string) []string {
	out := forms
	for _, form := range forms {
		for _, begin := range h.Shorter {
			if rest, ok := strings.CutPrefix(form, begin.From); ok {
				out = append(slices.Clip(out), begin.To+rest)
			}
		}
	}
	if h.Hundreds != "" && n > 1000 && n < 10_000 && n%100 == 0 && n%1000 != 0 {
		out = append(slices.Clip(out), say(n/100)+" "+h.Hundreds)
	}
	return out
}
