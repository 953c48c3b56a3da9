package reader

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"voicegateway/internal/intent"
	"voicegateway/internal/language/numbers"
)

// The features of a text are hashed into buckets: first those for its words and pairs of
// words, then those for runs of letters within its words.
const (
	half    = 1 << 15  // buckets for words, and as many for letters
	Buckets = 2 * half // of all features

	fewestLetters, mostLetters = 3, 4 // of a run
)

// Feature is one feature of a text: its bucket, and how much of the text it is.
type Feature struct {
	Bucket uint32
	Value  float32
}

const (
	figure = "#" // stands for every number
	edge   = ""  // stands before the first word and behind the last
)

// Hasher finds the features of texts in one language.
type Hasher struct{ numbers *numbers.Language }

// HasherFor returns the hasher of a language. If the numbers of the language are not known,
// it knows those that are written in digits.
func HasherFor(language string) Hasher {
	known, _ := numbers.For(language)
	return Hasher{known}
}

// Features returns the features of a text by bucket; nothing for a text without words. The
// words are of length one together, and so are the runs of letters. Any number is as good as
// any other.
func (h Hasher) Features(text string) []Feature {
	words := h.words(intent.Plain(text))
	if len(words) == 0 {
		return nil
	}
	var b bag
	before := edge
	for _, w := range words {
		b.add(0, w)
		b.add(0, before+" "+w)
		before = w
	}
	b.add(0, before+" "+edge)
	b.level(0)
	behind := len(b)
	for _, w := range words {
		b.letters(" " + w + " ")
	}
	b.level(behind)
	return b
}

// idle are the words with which a crowd calls its assistants, and "please": they say nothing
// of what is asked.
var idle = map[string]bool{"hey": true, "olly": true, "alexa": true, "siri": true, "cortana": true, "please": true}

// words returns the words of a plain text, with one word for each number.
func (h Hasher) words(text string) []string {
	var out []string
	for text != "" {
		word, rest, _ := strings.Cut(text, " ")
		if n := h.number(text); n > 0 {
			word, rest = figure, strings.TrimPrefix(text[n:], " ")
		} else if '0' <= word[0] && word[0] <= '9' {
			word = figure // "6:30", "20%"
		}
		if !idle[word] {
			out = append(out, word)
		}
		text = rest
	}
	return out
}

// number returns the length of the number of whole words that a text begins with; 0 if
// there is none.
func (h Hasher) number(text string) int {
	const largest = 1000
	longest := 0
	for _, r := range h.numbers.Read(nil, text, numbers.Range{From: 0, To: largest}) {
		if n := r.Length; n > longest && (n == len(text) || text[n] == ' ') {
			longest = n
		}
	}
	return longest
}

// bag collects features.
type bag []Feature

// add notes a feature of one half. The hash also gives its sign, so that features that meet
// in a bucket do not add up.
func (b *bag) add(base uint32, feature string) {
	hash, sign := hash(feature), float32(1)
	if hash&(1<<31) != 0 {
		sign = -1
	}
	*b = append(*b, Feature{base + hash%half, sign})
}

// letters notes the runs of letters of a word between blanks.
func (b *bag) letters(word string) {
	for i := range word {
		end, n := i, 0
		for end < len(word) && n < mostLetters {
			_, size := utf8.DecodeRuneInString(word[end:])
			end, n = end+size, n+1
			if n >= fewestLetters {
				b.add(half, word[i:end])
			}
		}
	}
}

// level joins the features from a place on that are in one bucket, and makes them of length
// one together.
func (b *bag) level(from int) {
	part := (*b)[from:]
	slices.SortFunc(part, func(x, y Feature) int { return int(x.Bucket) - int(y.Bucket) })
	joined := part[:0]
	for _, f := range part {
		if n := len(joined); n > 0 && joined[n-1].Bucket == f.Bucket {
			joined[n-1].Value += f.Value
			continue
		}
		joined = append(joined, f)
	}
	var sum float64
	for _, f := range joined {
		sum += float64(f.Value) * float64(f.Value)
	}
	if sum > 0 {
		length := float32(math.Sqrt(sum))
		for i := range joined {
			joined[i].Value /= length
		}
	}
	*b = (*b)[:from+len(joined)]
}

// hash is FNV-1a with its bits mixed, because the buckets are of its lowest bits.
func hash(text string) uint32 {
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
