package ai

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/mind/dialogue"
)

// TestRequestThatBeganEarly: the reply uses a request that began before it, if it is
// exactly the same; nothing is called or said before.
func TestRequestThatBeganEarly(t *testing.T) {
	t.Parallel()
	order := dialogue.Prompt{Text: "make it cosier", Area: "Kitchen", House: cottage(false), MayAct: true}
	other := order
	other.Text = "make it cosier in the attic"
	inquiry := order
	inquiry.MayAct = false
	for name, c := range map[string]struct {
		given    dialogue.Prompt
		before   time.Duration // of the minute, when it begins
		after    time.Duration
		dropped  bool
		requests int // before the one that follows the call
	}{
		"the same text":        {given: order, requests: 1},
		"another text":         {given: other, dropped: true, requests: 2},
		"dropped for nothing":  {given: order, dropped: true, requests: 2},
		"it may not act":       {given: inquiry, requests: 2},
		"another minute":       {given: order, before: 59 * time.Second, after: 2 * time.Second, requests: 2},
		"nobody has taken it":  {given: order, after: unclaimed + time.Second, requests: 2},
		"another conversation": {given: dialogue.Prompt{Text: "how do whales sleep"}, requests: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if err := wait(t.Context(), c.before); err != nil {
					t.Fatal(err)
				}
				canceled := false
				first := func(ctx context.Context, req Request, say func(Delta) bool) error {
					if err := wait(ctx, 100*time.Millisecond); err != nil {
						canceled = true
						return err
					}
					return asks(want{"control", `{}`})(ctx, req, say)
				}
				m, b := &puppet{}, &box{}
				rounds := 0
				m.complete = func(ctx context.Context, req Request, say func(Delta) bool) error {
					if rounds++; rounds <= c.requests {
						return first(ctx, req, say)
					}
					return answers("Whales nap.")(ctx, req, say)
				}
				a := found(t, Default(), m, b)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				drop := a.Expect(ctx, order)
				synctest.Wait()
				if len(m.asked) != 1 {
					t.Fatalf("%d requests have begun early", len(m.asked))
				}
				if c.after > 0 {
					if err := wait(t.Context(), c.after); err != nil {
						t.Fatal(err)
					}
				}
				if len(b.calls()) > 0 {
					t.Fatalf("called %q before the text was final", b.calls())
				}
				if c.dropped {
					drop()
					synctest.Wait()
				}
				h := hear(t.Context(), a, c.given)
				if h.err != nil || len(m.asked) != c.requests+1 {
					t.Errorf("%d requests, said %q, %v; want %d", len(m.asked), h.sentences, h.err, c.requests+1)
				}
				if n := len(b.calls()); n > 1 {
					t.Errorf("called %q", b.calls())
				}
				if c.dropped && !canceled {
					t.Error("the request that was dropped goes on")
				}
			})
		})
	}
}

// TestBargeInEndsARequestThatBeganEarly: a reply that is ended takes the request with
// it, and so does the end of the turn before there is a reply.
func TestBargeInEndsARequestThatBeganEarly(t *testing.T) {
	t.Parallel()
	for name, replied := range map[string]bool{"in the reply": true, "before it": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ended := false
				m := &puppet{complete: func(ctx context.Context, _ Request, say func(Delta) bool) error {
					defer func() { ended = true }()
					return say2(say, "Whales nap. ", func() error { return wait(ctx, time.Hour) })
				}}
				a := found(t, Default(), m, &box{})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				a.Expect(ctx, dialogue.Prompt{Text: "x"})
				var said []string
				if replied {
					for part, err := range a.Reply(ctx, dialogue.Prompt{Text: "x"}) {
						if err != nil {
							if !errors.Is(err, context.Canceled) {
								t.Errorf("it ended with %v", err)
							}
							break
						}
						said = append(said, part.Sentence)
						cancel()
					}
				}
				cancel()
				synctest.Wait()
				if !ended || len(m.asked) != 1 || replied != slices.Equal(said, []string{"Whales nap."}) {
					t.Errorf("ended %v after %d requests, said %q", ended, len(m.asked), said)
				}
			})
		})
	}
}
