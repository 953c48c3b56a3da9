// Package text writes words in the forms in which they are compared: in small letters,
// without accents, without signs. It exists because what is heard, typed, written in a
// configuration and told by a house is spelt in many ways, and the same form must be
// taken everywhere. Distances between words are in package edits.
//
// Two forms without accents are different on purpose: Unaccented writes ä as a, as a
// keyboard without umlauts does, and SpeltOut writes it as ae, as Germans do.
package text

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"
)

// Lower is a text in small letters, each letter with its accents in one character
// (NFC), and with straight apostrophes.
func Lower(s string) string {
	return strings.ReplaceAll(strings.ToLower(norm.NFC.String(s)), "’", "'")
}

// Tidy is a text with single blanks, each letter with its accents in one character
// (NFC), and with straight apostrophes. Capitals stay.
func Tidy(s string) string {
	return strings.ReplaceAll(norm.NFC.String(strings.Join(strings.Fields(s), " ")), "’", "'")
}

// Plain is Lower with single blanks and without the given signs at the edges of words.
// A curved apostrophe at an edge counts as it is written.
func Plain(s, signs string) string {
	words := strings.Fields(strings.ToLower(norm.NFC.String(s)))
	kept := words[:0]
	for _, w := range words {
		if w = strings.Trim(w, signs); w != "" {
			kept = append(kept, strings.ReplaceAll(w, "’", "'"))
		}
	}
	return strings.Join(kept, " ")
}

// Words are the words of a text in small letters: letters and digits, parted by
// everything else.
func Words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Folded is a name as names are compared: without regard to case and blanks.
func Folded(name string) string { return strings.Join(strings.Fields(strings.ToLower(name)), " ") }

// Same reports whether two names are the same without regard to case and to blanks
// around them.
func Same(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }

// marks are what stands on, in or under letters of any script.
var marks = runes.Remove(runes.In(unicode.Mn))

// WithoutMarks takes off what stands on, in or under letters of any script. Letters that
// are no others with a mark stay, such as ß and ø. The characters may be left in pieces,
// so both sides of a comparison must be written so.
func WithoutMarks(s string) string {
	if isASCII(s) {
		return s
	}
	return marks.String(norm.NFD.String(s))
}

// others are small letters that are no other letter with an accent, as they are
// written where they are missing.
var others = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ł': "l", 'ı': "i", 'ŋ': "n", 'þ': "th", 'ð': "d"}

// isAccent reports whether a character stands on, in or under letters of European
// scripts. Vowels and tones of other scripts are marks as well, and stay.
func isAccent(r rune) bool { return 0x300 <= r && r <= 0x36f }

// Unaccented writes small letters with plain ones, so that an accent that was forgotten
// makes no difference: ä is a, é is e, ß is ss. It goes letter by letter, because a
// sentence is compared with every name of the house so.
func Unaccented(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		if r >= utf8.RuneSelf {
			r = base(s[i:], r)
		}
		switch as, ok := others[r]; {
		case ok:
			b.WriteString(as)
		case !isAccent(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// base is the first letter of a text without its accents; r is that letter.
func base(s string, r rune) rune {
	parts := norm.NFD.PropertiesString(s).Decomposition()
	letter, n := utf8.DecodeRune(parts)
	if len(parts) == n || bytes.IndexFunc(parts[n:], func(r rune) bool { return !isAccent(r) }) >= 0 {
		return r
	}
	return letter
}

// umlauts are the small letters that Germans spell out, in one character and in two.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "a\u0308", "ae", "o\u0308", "oe", "u\u0308", "ue")

// SpeltOut writes small letters with plain ones as Germans do: ä is ae. The others are
// as Unaccented writes them.
func SpeltOut(s string) string {
	if isASCII(s) {
		return s
	}
	return Unaccented(umlauts.Replace(s))
}

// stress writes Spanish vowels without the sign of their stress.
var stress = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u")

// Unstressed is a Spanish word in small letters without the sign of its stress, as a
// verb is written without the pronoun glued to it: "apágala" and "apaga". The ñ stays.
func Unstressed(s string) string { return stress.Replace(s) }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
