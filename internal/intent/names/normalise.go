package names

import (
	"strings"
	"unicode"
)

// dropped words carry nothing in a name; a name made of them alone keeps them.
var dropped = map[string]bool{"the": true, "my": true, "our": true, "a": true, "an": true}

// heardAs mends what recognisers write for what families say.
var heardAs = map[string]string{"lite": "light", "mum": "mom", "telly": "tv", "television": "tv"}

// maxWords bounds a name; longer texts are no names.
const maxWords = 32

// Normalise cuts a name into comparable words: lower case, without articles,
// possessive endings, plural endings and punctuation.
func Normalise(name string) []string {
	all := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\'' && r != '’'
	})
	if len(all) > maxWords {
		return nil
	}
	var words []string
	for _, w := range all {
		w = strings.ReplaceAll(w, "’", "'")
		w = strings.TrimSuffix(w, "'s")
		w = strings.ReplaceAll(w, "'", "")
		if w == "" || dropped[w] {
			continue
		}
		words = append(words, singular(w))
	}
	if len(words) == 0 && len(all) > 0 {
		return all
	}
	for i, w := range words {
		if as, ok := heardAs[w]; ok {
			words[i] = as
		}
	}
	return words
}

// singular strips a plural s from words over three letters.
func singular(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}

// Spoken lists the ways people say a name: as written, without an article in
// front, with and without possessive signs, in singular and plural.
func Spoken(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(name, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\''
	})
	if len(words) > maxWords {
		return nil
	}
	if len(words) > 1 && dropped[words[0]] {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	out := []string{strings.Join(words, " ")}
	out = append(out, lastWord(words)...)
	for _, text := range out {
		if plain := strings.ReplaceAll(text, "'", ""); plain != text {
			out = append(out, plain)
		}
		if mum := swapWord(text); mum != text {
			out = append(out, mum)
		}
	}
	return out
}

// lastWord gives the name with its last word in the other number.
func lastWord(words []string) []string {
	last := words[len(words)-1]
	head := strings.Join(words[:len(words)-1], " ")
	if head != "" {
		head += " "
	}
	one := singular(last)
	switch {
	case one != last:
		return []string{head + one}
	case len(last) > 2 && plural[last]:
		return []string{head + last + "s"}
	}
	return nil
}

// plural holds the device words people put in the plural without thinking.
var plural = map[string]bool{
	"light": true, "lamp": true, "blind": true, "curtain": true, "shade": true, "shutter": true, "fan": true,
	"plug": true, "sprinkler": true, "drape": true,
}

func swapWord(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		switch w {
		case "mom's":
			words[i] = "mum's"
		case "mom":
			words[i] = "mum"
		}
	}
	return strings.Join(words, " ")
}
