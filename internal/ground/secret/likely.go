package secret

import (
	"regexp"
	"strings"
)

// assigned matches a name and the value behind it: TOKEN=abc, "api_key": "abc",
// Authorization: Bearer abc.
var assigned = regexp.MustCompile(`(?i)([A-Za-z0-9_.-]*)("?\s*[=:]\s*"?)((?:bearer |basic )?)([^\s"',;]+)`)

// tokenLike matches what may be a generated word.
var tokenLike = regexp.MustCompile(`[A-Za-z0-9+/=_.-]{8,}`)

// leastLikely is how long a value has to be to be taken for a secret by its name alone.
const leastLikely = 8

// HideLikely masks in a text of others what looks like a secret, although nobody has said
// that it is one: values behind names such as TOKEN or PASSWORD, and words that look
// generated. Texts of servers pass it before a language model may see them.
func HideLikely(text string) string {
	text = assigned.ReplaceAllStringFunc(text, func(found string) string {
		m := assigned.FindStringSubmatch(found)
		if !Telling(m[1]) || len(m[4]) < leastLikely {
			return found
		}
		return m[1] + m[2] + m[3] + mask
	})
	return tokenLike.ReplaceAllStringFunc(text, func(word string) string {
		for part := range strings.SplitSeq(word, "/") {
			if looksSecret(part) {
				word = strings.Replace(word, part, mask, 1)
			}
		}
		return word
	})
}
