package tts

import (
	"regexp"
	"strings"
	"unicode"
)

// maxText bounds one sentence in characters: about a minute of speech. What is
// longer is no spoken answer, and the sound of it has to fit into memory.
const maxText = 800

// link is anything that would be read out letter by letter.
var link = regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]*://|www\.)\S+`)

// speakable makes text safe and pleasant for every engine: one line, no control
// characters, links or markup, at most maxText characters. Brackets must go for
// another reason too: espeak-ng reads [[...]] as phonemes. Without a letter or a
// digit there is nothing to say, which is "".
func speakable(s string) string {
	// What will be cut anyway need not be cleaned first.
	s = firstRunes(s, 4*maxText)
	s = link.ReplaceAllStringFunc(s, func(l string) string {
		// The sentence goes on after its link: keep the mark at the end.
		return l[len(strings.TrimRight(l, ".,;:!?")):]
	})
	var b strings.Builder
	voiced := false
	for _, r := range s {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			voiced = true
			b.WriteRune(r)
		case r == unicode.ReplacementChar, strings.ContainsRune("*_#`~|<>[]{}\\^", r), !unicode.IsPrint(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	if !voiced {
		return ""
	}
	return cut(strings.Join(strings.Fields(b.String()), " "))
}

// cut keeps at most maxText characters, ending at the last word that fits.
func cut(s string) string {
	head := firstRunes(s, maxText)
	if len(head) == len(s) {
		return s
	}
	if space := strings.LastIndexByte(head, ' '); space > 0 {
		head = head[:space]
	}
	return head
}

// firstRunes is the first n characters of s, or s when it has no more.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
