package host

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

func TestCallsReconnectOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		pass(time.Minute)
		fake.set(1000)
		fake.die()
		pass(10 * time.Second)
		if s := b.status(); s.Status != mcpint.Failed {
			t.Fatalf("the status is %+v", s)
		}
		next := *b.status().NextRetryTime
		_, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"})
		if away, ok := errors.AsType[*UnavailableError](err); !ok || away.Server != "zwave" || !errors.Is(err, tools.ErrNotConnected) {
			t.Fatalf("a call to a dead server: %v", err)
		}
		if s := b.status(); s.Status != mcpint.Failed || !s.NextRetryTime.Equal(next) {
			t.Fatalf("the call moved the schedule from %v: %+v", next, s)
		}
		fake.set(0)
		fake.slow(time.Second)
		before := fake.dialled()
		var wg sync.WaitGroup
		failed := make(chan error, 10)
		for range 10 {
			wg.Go(func() {
				if _, err := b.reg.Call(t.Context(), tools.Call{Server: "zwave", Tool: "act"}); err != nil {
					failed <- err
				}
			})
		}
		wg.Wait()
		if len(failed) > 0 {
			t.Fatalf("a waiting call failed: %v", <-failed)
		}
		if got := fake.dialled() - before; got != 1 {
			t.Fatalf("ten waiting calls made %d connections", got)
		}
	})
}

func TestACallFindsOutAboutALossFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &fakeServer{}, DefaultRetry())
		defer b.stop()
		pass(time.Minute)
		b.fake.die() // and before anybody noticed:
		if _, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"}); err != nil {
			t.Fatal(err)
		}
		if got := b.fake.dialled(); got != 2 {
			t.Fatalf("%d dials", got)
		}
	})
}

func TestACallGivesUpAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &fakeServer{}, DefaultRetry())
		defer b.stop()
		pass(time.Minute)
		b.fake.slow(9 * time.Second)
		b.fake.die()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		begin := time.Now()
		_, err := b.reg.Call(ctx, tools.Call{Tool: "act"})
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, tools.ErrNotConnected) || time.Since(begin) != 5*time.Second {
			t.Fatalf("after %v: %v", time.Since(begin), err)
		}
		if want := `the MCP server "zwave" is not available: the connection took longer than the call may; before it: it died; it goes on being tried`; err.Error() != want {
			t.Errorf("it is told as %q, want %q", err, want)
		}
	})
}

func TestAHangingServerIsReplaced(t *testing.T) {
	for name, tt := range map[string]struct {
		call  bool          // a call gets no answer
		after time.Duration // when the connection is given up
	}{
		"after a call": {call: true, after: 5*time.Second + 2*defaultHealthTimeout},
		"without any":  {after: defaultHealthInterval + 2*defaultHealthTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := run(t, &fakeServer{}, DefaultRetry())
				defer b.stop()
				synctest.Wait() // connected at 0 s
				b.fake.hush(true)
				if tt.call {
					ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
					defer cancel()
					if _, err := b.reg.Call(ctx, tools.Call{Tool: "act"}); !errors.Is(err, tools.ErrNoAnswer) {
						t.Fatalf("a call to a server that hangs: %v", err)
					}
					tt.after -= 5 * time.Second
				}
				pass(tt.after - time.Second)
				if s := b.status(); s.Status != mcpint.Connected {
					t.Fatalf("it is %s too early", s.Status)
				}
				b.fake.slow(time.Second)
				pass(time.Second)
				if s := b.status(); s.Status == mcpint.Connected || !strings.Contains(*s.ErrorMessage, "sign of life") {
					t.Fatalf("it is %s after two silent checks", s.Status)
				}
				b.fake.hush(false)
				pass(5 * time.Second)
				if s := b.status(); s.Status != mcpint.Connected || b.fake.dialled() != 2 {
					t.Fatalf("it is %s after %d dials", s.Status, b.fake.dialled())
				}
			})
		})
	}
}

func TestOneSilenceIsForgiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &fakeServer{}, DefaultRetry())
		defer b.stop()
		synctest.Wait()
		b.fake.hush(true)
		pass(defaultHealthInterval + time.Second) // the first check waits
		b.fake.hush(false)
		pass(defaultHealthTimeout)
		if s := b.status(); s.Status != mcpint.Connected || s.Health != mcpint.Healthy || b.fake.dialled() != 1 {
			t.Fatalf("it is %s and %s after %d dials", s.Status, s.Health, b.fake.dialled())
		}
	})
}

// TestAWorkingServerIsNotChecked covers servers that do one thing after the other
// and so answer no check during a call.
func TestAWorkingServerIsNotChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &fakeServer{}, DefaultRetry())
		defer b.stop()
		synctest.Wait()
		pass(defaultHealthInterval - time.Second)
		b.fake.hush(true)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, _ = b.reg.Call(ctx, tools.Call{Tool: "act"})
		if s := b.status(); s.Status != mcpint.Connected {
			t.Fatalf("it is %s while it works", s.Status)
		}
	})
}
