package ai

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	mdLink    = regexp.MustCompile(`!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)`)
	bareLink  = regexp.MustCompile(`(?i)<?\b(?:https?://|ftp://|mailto:|www\.)[^\s<>]+>?`)
	htmlTag   = regexp.MustCompile(`</?[A-Za-z][^<>\n]{0,200}>`)
	lineStart = regexp.MustCompile(`^\s*(?:#{1,6}\s+|>\s*|[-*+•]\s+(?:\[[ xX]\]\s*)?)+`)
	rule      = regexp.MustCompile(`^\s*[-=*_|:\s]{3,}$`)
)

// plainer makes words to speak of the sentences of a markdown text, in order.
type plainer struct {
	inFence bool
}

// sentence returns what is to be said of a piece of text, "" for nothing: code
// blocks, rules, links and control characters are not read out.
func (p *plainer) sentence(s string) string {
	if fence := strings.Count(s, "```"); fence > 0 {
		within := p.inFence
		if fence%2 == 1 {
			p.inFence = !p.inFence
		}
		s = outsideFences(s, within)
	} else if p.inFence {
		return ""
	}
	if rule.MatchString(s) {
		return ""
	}
	s = lineStart.ReplaceAllString(s, "")
	s = mdLink.ReplaceAllString(s, "$1")
	s = bareLink.ReplaceAllStringFunc(s, func(l string) string {
		return l[len(strings.TrimRight(l, ".,;:!?")):]
	})
	s = htmlTag.ReplaceAllString(s, " ")
	s = strings.Map(spoken, s)
	s = strings.Join(strings.Fields(s), " ")
	for _, mark := range []string{".", ",", "!", "?", ";", ":"} {
		s = strings.ReplaceAll(s, " "+mark, mark)
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return strings.TrimSpace(s)
}

// outsideFences keeps the pieces that are not within ``` and ```.
func outsideFences(s string, within bool) string {
	var b strings.Builder
	for piece := range strings.SplitSeq(s, "```") {
		if !within {
			b.WriteString(piece + " ")
		}
		within = !within
	}
	return b.String()
}

// spoken maps a character of a sentence to one that can be spoken. Emphasis
// disappears without a gap (**on**), what separates leaves one.
func spoken(r rune) rune {
	switch r {
	case '*', '`', '~', '\u200b', '\u200d', '\ufeff', '\u00ad':
		return -1
	case '_', '|', '#', '<', '>', '[', ']', '{', '}', '\\', '^':
		return ' '
	case '°', '%', '€', '$', '£', '+', '=', '№':
		return r
	}
	switch {
	case unicode.Is(unicode.So, r), unicode.Is(unicode.Sk, r), unicode.Is(unicode.Variation_Selector, r), r == unicode.ReplacementChar:
		return ' ' // emoji and the like would be read by their names
	case !unicode.IsPrint(r):
		return ' '
	}
	return r
}

// printable maps control characters to spaces, for messages of others in logs.
func printable(r rune) rune {
	if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

// clip keeps at most n characters.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}
