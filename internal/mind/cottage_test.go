package mind_test

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
)

// talk is a conversation in text: lines that are said, "+31s" for time that passes, "Left
// Lamp: off" for an act by another person, "[Bedroom]" for another room.
type talk struct {
	t       *testing.T
	world   *fake.World
	caller  *fake.Caller
	answer  *mind.Mind
	area    string
	said    []string
	records []record.Record
}

func converse(t *testing.T, language string, model func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error]) *talk {
	t.Helper()
	matcher, err := fake.Matchers[language]()
	if err != nil {
		t.Fatal(err)
	}
	return converseIn(t, fake.Cottage(), matcher, language, model)
}

// converseIn begins a conversation in a house of any form.
func converseIn(t *testing.T, house *home.House, matcher *intent.Matcher, language string, model func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error]) *talk {
	t.Helper()
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{t: t, world: fake.NewWorldOf(house), area: "Bedroom"}
	k.caller = &fake.Caller{CallFunc: k.world.Call}
	k.answer, err = mind.New(&fake.Matcher{MatchFunc: matcher.Match, Home: house}, k.caller,
		&fake.Assistant{ReplyFunc: model}, phrases, guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *talk) line(l string) {
	if area, ok := strings.CutPrefix(l, "["); ok {
		k.area = strings.TrimSuffix(area, "]")
		return
	}
	if wait, err := time.ParseDuration(strings.TrimPrefix(l, "+")); err == nil {
		<-time.After(wait)
		return
	}
	if device, what, ok := strings.Cut(l, ": "); ok && k.world.State[device] != nil {
		switch outcome, _, _ := strings.Cut(what, "/"); outcome {
		case "accepted", "queued", "no_answer", "refused", "confirmed":
			k.world.Outcome[device] = what
		default:
			k.world.Set(device, what, nil)
		}
		return
	}
	before := len(k.world.Calls)
	rec := k.answer.Turn(k.t.Context(), record.Request{Text: l, Area: k.area, Source: record.FromHTTP})
	slices.Sort(k.world.Calls[before:]) // calls of one turn come side by side
	k.said = append(k.said, rec.Reply)
	k.records = append(k.records, rec)
}
