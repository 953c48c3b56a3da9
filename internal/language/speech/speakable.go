package speech

import (
	"regexp"
	"strings"
	"unicode"
)

// maxSpoken is the longest text that is ever read out, in bytes: over a minute
// of speech.
const maxSpoken = 2000

var (
	codeBlock = regexp.MustCompile("(?s)```.*?(```|$)")
	hidden    = regexp.MustCompile(`(?is)<(` + strings.Join(HiddenTags(), "|") + `)>.*?(</(` + strings.Join(HiddenTags(), "|") + `)>|$)`)
	link      = regexp.MustCompile(`!?\[([^\]\n]*)\]\([^)\n]*\)`)
	tag       = regexp.MustCompile(`</?[a-zA-Z!|｜][^<>]{0,200}>`)
	address   = regexp.MustCompile(`(?i)<?(\b[a-z][a-z0-9+.-]*://[^\s<>]*|\bmailto:[^\s<>]+|\bwww\.[^\s<>]+|[^\s<>]+@[^\s<>]+\.[^\s<>]+)>?`)
	bullet    = regexp.MustCompile(`(?m)^[ \t]*([-*+•>#|]+[ \t]+)+(\[[ xX]\][ \t]+)?`)
	numbered  = regexp.MustCompile(`(?m)^[ \t]*\d{1,3}[.)][ \t]+`)
	ruled     = regexp.MustCompile(`(?m)^[ \t|:=-]+$`)
	italic    = regexp.MustCompile(`(^|[^\pL\pN_])_+|_+([^\pL\pN_]|$)`)
	lineEnd   = regexp.MustCompile(`([^\s.,!?;:])[ \t]*[\r\n]+`)
	beforeEnd = regexp.MustCompile(`\s*` + gap + `[\s` + gap + `]*([.,!?;:]|$)`)
)

// gap stands where something was taken out until the text is put together.
const gap = "\x00"

// HiddenTags are the blocks that some models write into their answer and that
// are not part of it: thinking, and calls that the server did not understand.
func HiddenTags() []string {
	return []string{"think", "thinking", "reasoning", "thought", "tool_call", "tool_calls"}
}

// Speakable makes a text fit to be spoken: no markup, addresses, control
// characters or pictures, on one line. It is safe for texts from anywhere.
// Without a letter or a digit there is nothing to say, which is "".
func Speakable(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), 4*maxSpoken)], gap)
	for range 4 { // taking markup away may bring other markup together
		before := text
		if text = clean(text); text == before {
			break
		}
	}
	text = strings.ReplaceAll(text, "://", " ")
	if len(text) > maxSpoken {
		text = strings.ToValidUTF8(text[:maxSpoken], "")
		if end := strings.LastIndexAny(text, ".!?"); end > 0 {
			text = text[:end+1]
		}
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return ""
	}
	return strings.Join(strings.Fields(text), " ")
}

func clean(text string) string {
	text = hidden.ReplaceAllString(text, gap)
	text = codeBlock.ReplaceAllString(text, gap)
	text = link.ReplaceAllString(text, "$1")
	text = address.ReplaceAllStringFunc(text, func(a string) string {
		return gap + a[len(strings.TrimRight(a, ".,;:!?")):] // the sentence continues after its address
	})
	text = tag.ReplaceAllString(text, gap)
	text = ruled.ReplaceAllString(text, "")
	text = italic.ReplaceAllString(text, "$1$2")
	text = bullet.ReplaceAllString(text, "")
	if strings.Contains(text, "\n") { // on one line it may be a date: "3. Oktober"
		text = numbered.ReplaceAllString(text, "")
	}
	text = strings.ReplaceAll(text, "|", " ")
	text = lineEnd.ReplaceAllString(text, "$1. ")
	text = strings.Map(speakable, text)
	text = beforeEnd.ReplaceAllString(text, "$1")
	return strings.Join(strings.Fields(strings.ReplaceAll(text, gap, " ")), " ")
}

// speakable maps a character to one that can be spoken. Emphasis and what joins
// characters disappear without a gap (**on**), anything else leaves one. Square
// brackets must go for another reason too: espeak-ng reads [[...]] as phonemes.
func speakable(r rune) rune {
	switch r {
	case '*', '`', '~':
		return -1
	case '_', '|', '#', '<', '>', '[', ']', '{', '}', '\\', '^':
		return ' '
	case '°', '№':
		return r
	}
	switch {
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
		return -1
	case unicode.In(r, unicode.L, unicode.N, unicode.Mn, unicode.Mc, unicode.P, unicode.Sc, unicode.Sm):
		return r
	case unicode.IsSpace(r):
		return ' '
	}
	return 0 // emoji and the like would be read by their names
}
