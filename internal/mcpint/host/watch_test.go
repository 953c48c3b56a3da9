package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// gossip collects what an observer receives.
type gossip struct {
	mu    sync.Mutex
	lines []string
}

func (n *gossip) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *gossip) is(t *testing.T, want ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Equal(n.lines, want) {
		t.Errorf("told\n  %s\nwant\n  %s", strings.Join(n.lines, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestTheObserverIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told gossip
		fake := &fakeServer{down: 1, takes: 100 * time.Millisecond}
		b := runWith(t, fake, func(c *Config) {
			c.Observer = Observer{
				State:   func(_ string, from, to mcpint.State) { told.add("%s to %s", from, to) },
				Attempt: func(a Attempt) { told.add("attempt %d after %v: %v", a.Number, a.Delay, a.Err == nil) },
				Connected: func(c Connection) {
					told.add("%s connected on %d in %v, away %v, %d tools", c.Server, c.Attempt, c.Took, c.Away, c.Tools)
				},
				Lost:    func(server string, reason error) { told.add("%s lost: %v", server, reason) },
				Health:  func(_ string, from, to mcpint.Health, reason string) { told.add("%s to %s: %s", from, to, reason) },
				Overall: func(state mcpint.Overall) { told.add("all: %s", state) },
			}
		})
		pass(time.Minute)
		fake.set(1)
		fake.die()
		pass(2050 * time.Millisecond)
		b.stop()
		told.is(
			t,
			"disconnected to connecting", "attempt 1 after 0s: false", "connecting to retrying",
			"retrying to connecting", "attempt 2 after 2s: true", "dead to healthy: ", "connecting to connected",
			"zwave connected on 2 in 100ms, away 2.1s, 1 tools", "all: full",
			"healthy to dead: it died", "connected to disconnected", "all: disconnected", "zwave lost: it died", "disconnected to retrying",
			"retrying to connecting", "attempt 1 after 0s: false", "connecting to retrying",
			"retrying to connecting", "attempt 2 after 2s: false", "connecting to disconnected",
		)
	})
}

func TestHealthGoesDownAndUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told gossip
		fake := &fakeServer{}
		b := runWith(t, fake, func(c *Config) {
			c.Observer.Health = func(_ string, from, to mcpint.Health, reason string) { told.add("%s to %s: %s", from, to, reason) }
		})
		defer b.stop()
		pass(time.Minute + time.Second)
		slow := time.Duration(0)
		fake.mu.Lock()
		fake.does = func(string) error {
			<-time.After(slow)
			return nil
		}
		fake.mu.Unlock()
		call := func() {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			_, _ = b.reg.Call(ctx, tools.Call{Tool: "act"})
			synctest.Wait()
		}
		slow = 1500 * time.Millisecond
		call()
		slow = 0
		call()
		fake.hush(true)
		call() // one failure
		pass(2*defaultHealthTimeout + time.Second)
		fake.hush(false)
		pass(time.Second)
		told.is(
			t,
			"dead to healthy: ",
			"healthy to degraded: the last call took 1.5s", "degraded to healthy: ",
			"healthy to degraded: the last call or check was not answered",
			"degraded to unresponsive: 2 checks in a row were not answered",
			"unresponsive to dead: "+errHanging.Error(), "dead to healthy: ",
		)
		if !strings.Contains(b.log(), "a tool call was slow") {
			t.Error("a slow call is not logged")
		}
	})
}

// TestAMotorIsNoSlowServer: a blind that moves when its call returns is no reason for a
// warning, and its server is healthy.
func TestAMotorIsNoSlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		moving := tools.Receipt{Device: "blind", Outcome: tools.Accepted, Reason: tools.OnItsWay}
		fake := &fakeServer{receipt: &tools.Receipt{Device: "blinds", Outcome: tools.Accepted, Devices: []tools.Receipt{moving}}, does: func(string) error { <-time.After(3 * time.Second); return nil }}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		pass(time.Second)
		if _, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"}); err != nil {
			t.Fatal(err)
		}
		if s := b.status(); s.Health != mcpint.Healthy || strings.Contains(b.log(), "a tool call was slow") {
			t.Errorf("it is %s: %s", s.Health, b.log())
		}
	})
}

// TestASignOfLifeDoesNotMakeUpForACall checks that a server stays unhealthy until the
// next call or the next regular check; otherwise the failure of a call would never be
// seen.
func TestASignOfLifeDoesNotMakeUpForACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		pass(time.Minute + time.Second)
		fake.mu.Lock()
		fake.does = func(string) error { return fmt.Errorf("%w: cut", tools.ErrNoAnswer) }
		fake.mu.Unlock()
		_, _ = b.reg.Call(t.Context(), tools.Call{Tool: "act"})
		pass(time.Second)
		if s := b.status(); s.Health != mcpint.Degraded || s.ConsecutiveFailures != 1 || *s.HealthReason == "" {
			t.Fatalf("the status is %+v", s)
		}
		s, err := b.CheckHealth(t.Context(), "zwave")
		if err != nil || s.Health != mcpint.Healthy || s.ConsecutiveFailures != 0 || s.HealthReason != nil {
			t.Fatalf("checked, the status is %+v, %v", s, err)
		}
		fake.mu.Lock()
		fake.does = nil
		fake.mu.Unlock()
	})
}

func TestCheckHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		pass(time.Minute + time.Second)
		if _, err := b.CheckHealth(t.Context(), "nobody"); !errors.Is(err, ErrUnknownServer) {
			t.Fatalf("an unknown server: %v", err)
		}
		fake.hush(true)
		s, err := b.CheckHealth(t.Context(), "zwave")
		if err != nil || s.Health != mcpint.Degraded || s.ConsecutiveFailures != 1 {
			t.Fatalf("the status is %+v, %v", s, err)
		}
		pass(2*defaultHealthTimeout + time.Second) // the checks that follow the unanswered one
		fake.hush(false)
		pass(3 * time.Second)
		if s := b.status(); s.Status != mcpint.Connected || fake.dialled() != 2 {
			t.Fatalf("after %d dials the status is %+v", fake.dialled(), s)
		}
		fake.set(1000)
		fake.die()
		pass(time.Second)
		if s, err := b.CheckHealth(t.Context(), "zwave"); err != nil || s.Health != mcpint.Dead {
			t.Fatalf("the status is %+v, %v", s, err)
		}
	})
}

// TestLateNewsOfAFormerConnectionIsDropped lets a call time out long after its
// connection was replaced.
func TestLateNewsOfAFormerConnectionIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		pass(time.Minute)
		fake.hush(true)
		ended := make(chan error, 1)
		go func() {
			_, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"})
			ended <- err
		}()
		pass(time.Second)
		if err := b.Reconnect(t.Context(), "zwave"); err != nil {
			t.Fatal(err)
		}
		pass(0)
		fake.hush(false)
		pass(time.Minute)
		if err := <-ended; !errors.Is(err, tools.ErrNoAnswer) {
			t.Fatalf("the call: %v", err)
		}
		if s := b.status(); s.Status != mcpint.Connected || s.Health != mcpint.Healthy || s.ConsecutiveFailures != 0 || fake.dialled() != 2 {
			t.Fatalf("after %d dials the status is %+v", fake.dialled(), s)
		}
	})
}

func TestReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		pass(time.Second)
		if err := b.Reconnect(t.Context(), "zwave"); err != nil {
			t.Fatal(err)
		}
		pass(0)
		if s := b.status(); s.Status != mcpint.Connected || s.RetryCount != 0 || fake.dialled() != 2 {
			t.Fatalf("after %d dials the status is %+v", fake.dialled(), s)
		}
		if err := b.Reconnect(t.Context(), "nobody"); !errors.Is(err, ErrUnknownServer) {
			t.Fatalf("an unknown server: %v", err)
		}
	})
}

// TestAForceWaitsForNobody forces a retry while the owner is busy with a server
// that ends slowly: the HTTP interface has promised an answer within 100 ms.
func TestAForceWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{ends: 3 * time.Second, takes: 5 * time.Second}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		for i := range 40 { // in an attempt, connected, while it ends, and in between
			begin := time.Now()
			if err := b.RetryAll(t.Context()); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begin); took > retryGrace {
				t.Fatalf("a force took %v", took)
			}
			pass(time.Second)
			if i%10 == 9 {
				fake.die()
			}
		}
		pass(time.Minute)
		if s := b.status(); s.Status != mcpint.Connected {
			t.Fatalf("the status is %+v", s)
		}
	})
}

func TestAForceWhileTheOldServerEndsIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{ends: 3 * time.Second}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		pass(time.Second) // not stable: after the loss the schedule waits for 2 s
		fake.set(1)
		fake.die()
		pass(time.Second)
		if err := b.Retry(t.Context(), "zwave"); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Second) // it has ended; the forced attempt does not succeed
		if s := b.status(); s.Status != mcpint.Retrying || s.RetryCount != 0 || fake.dialled() != 2 {
			t.Fatalf("after %d dials the status is %+v", fake.dialled(), s)
		}
		pass(2 * time.Second)
		if s := b.status(); s.Status != mcpint.Connected || s.RetryCount != 1 {
			t.Fatalf("the status is %+v", s)
		}
	})
}

func TestACallWhileTheOldServerEndsWaitsForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{ends: 3 * time.Second}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		pass(time.Second)
		fake.die()
		pass(time.Second)
		begin := time.Now()
		if _, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"}); err != nil || time.Since(begin) != 2*time.Second {
			t.Fatalf("after %v: %v", time.Since(begin), err)
		}
	})
}

// TestTheStateIsAnnounced checks that essential servers are waited for longer.
func TestTheStateIsAnnounced(t *testing.T) {
	tests := map[string]struct {
		essential, optional int // failing dials
		after               time.Duration
		want                string
	}{
		"all there":              {0, 0, 0, "full"},
		"one comes late":         {1, 0, 2 * time.Second, "full"},
		"an optional one fails":  {0, 99, 10 * time.Second, "degraded"},
		"an essential one fails": {99, 0, 30 * time.Second, "disconnected"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told gossip
				main, other := &fakeServer{down: tt.essential}, &fakeServer{down: tt.optional}
				reg := tools.NewRegistry()
				h, err := New(Config{
					Servers:  []mcpint.Server{{ID: "main", Trust: mcpint.TrustFull, Command: "x", Essential: true}, {ID: "other", Trust: mcpint.TrustFull, Command: "y"}},
					Retry:    DefaultRetry(),
					Observer: Observer{Overall: func(state mcpint.Overall) { told.add("%v %s", time.Since(start(t)), state) }},
				}, reg, quiet())
				if err != nil {
					t.Fatal(err)
				}
				h.random = func() float64 { return 0.5 }
				h.dial = func(ctx context.Context, s mcpint.Server, o client.Options) (client.Session, error) {
					return map[string]*fakeServer{"main": main, "other": other}[s.ID].dial(ctx, s, o)
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- h.Run(ctx) }()
				pass(tt.after)
				told.is(t, fmt.Sprintf("%v %s", tt.after, tt.want))
				pass(5 * time.Second)
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestAServerThatAsksForPatienceGetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{}
		asked := []time.Duration{30 * time.Second, time.Hour, 0}
		reg := tools.NewRegistry()
		var attempts []Attempt
		h, err := New(Config{
			Servers: []mcpint.Server{{ID: "web", Trust: mcpint.TrustFull, Transport: "http", URL: "http://x"}}, Retry: DefaultRetry(),
			Observer: Observer{Attempt: func(a Attempt) { attempts = append(attempts, a) }},
		}, reg, quiet())
		if err != nil {
			t.Fatal(err)
		}
		h.probe = fake.probe
		h.dial = func(ctx context.Context, s mcpint.Server, o client.Options) (client.Session, error) {
			if n := len(attempts); n < len(asked) {
				return nil, &client.DialError{Server: s.ID, Err: &client.HTTPError{Status: 429, RetryAfter: asked[n]}}
			}
			return fake.dial(ctx, s, o)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx) }()
		pass(5 * time.Minute)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		// The server's wish for an hour is cut to the slow pace of 60 s. The last
		// delay is the schedule's own.
		want := []time.Duration{0, 30 * time.Second, 90 * time.Second}
		if got := starts(attempts); len(got) != 4 || !slices.Equal(got[:3], want) {
			t.Fatalf("attempts began at %v, want %v", got, want)
		}
	})
}
