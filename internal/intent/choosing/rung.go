package choosing

import (
	"maps"
	"slices"
)

// Reaction is what a few words, said between two rounds of an alert, want of it.
type Reaction string

// The reactions.
const (
	NoReaction Reaction = ""      // something else
	Quiet      Reaction = "quiet" // it was heard, and may end
	Later      Reaction = "later" // it is to ring again in a while
)

// Reaction returns what an exact, short text means while an alert rings. It is called for
// sound that was not addressed to the house, so anything but the very words of the tables
// is NoReaction.
func (w *Words) Reaction(text string) Reaction {
	if len(text) > longestAmendment {
		return NoReaction
	}
	return w.rung[plainWords(text)]
}

// Reactions are all texts that mean something while an alert rings, in alphabetical
// order.
func (w *Words) Reactions() []string { return slices.Sorted(maps.Keys(w.rung)) }

// rungTable inverts the lists of a language. The words that end a reply end an alert as
// well.
func rungTable(amends map[Amendment][]string, rung map[Reaction][]string) map[string]Reaction {
	table := make(map[string]Reaction)
	for _, r := range []Reaction{Quiet, Later} {
		for _, text := range rung[r] {
			table[plainWords(text)] = r
		}
	}
	for _, text := range amends[Halt] {
		table[plainWords(text)] = Quiet
	}
	return table
}
