package tts

import (
	"strings"

	"voicegateway/internal/language/speech"
)

// maxText bounds one sentence in characters: about a minute of speech. A longer
// text is not a spoken answer, and its sound has to fit into memory.
const maxText = 800

// speakable makes text safe and pleasant for every engine: one line, nothing that
// would be spelled out, at most maxText characters; "" where there is nothing to
// say.
func speakable(s string) string {
	// What will be cut anyway need not be cleaned first.
	s = firstRunes(s, 4*maxText)
	return cut(speech.Speakable(strings.Join(strings.Fields(s), " ")))
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
