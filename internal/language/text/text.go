// Package text writes words in the forms in which they are compared: in small letters,
// without accents, without signs. It exists because what is heard, typed, written in a
// configuration and told by a house is spelt in many ways, and the same form must be
// taken everywhere.
//
// Two forms without accents are different on purpose: Unaccented writes ä as a, as a
// keyboard without umlauts does, and SpeltOut writes it as ae, as Germans do.
//
// It also counts the changes that make one text of another, since names, rivals of a
// sentence and the network's own words are compared by the same measure: Distance compares
// two texts letter by letter; Pattern compares one with many, counts a swap of neighbours
// as one change, and takes bytes for letters; Cost compares anything, with a price for each
// exchange.
package text

import (
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
func Words(s string) []string { return WordsWith(s, "") }

// WordsWith are the words of a text in small letters, where the given signs are parts of
// words as letters and digits are.
func WordsWith(s, signs string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(signs, r)
	})
}

// Fold is a name as names are compared: without regard to case and blanks.
func Fold(name string) string { return strings.Join(strings.Fields(strings.ToLower(name)), " ") }

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
var others = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ł", "l", "ı", "i", "ŋ", "n", "þ", "th", "ð", "d")

// accents are what stands on, in or under letters of European scripts. Vowels and tones
// of other scripts are marks as well, and stay.
var accents = runes.Remove(runes.Predicate(func(r rune) bool { return 0x300 <= r && r <= 0x36f }))

// StripAccents writes small letters with plain ones, so that an accent that was forgotten
// makes no difference: ä is a, é is e, ß is ss.
func StripAccents(s string) string {
	if isASCII(s) {
		return s
	}
	return others.Replace(norm.NFC.String(accents.String(norm.NFD.String(s))))
}

// umlauts are the small letters that Germans spell out, each with the sign that is its
// own character.
var umlauts = strings.NewReplacer("a\u0308", "ae", "o\u0308", "oe", "u\u0308", "ue")

// Simple is a word as lists of words are searched for it: Lower, Unaccented, with straight
// apostrophes.
func Simple(word string) string { return StripAccents(strings.ReplaceAll(Lower(word), "’", "'")) }

// SpeltOut writes small letters with plain ones as Germans do: ä is ae. The others are
// as Unaccented writes them.
func SpeltOut(s string) string {
	if isASCII(s) {
		return s
	}
	return StripAccents(umlauts.Replace(norm.NFD.String(s)))
}

// stress is the sign for the stress of a vowel.
var stress = runes.Remove(runes.Predicate(func(r rune) bool { return r == '\u0301' }))

// StripStress is a word without the sign of its stress, as a Spanish verb is written
// without the pronoun glued to it: "apágala" and "apaga". The ñ stays.
func StripStress(s string) string {
	if isASCII(s) {
		return s
	}
	return norm.NFC.String(stress.String(norm.NFD.String(s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
