package mind_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/tools"
)

// unconnected is a house whose server is not connected, by its fault.
type unconnected string

func (u unconnected) Untold() []string                        { return nil }
func (u unconnected) Others(context.Context) []mind.AwayHouse { return nil }
func (u unconnected) Expects() bool                           { return true }
func (u unconnected) OwnServer() (mind.AwayHouse, bool) {
	return mind.AwayHouse{Name: "Z-Wave", Fault: strings.TrimPrefix(string(u), "new")}, u == ""
}

// TestWhyTheHouseIsEmpty gives commands and asks questions while no house is known. The
// answer gives what its server waits for as the cause, or why the server is not connected,
// and says what to do.
func TestWhyTheHouseIsEmpty(t *testing.T) {
	t.Parallel()
	golden := fake.ReadProse(t, "testdata/houseless.txtar")
	golden.Answer(func(c fake.ProseCase, language, asked string) string {
		a := resident(t, language, &home.House{}, func(_ context.Context, call tools.Call) (tools.Result, error) {
			if call.Tool != "check_zwave_health" {
				t.Errorf("%q calls %s", asked, call.Tool)
			}
			if c.Given["server"] != "" {
				return tools.Result{}, fmt.Errorf("calling zwave: %w", tools.ErrNotConnected)
			}
			data, err := json.Marshal(map[string]string{"waiting_for": c.Given["waiting"]})
			return tools.Result{Data: data}, err
		})
		a.Houses = unconnected(c.Given["server"])
		rec := a.Turn(t.Context(), record.Request{Text: asked, Source: record.FromHTTP})
		if rec.Outcome != record.Failed {
			t.Errorf("%s: %q is %s", language, asked, rec.Outcome)
		}
		return rec.Reply
	})
	golden.Compare(t, *update)
}
