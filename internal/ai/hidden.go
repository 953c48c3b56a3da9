package ai

import (
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/ai/sentence"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// visible returns what a piece of the model's text adds to its answer. When a thought
// ends that had no beginning, the text held back so far was part of it and is dropped.
// From then on, an answer of this model is spoken only after its thought has ended.
func (r *reply) visible(rd *round, text string) string {
	said := rd.text.Push(text)
	if rd.text.Ended() {
		rd.split, rd.plain, rd.mused = sentence.Splitter{}, plainer{}, nil
		r.facts.verdicts = rd.verdicts
		r.a.habits.learn(endsThoughts, r.model)
	}
	return said
}

// remaining returns the rest of the answer at its end. If the model made no calls, the
// calls that it wrote as text are taken. Text that was held back as a thought and led to
// a call is not spoken.
func (r *reply) remaining(rd *round) string {
	thought := rd.text.Held && len(rd.calls) > 0
	rest := rd.text.Flush()
	if len(rd.calls) == 0 && !rd.last {
		rd.calls = rd.text.Calls()
		if len(rd.calls) > 0 {
			rd.split = sentence.Splitter{} // half a sentence before a call leads to it
		}
	}
	if thought {
		return ""
	}
	return rest
}

// whole speaks what there is in whole sentences of an answer that broke off.
func (r *reply) whole(rd *round) {
	for _, s := range rd.split.Push(rd.text.Cut()) {
		r.sentence(rd, s)
	}
	r.sentence(rd, rd.split.Whole())
}

// musings are the words of thoughts in all our languages, each with a space before
// and after it.
var musings = sync.OnceValue(func() []string {
	var list []string
	for _, w := range sentences.EveryWords() {
		for _, words := range w.Musings {
			list = append(list, plainWords(words))
		}
	}
	return list
})

// muses reports whether a sentence sounds like thinking aloud. It knows the phrases of
// several languages, because models think in any of them.
func muses(sentence string) bool {
	plain := plainWords(sentence)
	return slices.ContainsFunc(musings(), func(words string) bool { return strings.Contains(plain, words) })
}

// plainWords is a text in small letters without its punctuation.
func plainWords(said string) string {
	words := text.WordsWith(said, "'’-")
	return " " + strings.ReplaceAll(strings.Join(words, " "), "’", "'") + " "
}

// hold keeps a sentence back while the answer sounds like a thought: the mark that ends
// the thought may still come, and until then the two cannot be told apart.
func (rd *round) hold(s string) bool {
	if len(rd.mused) == 0 && !muses(s) {
		return false
	}
	rd.mused = append(rd.mused, s)
	return true
}

// releaseHeld is called when no thought has ended in the answer. It speaks the sentences
// that were held back, except those that sound like thinking aloud.
func (r *reply) releaseHeld(rd *round) {
	held := rd.mused
	rd.mused = nil
	for _, s := range held {
		if !muses(s) {
			r.speak(s)
		}
	}
}
