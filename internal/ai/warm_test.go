package ai

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// changing is a toolbox whose house and tools change.
type changing struct {
	*box
	mu    sync.Mutex
	home  *home.House
	extra []tools.Spec
}

// House is the house as it is known.
func (c *changing) House() *home.House {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.home
}

// Specs lists the tools.
func (c *changing) Specs() []tools.Spec {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(c.box.Specs(), c.extra...)
}

func (c *changing) change(h *home.House, extra ...tools.Spec) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.home, c.extra = h, extra
}

func TestModelIsWarmedWithWhatRequestsBeginWith(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		m := &puppet{models: func(context.Context) ([]string, error) { return []string{"small"}, nil }}
		hang := false
		m.complete = func(ctx context.Context, req Request, say func(Delta) bool) error {
			if req.MaxTokens > 1 {
				<-release
			} else if hang {
				return wait(ctx, time.Hour)
			}
			return answers("Whales nap.")(ctx, req, say)
		}
		world := &changing{box: &box{}}
		a, err := New(Default(), m, world, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- a.Run(ctx) }()
		asked := func() []Request {
			synctest.Wait()
			m.mu.Lock()
			defer m.mu.Unlock()
			return slices.Clone(m.asked)
		}
		pass := func(d time.Duration) {
			if err := wait(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(when string, n int) {
			t.Helper()
			if got := len(asked()); got != n {
				t.Fatalf("%s: %d requests, want %d", when, got, n)
			}
		}
		expect("at the start", 2)
		pass(3 * time.Minute)
		expect("nothing has changed", 2)

		for _, turned := range []bool{false, true, false} { // a server connects: the house changes again and again
			h := cottage(turned)
			if turned {
				h.Entities = h.Entities[1:]
			}
			world.change(h)
			pass(warmInterval - time.Second)
		}
		expect("while it changes", 2)
		pass(3 * warmInterval)
		expect("the house is known", 4)

		for range 2 { // both modes begin like what was read
			go hear(ctx, a, dialogue.Prompt{Text: "x", House: world.House()})
			go hear(ctx, a, dialogue.Prompt{Text: "x", House: world.House(), MayAct: true})
		}
		expect("replies are running", 8)
		for _, r := range asked()[4:] {
			begin := func(r Request) string { return written(t, Request{Messages: r.Messages[:1], Tools: r.Tools}, true) }
			if !slices.ContainsFunc(asked()[2:4], func(w Request) bool { return begin(w) == begin(r) }) {
				t.Error("a request begins with something that was not read")
			}
		}
		world.change(world.House(), tools.Spec{Name: "bell", Description: "bell", Risk: tools.Reversible})
		pass(time.Minute / 10)
		expect("the tools change in a turn", 8)
		close(release)
		pass(3 * warmInterval)
		expect("after the turns", 10)

		hang = true
		world.change(world.House())
		pass(3 * warmInterval)
		expect("a warming that takes long", 11)
		hang = false
		hear(ctx, a, dialogue.Prompt{Text: "x", House: world.House()})
		pass(3 * warmInterval)
		expect("a turn ends it, and it is made up for", 14)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
