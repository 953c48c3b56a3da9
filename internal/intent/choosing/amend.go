package choosing

import (
	"voicegateway/internal/language/text"
)

// Amendment is what a few words, said right after a turn, do to that turn.
type Amendment string

// The amendments (REQUIREMENTS U5).
const (
	NoAmendment Amendment = ""      // something else, or a sentence of its own
	Undo        Amendment = "undo"  // as it was before
	Wrong       Amendment = "wrong" // the same, and it was not what was meant
	Keep        Amendment = "keep"  // its words are to be kept
	Other       Amendment = "other" // the same with another device instead
	Not         Amendment = "no"    // no to what was asked, else undo
	Halt        Amendment = "stop"  // be quiet
)

// amendments are all of them, in the order in which they are looked for.
var amendments = []Amendment{Undo, Wrong, Keep, Other, Not, Halt}

// longestAmendment is more than the longest text of any table, in bytes: a longer
// text is talk.
const longestAmendment = 80

// Amendment returns what an exact, short text does to the turn before. It is called for
// sound that was not addressed to the house, so anything but the very words of the table
// is NoAmendment.
func (w *Words) Amendment(text string) Amendment {
	if len(text) > longestAmendment {
		return NoAmendment
	}
	return w.amends[plainWords(text)]
}

// plainWords is a text in lower case without the signs at the edges of its words.
func plainWords(s string) string { return text.Plain(s, ".,;:!?…¡¿\"“”„«»’'") }

// amendTable inverts the lists of a language: from a text to its amendment.
func amendTable(raw map[Amendment][]string) map[string]Amendment {
	table := make(map[string]Amendment)
	for _, a := range amendments {
		for _, text := range raw[a] {
			if text = plainWords(text); table[text] == NoAmendment {
				table[text] = a
			}
		}
	}
	return table
}
