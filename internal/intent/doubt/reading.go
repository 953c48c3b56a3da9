package doubt

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// Either returns the readings of a sentence that mean different things, at most two, with
// the question which of them is meant. It returns none if the text is certain, and one if
// only another reading is a sentence.
func (r *Reader) Either(text string, others []string) (readings []string, question string) {
	first := r.Means(text)
	if first.Route == intent.Ask && first.Would != nil {
		return r.eitherAct(text, first, others)
	}
	if first.Route == intent.Local && !r.Acts(first) {
		return nil, ""
	}
	for _, other := range others {
		d := r.Means(other)
		switch {
		case d.Route != intent.Local || r.Same(first, d):
		case first.Route == intent.Local:
			if r.dangerous(first) && r.dangerous(d) {
				continue // neither is ever done
			}
			return []string{text, other}, r.differing(text, other, first, d)
		case r.dangerous(d) || first.Act.Forbids():
		default:
			return []string{other}, r.Phrases.Phrase("did_you_mean", map[string]any{"said": other})
		}
	}
	return nil, ""
}

// eitherAct is Either for a sentence that needs a question anyway, because its thing is
// not clear: it asks only if the acts of two readings differ.
func (r *Reader) eitherAct(text string, first intent.Decision, others []string) (readings []string, question string) {
	one := act(&plan.Step{Action: *first.Would})
	for _, other := range others {
		d := r.Means(other)
		if d.Route != intent.Ask || d.Would == nil || act(&plan.Step{Action: *d.Would}) == one {
			continue
		}
		if _, a, b, _ := choosing.Differing(text, other); brief(a) && brief(b) {
			return []string{text, other}, r.Phrases.Either(strings.Join(a, " "), strings.Join(b, " "))
		}
	}
	return nil, ""
}

// dangerous reports whether a decision is never done.
func (r *Reader) dangerous(d intent.Decision) bool {
	return slices.ContainsFunc(r.steps(d), func(s plan.Step) bool { return s.Risk == tools.Dangerous })
}

// brief reports whether words are few enough to name a reading by them.
func brief(words []string) bool { return len(words) > 0 && len(words) <= 3 }

// differing asks which of two sentences is meant, naming only the difference: words, what
// to do with a thing, or things.
func (r *Reader) differing(text, other string, first, second intent.Decision) string {
	all, others := things(r.steps(first)), things(r.steps(second))
	switch _, a, b, _ := choosing.Differing(text, other); {
	case sameThings(all, others) && brief(a) && brief(b):
		return r.Phrases.Either(strings.Join(a, " "), strings.Join(b, " "))
	case len(all)+len(others) == 0:
		return r.Phrases.Either(text, other)
	}
	one, two := r.apart(first, second)
	switch ones, twos := things(one), things(two); {
	case len(twos) == 0:
		return r.only(all, others)
	case len(ones) == 0:
		return r.only(others, all)
	case len(ones) == 1 && sameThings(ones, twos) && r.aim(one) != "" && r.aim(two) != "":
		return r.Phrases.Of("either_of", ones, map[string]any{"a": r.aim(one), "b": r.aim(two)})
	case act(&one[0]) == act(&two[0]), r.aim(one) != "" && r.aim(one) == r.aim(two):
		return r.Phrases.Either(r.Phrases.CallThings(ones), r.Phrases.CallThings(twos))
	}
	return r.Phrases.Either(text, other)
}

// aim is what the first of some steps makes of its thing, in a word or two.
func (r *Reader) aim(steps []plan.Step) string { return r.Phrases.Aim(&steps[0]) }

// only asks whether all things are meant or only some of them.
func (r *Reader) only(all, some []*home.Entity) string {
	key := "either_all"
	if len(all) == 2 {
		key = "either_both"
	}
	return r.Phrases.Phrase(key, map[string]any{"count": len(all), "b": r.Phrases.CallThings(some)})
}

// apart returns the steps of each of two decisions that the other one does not have.
func (r *Reader) apart(first, second intent.Decision) (one, two []plan.Step) {
	a, b := r.steps(first), r.steps(second)
	left := func(from, other []plan.Step) []plan.Step {
		return slices.DeleteFunc(slices.Clone(from), func(s plan.Step) bool {
			return slices.ContainsFunc(other, func(o plan.Step) bool { return thing(&s) == thing(&o) && act(&s) == act(&o) })
		})
	}
	return left(a, b), left(b, a)
}

func sameThings(a, b []*home.Entity) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(e *home.Entity) bool { return !slices.Contains(b, e) })
}

// Chosen returns the reading that an answer means, or the reading with other words in the
// place where the readings differ: "sixteen" after "fifteen, or fifty?". ok is false if
// the answer chooses none, such as a new command.
func (r *Reader) Chosen(readings []string, answer string) (text string, ok bool) {
	if len(readings) == 1 {
		return readings[0], r.Words.Yes(answer) || r.Same(r.Means(answer), r.Means(readings[0])) && r.Means(answer).Route == intent.Local
	}
	if i, ok := r.Words.Ordinal(answer, len(readings)); ok {
		return readings[i], true
	}
	alone := r.Means(answer)
	for i, text := range readings {
		if r.Words.Says(answer, text, readings[1-i]) || alone.Route == intent.Local && r.Same(alone, r.Means(text)) || r.pointed(text, answer) {
			return text, true
		}
	}
	if text, ok := r.byThing(readings, answer); ok {
		return text, true
	}
	return r.inPlace(readings, answer)
}

// pointed reports whether an answer says what a reading says, with a pronoun for its
// thing: "turn it on".
func (r *Reader) pointed(text, answer string) bool {
	meant := r.Means(text)
	if len(meant.Actions) != 1 || len(meant.Actions[0].Devices) != 1 || !r.Words.Points(answer) {
		return false
	}
	e := r.House.Entity(meant.Actions[0].Devices[0])
	return e != nil && slices.ContainsFunc(r.Words.About(answer, e.Name), func(said string) bool {
		d := r.Match(said)
		return d.Route == intent.Local && r.Same(d, meant)
	})
}

// longestInPlace is how many words an answer may have to take the place of the words in
// which two readings differ.
const longestInPlace = 4

// inPlace puts an answer where two readings differ.
func (r *Reader) inPlace(readings []string, answer string) (text string, ok bool) {
	before, _, _, behind := choosing.Differing(readings[0], readings[1])
	if countWords(answer) > longestInPlace || len(before)+len(behind) == 0 {
		return "", false
	}
	text = choosing.Between(before, answer, behind)
	return text, r.Means(text).Route == intent.Local
}

// byThing finds the reading that an answer means by the things it names.
func (r *Reader) byThing(readings []string, answer string) (text string, ok bool) {
	if r.Means(answer).Route == intent.Local {
		return "", false // a command of its own
	}
	one, two := r.apart(r.Means(readings[0]), r.Means(readings[1]))
	ones, twos := things(one), things(two)
	switch {
	case len(ones) == 1 && len(twos) == 1:
		if chosen := r.Words.Choose(answer, []*home.Entity{ones[0], twos[0]}); len(chosen) == 1 {
			return readings[slices.Index([]*home.Entity{ones[0], twos[0]}, chosen[0])], true
		}
		return "", false
	case len(ones) > 0 && len(twos) > 0:
		return "", false
	}
	all, some := 0, 1
	if len(ones) == 0 {
		all, some = 1, 0
	}
	extra := append(ones, twos...)
	switch {
	case r.Words.All(answer) || len(r.Words.ThingsIn(answer, extra)) > 0:
		return readings[all], true
	case len(r.Words.ThingsIn(answer, things(r.steps(r.Means(readings[some]))))) > 0:
		return readings[some], true
	}
	return "", false
}
