package offer

import (
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// longName is how many words the name of a thing may have beside a verb. "Set Top Box"
// is a name, "Lamp you must turn on before anything else" is not.
const longName = 4

// HoldsOrder reports whether a foreign text is an instruction: it has a verb of ordering,
// and is longer than a name or has the punctuation of a sentence.
func HoldsOrder(text string) bool {
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
	words := spoken()
	return words.orders[w] || slices.ContainsFunc(words.glued, func(a *sentences.Acts) bool {
		return words.compound[stem(w, a.Endings)+a.Infinitive] || a.Inserted != "" && words.compound[strings.Replace(w, a.Inserted, "", 1)]
	})
}

// stem is a verb without its ending: "einschaltest" and "einschaltet" are of
// "einschalten".
func stem(w string, endings []string) string {
	for _, ending := range endings {
		if before, ok := strings.CutSuffix(w, ending); ok {
			return before
		}
	}
	return w
}

// vocabulary are words of all our languages, as they are compared.
type vocabulary struct {
	orders, finite, common, states map[string]bool
	compound                       map[string]bool   // orders of languages that glue words
	glued                          []*sentences.Acts // what verbs of these languages are like
}

// spoken is the vocabulary by which names are cut, read when first asked for.
var spoken = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, nil}
	add := func(to map[string]bool, list sentences.List) {
		for _, w := range list {
			to[text.Simple(w)] = true
		}
	}
	for _, w := range sentences.EveryWords() {
		add(v.orders, w.Claims.Orders)
		add(v.finite, w.Claims.Finite)
		add(v.common, w.Claims.Common)
		for _, list := range w.Claims.States {
			add(v.states, list)
		}
		if w.Names.Compounds {
			add(v.compound, w.Claims.Orders)
			v.glued = append(v.glued, &w.Acts)
		}
	}
	return v
})
