package plan_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// TestAnotherColour: a lamp gets another colour than it has, and in ten times most of them.
func TestAnotherColour(t *testing.T) {
	t.Parallel()
	lamp := home.Entity{
		ID: "lamp", Name: "Lamp", Domain: "light", Server: "zwave", Abilities: []home.Ability{home.OnOff, home.Colour},
		Control: &home.Control{Tool: "control", ID: "lamp"}, Read: &home.Control{Tool: "read", ID: "lamp"},
	}
	another := intent.Decision{Route: intent.Local, Actions: []intent.Action{{Intent: "HassLightSet", Devices: []string{"lamp"}, Slots: map[string]any{"color": "another"}}}}
	turn := func(t *testing.T, now string) string {
		t.Helper()
		steps, err := plan.Calls(another, &home.House{Entities: []home.Entity{lamp}}, "")
		if err != nil {
			t.Fatal(err)
		}
		colour := ""
		for i := range steps {
			_, err := steps[i].Do(t.Context(), func(_ context.Context, c tools.Call) (tools.Result, error) {
				var args struct{ Action, Value string }
				if err := json.Unmarshal(c.Args, &args); err != nil {
					return tools.Result{}, err
				}
				if args.Action == "colour" {
					colour = args.Value
				}
				return tools.Result{Data: fmt.Appendf(nil, `{"state":"on","values":{"colour":%q}}`, now)}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return colour
	}
	for now, want := range map[string]string{
		"#ff0000": "green", "red": "green", "#0000ff": "red", "#00ff00": "violet", "#ffa757": "turquoise",
		"white": "blue", "#ffffff": "blue", "": "blue", "#xyzxyz": "blue",
	} {
		if got := turn(t, now); got != want {
			t.Errorf("after %q: %q, want %q", now, got, want)
		}
	}
	seen, now := map[string]bool{}, "red"
	for range 10 {
		next := turn(t, now)
		if next == now {
			t.Errorf("%s stays", now)
		}
		seen[next], now = true, next
	}
	if len(seen) < 4 {
		t.Errorf("only the colours %v come", seen)
	}
}
