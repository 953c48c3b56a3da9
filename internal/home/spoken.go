package home

import (
	"strings"
	"unicode"
)

// SpokenName is a name as people say it, without signs that are not pronounced: "Blind #1
// (left)" is "Blind 1 left", "Küche ✨ Lampe Ω" is "Küche Lampe". A name that would be
// left without a word stays as it is.
func SpokenName(name string) string {
	letters := []rune(name)
	latin := strings.ContainsFunc(name, isLatin)
	var b strings.Builder
	for i, r := range letters {
		foreign := latin && unicode.IsLetter(r) && !isLatin(r) // a lone sign of another alphabet
		if !foreign && isSaid(r) || r == '&' || joins(letters, i) {
			b.WriteRune(r)
		} else {
			b.WriteByte(' ')
		}
	}
	if said := strings.Join(strings.Fields(b.String()), " "); strings.ContainsFunc(said, isSaid) {
		return said
	}
	return strings.Join(strings.Fields(name), " ")
}

func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) }

func isSaid(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// joins reports whether a sign between two letters, or a point between two digits,
// belongs to the word.
func joins(letters []rune, i int) bool {
	if i == 0 || i+1 == len(letters) {
		return false
	}
	before, after := letters[i-1], letters[i+1]
	switch letters[i] {
	case '\'', '’', '-':
		return isSaid(before) && isSaid(after)
	case '.':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	default:
		return false
	}
}
