package stt

import (
	"cmp"
	"context"
	"slices"

	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/language/speech"
)

const (
	// rivalsMost is how many sentences that sound like the text are weighed with it.
	rivalsMost = 4
	// othersMost is how many of them are named.
	othersMost = 3
	// stableFor is how many frames of sound the words so far have been the same when
	// their rivals are looked for.
	stableFor = 2
)

// nearness says which rivals are named: those that fit worse than the text by at most this
// (sphinx.Utterance.Score; docs/facts/engines.md, What sounds alike).
var nearness = sphinx.Nearness{Clear: 50, Poor: 300, PoorFit: -4.0}

// expectWeighing tells the recogniser as soon as the words so far are a sentence: in the quiet
// after it the recogniser does what Finish and weigh will ask for. If it cannot, that is done
// when the sentence is over.
func (e *pocketSphinx) expectWeighing(ctx context.Context, p speech.Partial) {
	if p.Stable != stableFor || e.sentences == nil || e.reopened || e.expected != speech.Sentence || !e.sentences.Whole(p.Text) {
		return
	}
	e.weighed = e.rivals(p.Text)
	_ = e.utterance.Foresee(ctx, e.weighed, nearness)
}

// rivals are a text and the sentences that sound like it.
func (e *pocketSphinx) rivals(text string) []string {
	return append([]string{text}, e.sentences.Of(text, rivalsMost)...)
}

// weigh scores the sentences that sound like the text, and the text itself, each alone:
// along the whole grammar, the likelihood of a word depends on how many others could have
// stood in its place. Those that fit nearly as well or better become the others. A better
// one does not replace the text, because it is wrong as often as the text. Without scores
// there are no others.
func (e *pocketSphinx) weigh(ctx context.Context, t speech.Transcript, margin float64) speech.Transcript {
	if t.Text == "" || t.Unfinished || e.sentences == nil {
		return t
	}
	texts := e.weighed
	if len(texts) == 0 || texts[0] != t.Text {
		texts = e.rivals(t.Text)
	}
	if len(texts) == 1 {
		return t
	}
	within := nearness.Within(margin)
	scores, err := e.utterance.Score(ctx, texts, within)
	if err != nil || len(scores) == 0 || scores[0] == sphinx.Unfit {
		return t
	}
	type reading struct {
		text  string
		score int
	}
	var near []reading
	for i, text := range texts[1:] {
		if score := scores[i+1]; score >= scores[0]-within {
			near = append(near, reading{text, score})
		}
	}
	slices.SortStableFunc(near, func(a, b reading) int { return cmp.Compare(b.score, a.score) })
	for _, r := range near[:min(len(near), othersMost)] {
		t.Others = append(t.Others, r.text)
	}
	return t
}
