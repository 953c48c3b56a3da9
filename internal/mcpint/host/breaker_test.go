package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

var errMute = errors.New("no answer")

// step is one thing done to a breaker, with the state expected afterwards.
type step struct {
	wait  time.Duration
	do    string              // ok, mute, broken off: a call; half: halfOpen; look
	state mcpint.BreakerState // after it
	deny  bool                // the call is refused
}

func TestBreaker(t *testing.T) {
	const minute = time.Minute
	tests := map[string][]step{
		"three in a row open it, and not for less than a minute": {
			{do: "mute", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "mute", state: "open"},
			{do: "ok", state: "open", deny: true},
			{wait: minute - 1, do: "look", state: "open"},
			{wait: 1, do: "look", state: "half-open"},
			{do: "ok", state: "closed"},
		},
		"a success between starts the count over": {
			{do: "mute", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "ok", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "mute", state: "open"},
		},
		"a call that was broken off counts for nothing": {
			{do: "mute", state: "closed"},
			{do: "broken off", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "broken off", state: "closed"},
			{do: "mute", state: "open"},
			{wait: minute, do: "broken off", state: "half-open"},
			{do: "ok", state: "closed"},
		},
		"a trial in vain opens it again": {
			{do: "mute", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "mute", state: "open"},
			{wait: minute, do: "mute", state: "open"},
			{wait: minute - 1, do: "ok", state: "open", deny: true},
			{wait: 1, do: "ok", state: "closed"},
		},
		"a force lets calls through at once": {
			{do: "mute", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "mute", state: "open"},
			{do: "half", state: "half-open"},
			{do: "broken off", state: "half-open"},
			{do: "ok", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "mute", state: "open"},
			{do: "half", state: "half-open"},
			{do: "mute", state: "open"},
			{wait: minute, do: "look", state: "half-open"},
		},
		"a forced trial in vain does not make it touchy for good": {
			{do: "mute", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "mute", state: "open"},
			{do: "half", state: "half-open"},
			{do: "mute", state: "open"},
			{wait: minute, do: "ok", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "mute", state: "open"},
		},
		"a force changes nothing that is well": {
			{do: "mute", state: "closed"},
			{do: "half", state: "closed"},
			{do: "mute", state: "closed"},
			{do: "mute", state: "open"},
		},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told [][2]mcpint.BreakerState
				b := newBreaker(BreakerConfig{}, func(from, to mcpint.BreakerState) { told = append(told, [2]mcpint.BreakerState{from, to}) })
				defer b.stop()
				for i, s := range steps {
					<-time.After(s.wait)
					synctest.Wait()
					if denied := s.happens(b); denied != s.deny {
						t.Fatalf("step %d (%s): refused: %v", i, s.do, denied)
					}
					state, _, _ := b.current()
					if state != s.state {
						t.Fatalf("step %d (%s): it is %s, want %s", i, s.do, state, s.state)
					}
				}
				shown := mcpint.BreakerClosed
				for _, change := range told {
					from, to := change[0], change[1]
					if from != shown || from == to {
						t.Fatalf("after %s it told %s", shown, change)
					}
					shown = to
				}
				if last := steps[len(steps)-1].state; shown != last {
					t.Errorf("the last it told is %s, and it is %s", shown, last)
				}
			})
		})
	}
}

func (s step) happens(b *breaker) (denied bool) {
	switch s.do {
	case "half":
		b.halfOpen()
	case "look":
		b.current()
	default:
		done, err := b.allow("zwave")
		if err != nil {
			return true
		}
		done(map[string]error{"ok": nil, "mute": errMute, "broken off": errCallCancelled}[s.do])
	}
	return false
}

// TestOneCallIsTheTrial checks that a half-open breaker refuses all calls but
// one, whatever made it half-open.
func TestOneCallIsTheTrial(t *testing.T) {
	for name, end := range map[string]error{"answered": nil, "in vain": errMute, "broken off": errCallCancelled} {
		t.Run(name, func(t *testing.T) {
			b := newBreaker(BreakerConfig{Threshold: 1}, func(_, _ mcpint.BreakerState) {})
			defer b.stop()
			allow := func() func(error) {
				t.Helper()
				done, err := b.allow("zwave")
				if err != nil {
					t.Fatal(err)
				}
				return done
			}
			allow()(errMute)
			b.halfOpen()
			trial := allow()
			_, err := b.allow("zwave")
			if busy, ok := errors.AsType[*BreakerError](err); !ok || !busy.Until.IsZero() {
				t.Fatalf("beside the trial: %v", err)
			}
			trial(end)
			switch state, _, _ := b.current(); state {
			case mcpint.BreakerClosed:
				first, second := allow(), allow()
				first(nil)
				second(nil)
			case mcpint.BreakerHalfOpen: // the call was not the trial
				allow()(nil)
			case mcpint.BreakerOpen:
			}
			if state, _, _ := b.current(); (state == mcpint.BreakerOpen) != errors.Is(end, errMute) {
				t.Fatalf("it is %s", state)
			}
		})
	}
}

// TestATrialOfTheFormerConnectionIsOver checks that a new connection does not
// wait for the trial on the one before.
func TestATrialOfTheFormerConnectionIsOver(t *testing.T) {
	b := newBreaker(BreakerConfig{Threshold: 1}, func(_, _ mcpint.BreakerState) {})
	defer b.stop()
	done, err := b.allow("zwave")
	if err != nil {
		t.Fatal(err)
	}
	done(errMute)
	b.halfOpen()
	late, err := b.allow("zwave")
	if err != nil {
		t.Fatal(err)
	}
	b.halfOpen() // the next connection
	done, err = b.allow("zwave")
	if err != nil {
		t.Fatal(err)
	}
	late(errMute)
	done(nil)
	if state, _, _ := b.current(); state != mcpint.BreakerClosed {
		t.Fatalf("it is %s", state)
	}
}

// TestOneLossIsOneFailure kills a healthy server while ten repeatable calls are
// under way, and demands that the breaker refuses no repetition.
func TestOneLossIsOneFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{specs: []tools.Spec{{Name: "look", Remote: "look", Risk: tools.Read}}, takes: time.Second}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		pass(time.Minute)
		fake.mu.Lock()
		live := fake.live
		fake.does = func(string) error { // the first connection's calls end with it
			fake.mu.Lock()
			first := fake.live == live
			fake.mu.Unlock()
			if !first {
				return nil
			}
			<-live.done
			return fmt.Errorf("%w: it died", tools.ErrNoAnswer)
		}
		fake.mu.Unlock()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if _, err := b.reg.Call(t.Context(), tools.Call{Tool: "look"}); err != nil {
					t.Error(err)
				}
			})
		}
		pass(time.Second)
		fake.die()
		all.Wait()
		if s := b.status(); s.Breaker != mcpint.BreakerClosed || s.BreakerSince != nil || fake.dialled() != 2 {
			t.Fatalf("after %d dials the status is %+v", fake.dialled(), s)
		}
	})
}

// TestARepetitionThatIsNotSentUndoesNothing checks that a call whose answer was lost is
// not reported as never made, although the breaker forbids its repetition.
func TestARepetitionThatIsNotSentUndoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{specs: []tools.Spec{{Name: "set", Remote: "set", Risk: tools.Reversible, Idempotent: true}}}
		b := runWith(t, fake, func(c *Config) { c.Breaker.Threshold = 1 })
		defer b.stop()
		pass(time.Minute)
		fake.mu.Lock()
		fake.does = func(string) error { return silentFor(fairTime) }
		fake.mu.Unlock()
		_, err := b.reg.Call(t.Context(), tools.Call{Tool: "set"})
		if !errors.Is(err, tools.ErrNoAnswer) || errors.Is(err, tools.ErrNotConnected) || b.status().Breaker != mcpint.BreakerOpen {
			t.Errorf("with the breaker %s: %v", b.status().Breaker, err)
		}
	})
}

// silentFor is the end of a call that waited for its answer in vain.
func silentFor(d time.Duration) error {
	<-time.After(d)
	return fmt.Errorf("%w: %w", tools.ErrNoAnswer, context.DeadlineExceeded)
}

// TestAShortWaitSaysNothingOfTheServer: a caller that has spent its time before the
// call was sent gives the server no time to answer. However often that happens, the
// breaker stays closed.
func TestAShortWaitSaysNothingOfTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{specs: []tools.Spec{{Name: "act", Remote: "act"}}}
		b := runWith(t, fake, func(c *Config) { c.Breaker.Threshold = 1 })
		defer b.stop()
		pass(time.Minute)
		fake.mu.Lock()
		fake.does = func(string) error { return silentFor(fairTime - time.Millisecond) }
		fake.mu.Unlock()
		for range 20 {
			if _, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"}); !errors.Is(err, tools.ErrNoAnswer) {
				t.Fatalf("a call: %v", err)
			}
		}
		if s := b.status(); s.Breaker != mcpint.BreakerClosed || s.ConsecutiveFailures != 0 {
			t.Errorf("the status is %+v", s)
		}
	})
}

// TestLateNewsDoesNotTouchTheBreaker checks that a call that began before a
// forced retry does not count after it.
func TestLateNewsDoesNotTouchTheBreaker(t *testing.T) {
	b := newBreaker(BreakerConfig{Threshold: 1}, func(_, _ mcpint.BreakerState) {})
	defer b.stop()
	late, err := b.allow("zwave")
	if err != nil {
		t.Fatal(err)
	}
	if mute, err := b.allow("zwave"); err != nil {
		t.Fatal(err)
	} else {
		mute(errMute)
	}
	b.halfOpen()
	late(errMute)
	if state, _, _ := b.current(); state != mcpint.BreakerHalfOpen {
		t.Fatalf("it is %s", state)
	}
}

// TestABreakerIsSafe only gives the race detector something to watch.
func TestABreakerIsSafe(*testing.T) {
	b := newBreaker(BreakerConfig{Recovery: time.Nanosecond * 2}, func(_, _ mcpint.BreakerState) {})
	defer b.stop()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 200 {
				if done, err := b.allow("zwave"); err == nil {
					done([]error{nil, errMute, errMute, errCallCancelled}[(i+n)%4])
				}
				if n%50 == 0 {
					b.halfOpen()
				}
				b.current()
			}
		})
	}
	all.Wait()
}

func TestCallsOfAServerThatDoesNotAnswerEndAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var changes []string
		var calls []CallReport
		fake := &fakeServer{}
		b := runWith(t, fake, func(c *Config) {
			c.Observer.Breaker = func(server string, from, to mcpint.BreakerState) {
				mu.Lock()
				defer mu.Unlock()
				changes = append(changes, fmt.Sprintf("%v %s: %s, %s", time.Since(start(t)), server, from, to))
			}
			c.Observer.Call = func(r CallReport) {
				mu.Lock()
				defer mu.Unlock()
				calls = append(calls, r)
			}
		})
		defer b.stop()
		begin := start(t)
		pass(time.Minute)
		mute := true
		fake.mu.Lock()
		fake.does = func(string) error { // it answers checks, but no calls
			if mute {
				return silentFor(fairTime)
			}
			return nil
		}
		fake.mu.Unlock()
		for range 3 {
			if _, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"}); !errors.Is(err, tools.ErrNoAnswer) {
				t.Fatalf("a call: %v", err)
			}
		}
		pass(0)
		s := b.status()
		if s.BreakerUntil == nil || !s.BreakerUntil.Equal(begin.Add(2*time.Minute+3*fairTime)) {
			t.Fatalf("its pause ends at %v", s.BreakerUntil)
		}
		if s.Breaker != "open" || s.BreakerSince == nil || !s.BreakerSince.Equal(begin.Add(time.Minute+3*fairTime)) || s.Status != mcpint.Connected || s.Health != mcpint.Degraded || s.ConsecutiveFailures != 3 {
			t.Fatalf("the status is %+v", s)
		}
		before := time.Now()
		_, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"})
		paused, ok := errors.AsType[*BreakerError](err)
		if !ok || !errors.Is(err, tools.ErrNotConnected) || !paused.Until.Equal(before.Add(time.Minute)) || time.Since(before) != 0 || !strings.Contains(err.Error(), "pause") {
			t.Fatalf("a call of a paused server: %v", err)
		}
		pass(45 * time.Second) // regular checks are answered
		if s := b.status(); s.Breaker != "open" || s.Health != mcpint.Degraded || s.HealthReason == nil || !strings.Contains(*s.HealthReason, "00:02:09") {
			t.Fatalf("beside an open breaker the status is %+v", s)
		}
		mute = false
		if err := b.Retry(t.Context(), "zwave"); err != nil {
			t.Fatal(err)
		}
		if s := b.status(); s.Breaker != "half-open" || s.BreakerUntil != nil || s.Status != mcpint.Connected {
			t.Fatalf("forced, the status is %+v", s)
		}
		if _, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		want := []string{"1m9s zwave: closed, open", "1m54s zwave: open, half-open", "1m54s zwave: half-open, closed"}
		if !slices.Equal(changes, want) {
			t.Errorf("the changes are %q", changes)
		}
		var outcomes []mcpint.CallOutcome
		for _, r := range calls {
			outcomes = append(outcomes, r.Outcome)
		}
		if want := []mcpint.CallOutcome{mcpint.CallTimeout, mcpint.CallTimeout, mcpint.CallTimeout, mcpint.CallRefused, mcpint.CallOK}; !slices.Equal(outcomes, want) {
			t.Errorf("the outcomes are %q", outcomes)
		}
	})
}

// start is the beginning of the virtual time of a bubble.
func start(t *testing.T) time.Time {
	t.Helper()
	return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
}

func TestANewConnectionHalfOpensTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		pass(time.Minute)
		fake.hush(true)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				_, _ = b.reg.Call(ctx, tools.Call{Tool: "act"})
			})
		}
		all.Wait()
		pass(0)
		if s := b.status(); s.Breaker != "open" {
			t.Fatalf("the status is %+v", s)
		}
		fake.hush(false)
		fake.die()
		pass(time.Second)
		if s := b.status(); s.Breaker != "half-open" || s.Status != mcpint.Connected {
			t.Fatalf("reconnected, the status is %+v", s)
		}
		fake.mu.Lock()
		fake.does = func(string) error {
			<-time.After(time.Second)
			return nil
		}
		fake.mu.Unlock()
		var tried, refused atomic.Int32
		for range 10 { // at once: one is the trial
			all.Go(func() {
				_, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"})
				if _, paused := errors.AsType[*BreakerError](err); paused {
					refused.Add(1)
				} else if err == nil {
					tried.Add(1)
				}
			})
		}
		all.Wait()
		if s := b.status(); s.Breaker != "closed" || tried.Load() != 1 || refused.Load() != 9 {
			t.Fatalf("%d tried, %d refused; the status is %+v", tried.Load(), refused.Load(), s)
		}
		for range 10 {
			all.Go(func() {
				if _, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}
