package grammar

import (
	"slices"
	"strings"

	"voicegateway/internal/language/speech"
)

// Judge says whether the words heard so far are a whole sentence. Polite words, a time after a command and a
// second command after "and" do not count as growth. The name of a thing may be an answer, or the beginning
// of a longer sentence. Judge is called for every frame of sound and allocates little.
func (g *Grammar) Judge(partial string) speech.Completeness {
	words := g.trim(strings.Fields(strings.ToLower(partial)))
	if len(words) == 0 {
		return speech.Incomplete
	}
	c, alive := g.auto.judge(words)
	if c != speech.Incomplete {
		return c
	}
	if whole, _ := g.wide.judge(words); whole != speech.Incomplete {
		return whole
	}
	if whole, _ := g.answers.judge(words); whole != speech.Incomplete {
		return speech.Growable
	}
	if alive {
		return c
	}
	for _, later := range g.pack.Later {
		if head, tail, ok := cut(words, strings.Fields(later)); ok && len(tail) == 0 {
			if c, _ := g.auto.judge(g.trim(head)); c != speech.Incomplete {
				return speech.Closed
			}
		}
	}
	// Several commands: each but the last must be whole; the last decides.
	for _, join := range g.pack.Join {
		head, tail, ok := cut(words, strings.Fields(join))
		if !ok {
			continue
		}
		if c, _ := g.auto.judge(g.trim(head)); c != speech.Incomplete {
			return g.Judge(strings.Join(tail, " "))
		}
	}
	return speech.Incomplete
}

// Begins reports whether a sentence begins with a text and is not over with it.
func (g *Grammar) Begins(text string) bool {
	c, alive := g.auto.judge(g.trim(strings.Fields(strings.ToLower(text))))
	return alive && c == speech.Incomplete
}

// cut splits words around the first place where join stands.
func cut(words, join []string) (head, tail []string, ok bool) {
	for i := 1; i+len(join) <= len(words); i++ {
		if slices.Equal(words[i:i+len(join)], join) {
			return words[:i], words[i+len(join):], true
		}
	}
	return nil, nil, false
}

// trim takes polite words off both ends.
func (g *Grammar) trim(words []string) []string {
	for again := true; again; {
		again = false
		for _, polite := range g.skip {
			n := len(polite)
			if n == 0 || n > len(words) {
				continue
			}
			if slices.Equal(words[:n], polite) && n < len(words) {
				words, again = words[n:], true
			}
			if n < len(words) && slices.Equal(words[len(words)-n:], polite) {
				words, again = words[:len(words)-n], true
			}
		}
	}
	return words
}
