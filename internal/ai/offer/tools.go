package offer

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// Bounds of a tool's description of itself: its text in characters, and its schema in
// bytes.
const (
	MaxDescription = 1000
	MaxSchema      = 8000
)

// Foreign reports whether a tool belongs to a server that has no house.
type Foreign func(*tools.Spec) bool

// Shorten shortens what tools say of themselves, so that it fits every request. The
// words of a foreign one stand on one line, like all data.
func Shorten(specs []tools.Spec, foreign Foreign) []tools.Spec {
	for i := range specs {
		s := &specs[i]
		s.Description = clip(s.Description, MaxDescription)
		if foreign(s) {
			s.Description = dialogue.Line(s.Description)
		} else {
			s.Description = dialogue.Harmless(s.Description)
		}
		if len(s.Input) > MaxSchema {
			s.Input = dialogue.Bare(s.Input)
		}
		if len(s.Input) > MaxSchema {
			s.Input = dialogue.Bare(nil)
		}
	}
	return specs
}

// Choose keeps as many tools as one request may hold: the tools of the house, our own, those
// that share words with what was said, and then the first of the rest. The tools of every
// request come first and those chosen for these words last, so that requests begin alike.
func Choose(specs []tools.Spec, foreign Foreign, said string, most int) []tools.Spec {
	if len(specs) <= most {
		return specs
	}
	usual := make([]int, len(specs))
	for i := range usual {
		usual[i] = i
	}
	slices.SortStableFunc(usual, func(a, b int) int { return cmp.Compare(rankOf(&specs[a], foreign), rankOf(&specs[b], foreign)) })
	usual = usual[:most]
	var guests []int // tools that may give way
	for _, i := range usual {
		if foreign(&specs[i]) {
			guests = append(guests, i)
		}
	}
	var called []int
	meant := useful(specs, foreign, said, len(guests))
	for _, i := range meant {
		if !slices.Contains(guests, i) {
			called = append(called, i)
		}
	}
	guests = slices.DeleteFunc(guests, func(i int) bool { return slices.Contains(meant, i) })
	leave := guests[len(guests)-len(called):]
	usual = slices.DeleteFunc(usual, func(i int) bool { return slices.Contains(leave, i) })
	chosen := make([]tools.Spec, 0, most)
	for _, i := range append(usual, called...) {
		chosen = append(chosen, specs[i])
	}
	return chosen
}

// clip keeps at most n characters.
func clip(s string, n int) string {
	end, count := 0, 0
	for i := range s {
		switch count {
		case n - 1:
			end = i
		case n:
			return s[:end] + "…"
		}
		count++
	}
	return s
}

// rankOf puts the tools of a house before our own, and these before all others.
func rankOf(s *tools.Spec, foreign Foreign) int {
	switch {
	case s.Server == "":
		return 1
	case foreign(s):
		return 2
	}
	return 0
}

// useful are the foreign tools that share words with what was said, at most so many:
// those that share the rarest ones, in the order of the list. A word in a name counts
// for twice as much as one in a description.
func useful(specs []tools.Spec, foreign Foreign, said string, most int) []int {
	names, texts := make([][]string, len(specs)), make([][]string, len(specs))
	for i := range specs {
		if s := &specs[i]; foreign(s) {
			names[i], texts[i] = wordsIn(s.Name), wordsIn(s.Description)
		}
	}
	scores := make([]float64, len(specs))
	for _, word := range wordsIn(said) {
		weights := make([]float64, len(specs))
		share := 1.0
		for i := range specs {
			if has(names[i], word) {
				weights[i] = 2
			} else if has(texts[i], word) {
				weights[i] = 1
			}
			share += math.Min(weights[i], 1)
		}
		for i, weight := range weights {
			scores[i] += weight * math.Log2(float64(len(specs)+1)/share)
		}
	}
	return best(scores, most)
}

// best are the indexes of the highest scores above zero, at most so many, in their
// order.
func best(scores []float64, most int) []int {
	var found []int
	for i, score := range scores {
		if score > 0 {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	found = found[:min(most, len(found))]
	slices.Sort(found)
	return found
}

// apart are the words of a text in their order. Names are cut where their writers put
// words together.
func apart(text string) []string {
	var b strings.Builder
	last := ' '
	for _, r := range text {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// wordsIn returns the words of a text that may say what it is about, each once. Words of
// one or two letters are left out.
func wordsIn(text string) []string {
	words := apart(text)
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) < 3 })
	slices.Sort(words)
	return slices.Compact(words)
}

// has reports whether a word is among others, up to its ending: note is in notes.
func has(words []string, word string) bool {
	const stem, ending = 4, 3
	return slices.ContainsFunc(words, func(w string) bool {
		short, long := w, word
		if len(short) > len(long) {
			short, long = long, short
		}
		return short == long || len(short) >= stem && len(long)-len(short) <= ending && strings.HasPrefix(long, short)
	})
}
