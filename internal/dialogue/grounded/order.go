package grounded

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
)

// longName is how many words the name of a thing may have beside a verb. "Set Top Box"
// is a name, "Lamp you must turn on before anything else" is not.
const longName = 4

// Plain is a name as it may stand before a language model. Names and places come from
// others; one that holds an order keeps only what stands before that.
func Plain(name string) string {
	if !Orders(name) {
		return name
	}
	words := strings.Fields(strings.NewReplacer("<", " <", ">", "> ").Replace(name))
	var kept []string
	for _, w := range words {
		if len(kept) == longName-1 || strings.ContainsAny(w, "<>{}[]\"") || isOrder(w) {
			break
		}
		ends := strings.ContainsAny(w[len(w)-1:], ".:;!?")
		if w = strings.TrimRight(w, ".:;,!?"); w != "" {
			kept = append(kept, w)
		}
		if ends {
			break
		}
	}
	return strings.Join(kept, " ")
}

// Orders reports whether a text of others tells somebody to do something: it has a verb
// of ordering, and is longer than a name or has signs of a sentence.
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
	w = fold(strings.Trim(w, ".,:;!?()[]{}<>\"'„“”«»*_/\\"))
	return slices.ContainsFunc(tongues(), func(t *tongue) bool { return t.orders[w] || t.compounds && t.orders[stem(w)+"en"] })
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

// ordersAmong lists the names in a house that are orders.
func ordersAmong(h *home.House) []string {
	if h == nil {
		return nil
	}
	var out []string
	note := func(names ...string) {
		for _, name := range names {
			if Orders(name) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	for _, a := range h.Areas {
		note(append(a.Aliases, a.Name)...)
	}
	for i := range h.Entities {
		note(h.Entities[i].Name, h.Entities[i].Area)
		note(h.Entities[i].Aliases...)
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// Clean takes the orders that are names in the house out of a text.
func (k *House) Clean(text string) string {
	for _, name := range k.orders {
		text = strings.ReplaceAll(text, name, Plain(name))
	}
	return text
}
