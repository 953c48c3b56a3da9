package offer

import (
	"slices"
	"strings"

	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// Bounds, in words, of a foreign tool's name that mentions a thing in the house. A longer
// name could say what to do with the thing.
const (
	orderWords = 3 // more than the thing's own
	plainWords = 3 // in all, for a tool that only reads and a thing with a name of one word
)

// DropOrders leaves out foreign tools whose name, or the name of an argument, could be read
// as an order for a thing or a room of the house: outsiders write names, too.
func DropOrders(specs []tools.Spec, foreign Foreign, house []string) []tools.Spec {
	if !slices.ContainsFunc(specs, func(s tools.Spec) bool { return foreign(&s) }) {
		return specs
	}
	things := make([][]string, 0, len(house))
	for _, name := range house {
		if words := apart(name); len(words) > 0 {
			things = append(things, words)
		}
	}
	return slices.DeleteFunc(specs, func(s tools.Spec) bool {
		return foreign(&s) && slices.ContainsFunc(namesOfTool(&s), func(name string) bool {
			return orders(apart(name), things, s.Risk == tools.Read)
		})
	})
}

// namesOfTool returns the names that a tool brings into a request, with the words to choose from.
func namesOfTool(s *tools.Spec) []string {
	names := []string{s.Name}
	for i, part := range strings.Split(string(dialogue.Bare(s.Input)), `"`) {
		if i%2 == 1 {
			names = append(names, part)
		}
	}
	return names
}

// orders reports whether words could be an order for one of the things.
func orders(words []string, things [][]string, reads bool) bool {
	said := padWords(words)
	return slices.ContainsFunc(things, func(thing []string) bool {
		long := len(words) >= len(thing)+orderWords || reads && (len(thing) > 1 || len(words) > plainWords)
		return long && strings.Contains(said, padWords(thing))
	})
}

func padWords(words []string) string { return " " + strings.Join(words, " ") + " " }
