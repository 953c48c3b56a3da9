package ear

import (
	"context"
	"testing"

	"voicegateway/internal/language/speech"
)

// again is a recogniser that can continue an utterance.
type again struct{ Transcriber }

// Reopen goes on.
func (again) Reopen(context.Context) error { return nil }

// TestWhatMayGrow: the ear stays open after a sentence and after half of one.
func TestWhatMayGrow(t *testing.T) {
	t.Parallel()
	text, half := speech.Transcript{Text: "open the curtains"}, speech.Transcript{Text: "open the", Unfinished: true}
	for name, tt := range map[string]struct {
		stt    Transcriber
		reason string
		judged speech.Completeness
		text   speech.Transcript
		want   Kind
	}{
		"a sentence":                    {again{}, "sentence", speech.Closed, text, HeardSentence},
		"a room may follow":             {again{}, "sentence_may_grow", speech.Growable, text, HeardSentence},
		"others talk on":                {again{}, "sentence_may_grow", speech.Incomplete, text, Heard},
		"found at the end":              {again{}, "silence", speech.Incomplete, text, Heard},
		"half a sentence":               {again{}, "silence", speech.Incomplete, half, HeardHalf},
		"half, taken for whole":         {again{}, "sentence", speech.Closed, half, HeardHalf},
		"nothing":                       {again{}, "silence", speech.Incomplete, speech.Transcript{Rejected: "noise"}, Heard},
		"a sentence, nothing can grow":  {nil, "sentence", speech.Closed, text, Heard},
		"half of one, nothing can grow": {nil, "silence", speech.Incomplete, half, Heard},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := growingSentence{recogniser: &recogniser{stt: tt.stt}}
			said := &telling{}
			said.utterance.words.judged = tt.judged
			if got := g.judge(said, speech.Endpoint{Reason: tt.reason}, tt.text); got != tt.want {
				t.Errorf("it is %s, expected %s", got, tt.want)
			}
		})
	}
}
