package answer_test

import (
	"context"
	"iter"
	"testing"

	"voicegateway/internal/dialogue"
)

// TestAForbiddenActIsLeft: without a model, a sentence that forbids or postpones an
// act is answered by what was not done, in every language.
func TestAForbiddenActIsLeft(t *testing.T) {
	t.Parallel()
	for language, c := range map[string]struct{ text, want string }{
		"en": {"never turn on the kitchen light", "That was no order, so I did nothing."},
		"de": {"schalte Kitchen Light nicht ein", "Das war kein Auftrag, ich habe nichts getan."},
		"es": {"no enciendas Kitchen Light", "No era una orden; no he hecho nada."},
		"fr": {"n'allume pas Kitchen Light", "Ce n'était pas un ordre ; je n'ai rien fait."},
	} {
		k := converse(t, language, func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
			return func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{}, dialogue.ErrNoModel) }
		})
		k.line(c.text)
		if len(k.world.Calls) > 0 || k.said[len(k.said)-1] != c.want {
			t.Errorf("%s: %q made %q and said %q", language, c.text, k.world.Calls, k.said)
		}
	}
}
