package ai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// writes says pieces of a text with a pause before each, and then ends.
func writes(pause time.Duration, pieces ...string) func(context.Context, Request, func(Delta) bool) error {
	return func(ctx context.Context, _ Request, say func(Delta) bool) error {
		for _, p := range pieces {
			if err := wait(ctx, pause); err != nil {
				return err
			}
			if !say(Delta{Text: p}) {
				return nil
			}
		}
		_ = say(Delta{Finish: Stopped})
		return nil
	}
}

// after lets a model do something after a pause.
func after(pause time.Duration, then func(context.Context, Request, func(Delta) bool) error) func(context.Context, Request, func(Delta) bool) error {
	return func(ctx context.Context, req Request, say func(Delta) bool) error {
		if err := wait(ctx, pause); err != nil {
			return err
		}
		return then(ctx, req, say)
	}
}

func TestTurnThatMayActIsHeardFromItsFirstSentence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var pieces []string
		for n := range 20 {
			pieces = append(pieces, fmt.Sprintf("A whale of kind %c sleeps upright. ", 'A'+n))
		}
		sent := 0
		m := &puppet{complete: func(ctx context.Context, req Request, say func(Delta) bool) error {
			return writes(200*time.Millisecond, pieces...)(ctx, req, func(d Delta) bool { sent++; return say(d) })
		}}
		first, said := 0, 0
		for part, err := range found(t, Default(), m, &box{}).Reply(t.Context(), dialogue.Prompt{Text: "tell me about whales", MayAct: true}) {
			if err != nil {
				t.Fatal(err)
			}
			if said++; said == 1 {
				first = sent
			}
			if part.Sentence == "" {
				t.Errorf("a part without a sentence: %+v", part)
			}
		}
		if said != 20 || first > 2 {
			t.Errorf("%d sentences, the first when %d had come; want 20, and the first before the third", said, first)
		}
	})
}

func TestClaimsWaitForTheReceiptsAndOthersDoNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rounds []func(context.Context, Request, func(Delta) bool) error
		want   []string
	}{
		"a promise before its act": {
			[]func(context.Context, Request, func(Delta) bool) error{
				func(ctx context.Context, req Request, say func(Delta) bool) error {
					return say2(say, "Good idea! I'll turn on the lamp. ", func() error { return asks(want{"control", `{}`})(ctx, req, say) })
				}, answers("Fine."),
			},
			[]string{"Good idea!", "The lamp is on."},
		},
		"a claim without an act": {
			[]func(context.Context, Request, func(Delta) bool) error{answers("Good idea! I've turned on the lamp. Enjoy the evening.")},
			[]string{"Good idea!", "Enjoy the evening.", "I did not change anything."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hear(t.Context(), found(t, Default(), script(c.rounds...), &box{}), dialogue.Prompt{Text: "x", MayAct: true})
			if h.err != nil || !slices.Equal(h.sentences, c.want) {
				t.Errorf("said %q, %v, want %q", h.sentences, h.err, c.want)
			}
		})
	}
}

// say2 says a text and goes on.
func say2(say func(Delta) bool, text string, then func() error) error {
	if !say(Delta{Text: text}) {
		return nil
	}
	return then()
}

// stalls says a text and then nothing for ever.
func stalls(text string) func(context.Context, Request, func(Delta) bool) error {
	return func(ctx context.Context, _ Request, say func(Delta) bool) error {
		return say2(say, text, func() error { return wait(ctx, time.Hour) })
	}
}

// drops says a text and loses the connection.
func drops(text string) func(context.Context, Request, func(Delta) bool) error {
	return func(_ context.Context, _ Request, say func(Delta) bool) error {
		return say2(say, text, func() error { return &Error{Kind: Dropped} })
	}
}

func TestWholeSentencesOutliveTheirModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"two":                   {"Whales nap. They float! And th", []string{"Whales nap.", "They float!"}},
		"the last one is whole": {"Whales nap. They float.", []string{"Whales nap.", "They float."}},
		"a number may go on":    {"Whales nap. They weigh 21.", []string{"Whales nap."}},
		"a title may go on":     {"Whales nap. Ask Dr.", []string{"Whales nap."}},
		"a promise is none":     {"Good idea! I'll turn on the lamp. And th", []string{"Good idea!"}},
		"a claim is none":       {"Good idea! I turned on the lamp.", []string{"Good idea!"}},
		"half a thought":        {"Whales nap. <think>They float. ", []string{"Whales nap."}},
	} {
		for ending, complete := range map[string]func(context.Context, Request, func(Delta) bool) error{"stalls": stalls(c.text), "drops": drops(c.text)} {
			for mode, mayAct := range map[string]bool{"may act": true, "may not": false} {
				t.Run(name+" "+ending+" "+mode, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						h := hear(t.Context(), found(t, Default(), &puppet{complete: complete}, &box{}), dialogue.Prompt{Text: "x", MayAct: mayAct})
						if h.err == nil || !slices.Equal(h.sentences, c.want) {
							t.Errorf("said %q, %v, want %q and an error", h.sentences, h.err, c.want)
						}
					})
				})
			}
		}
	}
}

func TestAnswerHasEightSecondsFromItsRequest(t *testing.T) {
	t.Parallel()
	words := strings.SplitAfter("this is an answer of a great many words that comes at one word a second and ends late.", " ")
	long := Default()
	long.Timeout = time.Minute
	for name, c := range map[string]struct {
		cfg    Config
		rounds []func(context.Context, Request, func(Delta) bool) error
		kind   Kind
		within time.Duration
		said   []string
	}{
		"one word a second":                 {Default(), []func(context.Context, Request, func(Delta) bool) error{writes(time.Second, words...)}, TooSlow, 8 * time.Second, nil},
		"only promises":                     {long, []func(context.Context, Request, func(Delta) bool) error{every(time.Second, Delta{Text: "I'll turn on the lamp. "})}, TooSlow, 8 * time.Second, nil},
		"a call that does not end":          {Default(), []func(context.Context, Request, func(Delta) bool) error{every(time.Second, Delta{})}, TooSlow, 8 * time.Second, nil},
		"a sentence in time":                {Default(), []func(context.Context, Request, func(Delta) bool) error{writes(2*time.Second, "Whales ", "nap ", "upright. ", "They ", "do.")}, "", 10 * time.Second, []string{"Whales nap upright.", "They do."}},
		"each round of calls starts anew":   {long, []func(context.Context, Request, func(Delta) bool) error{after(6*time.Second, asks(want{"get_state", `{}`})), after(6*time.Second, asks(want{"get_datetime", `{}`})), after(6*time.Second, answers("Whales nap."))}, "", 18 * time.Second, []string{"Whales nap."}},
		"the whole has a limit of its own":  {Default(), []func(context.Context, Request, func(Delta) bool) error{after(6900*time.Millisecond, asks(want{"get_state", `{}`}))}, TooSlow, 20 * time.Second, nil},
		"silence after the first sentence":  {Default(), []func(context.Context, Request, func(Delta) bool) error{stalls("Whales nap. And")}, Silent, 7 * time.Second, []string{"Whales nap."}},
		"a busy server's pause counts":      {Default(), []func(context.Context, Request, func(Delta) bool) error{busy, writes(time.Second, words...)}, TooSlow, 8 * time.Second, nil},
		"what is thought is not the answer": {Default(), []func(context.Context, Request, func(Delta) bool) error{every(time.Second, Delta{Text: "<think>They nap. </think> "})}, Silent, 7 * time.Second, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				h := hear(t.Context(), found(t, c.cfg, script(c.rounds...), &box{}), dialogue.Prompt{Text: "x", MayAct: true})
				e, _ := errors.AsType[*Error](h.err)
				if (e == nil) != (c.kind == "") || e != nil && e.Kind != c.kind {
					t.Errorf("ended with %v, want %q", h.err, c.kind)
				}
				if took := time.Since(start); took > c.within {
					t.Errorf("it took %v, want at most %v", took, c.within)
				}
				if !slices.Equal(h.sentences, c.said) {
					t.Errorf("said %q, want %q", h.sentences, c.said)
				}
			})
		})
	}
}

// busy is a server that has too much to do for a second.
func busy(context.Context, Request, func(Delta) bool) error {
	return &Error{Kind: Busy, RetryAfter: time.Second}
}

func TestAnswerCutAtItsLengthIsNoFailure(t *testing.T) {
	t.Parallel()
	cut := func(text string, calls ...want) func(context.Context, Request, func(Delta) bool) error {
		return func(_ context.Context, _ Request, say func(Delta) bool) error {
			if !say(Delta{Text: text}) {
				return nil
			}
			for _, c := range calls {
				if !say(Delta{Call: &tools.Call{ID: "1", Tool: c.tool, Args: json.RawMessage(c.args)}}) {
					return nil
				}
			}
			_ = say(Delta{Finish: CutOff})
			return nil
		}
	}
	b := &box{}
	for text, want := range map[string][]string{"Whales nap. They float. And th": {"Whales nap.", "They float."}, "Whales nap. They float.": {"Whales nap.", "They float."}} {
		h := hear(t.Context(), found(t, Default(), script(cut(text)), b), dialogue.Prompt{Text: "x", MayAct: true})
		if h.err != nil || !slices.Equal(h.sentences, want) {
			t.Errorf("said %q, %v, want %q", h.sentences, h.err, want)
		}
	}
	for name, m := range map[string]*puppet{"no sentence": script(cut("And th")), "a call": script(cut("Sure. ", want{"control", `{}`}))} {
		h := hear(t.Context(), found(t, Default(), m, b), dialogue.Prompt{Text: "x", MayAct: true})
		if e, ok := errors.AsType[*Error](h.err); !ok || e.Kind != TooLong || len(b.calls()) > 0 {
			t.Errorf("%s: ended with %v after %q", name, h.err, b.calls())
		}
	}
}
