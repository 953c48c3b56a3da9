package dialogue

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SaidBefore reports whether the arguments of a call hold a word that was said before
// and not now. Short words and numbers of one digit say nothing.
func SaidBefore(args json.RawMessage, now, before string) bool {
	said := wordsOf(now)
	for word := range wordsOf(before) {
		telling := utf8.RuneCountInString(word) > shortWord || len(word) > 1 && strings.ContainsFunc(word, unicode.IsNumber)
		said[word] = said[word] || !telling
	}
	old := wordsOf(before)
	return slices.ContainsFunc(textsOf(args), func(text string) bool {
		for word := range wordsOf(text) {
			if old[word] && !said[word] {
				return true
			}
		}
		return false
	})
}

// Reassembles reports whether the digits of several arguments, one after the other, hold a
// number of three digits or more that was said before and not now.
func Reassembles(args []json.RawMessage, now, before string) bool {
	var digits strings.Builder
	for _, one := range args {
		for _, v := range valuesOf(one) {
			digits.WriteString(digitsOf(v.text))
		}
	}
	said, sent := wordsOf(now), digits.String()
	for word := range wordsOf(before) {
		if number := digitsOf(word); len(number) >= shortWord && !said[word] && strings.Contains(sent, number) {
			return true
		}
	}
	return false
}

// HoldsNumber reports whether a text holds a number of more than one digit.
func HoldsNumber(text string) bool {
	for word := range wordsOf(text) {
		if len(digitsOf(word)) > 1 {
			return true
		}
	}
	return false
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}

// shortWord is the length of a word, in letters, that may stand in any sentence.
const shortWord = 3

// textsOf are the texts and numbers in arguments, without the names of the arguments.
func textsOf(args json.RawMessage) (texts []string) {
	for _, v := range valuesOf(args) {
		if !v.name {
			texts = append(texts, v.text)
		}
	}
	return texts
}

// wordsOf are the words of a text, without case.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		words[word] = true
	}
	return words
}

// Harmless removes invisible characters and those that reverse the direction of writing,
// and replaces control characters by spaces.
func Harmless(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
}

// FreeWords reports whether a structured result holds free text where a state should be,
// and whether the result is structured at all.
func FreeWords(data json.RawMessage) (free, structured bool) {
	var value any
	if json.Unmarshal(data, &value) != nil {
		return false, false
	}
	return freeIn("", value), true
}

// readings are the keys under which a result reports what a device says, with the
// largest number of words of a state or a unit: "half open", "left and right". Other
// keys hold the server's own words: names, kinds and reasons.
var readings = map[string]int{"value": 2, "state": 2, "unit": 2, "values": 3}

// freeIn looks into a value. All that is under a key of readings is one, whatever its
// own key is: a mode, a kind of sensor.
func freeIn(key string, value any) bool {
	switch v := value.(type) {
	case string:
		most, reading := readings[key]
		return reading && len(strings.Fields(v)) > most
	case []any:
		return slices.ContainsFunc(v, func(one any) bool { return freeIn(key, one) })
	case map[string]any:
		_, reading := readings[key]
		for own, one := range v {
			if _, nearer := readings[own]; reading && !nearer {
				own = key
			}
			if freeIn(own, one) {
				return true
			}
		}
	}
	return false
}

// Renamed replaces the texts in arguments for which other returns a replacement. If there
// are none, it returns the arguments byte for byte.
func Renamed(args json.RawMessage, other func(string) (string, bool)) json.RawMessage {
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&all) != nil || !rename(all, other) {
		return args
	}
	out, err := json.Marshal(all)
	if err != nil {
		return args
	}
	return out
}

func rename(all map[string]any, other func(string) (string, bool)) (changed bool) {
	for key, value := range all {
		if text, ok := value.(string); ok {
			if text, ok = other(text); ok {
				all[key], changed = text, true
			}
		}
	}
	return changed
}

// Quote is a text of others as data: on one line, without control or invisible
// characters or quotes of its own.
func Quote(text string) string { return `"` + Line(text) + `"` }

// Line is a text of others without what could end its quotes or its line.
func Line(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		case r == '"':
			return '\''
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
