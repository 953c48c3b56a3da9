package speech

// Automaton accepts the sentences of a grammar, word by word, from state 0 on. It
// is for recognisers that search along the sentences themselves. It has no empty
// moves; several moves of a state may have the same word.
type Automaton struct {
	Words  []string         `json:"words"` // lower case
	States []AutomatonState `json:"states"`
	// Later is the first of the states that belong to a second sentence.
	Later int32 `json:"later"`
	// Figures are the words that stand for others in writing, "21" for "twenty one".
	Figures map[string]string `json:"figures,omitempty"`
}

// AutomatonState is a place in sentences: what may follow, and whether a sentence
// may end here.
type AutomatonState struct {
	Accept bool            `json:"accept,omitempty"`
	Moves  []AutomatonMove `json:"moves,omitempty"`
}

// AutomatonMove leads to another state with one word, an index of the automaton's
// words.
type AutomatonMove struct {
	Word int32 `json:"w"`
	To   int32 `json:"t"`
}
