package mind_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/tools"
)

// manyLamps is a house of many lamps that can be read.
func manyLamps(n int) *home.House {
	h := &home.House{}
	for i := range n {
		e := lamp(fmt.Sprintf("Lamp %d", i), "zwave")
		e.Read = &home.Control{Tool: "read", ID: e.Name}
		h.Entities = append(h.Entities, e)
	}
	return h
}

// TestManyThingsAreReadTogether: a question about the whole house reads its things
// a few at a time, and each of them once.
func TestManyThingsAreReadTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most, calls := 0, 0, 0
		count := func(by int) {
			mu.Lock()
			defer mu.Unlock()
			now += by
			most, calls = max(most, now), calls+max(by, 0)
		}
		n := needs(t, manyLamps(200), &fake.Assistant{}, &fake.Caller{AwaitFunc: func(context.Context, mind.Need) error { return nil }, CallFunc: func(_ context.Context, c tools.Call) (tools.Result, error) {
			count(1)
			defer count(-1)
			<-time.After(10 * time.Millisecond)
			state := "off"
			if string(c.Args) == `{"device_name":"Lamp 7"}` {
				state = "on"
			}
			return tools.Result{Data: json.RawMessage(`{"state":"` + state + `","age_seconds":1,"reachable":true}`)}, nil
		}})
		rec := n.ask(t, "are all the lights off")
		if rec.Reply != "No, the lamp 7 is on." || rec.Outcome != record.Done {
			t.Errorf("%s: %q", rec.Outcome, rec.Reply)
		}
		if calls != 200 || most > 16 || most < 2 {
			t.Errorf("%d calls, %d at once; expected 200, at most 16 at once", calls, most)
		}
	})
}

// TestMuteServerEndsAQuestion: a server that answers nothing costs a question the
// time of one call, and the answer is that nothing is known.
func TestMuteServerEndsAQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := needs(t, manyLamps(200), &fake.Assistant{}, &fake.Caller{AwaitFunc: func(context.Context, mind.Need) error { return nil }, CallFunc: func(ctx context.Context, _ tools.Call) (tools.Result, error) {
			<-ctx.Done()
			return tools.Result{}, ctx.Err()
		}})
		began := time.Now()
		rec := n.ask(t, "are all the lights off")
		if want := "I can't reach the house right now."; rec.Reply != want || rec.Outcome != record.Failed {
			t.Errorf("%s: %q, want %q", rec.Outcome, rec.Reply, want)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
