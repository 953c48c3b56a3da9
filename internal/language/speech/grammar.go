package speech

// Grammar is everything that can be said.
type Grammar struct {
	JSGF string // a JSGF grammar with one public rule, all lower case
	// Automaton is the same sentences for engines that search along them, and to tell
	// what else may have been said; without it, nothing else is named.
	Automaton Automaton
	// Wide is the Automaton with more sentences, for engines that hear no worse for
	// them; without states, the Automaton is all.
	Wide   Automaton
	Join   []string // what comes between two sentences of one utterance ("and")
	LeadOn []string // words that lead to another sentence, also where none may follow
	Words  []string // every word in it
	Names  []string // of areas and devices as people write them, for engines that spell
	// Understood reports whether the house takes a text for a sentence, even if the grammar
	// does not have it; nil: only the grammar counts.
	Understood func(text string) bool
	// Closed reports whether a text is a sentence that cannot go on; nil: it is not known.
	Closed func(text string) bool
	// Readable reports whether a text that fits no sentence would be read as an order in other
	// words (REQUIREMENTS U17); nil: such texts are dropped. It takes longer than Understood, so it
	// is asked once an utterance has ended.
	Readable func(text string) bool
}
