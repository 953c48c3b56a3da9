package form

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"voicegateway/internal/language/text"
)

// Bounds of the search for a name that is not exact.
const (
	maxSpelling = 200  // longest name, in letters, that is compared at all
	shortlist   = 24   // how many names are compared in full, chosen by the triples they share
	alike       = 0.5  // least likeness of a suggestion
	wordAlike   = 0.6  // least likeness of two words that count as shared
	wordWeight  = 0.95 // weight of shared words against spelling as a whole
)

// spellings finds names by triples of letters, so that a misspelt one is compared with a
// few candidates and not with every name of the house.
type spellings[T comparable] struct {
	at    map[string]int // of the names
	names []spelling
	of    [][]hit[T]       // the things of each name
	grams map[gram][]int32 // the indexes of the names that contain a gram, each once
}

func newSpellings[T comparable]() spellings[T] {
	return spellings[T]{at: map[string]int{}, grams: map[gram][]int32{}}
}

// spelling is one folded name prepared for comparing.
type spelling struct {
	text  letters
	words []letters
}

// hit is a candidate for a name, with how well it fits from 0 to 1.
type hit[T comparable] struct {
	thing T
	id    string // of the thing
	score float64
}

// letters is a text with its length in letters.
type letters struct {
	text  string
	count int
}

func lettersOf(text string) letters { return letters{text, utf8.RuneCountInString(text)} }

// gram is three letters in a row.
type gram [3]rune

// add files a thing under a folded name.
func (x *spellings[T]) add(name string, thing T, id string) {
	i, known := x.at[name]
	if !known {
		i = len(x.names)
		x.at[name] = i
		s := spell(name)
		for _, g := range s.triples() {
			x.grams[g] = append(x.grams[g], int32(i))
		}
		x.names, x.of = append(x.names, s), append(x.of, nil)
	}
	if list := x.of[i]; len(list) == 0 || list[len(list)-1].thing != thing {
		x.of[i] = append(list, hit[T]{thing: thing, id: id})
	}
}

// spell prepares a folded name; one that is too long resembles no other.
func spell(name string) spelling {
	s := spelling{text: lettersOf(name)}
	if s.text.count > maxSpelling {
		return spelling{}
	}
	for w := range strings.FieldsSeq(name) {
		s.words = append(s.words, lettersOf(w))
	}
	return s
}

// triples returns the name's triples, with a blank before and after it.
func (s spelling) triples() []gram {
	out := make([]gram, 0, s.text.count)
	last := gram{' ', ' ', ' '}
	for i, r := range s.text.text + " " {
		last = gram{last[1], last[2], r}
		if i > 0 {
			out = append(out, last)
		}
	}
	return out
}

// similar returns the best candidates for a folded name, best first and each thing once.
func (x *spellings[T]) similar(key string, most int) []T {
	asked := spell(key)
	var found []hit[T]
	for _, i := range x.candidates(asked) {
		score := likeness(asked, x.names[i])
		if score < alike {
			continue
		}
		for _, h := range x.of[i] {
			if at := slices.IndexFunc(found, func(m hit[T]) bool { return m.thing == h.thing }); at < 0 {
				h.score = score
				found = append(found, h)
			} else {
				found[at].score = max(found[at].score, score)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b hit[T]) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	var out []T
	for _, h := range found[:min(len(found), most)] {
		out = append(out, h.thing)
	}
	return out
}

// candidates returns the names that share most triples with what was asked.
func (x *spellings[T]) candidates(asked spelling) []int32 {
	shared := make([]uint16, len(x.names))
	for _, g := range asked.triples() {
		for _, i := range x.grams[g] {
			shared[i]++
		}
	}
	var best [shortlist]share
	n := 0
	for i, count := range shared {
		if count == 0 {
			continue
		}
		h := share{int32(i), float64(count) / float64(asked.text.count+x.names[i].text.count)}
		if n == shortlist && h.part <= best[n-1].part {
			continue
		}
		n = min(n+1, shortlist)
		j := n - 1
		for ; j > 0 && best[j-1].part < h.part; j-- {
			best[j] = best[j-1]
		}
		best[j] = h
	}
	out := make([]int32, n)
	for i := range out {
		out[i] = best[i].name
	}
	return out
}

// share is how much of a name's triples another one has.
type share struct {
	name int32
	part float64 // of all triples of both names
}

// likeness compares two names, by spelling and by the words they share, and
// returns the higher result.
func likeness(a, b spelling) float64 {
	if a.text.count == 0 || b.text.count == 0 {
		return 0
	}
	shared := 0.0
	for _, w := range a.words {
		top := 0.0
		for _, v := range b.words {
			top = max(top, closeness(w, v, wordAlike))
		}
		shared += top
	}
	shared = min(shared, float64(len(b.words))) // a word said twice counts once
	return max(closeness(a.text, b.text, alike), wordWeight*2*shared/float64(len(a.words)+len(b.words)))
}

// closeness returns one minus the share of letters that differ; 0 where it would
// be below least.
func closeness(a, b letters, least float64) float64 {
	longest := float64(max(a.count, b.count))
	if 1-math.Abs(float64(a.count-b.count))/longest < least {
		return 0 // the lengths alone differ too much
	}
	c := 1 - float64(text.Distance(a.text, b.text))/longest
	if c < least {
		return 0
	}
	return c
}
