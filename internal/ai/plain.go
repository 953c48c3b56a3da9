package ai

import (
	"regexp"
	"strings"
	"unicode"

	"voicegateway/internal/language/speech"
)

// numbered matches the number in front of a list item. The sentences of a model are
// lines of markdown and lose it; speech.Speakable keeps it in a text of one line,
// where it may be a date.
var numbered = regexp.MustCompile(`^\s*\d{1,3}[.)]\s+`)

// plainer turns the sentences of a markdown text, in order, into words to speak.
type plainer struct {
	inFence bool
}

// sentence returns what to say of a piece of text, "" for nothing. A code block may
// span several pieces.
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

// printable maps control characters to spaces, so that other programs' messages can
// be logged.
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
