// Package names decides which thing of a house was meant by the words that were
// heard. Its order is: the exact name after normalising, a part of the name that
// fits one thing only, then a score of letters and sound. Between two that are
// close it asks; it never guesses. To support another language's sound add a
// table to phonetic.go.
package names

import (
	"math"
	"slices"
	"strings"
)

// Entry is one thing with everything it is called.
type Entry struct {
	Name    string
	Aliases []string
}

// Verdict says what Resolve found.
type Verdict uint8

// The verdicts.
const (
	None   Verdict = iota // nothing is similar enough
	Unsure                // similar, but not beyond doubt: ask whether it was meant
	Many                  // several fit equally
	Fuzzy                 // one, by similarity
	Exact                 // one, by its own words
)

// Thresholds of the score, measured on names a recogniser misheard: accept at
// 0.80 with a lead of 0.06 on the next, ask from 0.70.
const (
	acceptScore = 0.80
	acceptLead  = 0.06
	askScore    = 0.70
)

// maxHeard is how many words a heard name may have.
const maxHeard = 12

// maxCandidates is how many things one question may name.
const maxCandidates = 3

// Result is what Resolve found: indices of entries, best first, at most three
// unless the verdict is Many.
type Result struct {
	Verdict Verdict
	Items   []int
}

// Index holds entries ready for comparison. It is never changed after New.
type Index struct {
	forms  []form
	vocab  []token   // every word of every name once
	weight []float64 // by word: how much it tells, rare ones more
	word   map[string]int
}

type form struct {
	entry  int
	words  []int // in vocab
	joined token
}

type token struct{ text, sound string }

// New prepares entries. Names without a single word are left out.
func New(entries []Entry) *Index {
	x := &Index{word: make(map[string]int)}
	var count []int // entries that use a word
	last := make(map[int]int)
	for i, e := range entries {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			words := Normalise(name)
			if len(words) == 0 {
				continue
			}
			f := form{entry: i, joined: makeToken(strings.Join(words, ""))}
			for _, w := range words {
				id, ok := x.word[w]
				if !ok {
					id = len(x.vocab)
					x.word[w] = id
					x.vocab = append(x.vocab, makeToken(w))
					count = append(count, 0)
				}
				if last[id] != i+1 {
					last[id] = i + 1
					count[id]++
				}
				f.words = append(f.words, id)
			}
			x.forms = append(x.forms, f)
		}
	}
	for _, n := range count {
		x.weight = append(x.weight, 1/(1+0.6*math.Log(float64(n))))
	}
	return x
}

func makeToken(w string) token { return token{text: w, sound: Sound(w)} }

// Resolve finds the entry that was meant. Only entries that allow accepts are
// considered (nil: all).
func (x *Index) Resolve(heard string, allow func(entry int) bool) Result {
	words := Normalise(heard)
	if len(words) == 0 || len(words) > maxHeard {
		return Result{}
	}
	if items := x.literal(words, allow); len(items) > 0 {
		return decided(items)
	}
	return x.score(words, allow)
}

// Knows reports whether the words are a name, or a part of names, as they are.
func (x *Index) Knows(heard string) bool { return len(x.literal(Normalise(heard), nil)) > 0 }

// literal finds the entries of exactly these words, else those with these words
// among others.
func (x *Index) literal(words []string, allow func(int) bool) []int {
	ids := make([]int, 0, maxHeard)
	for _, w := range words {
		id, ok := x.word[w]
		if !ok || len(ids) == maxHeard {
			return nil
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	if items := x.collect(allow, func(f *form) bool { return slices.Equal(f.words, ids) }); len(items) > 0 {
		return items
	}
	return x.collect(allow, func(f *form) bool { return subset(f.words, ids) })
}

func decided(items []int) Result {
	if len(items) == 1 {
		return Result{Exact, items}
	}
	return Result{Many, items}
}

func (x *Index) collect(allow func(int) bool, fits func(*form) bool) []int {
	var items []int
	for i := range x.forms {
		f := &x.forms[i]
		if fits(f) && (allow == nil || allow(f.entry)) && !slices.Contains(items, f.entry) {
			items = append(items, f.entry)
		}
	}
	return items
}

func subset(words, of []int) bool {
	return len(of) <= len(words) && !slices.ContainsFunc(of, func(id int) bool { return !slices.Contains(words, id) })
}

func (x *Index) score(words []string, allow func(int) bool) Result {
	h := x.compare(words)
	joined := makeToken(strings.Join(words, ""))
	best := make(map[int]float64)
	for i := range x.forms {
		f := &x.forms[i]
		if allow != nil && !allow(f.entry) {
			continue
		}
		s := h.align(x, f.words)
		// Even with equal sound the letters must be alike for the score to count.
		if most := 0.6*likeliest(joined.text, f.joined.text) + 0.4; most >= askScore && most > s {
			s = max(s, 0.6*edit(joined.text, f.joined.text)+0.4*edit(joined.sound, f.joined.sound))
		}
		if s >= askScore {
			best[f.entry] = max(best[f.entry], s)
		}
	}
	var items []int
	for entry := range best {
		items = append(items, entry)
	}
	if len(items) == 0 {
		return Result{}
	}
	slices.SortFunc(items, func(a, b int) int {
		switch {
		case best[a] > best[b]:
			return -1
		case best[a] < best[b]:
			return 1
		}
		return a - b
	})
	lead := 1.0
	if len(items) > 1 {
		lead = best[items[0]] - best[items[1]]
	}
	if best[items[0]] >= acceptScore && lead >= acceptLead {
		return Result{Fuzzy, items[:1]}
	}
	if lead >= acceptLead {
		return Result{Unsure, items[:1]}
	}
	return Result{Unsure, items[:min(len(items), maxCandidates)]}
}

// heard holds the likeness of every heard word to every word of the index, so
// that it is computed once and not for every name.
type heard struct {
	likeness [][]float64 // by heard word, by word of the index
	weight   []float64   // by heard word
}

func (x *Index) compare(words []string) *heard {
	h := &heard{}
	for _, w := range words {
		t := makeToken(w)
		row := make([]float64, len(x.vocab))
		for i := range x.vocab {
			row[i] = similar(t, x.vocab[i])
		}
		weight := 1.0
		if id, ok := x.word[w]; ok {
			weight = x.weight[id]
		}
		h.likeness = append(h.likeness, row)
		h.weight = append(h.weight, weight)
	}
	return h
}

// align compares two names word by word, in both directions, so that neither a
// missing nor an added word goes unpunished.
func (h *heard) align(x *Index, name []int) float64 {
	var there, thereWeight, back, backWeight float64
	for i, row := range h.likeness {
		best := 0.0
		for _, id := range name {
			best = max(best, row[id])
		}
		there += h.weight[i] * best
		thereWeight += h.weight[i]
	}
	for _, id := range name {
		best := 0.0
		for _, row := range h.likeness {
			best = max(best, row[id])
		}
		back += x.weight[id] * best
		backWeight += x.weight[id]
	}
	there, back = there/thereWeight, back/backWeight
	return 0.7*min(there, back) + 0.3*max(there, back)
}

// similar compares two words by letters, lifted when they sound the same.
func similar(a, b token) float64 {
	if a.text == b.text {
		return 1
	}
	e := edit(a.text, b.text)
	s := (e + jaroWinkler(a.text, b.text)) / 2
	if a.sound == b.sound && e >= 0.4 {
		s = max(s, 0.88)
	}
	return s
}
