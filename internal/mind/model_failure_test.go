package mind_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/dialogue"
)

// TestAModelsFailureIsToldByName checks what a family hears of a model that fails,
// before its first sentence and after it, in every language.
func TestAModelsFailureIsToldByName(t *testing.T) {
	failures := []dialogue.Failure{
		dialogue.Unreachable, dialogue.KeyRefused, dialogue.Slow, dialogue.Nonsense, dialogue.Unfinished, dialogue.Filtered,
		dialogue.Busy, dialogue.QuotaUsed, dialogue.TooLong, dialogue.Misconfigured, dialogue.Faulty,
	}
	for _, language := range []string{"en", "de", "es", "fr"} {
		var begun string
		var failure error
		k := converse(t, language, func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
			return func(yield func(dialogue.Part, error) bool) {
				if begun == "" || yield(dialogue.Part{Sentence: begun}, nil) {
					yield(dialogue.Part{}, failure)
				}
			}
		})
		said := []string{"", ""}
		tell := func(err error, before string) record.Record {
			failure, begun = err, before
			k.line("xylophone concertos are quite something")
			last := k.records[len(k.records)-1]
			if last.Outcome != record.Failed || last.Error == "" {
				t.Errorf("%s: %v ended as %s, %q", language, err, last.Outcome, last.Error)
			}
			return last
		}
		said[0] = tell(errors.New("odd"), "").Reply
		said[1] = tell(dialogue.ErrNoModel, "").Reply
		for _, f := range failures {
			rec := tell(&dialogue.ModelError{Failure: f, Err: errors.New("why")}, "")
			if rec.Reply == "" || slices.Contains(said, rec.Reply) {
				t.Errorf("%s: %s is told as %q, like another", language, f, rec.Reply)
			}
			if (rec.Route == record.RouteNone) != (f == dialogue.Unreachable) {
				t.Errorf("%s: %s has the route %s", language, f, rec.Route)
			}
			said = append(said, rec.Reply)
		}
		rest := tell(&dialogue.ModelError{Failure: dialogue.Slow, Err: errors.New("why")}, "Hm.").Reply
		again := tell(&dialogue.ModelError{Failure: dialogue.Busy, Err: errors.New("why")}, "Hm.").Reply
		if rest != again || len(rest) <= len("Hm. ") || slices.Contains(said, rest) {
			t.Errorf("%s: the rest is told as %q and %q", language, rest, again)
		}
	}
}
