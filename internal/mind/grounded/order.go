package grounded

import (
	"slices"
	"strings"
)

// longName is how many words the name of a thing may have beside a verb. "Set Top Box"
// is a name, "Lamp you must turn on before anything else" is not.
const longName = 4

// Orders reports whether a foreign text is an instruction: it has a verb of ordering,
// and is longer than a name or has the punctuation of a sentence.
func Orders(text string) bool {
	words := strings.Fields(text)
	if strings.ContainsAny(text, "<>{}") {
		return true // no name and no state has them
	}
	if len(words) <= longName && !strings.ContainsAny(strings.TrimRight(text, ". "), ".:;!?\n") {
		return false
	}
	return slices.ContainsFunc(words, isOrder)
}

func isOrder(w string) bool {
	w = bareWord(w)
	return slices.ContainsFunc(tongues(), func(t *tongue) bool {
		return t.orders[w] || t.compounds && (t.orders[stem(w)+"en"] || t.orders[strings.Replace(w, "zu", "", 1)])
	})
}

// stem is a German verb without its ending: "einschaltest" and "einschaltet" are of
// "einschalten".
func stem(w string) string {
	for _, ending := range []string{"est", "st", "et", "t"} {
		if before, ok := strings.CutSuffix(w, ending); ok {
			return before
		}
	}
	return w
}
