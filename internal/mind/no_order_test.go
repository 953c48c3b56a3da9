package mind_test

import (
	"context"
	"iter"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/mind/dialogue"
)

// TestAForbiddenActIsLeft: without a model, a sentence that forbids or postpones an
// act is answered by what was not done, in every language.
func TestAForbiddenActIsLeft(t *testing.T) {
	t.Parallel()
	golden := fake.ReadProse(t, "testdata/no_order.txtar")
	golden.Answer(func(_ fake.ProseCase, language, asked string) string {
		k := converse(t, language, func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
			return func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{}, dialogue.ErrNoModel) }
		})
		k.line(asked)
		if len(k.world.Calls) > 0 {
			t.Errorf("%s: %q made %q", language, asked, k.world.Calls)
		}
		return k.said[len(k.said)-1]
	})
	golden.Compare(t, *update)
}
