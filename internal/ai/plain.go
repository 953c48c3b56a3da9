package ai

import (
	"regexp"
	"strings"
	"unicode"

	"voicegateway/internal/speech"
)

// numbered is the beginning of a line in a list. A whole text keeps it, because
// it may be a date there; the sentences of a model are lines of markdown.
var numbered = regexp.MustCompile(`^\s*\d{1,3}[.)]\s+`)

// plainer makes words to speak of the sentences of a markdown text, in order.
type plainer struct {
	inFence bool
}

// sentence returns what is to be said of a piece of text, "" for nothing. A code
// block may go on over several pieces.
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
	return speech.Speakable(numbered.ReplaceAllString(s, ""))
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
