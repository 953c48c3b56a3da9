package mind_test

import (
	"context"
	"slices"
	"strings"
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

// TestTwoLampsOfOneNameAreAskedAboutByTheirRooms: what tells two things of one name
// apart is named in the question.
func TestTwoLampsOfOneNameAreAskedAboutByTheirRooms(t *testing.T) {
	t.Parallel()
	for want, areas := range map[string][2]string{
		"Do you mean the bedroom lamp or the kitchen lamp?": {"Bedroom", "Kitchen"},
		"Which one do you mean?":                            {"Garden", "Garden"},
	} {
		h := &home.House{}
		for i, area := range areas {
			e := lamp("Lamp", "zwave")
			e.ID, e.Area = e.ID+string(rune('1'+i)), area
			h.Entities = append(h.Entities, e)
		}
		n := needs(t, h, &fake.Assistant{}, &fake.Caller{AwaitFunc: func(context.Context, mind.Need) error { return nil }})
		if rec := n.ask(t, "turn on the lamp"); rec.Reply != want || rec.Outcome != record.Asked {
			t.Errorf("%s: %q, want %q", rec.Outcome, rec.Reply, want)
		}
	}
}

// TestTwoHousesThatKnowOneNameAreAskedAbout: if two servers have a thing with the same
// name, the question says what tells them apart, and the answer reaches the one that is
// meant.
func TestTwoHousesThatKnowOneNameAreAskedAbout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		areas    [2]string
		question string
		answer   string
		called   string
	}{
		{[2]string{"Attic", "Attic"}, "Do you mean the attic lamp of cottage or the attic lamp of zwave?", "the one of cottage", "cottage"},
		{[2]string{"Attic", "Attic"}, "Do you mean the attic lamp of cottage or the attic lamp of zwave?", "zwave", "zwave"},
		{[2]string{"Attic", "Attic"}, "Do you mean the attic lamp of cottage or the attic lamp of zwave?", "the second one", "zwave"},
		{[2]string{"Attic", "Attic"}, "Do you mean the attic lamp of cottage or the attic lamp of zwave?", "both", "cottage zwave"},
		{[2]string{"Attic", "Cellar"}, "Do you mean the attic lamp or the cellar lamp?", "the cellar one", "zwave"},
		{[2]string{"", ""}, "Do you mean the lamp of cottage or the lamp of zwave?", "cottage", "cottage"},
	} {
		h := &home.House{}
		for i, server := range []string{"cottage", "zwave"} {
			e := lamp("Lamp", server)
			e.ID, e.Area = server+"/lamp", c.areas[i]
			h.Entities = append(h.Entities, e)
		}
		var mu sync.Mutex
		var called []string
		n := needs(t, h, &fake.Assistant{}, &fake.Caller{
			AwaitFunc: func(context.Context, mind.Need) error { return nil },
			CallFunc: func(_ context.Context, call tools.Call) (tools.Result, error) {
				mu.Lock()
				defer mu.Unlock()
				called = append(called, call.Server)
				return tools.Result{Receipt: &tools.Receipt{Device: "Lamp", Outcome: tools.Confirmed, Value: "on"}}, nil
			},
		})
		if rec := n.ask(t, "turn on the lamp"); rec.Reply != c.question || rec.Outcome != record.Asked || len(called) > 0 {
			t.Errorf("%s: %q, want %q", rec.Outcome, rec.Reply, c.question)
		}
		rec := n.ask(t, c.answer)
		slices.Sort(called)
		if got := strings.Join(called, " "); got != c.called || rec.Outcome != record.Done {
			t.Errorf("%q: %s %q, called %q, want %q", c.answer, rec.Outcome, rec.Reply, got, c.called)
		}
	}
}

// TestASentenceSaidAgainIsNoAnswer: who repeats an order while a question about it waits
// has chosen nothing. The order is understood anew in the house as it is by then.
func TestASentenceSaidAgainIsNoAnswer(t *testing.T) {
	t.Parallel()
	const order = "lamp on" // without a verb, it could be an answer
	for name, known := range map[string][]string{
		"the same house":              {"Kitchen Lamp", "Bedroom Lamp"},
		"a thing of exactly its name": {"Kitchen Lamp", "Bedroom Lamp", "Lamp"},
		"only one of them is left":    {"Kitchen Lamp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				settle := func(names []string) *home.House {
					h := &home.House{}
					for _, name := range names {
						h.Entities = append(h.Entities, lamp(name, "zwave"))
					}
					return h
				}
				n := needs(t, settle([]string{"Kitchen Lamp", "Bedroom Lamp"}), &fake.Assistant{}, &fake.Caller{
					AwaitFunc: func(context.Context, mind.Need) error { return nil },
					CallFunc:  func(_ context.Context, call tools.Call) (tools.Result, error) { return obeys(call), nil },
				})
				for range 100 {
					if rec := n.ask(t, order); rec.Outcome != record.Asked {
						t.Fatalf("%s: %q", rec.Outcome, rec.Reply)
					}
					<-time.After(20 * time.Millisecond)
				}
				n.live(t, settle(known))
				want := record.Done
				if name == "the same house" {
					want = record.Asked
				}
				if rec := n.ask(t, order); rec.Outcome != want {
					t.Errorf("said again: %s %q, want %s", rec.Outcome, rec.Reply, want)
				}
				if want == record.Asked {
					if rec := n.ask(t, "the kitchen one"); rec.Outcome != record.Done {
						t.Errorf("the answer: %s %q", rec.Outcome, rec.Reply)
					}
				}
			})
		})
	}
}
