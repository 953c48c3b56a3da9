package ai

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// TestQuestionsToAServerLeaveInTheirOrder lets a model ask one server several things in
// an answer.
func TestQuestionsToAServerLeaveInTheirOrder(t *testing.T) {
	t.Parallel()
	const answers, questions = 40, 4
	swapped := 0
	for range answers {
		var list []want
		var wanted []string
		for n := range questions {
			args := fmt.Sprintf(`{"page":%d}`, n)
			list, wanted = append(list, want{"recipes", args}), append(wanted, "recipes"+args)
		}
		b := &others{box: &box{answer: map[string]func(context.Context, json.RawMessage) (tools.Result, error){
			"recipes": func(context.Context, json.RawMessage) (tools.Result, error) { return tools.Result{Text: "soup"}, nil },
		}}, more: []tools.Spec{{Name: "recipes", Risk: tools.Read, Input: json.RawMessage(`{"type":"object"}`), Server: "kitchen"}}}
		s := serve(t, calls(list...), says("Soup."))
		hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "what shall I cook"})
		if got := b.calls(); len(got) != questions {
			t.Fatalf("asked %q", got)
		} else if !slices.Equal(got, wanted) {
			swapped++
		}
	}
	if swapped > 0 {
		t.Errorf("of %d answers %d had their questions asked in another order", answers, swapped)
	}
}
