package plan_test

import (
	"encoding/json"
	"testing"
	"time"

	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// TestLook tells from a device's later state what came of a command of ten seconds
// ago.
func TestLook(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args   string
		before plan.Sight
		state  string
		want   string // there, back, rests, known or unknown
	}{
		"a garage door is open":            {`{"action":"open"}`, plan.Sight{}, `{"state":"open","age_seconds":2}`, "there"},
		"it still moves":                   {`{"action":"open"}`, plan.Sight{}, `{"state":"opening","age_seconds":2}`, "known"},
		"it goes back":                     {`{"action":"close"}`, plan.Sight{}, `{"state":"opening","age_seconds":2}`, "back"},
		"it has stopped":                   {`{"action":"close"}`, plan.Sight{}, `{"state":"stopped","age_seconds":2}`, "rests"},
		"a report from before the command": {`{"action":"open"}`, plan.Sight{}, `{"state":"open","age_seconds":40}`, "unknown"},
		"nobody knows how old it is":       {`{"action":"open"}`, plan.Sight{}, `{"state":"open","age_seconds":-1}`, "unknown"},
		"a house that tells no age":        {`{"action":"open"}`, plan.Sight{}, `{"state":"open"}`, "there"},
		"a blind half open":                {`{"action":"open"}`, plan.Sight{}, `{"state":"open","values":{"position":40},"age_seconds":1}`, "known"},
		"a blind that counts to 99":        {`{"action":"open"}`, plan.Sight{}, `{"state":"open","values":{"position":99},"age_seconds":1}`, "there"},
		"a blind nearly closed":            {`{"action":"close"}`, plan.Sight{}, `{"state":"open","values":{"position":1},"age_seconds":1}`, "known"},
		"a blind on its way":               {`{"action":"close"}`, plan.Sight{Known: true, Level: 60.0}, `{"values":{"position":40},"age_seconds":1}`, "known"},
		"a blind that is taken back":       {`{"action":"close"}`, plan.Sight{Known: true, Level: 60.0}, `{"values":{"position":80},"age_seconds":1}`, "back"},
		"a position":                       {`{"action":"position","value":50}`, plan.Sight{}, `{"state":"open","values":{"position":51},"age_seconds":1}`, "there"},
		"a slow lamp":                      {`{"action":"on"}`, plan.Sight{}, `{"state":"on","values":{"brightness":7},"age_seconds":1}`, "there"},
		"a lamp that goes out":             {`{"action":"off"}`, plan.Sight{}, `{"state":"on","values":{"brightness":7},"age_seconds":1}`, "known"},
		"a jammed lock":                    {`{"action":"lock"}`, plan.Sight{}, `{"state":"jammed","age_seconds":1}`, "rests"},
		"a thermostat that was asleep":     {`{"action":"setpoint","value":21}`, plan.Sight{}, `{"state":"heat","values":{"setpoint":21},"age_seconds":4000}`, "there"},
		"a thermostat that still sleeps":   {`{"action":"setpoint","value":21}`, plan.Sight{}, `{"state":"heat","values":{"setpoint":19},"age_seconds":4000}`, "known"},
		"a state that is not known":        {`{"action":"lock"}`, plan.Sight{}, `{"state":null,"age_seconds":1}`, "unknown"},
		"no state at all":                  {`{"action":"lock"}`, plan.Sight{}, `42`, "unknown"},
	} {
		got := plan.Look(tools.Call{Args: json.RawMessage(tt.args)}, tools.Result{Data: json.RawMessage(tt.state)}, 10*time.Second, tt.before)
		word := "unknown"
		switch {
		case got.There:
			word = "there"
		case got.Back:
			word = "back"
		case got.Rests:
			word = "rests"
		case got.Known:
			word = "known"
		}
		if word != tt.want {
			t.Errorf("%s: %s, expected %s (%+v)", name, word, tt.want, got)
		}
	}
	for args, want := range map[string]bool{
		`{"action":"open"}`: true, `{"action":"setpoint","value":21}`: true, `{"action":"level"}`: false, `{"action":"toggle"}`: false,
		`{"action":"stop"}`: false, `{"action":"colour","value":"red"}`: false, `{}`: false, ``: false,
	} {
		if got := plan.ShowsLater(tools.Call{Args: json.RawMessage(args)}); got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
}
