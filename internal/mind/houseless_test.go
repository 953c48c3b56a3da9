package mind_test

import (
	"context"
	"encoding/json"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// TestWhyTheHouseIsEmpty gives commands and asks questions while no house is known. The
// answer gives what its server waits for as the cause, and says what to do.
func TestWhyTheHouseIsEmpty(t *testing.T) {
	t.Parallel()
	golden := fake.ReadProse(t, "testdata/houseless.txtar")
	golden.Answer(func(c fake.ProseCase, language, asked string) string {
		a := resident(t, language, &home.House{}, func(_ context.Context, call tools.Call) (tools.Result, error) {
			if call.Tool != "check_zwave_health" {
				t.Errorf("%q calls %s", asked, call.Tool)
			}
			data, err := json.Marshal(map[string]string{"waiting_for": c.Given["waiting"]})
			return tools.Result{Data: data}, err
		})
		rec := a.Turn(t.Context(), record.Request{Text: asked, Source: record.FromHTTP})
		if rec.Outcome != record.Failed {
			t.Errorf("%s: %q is %s", language, asked, rec.Outcome)
		}
		return rec.Reply
	})
	golden.Compare(t, *update)
}
