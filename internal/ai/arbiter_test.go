package ai

import (
	"strings"
	"testing"

	"voicegateway/internal/mind/dialogue"
)

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
