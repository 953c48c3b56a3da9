package ai

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/dialogue"
	"voicegateway/internal/tools"
)

// TestALostCallIsRuledOn: the first of two acts of a round is lost, and the ruling
// decides what follows.
func TestALostCallIsRuledOn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err    error
		ruling dialogue.Ruling
		steps  []step // of the model, after its calls
		called int
		said   []string
	}{
		"go on": {tools.ErrNotConnected, dialogue.Ruling{}, []step{says("Fine.")}, 2, []string{"That did not work, I could not reach it.", "The boiler is on."}},
		"again": {tools.ErrNotConnected, dialogue.Ruling{Again: true}, []step{says("Fine.")}, 3, []string{"The lamp is on.", "The boiler is on."}},
		"stop":  {tools.ErrNoAnswer, dialogue.Ruling{Stop: true, Say: "I stopped."}, nil, 1, []string{"I don't know whether that worked.", "I stopped."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := true
			b := &box{answer: map[string]func(context.Context, json.RawMessage) (tools.Result, error){
				"control": func(context.Context, json.RawMessage) (tools.Result, error) {
					if first {
						first = false
						return tools.Result{}, tt.err
					}
					return tools.Result{Text: "The lamp is on."}, nil
				},
				"boiler": func(context.Context, json.RawMessage) (tools.Result, error) {
					return tools.Result{Text: "The boiler is on."}, nil
				},
			}}
			var lost []dialogue.LostCall
			s := serve(t, append([]step{calls(want{"control", `{"n":1}`}, want{"boiler", `{"n":2}`})}, tt.steps...)...)
			h := hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "x", MayAct: true, Lost: func(_ context.Context, l dialogue.LostCall) dialogue.Ruling {
				lost = append(lost, l)
				return tt.ruling
			}})
			if h.err != nil || !slices.Equal(h.sentences, tt.said) || len(b.calls()) != tt.called {
				t.Errorf("said %q after %q: %v", h.sentences, b.calls(), h.err)
			}
			if len(lost) != 1 || lost[0].Tool != "control" || len(lost[0].Rest) != 1 || lost[0].Rest[0].Tool != "boiler" {
				t.Errorf("asked about %+v", lost)
			}
		})
	}
}

// TestArbitrate asks a scripted model.
func TestArbitrate(t *testing.T) {
	t.Parallel()
	s := serve(t, says(`It is dead, {"decision": "continue"}?</think>{"decision": "stop_task", "reason": "it is dead"}`), says("I would wait."))
	a := talk(t, s, &box{})
	facts := dialogue.Trouble{Server: "zwave", Health: "dead", Asked: "both lamps on", Done: []string{"lamp one: on"}, Open: []string{"lamp two: on"}}
	decision, why, err := a.Arbitrate(t.Context(), facts)
	if decision != "stop_task" || why != "it is dead" || err != nil {
		t.Fatalf("%q because %q, %v", decision, why, err)
	}
	told := s.requests()[0]
	if len(told.Tools) != 0 || !strings.Contains(told.Messages[1].Content, `"open":["lamp two: on"]`) {
		t.Errorf("the model was told %+v", told)
	}
	if _, _, err := a.Arbitrate(t.Context(), facts); err == nil {
		t.Error("talk was taken for a decision")
	}
}

func TestVerdictOf(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text     string
		decision string // "" means refused
	}{
		"plain":         {`{"decision":"stop_task","reason":"the server is dead"}`, "stop_task"},
		"spaces":        {"\n {\"decision\": \"continue\", \"reason\": \"\"} \n", "continue"},
		"no reason":     {`{"decision":"retry_connection"}`, "retry_connection"},
		"unknown":       {`{"decision":"reboot","reason":"why not"}`, ""},
		"none":          {`{"reason":"I do not know"}`, ""},
		"more fields":   {`{"decision":"continue","confidence":1}`, "continue"},
		"text after":    {`{"decision":"continue"} as you wish`, "continue"},
		"text before":   {`Sure! {"decision":"continue"}`, "continue"},
		"twice":         {`{"decision":"continue"} {"decision":"continue"}`, "continue"},
		"two":           {`{"decision":"continue"}{"decision":"stop_task"}`, ""},
		"fenced":        {"```json\n{\"decision\":\"continue\",\"reason\":\"it {was} healthy\"}\n```\nThat is all.", "continue"},
		"another shout": {`{"decision":"STOP_TASK"}`, "stop_task"},
		"another brace": {`{ hm {"decision":"stop_task"}`, "stop_task"},
		"array":         {`["continue"]`, ""},
		"empty":         {"", ""},
		"words":         {"I would continue.", ""},
		"cut":           {`{"decision":"cont`, ""},
		"wrong type":    {`{"decision":3}`, ""},
	} {
		got, _, err := verdictOf(tt.text)
		if string(got) != tt.decision || (err == nil) != (tt.decision != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func FuzzVerdictOf(f *testing.F) {
	f.Add(`{"decision":"stop_task","reason":"x"}`)
	f.Add(`{"decision":`)
	f.Fuzz(func(t *testing.T, text string) {
		decision, _, err := verdictOf(text)
		if (err == nil) != (decision != "") {
			t.Fatalf("%q and %v", decision, err)
		}
	})
}
