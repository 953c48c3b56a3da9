package zwave

import (
	"cmp"
	"slices"
	"strings"
)

// Bounds of the search for a name that is not exact.
const (
	maxSpelling = 200  // letters of a name that is compared at all
	shortlist   = 24   // names compared in full, chosen by the triples they share
	alike       = 0.5  // least likeness of a suggestion
	wordAlike   = 0.6  // least likeness of two words that count as shared
	wordWeight  = 0.95 // of shared words against spelling as a whole
)

// nameIndex finds names by triples of letters, so that a misspelt one is compared
// with a few candidates and not with every name of the house.
type nameIndex struct {
	names []spelling
	grams map[gram][]int32 // which names have it, once for each
}

// spelling is one folded name with what comparing it needs.
type spelling struct {
	letters  []rune
	words    [][]rune
	grams    int
	entities []*entity
}

// gram is three letters in a row.
type gram [3]rune

func newNameIndex(entities []*entity) nameIndex {
	x := nameIndex{grams: map[gram][]int32{}}
	at := map[string]int{}
	for _, e := range entities {
		for _, name := range e.folded {
			i, known := at[name]
			if !known {
				i = len(x.names)
				at[name] = i
				s := spell(name)
				for _, g := range s.triples() {
					x.grams[g] = append(x.grams[g], int32(i))
				}
				x.names = append(x.names, s)
			}
			if list := x.names[i].entities; len(list) == 0 || list[len(list)-1] != e {
				x.names[i].entities = append(list, e)
			}
		}
	}
	return x
}

// spell prepares a folded name; one that is too long is like nothing.
func spell(name string) spelling {
	s := spelling{letters: []rune(name)}
	if len(s.letters) > maxSpelling {
		return spelling{}
	}
	for w := range strings.FieldsSeq(name) {
		s.words = append(s.words, []rune(w))
	}
	s.grams = len(s.letters)
	return s
}

// triples returns the name's triples, with a blank before and after it.
func (s spelling) triples() []gram {
	out := make([]gram, 0, len(s.letters))
	at := func(i int) rune {
		if i < 0 || i >= len(s.letters) {
			return ' '
		}
		return s.letters[i]
	}
	for i := range s.letters {
		out = append(out, gram{at(i - 1), at(i), at(i + 1)})
	}
	return out
}

// similar returns the best candidates for a folded name, best first and each
// entity once.
func (x *nameIndex) similar(key string, most int) []match {
	asked := spell(key)
	var out []match
	for _, i := range x.candidates(asked) {
		score := likeness(asked, x.names[i])
		if score < alike {
			continue
		}
		for _, e := range x.names[i].entities {
			if at := slices.IndexFunc(out, func(m match) bool { return m.entity == e }); at < 0 {
				out = append(out, match{e, score})
			} else {
				out[at].score = max(out[at].score, score)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.entity.ID, b.entity.ID))
	})
	return out[:min(len(out), most)]
}

// candidates returns the names that share most triples with what was asked.
func (x *nameIndex) candidates(asked spelling) []int32 {
	shared := make([]uint16, len(x.names))
	for _, g := range asked.triples() {
		for _, i := range x.grams[g] {
			shared[i]++
		}
	}
	type hit struct {
		name int32
		part float64 // of all triples of both
	}
	var best [shortlist]hit
	n := 0
	for i, count := range shared {
		if count == 0 {
			continue
		}
		h := hit{int32(i), float64(count) / float64(asked.grams+x.names[i].grams)}
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

// likeness compares names: by spelling and by the words they share, whichever is
// kinder.
func likeness(a, b spelling) float64 {
	if len(a.letters) == 0 || len(b.letters) == 0 {
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
	shared = min(shared, float64(len(b.words))) // a word said twice is shared once
	return max(closeness(a.letters, b.letters, alike), wordWeight*2*shared/float64(len(a.words)+len(b.words)))
}

// closeness is one minus the part of letters that differ; 0 where it would be
// below least.
func closeness(a, b []rune, least float64) float64 {
	longest := max(len(a), len(b))
	if 1-float64(longest-min(len(a), len(b)))/float64(longest) < least {
		return 0 // the lengths alone differ too much
	}
	c := 1 - float64(distance(a, b))/float64(longest)
	if c < least {
		return 0
	}
	return c
}

// distance counts the letters to insert, delete or replace (Levenshtein) between
// two texts of at most maxSpelling letters.
func distance(a, b []rune) int {
	var row [maxSpelling + 1]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
