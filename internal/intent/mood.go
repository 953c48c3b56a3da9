package intent

import (
	"slices"
	"strings"
)

// questionWords begin sentences that want to know something. English only: in
// another language a sentence counts as a question unless its pack says so, for
// then nothing can be changed by mistake.
var questionWords = []string{
	"what", "what's", "whats", "who", "who's", "whose", "where", "where's", "when", "why", "how", "how's", "which",
	"is", "are", "am", "was", "were", "do", "does", "did", "has", "have", "had", "should", "shall", "may", "might",
}

// requests begin questions in form that are commands in fact: "can you turn …".
var requests = []string{"can you", "could you", "will you", "would you", "can we", "could we"}

// telling verbs after a request want to know something after all.
var telling = []string{"tell", "explain", "say", "describe", "know", "help", "believe", "imagine", "remember", "think", "see", "hear"}

// IsQuestion says whether a text asks for something to be told, and so must not
// change anything (DESIGN U4). It is for texts no sentence fits: a sentence that
// fits says itself what it is.
func IsQuestion(text string) bool {
	words := strings.Fields(strings.ToLower(text))
	for len(words) > 0 && slices.Contains([]string{"please", "hey", "okay", "ok", "and", "so", "well"}, words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return true
	}
	for _, r := range requests {
		first, second, _ := strings.Cut(r, " ")
		if len(words) < 3 || words[0] != first || words[1] != second {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(words[2:]), func(w string) bool { return w == "please" })
		return len(rest) == 0 || slices.Contains(telling, rest[0])
	}
	first := strings.TrimRight(words[0], ",.!?")
	return slices.Contains(questionWords, first) || slices.Contains([]string{"can", "could", "would", "will"}, first) ||
		slices.Contains(telling, first) || strings.HasSuffix(strings.TrimSpace(text), "?")
}
