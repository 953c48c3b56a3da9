package mind_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/tools"
)

// TestWhatWasWrittenOnAListIsTakenBack: an undo takes away what was added and adds what was taken
// away; what is done stays done.
func TestWhatWasWrittenOnAListIsTakenBack(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		says []string
		ends record.Outcome // of the last one
		list string
	}{
		"added":            {[]string{"add milk to the shopping list", "undo that"}, record.Done, "bread, tea"},
		"added after all":  {[]string{"add milk to the shopping list", "undo that", "undo that"}, record.Done, "bread, milk, tea"},
		"removed":          {[]string{"remove bread from the shopping list", "undo that"}, record.Done, "bread, tea"},
		"two at once":      {[]string{"add milk to the shopping list and add eggs to the shopping list", "undo that"}, record.Done, "bread, tea"},
		"done":             {[]string{"cross bread off the shopping list", "undo that"}, record.Failed, "tea"},
		"taken away since": {[]string{"add milk to the shopping list", "-milk", "undo that"}, record.Failed, "bread, tea"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			list := []string{"bread", "tea"}
			shop := home.Entity{
				ID: "todo.shop", Name: "Shopping List", Domain: "todo", Server: "homeassistant", Abilities: []home.Ability{home.List},
				Control: &home.Control{Tool: "control_homeassistant_device", ID: "Shopping List"}, Read: &home.Control{Tool: "get_device_state", ID: "Shopping List"},
			}
			n := needs(t, &home.House{Entities: []home.Entity{shop}}, &fake.Assistant{}, &fake.Caller{
				AwaitFunc: func(context.Context, mind.Need) error { return nil },
				CallFunc: func(_ context.Context, c tools.Call) (tools.Result, error) {
					mu.Lock()
					defer mu.Unlock()
					if c.Tool == "get_device_state" {
						return tools.Result{Data: json.RawMessage(`{"state":"2"}`)}, nil
					}
					var asked struct{ Action, Value string }
					if err := json.Unmarshal(c.Args, &asked); err != nil {
						return tools.Result{}, err
					}
					r := tools.Receipt{Device: "Shopping List", Property: string(home.List), Outcome: tools.Confirmed, Before: len(list)}
					at := slices.Index(list, asked.Value)
					switch {
					case asked.Action == "add":
						list = append(list, asked.Value)
					case at < 0:
						r.Outcome, r.Reason = tools.Refused, tools.RefusedItem
						return tools.Result{Failed: true, Receipt: &r}, nil
					default:
						list = slices.Delete(list, at, at+1)
					}
					r.Value = len(list)
					return tools.Result{Receipt: &r}, nil
				},
			})
			var rec record.Record
			for _, text := range tt.says {
				if gone, ok := strings.CutPrefix(text, "-"); ok {
					mu.Lock()
					list = slices.DeleteFunc(list, func(s string) bool { return s == gone })
					mu.Unlock()
					continue
				}
				rec = n.ask(t, text)
				if strings.Contains(rec.Reply, "devices") || rec.Outcome == record.Done && !strings.Contains(rec.Reply, "hopping list") {
					t.Errorf("%q: %s, %q", text, rec.Outcome, rec.Reply)
				}
			}
			slices.Sort(list)
			if got := strings.Join(list, ", "); got != tt.list || rec.Outcome != tt.ends {
				t.Errorf("the list is %s, the end %s; want %s, %s", got, rec.Outcome, tt.list, tt.ends)
			}
		})
	}
}
