package grounded

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/text"
)

// word is a word, number or sign of a sentence.
type word struct {
	lower, folded string
	value         *float64 // of a number
	clock         bool     // the number is a time of day
	stop          bool     // a sign that parts clauses; it has no text
}

// cut makes words of a text, with the contractions of the language written out.
func (t *tongue) cut(said string) []word {
	rest := " " + text.Lower(t.unquoted(said)) + " "
	for _, s := range t.short {
		from, to := s.From, s.To
		if r, _ := utf8.DecodeRuneInString(from); unicode.IsLetter(r) && from != "n't" {
			from, to = " "+from, " "+to
		}
		rest = strings.ReplaceAll(rest, from, to)
	}
	var out []word
	for rest != "" {
		n, w := nextWord(rest)
		rest = rest[n:]
		if w.lower != "" || w.stop {
			out = append(out, w)
		}
	}
	return t.counted(out)
}

// quoted matches what stands in quotes.
var quoted = regexp.MustCompile(`["“„«]([^"“”„«»]*)["”“»]`)

// unquoted leaves out commands that are quoted as something to say.
func (t *tongue) unquoted(text string) string {
	return quoted.ReplaceAllStringFunc(text, func(said string) string {
		first, _, _ := strings.Cut(fold(strings.Trim(said, "\"“”„«» ")), " ")
		if t.own[first] {
			return " "
		}
		return said
	})
}

// nextWord takes a word or a sign from the beginning of a text.
func nextWord(text string) (length int, w word) {
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsDigit(r):
		return numeral(text)
	case r == '°' || r == '%':
		n = wordEnd(text, n)
		return n, word{lower: text[:n], folded: fold(text[:n])}
	case r == '\'' && strings.HasPrefix(text, "'s "):
		return 2, word{lower: "'s", folded: "'s"}
	case strings.ContainsRune(",;.!?…()[]\n—–", r) || r == '-' && strings.HasPrefix(text, "- "):
		return n, word{stop: true}
	case unicode.IsLetter(r):
		n = wordEnd(text, n)
		return n, word{lower: text[:n], folded: fold(text[:n])}
	}
	return n, word{}
}

// wordEnd returns the end of the word at the beginning of a text: letters, digits, and a
// hyphen, apostrophe or underscore before a letter.
func wordEnd(text string, n int) int {
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		after, _ := utf8.DecodeRuneInString(text[n+size:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && (r != '-' && r != '\'' && r != '_' || !unicode.IsLetter(after)) {
			break
		}
		n += size
	}
	return n
}

// numeral takes a number in digits; what follows a colon are the minutes of a time.
func numeral(text string) (length int, w word) {
	value, n := numbers.Digits(text, true)
	if n == 0 {
		for n = 1; n < len(text) && text[n] >= '0' && text[n] <= '9'; n++ {
			continue
		}
		value, _ = strconv.ParseFloat(text[:n], 64)
	}
	w = word{lower: text[:n], folded: text[:n], value: &value}
	if rest := text[n:]; len(rest) > 2 && rest[0] == ':' && unicode.IsDigit(rune(rest[1])) && unicode.IsDigit(rune(rest[2])) {
		w.clock = true
		n += 3
	}
	return n, w
}

// most is the largest number that is read from words.
const most = 1000

// counted joins the words of a number to one word.
func (t *tongue) counted(all []word) []word {
	var out []word
	for i := 0; i < len(all); {
		n, value := t.number(all[i:])
		if n == 0 {
			out = append(out, all[i])
			i++
			continue
		}
		w := all[i]
		w.value = &value
		out = append(out, w)
		i += n
	}
	return out
}

// number reads a number in words, and returns how many words it has.
func (t *tongue) number(text []word) (n int, value float64) {
	first := text[0]
	if first.stop || first.value != nil || t.indefinite[first.folded] || t.pronouns[first.folded] {
		return 0, 0
	}
	const longest = 7
	var b strings.Builder
	ends := map[int]int{}
	for i, w := range text[:min(len(text), longest)] {
		if w.stop || w.value != nil {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.lower)
		ends[b.Len()] = i + 1
	}
	for _, r := range t.numbers.Read(nil, b.String(), numbers.Range{From: -most, To: most, Halves: true, Tenths: true}) {
		if ends[r.Length] > n {
			n, value = ends[r.Length], r.Value
		}
	}
	return n, value
}
