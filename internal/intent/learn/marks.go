package learn

import (
	"cmp"
	"slices"

	"voicegateway/internal/intent/reader"
)

// What the marks of a kind are for, in wrong guesses of all that reach the mark. A guess is
// wrong if the sentence is about other things: whether the light is to be on or brighter,
// the words say.
const (
	wrongIfSure   = 0.01
	wrongIfNearly = 0.05

	slips   = 1   // wrong guesses of a kind that are forgiven: a crowd's labels are not always right
	fewest  = 100 // guesses without which a kind has no marks of its own below those of all
	lowest  = 0.6 // mark for sure
	nearest = 0.4 // mark for nearly
)

// guess is what the model thought of a sentence that it had not seen.
type guess struct {
	kind  int
	share float64 // of all kinds about the same things
	right bool
}

// marks guesses every fold by a model that learned from the others, and returns the lowest
// mark of each kind for which few enough guesses are wrong.
func marks(all []point) []reader.Marks {
	var guesses []guess
	for fold := range folds {
		guesses = append(guesses, heldOut(all, fold)...)
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(b.share, a.share) })
	ofAll := marksOf(guesses)
	out := make([]reader.Marks, len(reader.Kinds()))
	for kind := range out {
		own := slices.DeleteFunc(slices.Clone(guesses), func(g guess) bool { return g.kind != kind })
		m := marksOf(own)
		if len(own) < fewest {
			m = reader.Marks{Sure: max(m.Sure, ofAll.Sure), Nearly: max(m.Nearly, ofAll.Nearly)}
		}
		out[kind] = reader.Marks{Sure: max(m.Sure, lowest), Nearly: max(min(m.Nearly, m.Sure), nearest)}
	}
	return out
}

// heldOut guesses the kinds of one fold, by a model that learned from the others. Guesses
// that a sentence is not for the house need no mark.
func heldOut(all []point, fold int) []guess {
	var seen, held []point
	for i, p := range all {
		if i%folds == fold {
			held = append(held, p)
		} else {
			seen = append(seen, p)
		}
	}
	w, kinds := fit(seen), reader.Kinds()
	var out []guess
	for _, p := range held {
		if best, share := reader.Best(w.shares(p)); kinds[best] != reader.None {
			out = append(out, guess{best, share, kinds[best].Things() == kinds[p.kind].Things()})
		}
	}
	return out
}

// marksOf returns the lowest marks of guesses that are sorted from the surest down: the share
// of the next guess must be below them.
func marksOf(guesses []guess) reader.Marks {
	m, wrong := reader.Marks{Sure: 1, Nearly: 1}, 0.0
	for i, g := range guesses {
		if !g.right {
			wrong++
		}
		mark := 0.0 // nothing that was guessed is below
		if i+1 < len(guesses) {
			mark = (g.share + guesses[i+1].share) / 2
		}
		if wrong-slips <= wrongIfSure*float64(i+1) {
			m.Sure = mark
		}
		if wrong-slips <= wrongIfNearly*float64(i+1) {
			m.Nearly = mark
		}
	}
	return m
}
