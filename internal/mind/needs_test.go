package mind_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// needing is an answerer in a house, with a list of what its turns waited for.
type needing struct {
	*mind.Mind
	matcher *fake.Matcher
	mu      sync.Mutex
	needs   []string
}

// needs makes a needing that notes each need before the caller's AwaitFunc answers
// it.
func needs(t *testing.T, h *home.House, model *fake.Assistant, caller *fake.Caller) *needing {
	t.Helper()
	n := &needing{matcher: &fake.Matcher{}}
	n.live(t, h)
	await := caller.AwaitFunc
	caller.AwaitFunc = func(ctx context.Context, need mind.Need) error {
		n.mu.Lock()
		n.needs = append(n.needs, fmt.Sprintf("%+v", need))
		n.mu.Unlock()
		return await(ctx, need)
	}
	var err error
	n.Mind, err = mind.New(n.matcher, caller, model, fake.English(), guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// live moves into a house.
func (n *needing) live(t *testing.T, h *home.House) {
	t.Helper()
	matcher, err := intent.New(intent.English(), h)
	if err != nil {
		t.Fatal(err)
	}
	n.matcher.MatchFunc, n.matcher.Home = matcher.Match, h
}

func (n *needing) ask(t *testing.T, text string) record.Record {
	t.Helper()
	n.needs = nil
	return n.Turn(t.Context(), record.Request{Text: text, Source: record.FromHTTP})
}

// lamp is a lamp of a server.
func lamp(name, server string) home.Entity {
	return home.Entity{
		ID: "light." + name, Name: name, Domain: "light", Server: server, Abilities: []home.Ability{home.OnOff},
		Control: &home.Control{Tool: "control", ID: name},
	}
}

// obeys is the result of a call that the device confirmed.
func obeys(c tools.Call) tools.Result {
	var args struct {
		Device string `json:"device_name"`
	}
	_ = json.Unmarshal(c.Args, &args)
	return tools.Result{Receipt: &tools.Receipt{Device: args.Device, Property: "on", Outcome: tools.Confirmed, Value: "on"}}
}

// TestAStepWaitsForItsOwnServer: of two lamps in one sentence, the lamp whose server is
// connected is switched on while the other still waits for its server.
func TestAStepWaitsForItsOwnServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := make(chan struct{})
		n := needs(t, &home.House{Entities: []home.Entity{lamp("Desk Lamp", "here"), lamp("Attic Lamp", "late")}}, &fake.Assistant{}, &fake.Caller{
			AwaitFunc: func(ctx context.Context, need mind.Need) error {
				if need.Server != "late" {
					return nil
				}
				select {
				case <-first:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			},
			CallFunc: func(_ context.Context, c tools.Call) (tools.Result, error) {
				if c.Server == "here" {
					close(first)
				}
				return obeys(c), nil
			},
		})
		rec := n.ask(t, "turn on the desk lamp and turn on the attic lamp")
		if rec.Outcome != record.Done || len(rec.Calls) != 2 {
			t.Errorf("%+v", rec)
		}
		select {
		case <-first:
		default:
			t.Error("the lamp whose server is there waited for the other")
		}
	})
}

// TestWhatASentenceNeeds: what a sentence waits for, before the house is known and
// after.
func TestWhatASentenceNeeds(t *testing.T) {
	t.Parallel()
	const (
		again = "{Server: House:true Again:true}"
		house = "{Server: House:true Again:false}"
		own   = "{Server:here House:false Again:false}"
	)
	tells := &fake.Assistant{ReplyFunc: func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
		return func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{Sentence: "Once upon a time."}, nil) }
	}}
	empty, known := &home.House{}, &home.House{Entities: []home.Entity{lamp("Desk Lamp", "here")}}
	for name, tt := range map[string]struct {
		house *home.House
		model *fake.Assistant
		text  string
		want  []string
	}{
		"the time":                    {empty, tells, "what time is it", nil},
		"a lamp":                      {known, tells, "turn on the desk lamp", []string{own}},
		"a lamp, no house yet":        {empty, tells, "turn on the desk lamp", []string{again}},
		"an unknown lamp":             {known, tells, "turn on the attic lamp", []string{again}},
		"a story":                     {known, tells, "tell me a story", nil},
		"a story, no house yet":       {empty, tells, "tell me a story", []string{house}},
		"no model, and no house yet":  {empty, &fake.Assistant{}, "movie night", []string{house, again}},
		"no model, and a known house": {known, &fake.Assistant{}, "tell me a story", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := needs(t, tt.house, tt.model, &fake.Caller{
				AwaitFunc: func(context.Context, mind.Need) error { return nil },
				CallFunc:  func(_ context.Context, c tools.Call) (tools.Result, error) { return obeys(c), nil },
			})
			if n.ask(t, tt.text); !slices.Equal(n.needs, tt.want) {
				t.Errorf("%q waited for %q, expected %q", tt.text, n.needs, tt.want)
			}
		})
	}
}

// TestANameIsLookedForInEveryHouseThatComes: a house without the named thing does
// not end the wait for the next house.
func TestANameIsLookedForInEveryHouseThatComes(t *testing.T) {
	t.Parallel()
	houses := []*home.House{
		{Entities: []home.Entity{lamp("Desk Lamp", "here")}},
		{Entities: []home.Entity{lamp("Desk Lamp", "here"), lamp("Attic Lamp", "late")}},
		{Entities: []home.Entity{lamp("Desk Lamp", "here"), lamp("Attic Lamp", "late"), lamp("Cellar Lamp", "later")}},
	}
	var n *needing
	n = needs(t, &home.House{}, &fake.Assistant{}, &fake.Caller{
		AwaitFunc: func(_ context.Context, need mind.Need) error {
			if need.House {
				n.live(t, houses[0])
				houses = houses[1:]
			}
			return nil
		},
		CallFunc: func(_ context.Context, c tools.Call) (tools.Result, error) { return obeys(c), nil },
	})
	if rec := n.ask(t, "turn on the attic lamp"); rec.Outcome != record.Done || len(houses) != 1 {
		t.Errorf("%d houses were not waited for: %+v", len(houses), rec)
	}
}
