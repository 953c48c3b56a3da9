package mind_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// moveByClock makes a family's house with a real book of timers, at a time of day, and
// perhaps with more tools that need no server.
func moveByClock(t *testing.T, language, at string, local ...tools.Tool) *family {
	t.Helper()
	if clock, err := time.Parse("15:04", at); err == nil {
		<-time.After(time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute)
	}
	return settleByClock(t, language, "villa", local...)
}

// settleByClock makes a family's house of a name with a real book of timers, and perhaps
// with more tools that need no server.
func settleByClock(t *testing.T, language, name string, local ...tools.Tool) *family {
	t.Helper()
	f := settleIn(t, language, name)
	k := fake.NewTimers()
	f.book = k
	own := map[string]tools.Tool{}
	for _, tool := range timers.Tools(k) {
		own[tool.Spec().Name] = tool
	}
	for _, tool := range local {
		own[tool.Spec().Name] = tool
	}
	call := func(ctx context.Context, c tools.Call) (tools.Result, error) {
		if tool := own[c.Tool]; tool != nil {
			return tool.Call(ctx, c.Args)
		}
		return f.world.Call(ctx, c)
	}
	made, _ := villas.Load(keyOf(language, name))
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	f.answer, err = mind.New(made.(listening), &fake.Caller{CallFunc: call}, &fake.Assistant{}, phrases, guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	f.answer.Ends = k
	f.area, f.source = "Kitchen", record.FromMic
	return f
}

// TestTimes: lengths, times of day and what is set for later, as people say them and as
// recognisers write them. The sentences of a case are said one after the other in one
// house, on a Saturday from the time of day that is given; "+3m" waits.
func TestTimes(t *testing.T) {
	t.Parallel()
	talkThrough(t, "testdata/times.txtar", func(*testing.T) []tools.Tool { return nil })
}

// talkThrough says the sentences of each case of a file and compares the answers. The house
// of a case has a real book of timers, and more tools that need no server.
func talkThrough(t *testing.T, file string, more func(*testing.T) []tools.Tool) {
	t.Helper()
	golden := fake.ReadProse(t, file)
	said := map[string][]string{} // what the case still answers in a language
	golden.Answer(func(c fake.ProseCase, language, _ string) string {
		key := c.Name + ": " + language
		if len(said[key]) == 0 {
			synctest.Test(t, func(t *testing.T) {
				said[key] = talkAbout(c, language, moveByClock(t, language, c.Given["at"], more(t)...))
			})
		}
		next := said[key][0]
		said[key] = said[key][1:]
		return next
	})
	golden.Compare(t, *update)
}

// talkAbout says the sentences of a case in a language and returns the answers.
func talkAbout(c fake.ProseCase, language string, f *family) (all []string) {
	for _, l := range c.Lines {
		switch {
		case l.Language != language:
		case f.stir(l.Asked):
			all = append(all, "")
		default:
			_, answered := f.say(l.Asked)
			all = append(all, answered)
		}
	}
	return all
}
