package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// TestOnesTroubleIsNotTheOthers has one server hang in a call, another stop
// reading and a third never start, and demands that the fourth answers and that
// the state of every server can be read.
func TestOnesTroubleIsNotTheOthers(t *testing.T) {
	bad := func(id, mode string) mcpint.Server {
		s := (&injured{dir: t.TempDir()}).faulty(t, mode)
		s.ID = id
		return s
	}
	reg := tools.NewRegistry()
	h := runHost(t, Config{Servers: []mcpint.Server{
		child(t, "good", "good"), bad("hangs", "hang-call"), bad("deaf", "deaf"), bad("mute", "mute"),
	}, Retry: quick()}, reg, &logged{})
	state := func(id string) mcpint.State {
		for _, s := range h.Status() {
			if s.ID == id {
				return s.Status
			}
		}
		return ""
	}
	until(patience(t), t, "three connections", func() bool {
		return state("good") == mcpint.Connected && state("hangs") == mcpint.Connected && state("deaf") == mcpint.Connected
	})
	ctx, cancel := context.WithCancel(t.Context())
	var stuck sync.WaitGroup
	var over atomic.Int32
	for _, server := range []string{"hangs", "deaf", "mute"} {
		stuck.Go(func() {
			_, _ = reg.Call(ctx, tools.Call{Server: server, Tool: "echo", Args: json.RawMessage(`{"text":"` + fmt.Sprintf("%0*d", 1<<20, 0) + `"}`)})
			over.Add(1)
		})
	}
	for range 100 {
		r, err := reg.Call(patience(t), tools.Call{Server: "good", Tool: "echo", Args: json.RawMessage(`{"text":"x"}`)})
		if err != nil || r.Text != "x" {
			t.Fatalf("beside the stuck ones: %+v, %v", r, err)
		}
		h.Status()
		h.Overall()
	}
	if state("hangs") != mcpint.Connected || state("mute") != mcpint.Connecting {
		t.Errorf("the stuck ones came loose too early: %+v", h.Status())
	}
	cancel()
	stuck.Wait()
}

// TestStoppedAtAnyMoment stops a host at random moments, and demands that it ends
// and that no child process is left.
func TestStoppedAtAnyMoment(t *testing.T) {
	for i, mode := range []string{"flood", "exit", "mute", "storm", "hang", "die", "crash-loop", "noise"} {
		t.Run(mode, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(i))) //nolint:gosec // a fixed seed, so that the test can be repeated
			for range 4 {
				stopAfter(t, mode, time.Duration(r.Int64N(int64(60*time.Millisecond))))
			}
		})
	}
}

// stopAfter stops a host after a moment.
func stopAfter(t *testing.T, mode string, moment time.Duration) {
	t.Helper()
	in := &injured{dir: t.TempDir(), reg: tools.NewRegistry()}
	h, err := New(Config{Servers: []mcpint.Server{in.faulty(t, mode)}, Retry: quick()}, in.reg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	var calling sync.WaitGroup
	for range 3 {
		calling.Go(func() {
			_, _ = in.reg.Call(ctx, tools.Call{Server: "s", Tool: "echo", Args: json.RawMessage(`{}`)})
		})
	}
	<-time.After(moment)
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the host ended with %v", err)
	}
	calling.Wait()
	for _, start := range in.journal("start") {
		pid, _ := strconv.Atoi(start)
		gone(t, pid)
	}
	if !in.reg.Settled() {
		t.Error("a stopped host is waited for")
	}
}

// TestChaos kills, freezes and forces two servers again and again while calls are made.
// In the end both are connected without help, no call has been answered wrongly, and
// nothing is left behind.
func TestChaos(t *testing.T) {
	const rounds = 60
	reg := tools.NewRegistry()
	retry := quick()
	retry.SlowInterval = 100 * time.Millisecond
	h := runHost(t, Config{
		Servers: []mcpint.Server{child(t, "a", "good"), child(t, "b", "good")}, Retry: retry,
		Breaker: BreakerConfig{Recovery: time.Second},
		Health:  HealthCheck{Interval: 200 * time.Millisecond, Timeout: time.Second},
	}, reg, &logged{})
	ctx, stop := context.WithCancel(patience(t))
	if err := reg.Await(ctx); err != nil {
		t.Fatal(err)
	}
	var calling sync.WaitGroup
	var answered, unanswered atomic.Int32
	for n := range 4 {
		calling.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				want := fmt.Sprintf("%d of %d", i, n)
				limit, cancel := context.WithTimeout(ctx, 5*time.Second)
				r, err := reg.Call(limit, tools.Call{Server: []string{"a", "b"}[i%2], Tool: "echo", Args: json.RawMessage(`{"text":"` + want + `"}`)})
				cancel()
				switch {
				case err == nil && r.Text == want:
					answered.Add(1)
				case err == nil && !r.Failed:
					t.Errorf("%q instead of %q", r.Text, want)
				case err != nil && !errors.Is(err, tools.ErrNoAnswer) && !errors.Is(err, tools.ErrNotConnected) && ctx.Err() == nil:
					t.Errorf("an error of another kind: %v", err)
				default:
					unanswered.Add(1)
				}
			}
		})
	}
	seen := hurtAtRandom(ctx, t, h, rounds)
	until(ctx, t, "both connected", func() bool { return h.Overall() == "full" })
	for _, server := range []string{"a", "b"} {
		until(ctx, t, "an answer of "+server, func() bool {
			r, err := reg.Call(ctx, tools.Call{Server: server, Tool: "echo", Args: json.RawMessage(`{"text":"well"}`)})
			return err == nil && r.Text == "well"
		})
	}
	stop()
	calling.Wait()
	t.Logf("%d calls answered, %d not, %d processes", answered.Load(), unanswered.Load(), len(seen))
	present := map[int]bool{}
	for _, s := range h.Status() {
		if s.PID != nil {
			present[*s.PID] = true
		}
	}
	for pid := range seen {
		if !present[pid] {
			_ = syscall.Kill(pid, syscall.SIGCONT)
			gone(t, pid)
		}
	}
	if answered.Load() == 0 {
		t.Error("no call was answered")
	}
}

// hurtAtRandom does random harm to randomly chosen servers, one act after
// another, and returns the process ids it saw.
func hurtAtRandom(ctx context.Context, t *testing.T, h *Host, rounds int) map[int]bool {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // a fixed seed, so that the test can be repeated
	seen := map[int]bool{}
	for range rounds {
		s := h.Status()[r.IntN(2)]
		if s.PID != nil {
			seen[*s.PID] = true
			switch r.IntN(6) {
			case 0, 1:
				_ = syscall.Kill(*s.PID, syscall.SIGKILL)
			case 2:
				_ = syscall.Kill(*s.PID, syscall.SIGSTOP)
			case 3:
				_ = syscall.Kill(*s.PID, syscall.SIGCONT)
			}
		}
		switch r.IntN(6) {
		case 0:
			_ = h.Retry(ctx, s.ID)
		case 1:
			_ = h.RetryAll(ctx)
		case 2:
			h.WakeAll()
		}
		<-time.After(time.Duration(r.Int64N(int64(40 * time.Millisecond))))
	}
	for _, s := range h.Status() {
		if s.PID != nil {
			seen[*s.PID] = true
		}
	}
	return seen
}
