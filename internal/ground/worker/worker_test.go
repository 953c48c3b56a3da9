package worker_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/ground/worker"
)

// patience is how long a test waits for what takes milliseconds on an idle machine.
const patience = 30 * time.Second

// run starts a worker of the test binary and returns how to stop it.
func run(t *testing.T, mode string, change func(*worker.Config)) (w *worker.Worker, stop func()) {
	t.Helper()
	cfg := worker.Config{
		Name: "test", Command: []string{os.Args[0], "worker", mode}, Timeout: patience,
		FirstDelay: time.Millisecond, MaxDelay: 20 * time.Millisecond,
	}
	if change != nil {
		change(&cfg)
	}
	w, err := worker.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	t.Cleanup(stop)
	return w, stop
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func number(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

func childPID(t *testing.T, w *worker.Worker) int {
	t.Helper()
	answer, err := w.Call(within(t), pid, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(string(answer))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// gone waits until there is no such process, not even a zombie.
func gone(t *testing.T, pid int) {
	t.Helper()
	ctx := within(t)
	for {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		// Process 1 should reap an orphan, but in a container it may not do so.
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && bytes.Contains(stat, []byte(") Z ")) {
			if parent := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')'):]))[2]; parent != strconv.Itoa(os.Getpid()) {
				return
			}
		}
		select {
		case <-ctx.Done():
			t.Fatalf("process %d is still there", pid)
		case <-time.After(time.Millisecond):
		}
	}
}

func TestCallsFromManyGoroutines(t *testing.T) {
	w, _ := run(t, "good", nil)
	var calls sync.WaitGroup
	for i := range 20 {
		calls.Go(func() {
			for n := range 50 {
				want := bytes.Repeat([]byte{byte(i), byte(n)}, 200*n)
				got, err := w.Call(t.Context(), echo, want)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("caller %d call %d: %d bytes, %v; want %d", i, n, len(got), err, len(want))
					return
				}
			}
		})
	}
	calls.Wait()
}

// TestAHangingChildIsReplacedUnasked checks that a hanging child is found even without
// calls.
func TestAHangingChildIsReplacedUnasked(t *testing.T) {
	w, _ := run(t, "good", func(c *worker.Config) { c.Timeout = 500 * time.Millisecond })
	first, err := w.Session(within(t))
	if err != nil {
		t.Fatal(err)
	}
	pid := childPID(t, w)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	select {
	case <-first.Over():
	case <-within(t).Done():
		t.Fatal("the child hangs and nobody has noticed")
	}
	if again := childPID(t, w); again == pid {
		t.Errorf("process %d is still the child", pid)
	}
	gone(t, pid)
}

// TestAVisitorComesWhenItIsNeeded checks that a child that may rest is started by a request
// or by a caller that is about to make one, ends when it is not needed, and that this
// does not count as a restart.
func TestAVisitorComesWhenItIsNeeded(t *testing.T) {
	var setups, restarts atomic.Int32
	w, _ := run(t, "good", func(c *worker.Config) {
		c.Idle = 20 * time.Millisecond
		c.Restarted = func(string, bool) { restarts.Add(1) }
		c.Setup = func(context.Context, *worker.Session) error {
			setups.Add(1)
			return nil
		}
	})
	if s, err := w.Awake(within(t)); s != nil || err != nil || setups.Load() != 0 {
		t.Fatalf("before the first request there is a child (%v, %v), set up %d times", s, err, setups.Load())
	}
	asleep := func() {
		t.Helper()
		for {
			if s, err := w.Awake(within(t)); s == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			select {
			case <-within(t).Done():
				t.Fatal("a child that is not needed goes on")
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	for n := range int32(3) {
		if _, err := w.Call(within(t), echo, nil); err != nil && !errors.Is(err, worker.ErrEnded) {
			t.Error(err)
		}
		if setups.Load() <= n {
			t.Errorf("%d requests were answered by %d children", n+1, setups.Load())
		}
		asleep()
	}
	before := setups.Load()
	w.Dismiss() // there is no child, and the next one is not affected
	w.Attend()
	for setups.Load() == before {
		select {
		case <-within(t).Done():
			t.Fatal("no child was started for a caller that is about to need it")
		case <-time.After(time.Millisecond):
		}
	}
	asleep()
	if n := restarts.Load(); n != 0 {
		t.Errorf("%d restarts were counted", n)
	}
}

// TestAVisitorIsDismissed checks that a child ends when it is told that it is not needed,
// and that the next request has another one.
func TestAVisitorIsDismissed(t *testing.T) {
	w, _ := run(t, "good", func(c *worker.Config) { c.Idle = time.Hour })
	first := childPID(t, w)
	w.Dismiss()
	gone(t, first)
	if s, err := w.Awake(within(t)); s != nil || err != nil {
		t.Errorf("a child that was dismissed is awake: %v", err)
	}
	if second := childPID(t, w); second == first {
		t.Error("the same process goes on")
	}
}

func TestFaultsCostOneRestart(t *testing.T) {
	tests := map[string]struct {
		kind    byte
		payload []byte
		timeout time.Duration
		want    string // in the error of the call
	}{
		"crash":   {kind: crash, want: "ended"},
		"hang":    {kind: hang, timeout: 50 * time.Millisecond, want: "no answer within 50ms"},
		"spin":    {kind: spin, timeout: 50 * time.Millisecond, want: "no answer within 50ms"},
		"garbage": {kind: babble, want: "something else wrote to it"},
		"exit":    {kind: shout, payload: number(50_000), want: "ended"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var setups, restarts atomic.Int32
			w, _ := run(t, "good", func(c *worker.Config) {
				c.Restarted = func(name string, refused bool) {
					if name == "test" && !refused {
						restarts.Add(1)
					}
				}
				c.Setup = func(ctx context.Context, s *worker.Session) error {
					setups.Add(1)
					_, err := s.Call(ctx, echo, []byte("hello"))
					return err
				}
			})
			first := childPID(t, w)
			s, err := w.Session(within(t))
			if err != nil {
				t.Fatal(err)
			}
			timeout := tc.timeout
			if timeout == 0 {
				timeout = patience
			}
			_, err = s.CallWithin(within(t), timeout, tc.kind, tc.payload)
			if !errors.Is(err, worker.ErrEnded) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the call ended with %v, want ErrEnded with %q", err, tc.want)
			}
			if _, err := s.Call(within(t), echo, nil); !errors.Is(err, worker.ErrEnded) {
				t.Errorf("the old session says %v, want ErrEnded", err)
			}
			if second := childPID(t, w); second == first {
				t.Error("the same process goes on")
			}
			gone(t, first)
			if n := setups.Load(); n != 2 {
				t.Errorf("set up %d times, want 2", n)
			}
			if n := restarts.Load(); n != 1 {
				t.Errorf("%d restarts were told, want 1", n)
			}
		})
	}
}

// TestNextOutlastsSeveralCrashes: a caller that has something to lose waits for a child
// that works, however often one has died; a caller that needs a running child does not.
func TestNextOutlastsSeveralCrashes(t *testing.T) {
	const deaths = 4
	var setups atomic.Int32
	w, stop := run(t, "good", func(c *worker.Config) {
		c.Setup = func(ctx context.Context, s *worker.Session) error {
			if setups.Add(1) <= deaths {
				_, err := s.Call(ctx, crash, nil)
				return err
			}
			return nil
		}
	})
	s, err := w.Next(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Call(within(t), echo, nil); err != nil || setups.Load() != deaths+1 {
		t.Errorf("after %d starts: %v", setups.Load(), err)
	}
	stop()
	if _, err := w.Next(within(t)); err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("a worker that was stopped: %v", err)
	}
}

func TestRefusalIsAnAnswer(t *testing.T) {
	w, _ := run(t, "good", nil)
	first := childPID(t, w)
	_, err := w.Call(within(t), refuse, nil)
	if r, ok := errors.AsType[*worker.Refusal](err); !ok || r.Text != "the word is not in the dictionary" {
		t.Errorf("got %v, want the child's refusal", err)
	}
	if childPID(t, w) != first {
		t.Error("the child was restarted")
	}
}

func TestReasonsReachTheCaller(t *testing.T) {
	tests := map[string]struct {
		mode   string
		change func(*worker.Config)
		want   string
	}{
		"refused at the start": {mode: "refusing", want: "not built in; install it", change: func(c *worker.Config) {
			c.Setup = func(ctx context.Context, s *worker.Session) error {
				_, err := s.Call(ctx, echo, nil)
				return err
			}
		}},
		"dies at the start": {mode: "dying", want: "exit status 1; it said: cannot start: the library is broken", change: func(c *worker.Config) {
			c.Setup = func(ctx context.Context, s *worker.Session) error {
				_, err := s.Call(ctx, echo, nil)
				return err
			}
		}},
		"does not exist": {mode: "good", want: "no such file", change: func(c *worker.Config) { c.Command = []string{"/nonexistent"} }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w, _ := run(t, tc.mode, tc.change)
			_, err := w.Session(within(t))
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "worker test") {
				t.Errorf("got %v, want it to say %q", err, tc.want)
			}
		})
	}
}

func TestStopLeavesNobody(t *testing.T) {
	t.Run("good", func(t *testing.T) {
		w, stop := run(t, "good", nil)
		child := childPID(t, w)
		stop()
		gone(t, child)
		if _, err := w.Call(t.Context(), echo, nil); err == nil {
			t.Error("a call after the end is answered")
		}
	})
	t.Run("spinning, with a child of its own", func(t *testing.T) {
		w, stop := run(t, "good", nil)
		child := childPID(t, w)
		answer, err := w.Call(within(t), offspring, nil)
		if err != nil {
			t.Fatal(err)
		}
		grandchild, _ := strconv.Atoi(string(answer))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := w.Call(ctx, spin, nil); err == nil {
			t.Error("a spinning child answers")
		}
		stop()
		gone(t, child)
		gone(t, grandchild)
	})
	t.Run("stubborn", func(t *testing.T) {
		w, stop := run(t, "stubborn", nil)
		if _, err := w.Session(within(t)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		stop()
		t.Logf("stopped within %v", time.Since(began)) // printed, not asserted: 150 ms of grace
	})
}

func TestEventsInOrder(t *testing.T) {
	var got []string // only touched by the reader until the call returns
	w, _ := run(t, "good", func(c *worker.Config) {
		c.Event = func(kind byte, payload []byte) { got = append(got, fmt.Sprintf("%d %s", kind, payload)) }
	})
	if _, err := w.Call(within(t), events, number(1000)); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1000 || got[0] != "7 0" || got[999] != "7 999" {
		t.Errorf("%d events, the last of them %v", len(got), got[max(0, len(got)-2):])
	}
}

func TestAFloodOnStderrIsBounded(t *testing.T) {
	var log counter
	w, stop := run(t, "good", func(c *worker.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	if _, err := w.Call(within(t), shout, number(100_000)); err == nil {
		t.Fatal("the child has exited; the call must fail")
	}
	childPID(t, w) // it is back
	stop()
	if n := log.n.Load(); n > 200_000 {
		t.Errorf("100 MB on stderr became %d bytes of log", n)
	}
}

type counter struct{ n atomic.Int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

func TestTooLargeARequest(t *testing.T) {
	w, _ := run(t, "good", nil)
	if _, err := w.Call(within(t), echo, make([]byte, worker.MaxPayload+1)); err == nil || errors.Is(err, worker.ErrEnded) {
		t.Errorf("got %v, want a refusal that costs nothing", err)
	}
	childPID(t, w)
}

func BenchmarkRoundTrip(b *testing.B) {
	w, err := worker.New(worker.Config{Name: "bench", Command: []string{os.Args[0], "worker", "good"}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = w.Run(ctx) })
	defer running.Wait()
	defer cancel()
	s, err := w.Session(ctx)
	if err != nil {
		b.Fatal(err)
	}
	frame := make([]byte, 640) // 20 ms of sound
	for b.Loop() {
		if _, err := s.Call(ctx, echo, frame); err != nil {
			b.Fatal(err)
		}
	}
}
