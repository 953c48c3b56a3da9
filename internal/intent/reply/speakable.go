package reply

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
	think     = regexp.MustCompile(`(?is)<think(ing)?>.*?(</think(ing)?>|$)`)
	link      = regexp.MustCompile(`!?\[([^\]\n]*)\]\([^)\n]*\)`)
	tag       = regexp.MustCompile(`</?[a-zA-Z!][^<>]{0,200}>`)
	address   = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://\S*|\bwww\.\S+|\S+@\S+\.\S+`)
	bullet    = regexp.MustCompile(`(?m)^[ \t]*([-*+•>#|]+|\d{1,3}[.)])[ \t]+`)
	ruled     = regexp.MustCompile(`(?m)^[ \t|:=-]+$`)
	italic    = regexp.MustCompile(`(^|[^\pL\pN_])_+|_+([^\pL\pN_]|$)`)
	lineEnd   = regexp.MustCompile(`([^\s.,!?;:])[ \t]*[\r\n]+`)
)

// Speakable makes a text fit to be spoken: no markup, addresses, control
// characters or pictures. It is safe for texts from anywhere.
func Speakable(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), 4*maxSpoken)], "")
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
	return strings.Join(strings.Fields(text), " ")
}

func clean(text string) string {
	text = think.ReplaceAllString(text, " ")
	text = codeBlock.ReplaceAllString(text, " ")
	text = link.ReplaceAllString(text, "$1")
	text = address.ReplaceAllString(text, " ")
	text = tag.ReplaceAllString(text, " ")
	text = ruled.ReplaceAllString(text, "")
	text = italic.ReplaceAllString(text, "$1$2")
	text = bullet.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "|", " ")
	text = lineEnd.ReplaceAllString(text, "$1. ")
	text = strings.Map(speakable, text)
	return strings.Join(strings.Fields(text), " ")
}

// kept are the signs that synthesisers read or pause at.
const kept = ".,!?;:'\"()-–—…%°€$£¥&/+=’‘“”¿¡"

func speakable(r rune) rune {
	switch {
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Mn, r) && r < 0xFE00, strings.ContainsRune(kept, r):
		return r
	case unicode.IsSpace(r), unicode.IsControl(r), r == '_', r == '|', r == '~':
		return ' '
	}
	return -1
}
