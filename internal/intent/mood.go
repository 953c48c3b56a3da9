package intent

import (
	"slices"
	"strings"
	"sync"
)

// Mood are the words by which a language shows that a sentence asks for
// information. A pack without them treats every sentence as a question, so that
// nothing is changed by mistake.
type Mood struct {
	// Questions begin sentences that ask for information.
	Questions []string `yaml:"questions"`
	// Requests begin sentences that have the form of a question but are commands:
	// "can you turn …". Of two that fit, the longer one comes first.
	Requests []string `yaml:"requests"`
	// Modals begin questions unless they begin a request.
	Modals []string `yaml:"modals"`
	// Telling verbs after a request make it a question again.
	Telling []string `yaml:"telling"`
	// Openers stand before the sentence and carry no meaning.
	Openers []string `yaml:"openers"`
}

// english is the mood of texts whose language is not known.
var english = sync.OnceValue(func() *Mood {
	mood := English().Mood // a copy, which keeps no pack
	return &mood
})

// IsQuestion reports whether an English text asks for information, and so must
// not change anything (REQUIREMENTS U4). It is for texts that fit no sentence: a
// sentence of a pack says by itself whether it is a question.
func IsQuestion(text string) bool { return english().isQuestion(text) }

// IsQuestion does the same for a text in the pack's language.
func (p *Pack) IsQuestion(text string) bool {
	if p.Language == "en" && len(p.Mood.Questions) == 0 {
		return IsQuestion(text)
	}
	return p.Mood.isQuestion(text)
}

func (m *Mood) isQuestion(text string) bool {
	words := strings.Fields(strings.ToLower(text))
	for i, w := range words {
		words[i] = strings.Trim(w, punctuation)
	}
	for len(words) > 0 && slices.Contains(m.Openers, words[0]) {
		words = words[1:]
	}
	if len(words) == 0 || len(m.Questions) == 0 {
		return true
	}
	for _, request := range m.Requests {
		begin := strings.Fields(request)
		if len(words) <= len(begin) || !slices.Equal(words[:len(begin)], begin) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(words[len(begin):]), func(w string) bool { return slices.Contains(m.Openers, w) })
		return len(rest) == 0 || slices.Contains(m.Telling, rest[0])
	}
	return slices.Contains(m.Questions, words[0]) || slices.Contains(m.Modals, words[0]) || slices.Contains(m.Telling, words[0]) ||
		strings.HasSuffix(strings.TrimSpace(text), "?")
}
