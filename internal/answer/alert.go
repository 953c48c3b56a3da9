package answer

import "voicegateway/internal/intent/choosing"

// alertWords knows what people say to an alert that rings.
type alertWords struct{ words *choosing.Words }

// AnswersAlert says of a text heard between two rounds of an alert whether it is meant
// for the alert, and whether it asks for quiet; any other one is a sentence for Answer.
// An urgent alert is ended by a plain stop alone: a television often says "okay".
func (a alertWords) AnswersAlert(text string, urgent bool) (quiet, meant bool) {
	if urgent {
		halt := a.words.Amendment(text) == choosing.Halt
		return halt, halt
	}
	r := a.words.Reaction(text)
	return r == choosing.Quiet, r != choosing.NoReaction
}
