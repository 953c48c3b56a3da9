package names

import (
	"math/bits"
	"slices"
	"strings"

	"voicegateway/internal/language/text"
)

// Thresholds of the score, measured on names a recogniser misheard: accept at
// 0.80 with a lead of 0.06 over the next name, ask from 0.70.
const (
	acceptScore = 0.80
	acceptLead  = 0.06
	askScore    = 0.70
)

// Constants of the comparison of two words.
const (
	soundsLike = 0.88 // likeness of words that sound the same
	leastAlike = 0.40 // share of equal letters that words of the same sound must have for that
	worthwhile = 0.34 // below this share of equal letters words are not alike
	// tells is the weight from which a word distinguishes one thing from another. Each such
	// word, heard or in the name, must reach a likeness of tellsAlike.
	tells      = 0.55
	tellsAlike = 0.58
	// sameKind is the likeness of a lamp and a light.
	sameKind = 0.80
	// inOneWord is the likeness from which a text without its spaces counts as a name,
	// although some of its words are not in the name: "hall way light", "bed room curtins".
	inOneWord = 0.85
)

// scored is an entry with its likeness.
type scored struct {
	entry    int
	score    float64
	doubtful bool // the kind of thing was not heard: see doubts
}

// score compares what was heard with every name by letters and sound.
func (x *Index) score(p phrase, allow, near func(int) bool) Result {
	h := x.compare(p.words)
	joined := x.token(p.joined)
	var text, sound text.Pattern
	text.Set(joined.text)
	sound.Set(joined.sound)
	worth := h.worth(x)
	var room [16]scored
	best := room[:0]
	for i := range x.forms {
		f := &x.forms[i]
		if allow != nil && !allow(f.entry) {
			continue
		}
		s, least := 0.0, inOneWord
		if !h.strange(f.words) {
			if worth == nil || worth[i/64]&(1<<(i%64)) != 0 {
				s = h.align(x, f.words)
			}
			least = max(s, askScore)
		}
		// Letters must be alike for the score to count, even if the sounds are equal.
		if most := 0.6 * likeliest(&joined, &f.joined); most+0.4 > least {
			if e := 0.4 * sound.Likeness(f.joined.sound); most+e > least {
				if whole := 0.6*text.Likeness(f.joined.text) + e; whole > least {
					s = whole
				}
			}
		}
		switch n := len(best); {
		case s < askScore:
		case n == 0 || best[n-1].entry != f.entry:
			best = append(best, scored{f.entry, s, h.doubts(x, f.words)})
		case s > best[n-1].score:
			best[n-1].score, best[n-1].doubtful = s, h.doubts(x, f.words)
		}
	}
	return judge(best, near)
}

// judge makes a result of the entries that are alike.
func judge(best []scored, near func(int) bool) Result {
	if len(best) == 0 {
		return Result{}
	}
	slices.SortStableFunc(best, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	top := best[0].score
	var items []int
	for _, s := range best {
		if top-s.score < acceptLead {
			items = append(items, s.entry)
		}
	}
	items = closest(items, near)
	doubtful := slices.ContainsFunc(best, func(s scored) bool { return s.doubtful && s.entry == items[0] })
	rivals := len(best) > len(items) && top < 1 // a name that was cut in two is that name, without rivals
	if len(items) == 1 && top >= acceptScore && !doubtful {
		return Result{Verdict: Fuzzy, Items: items, Rivals: rivals}
	}
	return Result{Verdict: Unsure, Items: items[:min(len(items), MaxCandidates)], Rivals: rivals}
}

// heard holds the likeness of every heard word to every word of the index, so
// that it is computed once and not for every name.
type heard struct {
	likeness [][]float32 // by heard word, by word of the index
	weight   []float64   // by heard word
	words    []string    // as heard
	itself   []bool      // by heard word: it means itself, see vocabulary.household
}

// strange reports whether a heard word is not a mishearing but the name of something
// else.
func (h *heard) strange(name []int32) bool {
	for i, row := range h.likeness {
		if h.itself[i] && !slices.ContainsFunc(name, func(id int32) bool { return row[id] >= sameKind }) {
			return true
		}
	}
	return false
}

// doubts reports whether the word for the kind in a name was heard with another
// beginning, which a mishearing usually keeps: "kitchen night" is not the kitchen light.
// Words are compared only if the name has as many as were heard; otherwise some were cut
// in two.
func (h *heard) doubts(x *Index, name []int32) bool {
	if len(name) != len(h.likeness) {
		return false
	}
	for i, id := range name {
		said := func(w string) bool { return w == x.vocab[id].text || x.kind[id] != 0 && x.words.kinds[w] == x.kind[id] }
		if !slices.ContainsFunc(h.words, said) && x.otherKind(h.words[i], x.vocab[id].text) {
			return true
		}
	}
	return false
}

// otherKind reports whether a word for a kind of thing, or a compound that ends with one,
// was heard with another beginning. A lost beginning, or one to which the end of another
// word was added ("eater", "clamp"), does not count.
func (x *Index) otherKind(heard, name string) bool {
	head := x.words.beforeKind(name)
	if head < 0 || !strings.HasPrefix(heard, name[:head]) {
		return false
	}
	heard, name = heard[head:], name[head:]
	return onset(heard) != onset(name) && onset(x.sounds.key(heard)) != onset(x.sounds.key(name)) &&
		!strings.Contains(heard, name) && !strings.Contains(name, heard)
}

// onset is the first letter or sound of a word, 0 for none.
func onset(word string) byte {
	if word == "" {
		return 0
	}
	return word[0]
}

func (x *Index) compare(words []string) *heard {
	h := &heard{likeness: make([][]float32, len(words)), weight: make([]float64, len(words)), words: words, itself: make([]bool, len(words))}
	all := make([]float32, len(words)*len(x.vocab))
	var text text.Pattern
	for i, w := range words {
		t := x.token(w)
		text.Set(t.text)
		row := all[i*len(x.vocab) : (i+1)*len(x.vocab)]
		for j := range x.vocab {
			row[j] = float32(similar(&t, &text, &x.vocab[j]))
		}
		x.kinds(row, w)
		h.itself[i] = x.words.household[w] || x.words.kinds[w] != 0
		begins := x.words.beginning(w)
		for j, s := range row {
			switch {
			case s == 0: // most words, which need no closer look
			case h.itself[i] && s != sameKind && s < 1 && !x.misspells(x.vocab[j].text, w),
				begins != "" && s < 1 && !x.sameTail(w, x.vocab[j].text, begins):
				row[j] = 0
			}
		}
		h.itself[i] = h.itself[i] || begins != ""
		h.likeness[i] = row
		h.weight[i] = 1
		if id, ok := x.word[w]; ok {
			h.weight[i] = x.weight[id]
		}
	}
	return h
}

// longEnough is how many letters a word has of which one may be wrong in a name.
const longEnough = 7

// misspells reports whether a word of a name is a household word with a slip, as people
// write the names of their things: "Dishwaser". No such word means something else.
func (x *Index) misspells(name, household string) bool {
	return len(household) >= longEnough && !x.words.household[name] && x.words.kinds[name] == 0 && text.Distance(name, household) == 1
}

// sameTail reports whether two compounds with the same beginning also end alike.
func (x *Index) sameTail(w, name, begins string) bool {
	tail, ok := strings.CutPrefix(name, begins)
	if !ok {
		return false
	}
	a, b := x.token(w[len(begins):]), x.token(tail)
	var text text.Pattern
	text.Set(a.text)
	return similar(&a, &text, &b) >= tellsAlike
}

// worth marks the names that hold a word like the heard word that distinguishes
// most; align would give nothing for the others. Nil means all names.
func (h *heard) worth(x *Index) []uint64 {
	var rarest []float32
	least := len(x.forms)
	for i, row := range h.likeness {
		if h.weight[i] < tells {
			continue
		}
		n := 0
		for id, s := range row {
			if s >= tellsAlike {
				n += len(x.within[id])
			}
		}
		if n < least {
			rarest, least = row, n
		}
	}
	if rarest == nil {
		return nil
	}
	marks := make([]uint64, (len(x.forms)+63)/64)
	for id, s := range rarest {
		if s < tellsAlike {
			continue
		}
		for _, form := range x.within[id] {
			marks[form/64] |= 1 << (form % 64)
		}
	}
	return marks
}

// kinds raises the likeness of the words for the same kind of thing as w.
func (x *Index) kinds(row []float32, w string) {
	kind := x.words.kinds[w]
	if kind == 0 {
		return
	}
	for j, k := range x.kind {
		if k == kind {
			row[j] = max(row[j], sameKind)
		}
	}
}

// align compares two names word by word, in both directions, so that a missing
// word and an added word both lower the result.
func (h *heard) align(x *Index, name []int32) float64 {
	var there, thereWeight, back, backWeight float64
	for i, row := range h.likeness {
		best := 0.0
		for _, id := range name {
			best = max(best, float64(row[id]))
		}
		if h.weight[i] >= tells && best < tellsAlike {
			return 0
		}
		there += h.weight[i] * best
		thereWeight += h.weight[i]
	}
	for _, id := range name {
		best := 0.0
		for _, row := range h.likeness {
			best = max(best, float64(row[id]))
		}
		if x.weight[id] >= tells && best < tellsAlike {
			return 0
		}
		back += x.weight[id] * best
		backWeight += x.weight[id]
	}
	there, back = there/thereWeight, back/backWeight
	return 0.7*min(there, back) + 0.3*max(there, back)
}

// similar compares two words by letters, lifted when they sound the same.
func similar(a *token, text *text.Pattern, b *token) float64 {
	if a.text == b.text {
		return 1
	}
	if likeliest(a, b) < worthwhile {
		return 0
	}
	e := text.Likeness(b.text)
	if e < worthwhile {
		return 0
	}
	s := (e + text.JaroWinkler(b.text)) / 2
	if a.sound == b.sound && e >= leastAlike {
		s = max(s, soundsLike)
	}
	return s
}

// likeliest is the most that edit could give, from lengths and letters alone.
func likeliest(a, b *token) float64 {
	la, lb := min(len(a.text), text.MaxLetters), min(len(b.text), text.MaxLetters)
	longest := max(la, lb)
	if longest == 0 {
		return 1
	}
	onlyA, onlyB := bits.OnesCount64(a.letters&^b.letters), bits.OnesCount64(b.letters&^a.letters)
	least := max(longest-min(la, lb), onlyA, onlyB)
	return 1 - float64(least)/float64(longest)
}
