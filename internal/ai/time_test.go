package ai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// puppet is a Model and a Lister under the test's control.
type puppet struct {
	complete func(ctx context.Context, req Request, say func(Delta) bool) error
	models   func(ctx context.Context) ([]string, error)

	mu    sync.Mutex
	asked []Request
}

func (p *puppet) Complete(ctx context.Context, req Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		p.mu.Lock()
		p.asked = append(p.asked, req)
		p.mu.Unlock()
		if err := p.complete(ctx, req, func(d Delta) bool { return yield(d, nil) }); err != nil {
			yield(Delta{}, err)
		}
	}
}

func (p *puppet) Models(ctx context.Context) ([]string, error) { return p.models(ctx) }

// wait lets virtual time pass, or says why not.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answers is a model that says a text at once.
func answers(text string) func(context.Context, Request, func(Delta) bool) error {
	return func(_ context.Context, _ Request, say func(Delta) bool) error {
		_ = say(Delta{Text: text}) && say(Delta{Finish: Stopped})
		return nil
	}
}

// every repeats a delta for ever, with a pause before each.
func every(pause time.Duration, d Delta) func(context.Context, Request, func(Delta) bool) error {
	return func(ctx context.Context, _ Request, say func(Delta) bool) error {
		for {
			if err := wait(ctx, pause); err != nil {
				return err
			}
			if !say(d) {
				return nil
			}
		}
	}
}

func TestModelThatTakesTooLong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		complete func(context.Context, Request, func(Delta) bool) error
		kind     Kind
		after    time.Duration
	}{
		"silent":              {func(ctx context.Context, _ Request, _ func(Delta) bool) error { return wait(ctx, time.Hour) }, Silent, 7 * time.Second},
		"thinks for ever":     {every(time.Second, Delta{Hidden: true}), Silent, 7 * time.Second},
		"thinks in the text":  {every(time.Second, Delta{Text: "<think>hm, "}), Silent, 7 * time.Second},
		"only spaces":         {every(time.Second, Delta{Text: " "}), Silent, 7 * time.Second},
		"slow and endless":    {every(5*time.Second, Delta{Text: "It goes on. "}), TooSlow, 20 * time.Second},
		"no sentence ends":    {every(5*time.Second, Delta{Text: "word "}), TooSlow, 7800 * time.Millisecond},
		"writes a long call":  {every(time.Second, Delta{}), TooSlow, 7800 * time.Millisecond},
		"ignores the context": {func(context.Context, Request, func(Delta) bool) error { return nil }, Dropped, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := found(t, Default(), &puppet{complete: c.complete}, &box{})
				start := time.Now()
				h := hear(t.Context(), a, dialogue.Prompt{Text: "x"})
				if e, ok := errors.AsType[*Error](h.err); !ok || e.Kind != c.kind || time.Since(start) != c.after {
					t.Errorf("ended with %v after %v, want %s after %v", h.err, time.Since(start), c.kind, c.after)
				}
			})
		})
	}
}

func TestSpeakingDoesNotCountAsTheModelsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := found(t, Default(), &puppet{complete: func(ctx context.Context, _ Request, say func(Delta) bool) error {
			for n := range 5 {
				if err := wait(ctx, 3*time.Second); err != nil {
					return err
				}
				if !say(Delta{Text: fmt.Sprintf("Sentence %d! ", n)}) {
					return nil
				}
			}
			_ = say(Delta{Finish: Stopped})
			return nil
		}}, &box{})
		n := 0
		for _, err := range a.Reply(t.Context(), dialogue.Prompt{Text: "x"}) {
			if err != nil {
				t.Fatalf("after %d sentences: %v", n, err)
			}
			n++
			if err := wait(t.Context(), 30*time.Second); err != nil { // speaking
				t.Fatal(err)
			}
		}
		if n != 5 {
			t.Errorf("%d sentences", n)
		}
	})
}

// script answers each round with the next function.
func script(steps ...func(context.Context, Request, func(Delta) bool) error) *puppet {
	return &puppet{complete: func(ctx context.Context, req Request, say func(Delta) bool) error {
		next := steps[0]
		if len(steps) > 1 {
			steps = steps[1:]
		}
		return next(ctx, req, say)
	}}
}

func asks(list ...want) func(context.Context, Request, func(Delta) bool) error {
	return func(_ context.Context, _ Request, say func(Delta) bool) error {
		for i, c := range list {
			if !say(Delta{Call: &tools.Call{ID: fmt.Sprint(i), Tool: c.tool, Args: json.RawMessage(c.args)}}) {
				return nil
			}
		}
		_ = say(Delta{Finish: Stopped})
		return nil
	}
}

// slow makes a tool that takes a while.
func slow(d time.Duration, text string) func(context.Context, json.RawMessage) (tools.Result, error) {
	return func(ctx context.Context, _ json.RawMessage) (tools.Result, error) {
		if err := wait(ctx, d); err != nil {
			return tools.Result{}, err
		}
		return tools.Result{Text: text}, nil
	}
}

func TestReadingCallsRunTogetherAndActsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &box{answer: map[string]func(context.Context, json.RawMessage) (tools.Result, error){
			"get_state": slow(2*time.Second, "21 degrees"), "get_datetime": slow(time.Second, "noon"), "control": slow(time.Second, "The lamp is on."),
		}}
		m := script(asks(want{"get_state", `{"n":1}`}, want{"get_datetime", `{}`}, want{"control", `{"n":1}`}, want{"get_state", `{"n":2}`}, want{"control", `{"n":2}`}), answers("Fine."))
		a := found(t, Default(), m, b)
		start := time.Now()
		h := hear(t.Context(), a, dialogue.Prompt{Text: "x", MayAct: true})
		if took := time.Since(start); h.err != nil || took != 6*time.Second {
			t.Errorf("took %v, %v; want 2 s together, the acts, 2 s", took, h.err)
		}
		order := b.calls()[2:]
		if want := []string{`control{"n":1}`, `control{"n":2}`, `get_state{"n":2}`}; !slices.Equal(order, want) {
			t.Errorf("the calls after the first readings are %q", order)
		}
	})
}

func TestToolThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &box{answer: map[string]func(context.Context, json.RawMessage) (tools.Result, error){"get_state": slow(time.Hour, "")}}
		a := found(t, Default(), script(asks(want{"get_state", `{}`}), answers("I can't tell.")), b)
		start := time.Now()
		h := hear(t.Context(), a, dialogue.Prompt{Text: "x"})
		if h.err != nil || time.Since(start) != callTimeout || !slices.Equal(h.sentences, []string{"I can't tell."}) {
			t.Errorf("said %q after %v, %v", h.sentences, time.Since(start), h.err)
		}
		if len(h.records) != 1 || h.records[0].Err == nil || !strings.Contains(h.records[0].Err.Error(), "no answer within 5s") {
			t.Errorf("the record is %+v", h.records)
		}
	})
}

func TestBargeInEndsACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &box{answer: map[string]func(context.Context, json.RawMessage) (tools.Result, error){"get_state": slow(time.Hour, "")}}
		a := found(t, Default(), script(asks(want{"get_state", `{}`}), answers("Never.")), b)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if h := hear(ctx, a, dialogue.Prompt{Text: "x"}); !errors.Is(h.err, context.DeadlineExceeded) || time.Since(start) != time.Second || len(h.sentences) > 0 {
			t.Errorf("said %q after %v, %v", h.sentences, time.Since(start), h.err)
		}
	})
}

func TestConversationIsRememberedForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &puppet{complete: answers("Hello again.")}
		a := found(t, Default(), m, &box{})
		ask := func() (texts []string) {
			t.Helper()
			if h := hear(t.Context(), a, dialogue.Prompt{Text: "x"}); h.err != nil {
				t.Fatal(h.err)
			}
			for _, msg := range m.asked[len(m.asked)-1].Messages[1:] {
				text, _, _ := strings.Cut(msg.Text, "\n")
				texts = append(texts, string(msg.Role)+": "+text)
			}
			return texts
		}
		pass := func(d time.Duration) {
			if err := wait(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		a.Remember("", "turn on the lamp", "Lamp on.")
		a.Remember("", "", "nothing heard")
		if got := ask(); !slices.Equal(got, []string{"user: turn on the lamp", "assistant: Lamp on.", "user: x"}) {
			t.Errorf("asked %q", got)
		}
		pass(4 * time.Minute)
		if got := ask(); len(got) != 5 || got[3] != "assistant: Hello again." {
			t.Errorf("asked %q", got)
		}
		pass(2 * time.Minute)
		if got := ask(); len(got) != 3 {
			t.Errorf("after 6 minutes asked %q, want the last turn only", got)
		}
		for range 20 {
			a.Remember("", strings.Repeat("long ", 1000), strings.Repeat("long ", 1000))
		}
		got := ask()
		if len(got) != 2*maxTurns+1 || len(strings.Join(got, "")) > 2*maxTurns*(maxTurnText+20)+100 {
			t.Errorf("asked %d messages of %d bytes", len(got), len(strings.Join(got, "")))
		}
	})
}

func TestModelIsLookedForAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var there atomic.Bool
		var looks atomic.Int32
		m := &puppet{complete: answers("Hello."), models: func(context.Context) ([]string, error) {
			looks.Add(1)
			if !there.Load() {
				return nil, &Error{Kind: Unavailable, Err: errors.New("connection refused")}
			}
			return []string{"small"}, nil
		}}
		a, err := New(Default(), m, &box{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- a.Run(ctx) }()
		expect := func(ready bool, n int32, why string) {
			t.Helper()
			synctest.Wait()
			if ok, got := a.Ready(); ok != ready || looks.Load() != n || !strings.Contains(got, why) {
				t.Errorf("ready %v (%s) after %d looks, want %v (%s) after %d", ok, got, looks.Load(), ready, why, n)
			}
		}
		expect(false, 1, "connection refused")
		start := time.Now()
		h := hear(ctx, a, dialogue.Prompt{Text: "x"})
		if e, ok := errors.AsType[*Error](h.err); !ok || e.Kind != Unavailable || time.Since(start) != 0 {
			t.Errorf("without a model: %v after %v", h.err, time.Since(start))
		}
		expect(false, 2, "connection refused")
		there.Store(true)
		if err := wait(ctx, checkInterval); err != nil {
			t.Fatal(err)
		}
		expect(true, 3, "small")
		if h := hear(ctx, a, dialogue.Prompt{Text: "x"}); h.err != nil {
			t.Error(h.err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with %v", err)
		}
	})
}

func TestFirstLookThatHangsDelaysLittle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &puppet{models: func(ctx context.Context) ([]string, error) { return nil, wait(ctx, time.Hour) }}
		a, err := New(Default(), m, &box{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- a.Run(ctx) }()
		start := time.Now()
		h := hear(ctx, a, dialogue.Prompt{Text: "x"})
		if e, ok := errors.AsType[*Error](h.err); !ok || e.Kind != Unavailable || time.Since(start) > checkTimeout {
			t.Errorf("ended with %v after %v", h.err, time.Since(start))
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with %v", err)
		}
	})
}

func TestSwitchedOffModelIsNeverAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := Default()
		cfg.Enabled = "false"
		a, err := New(cfg, &puppet{}, &box{}, slog.New(slog.DiscardHandler)) // a call would panic
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := a.Run(ctx); err != nil {
			t.Error(err)
		}
		if ok, why := a.Ready(); ok || !strings.Contains(why, "ai.enabled") {
			t.Errorf("Ready says %v, %q", ok, why)
		}
		start := time.Now()
		h := hear(t.Context(), a, dialogue.Prompt{Text: "x"})
		if _, ok := errors.AsType[*Error](h.err); !ok || time.Since(start) != 0 {
			t.Errorf("ended with %v after %v", h.err, time.Since(start))
		}
	})
}
