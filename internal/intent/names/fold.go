package names

import "strings"

// fold writes a lower-case word with plain letters, so that an accent the
// recogniser left out or the family forgot makes no difference.
func fold(word string) string {
	plain := true
	for i := range len(word) {
		plain = plain && word[i] < 0x80
	}
	if plain {
		return word
	}
	var b strings.Builder
	for _, r := range word {
		if as, ok := foldings[r]; ok {
			b.WriteString(as)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

var foldings = func() map[rune]string {
	out := map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ł': "l", 'þ': "th", 'ð': "d"}
	for plain, accented := range map[string]string{
		"a": "àáâãäåāăą", "c": "çćčĉċ", "d": "ď", "e": "èéêëēĕėęě", "g": "ğĝġģ", "h": "ĥ", "i": "ìíîïĩīĭįı",
		"j": "ĵ", "k": "ķ", "l": "ĺļľ", "n": "ñńņňŋ", "o": "òóôõöōŏő", "r": "ŕŗř", "s": "śŝşšș", "t": "ţťț",
		"u": "ùúûüũūŭůűų", "w": "ŵ", "y": "ýÿŷ", "z": "źżž",
	} {
		for _, r := range accented {
			out[r] = plain
		}
	}
	// Combining marks that were not put together with their letter.
	for r := rune(0x300); r <= 0x36f; r++ {
		out[r] = ""
	}
	return out
}()
