package mind_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// TestNumbersAreReadBack: who said a number hears the one that the device reports, so
// that fifty for fifteen is noticed.
func TestNumbersAreReadBack(t *testing.T) {
	t.Parallel()
	families := map[string]*family{}
	golden := fake.ReadProse(t, "testdata/readback.txtar")
	golden.Answer(func(c fake.ProseCase, language, asked string) string {
		if families[language] == nil {
			families[language] = move(t, language)
		}
		a := families[language].answer
		if c.Name == "a volume" {
			a = resident(t, language, fake.Villa(language), func(context.Context, tools.Call) (tools.Result, error) {
				return tools.Result{Text: "The volume is 40 percent.", Data: json.RawMessage(`{"level":40,"muted":false,"backend":"software"}`)}, nil
			})
		}
		rec := a.Turn(t.Context(), record.Request{Text: asked, Source: record.FromHTTP})
		if rec.Outcome != record.Done || !strings.Contains(rec.Reply, c.Given["number"]) {
			t.Errorf("%s: %q is %s: %q", language, asked, rec.Outcome, rec.Reply)
		}
		return rec.Reply
	})
	golden.Compare(t, *update)
}
