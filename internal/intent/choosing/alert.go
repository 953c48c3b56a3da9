package choosing

// AlertWords knows what people say to an alert that rings.
type AlertWords struct{ words *Words }

// ToAlerts are the words of a language that people say to an alert.
func ToAlerts(w *Words) AlertWords { return AlertWords{w} }

// AnswersAlert says of a text heard between two rounds of an alert whether it is meant
// for the alert, and whether it asks for quiet; any other such text goes to Answer.
// Only a plain stop ends an urgent alert, because a television often says "okay".
func (a AlertWords) AnswersAlert(text string, urgent bool) (quiet, meant bool) {
	if urgent {
		halt := a.words.Amendment(text) == Halt
		return halt, halt
	}
	r := a.words.Reaction(text)
	return r == Quiet, r != NoReaction
}
