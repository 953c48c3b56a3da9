package mind_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/tools"
)

// TestAModelsCallsAreMadeInItsOrder lets a model call one tool several times in an
// answer, with another value each: the last value is the one that holds.
func TestAModelsCallsAreMadeInItsOrder(t *testing.T) {
	t.Parallel()
	const answers, calls = 200, 4
	for name, call := range map[string]string{
		"a tool of ours":     `.set_volume {"action":"set","level":%d}`,
		"a foreign server's": `notes.add_note {"number":%d}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var made []string
				m := &script{}
				k := converse(t, "en", m.reply)
				k.caller.CallFunc = func(_ context.Context, c tools.Call) (tools.Result, error) {
					mu.Lock()
					defer mu.Unlock()
					made = append(made, string(c.Args))
					return tools.Result{Text: "done"}, nil
				}
				swapped := 0
				for range answers {
					var want []string
					var round []string
					for n := range calls {
						line := fmt.Sprintf(call, 10+n)
						_, args, _ := strings.Cut(line, " ")
						round, want = append(round, line), append(want, args)
					}
					made, m.rounds = nil, []string{strings.Join(round, "; ")}
					k.line("make it cosy in here for a film")
					if len(made) != calls {
						t.Fatalf("called %q, expected %q; the model was told %s", made, want, m.told())
					}
					if !slices.Equal(made, want) {
						swapped++
					}
					<-time.After(time.Minute)
				}
				if swapped > 0 {
					t.Errorf("of %d answers %d had their calls made in another order", answers, swapped)
				}
			})
		})
	}
}
