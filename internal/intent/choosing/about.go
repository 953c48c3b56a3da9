package choosing

import (
	"slices"
	"strings"

	"voicegateway/internal/language/text"
)

// About lists the sentences that an answer to "what shall I do with it?" may stand
// for: the answer with the name in place of a pronoun, before it and behind it. It
// returns none for a text that is too long for such an answer.
func (w *Words) About(answer, name string) []string {
	const most = 5 // words
	words := strings.Fields(strings.ReplaceAll(plainWords(answer), "-", " "))
	if len(answer) > longestAmendment || len(words) == 0 || len(words) > most {
		return nil
	}
	var out []string
	rest := words
	if i := slices.IndexFunc(words, func(word string) bool { return slices.Contains(w.choices.It, word) }); i >= 0 {
		rest = slices.Delete(slices.Clone(words), i, i+1)
		out = append(out, strings.Join(slices.Insert(slices.Clone(rest), i, name), " "))
	} else if verb := w.choices.stripPronoun(words[0]); verb != "" {
		rest = append([]string{verb}, words[1:]...)
	}
	said := strings.Join(rest, " ")
	if len(rest) == 0 {
		return out
	}
	return append(out, name+" "+said, said+" "+name)
}

// stripPronoun returns a verb without the pronoun at its end, or "" if there is no pronoun.
func (c *choices) stripPronoun(word string) string {
	for _, end := range c.Glued {
		if verb, ok := strings.CutSuffix(word, end); ok && len(verb) > len(end) {
			return text.StripStress(verb)
		}
	}
	return ""
}
