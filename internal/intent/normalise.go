package intent

import (
	"slices"
	"strings"
	"unicode"

	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/template"
	"voicegateway/internal/language/text"
)

// punctuation is removed at the edges of words and kept inside them (21.5).
const punctuation = ".。,，?¿？؟!¡！;；:：’\"“”„«»…"

// Plain is a text as sentences are compared: in lower case, without punctuation.
func Plain(text string) string { return normalise(text) }

// Bare is a plain text without polite words, unless it has no other words.
func (p *Pack) Bare(text string) string {
	k := specialWords{}
	for _, s := range p.Skip {
		k.skip = append(k.skip, " "+s+" ")
	}
	plain := normalise(text)
	if bare := k.strip(plain); bare != "" {
		return bare
	}
	return plain
}

// Hearing returns the pack with more texts for the recogniser only: a matcher does not
// know them. Texts with anything but words are left out, because their pronunciation is
// not known.
func (p *Pack) Hearing(texts []string) *Pack {
	said := Block{Meta: Meta{After: true}} // nothing is joined to it
	for _, text := range texts {
		if bare := p.Bare(text); strings.IndexFunc(bare, unsayable) < 0 {
			said.Sentences, said.Source = append(said.Sentences, &template.Node{Kind: template.Text, Text: bare}), append(said.Source, bare)
		}
	}
	if len(said.Sentences) == 0 {
		return p
	}
	more := *p
	more.Blocks = append(slices.Clone(p.Blocks), said)
	return &more
}

func unsayable(c rune) bool { return !unicode.IsLetter(c) && !strings.ContainsRune(" '-", c) }

// normalise brings an utterance into the form templates are compared with.
func normalise(utterance string) string { return text.Plain(utterance, punctuation) }

// strip removes skip words, longest first, as whole words.
func (k *specialWords) strip(text string) string {
	padded := " " + text + " "
	for _, s := range k.skip {
		for strings.Contains(padded, s) {
			padded = strings.Replace(padded, s, " ", 1)
		}
	}
	return strings.TrimSpace(padded)
}

// tries returns a text without polite words: without those at its ends that are mostly
// only polite, and without all of them. Of a text that has only such words, each is
// returned, because one may be the answer: "um yes please".
func (k *specialWords) tries(text string) []string {
	var out []string
	if trimmed := k.trim(text); trimmed != text {
		out = append(out, trimmed)
	}
	switch bare := k.strip(text); bare {
	case text:
		return out
	case "":
	default:
		return append(out, bare)
	}
	for _, s := range k.skip {
		if strings.Contains(" "+text+" ", s) && strings.TrimSpace(s) != text {
			out = append(out, strings.TrimSpace(s))
		}
	}
	return out
}

// trim removes the words at the ends of a text that a recogniser also listens for around
// a sentence. It keeps the last word.
func (k *specialWords) trim(text string) string {
	for again := true; again; {
		again = false
		for _, s := range k.polite.Before {
			if rest, ok := strings.CutPrefix(text, s+" "); ok {
				text, again = rest, true
			}
		}
		for _, s := range k.polite.After {
			if rest, ok := strings.CutSuffix(text, " "+s); ok {
				text, again = rest, true
			}
		}
	}
	return text
}

// onceEach removes words that are said twice in a row, alone or up to three at a
// time: "turn turn on the the light". Numbers stay.
func (m *Matcher) onceEach(text string) string {
	const most = 3
	words := strings.Fields(text)
	for n := most; n > 0; n-- {
		for i := 0; i+2*n <= len(words); {
			if slices.Equal(words[i:i+n], words[i+n:i+2*n]) && !slices.ContainsFunc(words[i:i+n], m.isNumber) {
				words = slices.Delete(words, i, i+n)
			} else {
				i++
			}
		}
	}
	return strings.Join(words, " ")
}

// isNumber reports whether a word is a number or a part of one.
func (k *specialWords) isNumber(word string) bool {
	if strings.ContainsAny(word, "0123456789") {
		return true
	}
	return k.numbers != nil && len(k.numbers.Read(nil, word, numbers.Range{From: 0, To: 100})) > 0
}

// parts cuts a text at the words that join commands, but not within a number:
// "nineteen and a half"; it returns nil if there is no such word.
func (k *specialWords) parts(text string) []string {
	words := strings.Fields(text)
	var parts []string
	start := 0
	for i := 0; i < len(words); {
		n := k.joinAt(words[i:])
		if n == 0 || i == start || k.inNumber(words[start:], i-start, n) {
			i++
			continue
		}
		parts = append(parts, strings.Join(words[start:i], " "))
		i += n
		start = i
	}
	if len(parts) == 0 || start >= len(words) || len(parts) >= mostParts {
		return nil
	}
	return append(parts, strings.Join(words[start:], " "))
}

// inNumber reports whether the words from at on that join are a part of a number.
func (k *specialWords) inNumber(words []string, at, join int) bool {
	const most, largest = 4, 1000 // words of a number before the join
	if at+join == len(words) || !k.isNumber(words[at-1]) {
		return false
	}
	for from := max(0, at-most); from < at; from++ {
		behind := len(strings.Join(words[from:at+join], " "))
		for _, r := range k.numbers.Read(nil, strings.Join(words[from:], " "), numbers.Range{From: 0, To: largest, Halves: true}) {
			if r.Length > behind {
				return true
			}
		}
	}
	return false
}

func (k *specialWords) joinAt(words []string) int {
	for _, join := range k.join {
		if len(join) <= len(words) && slices.Equal(join, words[:len(join)]) {
			return len(join)
		}
	}
	return 0
}

// withJoins brings an utterance into the form templates are compared with, with a
// join word for every comma.
func (k *specialWords) withJoins(spoken string) string {
	if len(k.join) == 0 || !strings.ContainsAny(spoken, ",，") {
		return normalise(spoken)
	}
	join := " " + strings.Join(k.join[0], " ") + " "
	return normalise(strings.NewReplacer(",", join, "，", join).Replace(spoken))
}
