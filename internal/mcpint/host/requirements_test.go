package host

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

func needing(needs ...string) func(*Config) {
	return func(c *Config) { c.Servers[0].Requires = needs }
}

func TestWhatAServerNeedsIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{lacks: map[string]bool{"mqtt": true, "tcp://db:5432": true}}
		b := runWith(t, fake, needing("mqtt", "tcp://db:5432", "http://x/health"))
		defer b.stop()
		begin := start(t)
		pass(5 * time.Second)
		s := b.status()
		if s.Status != mcpint.Retrying || s.RetryCount != 0 || fake.dialled() != 0 || !s.NextRetryTime.Equal(begin.Add(time.Minute)) ||
			*s.ErrorMessage != "waiting for what the server needs: mqtt (connection refused); tcp://db:5432 (connection refused)" {
			t.Fatalf("the status is %+v", s)
		}
		if b.reg.Settled() {
			t.Fatal("the registry does not wait")
		}
		b.WakeAll() // the probes see for themselves
		fake.has("mqtt", true)
		pass(2 * time.Second)
		if s := b.status(); !strings.HasSuffix(*s.ErrorMessage, "needs: tcp://db:5432 (connection refused)") || fake.dialled() != 0 {
			t.Fatalf("the status is %+v", s)
		}
		fake.has("tcp://db:5432", true)
		pass(2 * time.Second)
		if s := b.status(); s.Status != mcpint.Connected || s.RetryCount != 0 || s.ErrorMessage != nil || fake.dialled() != 1 {
			t.Fatalf("the status is %+v", s)
		}
		fake.mu.Lock()
		defer fake.mu.Unlock()
		for i, at := range fake.looks {
			if want := time.Duration(i/3) * probeEvery; at.Sub(begin) != want {
				t.Fatalf("look %d came after %v, want %v", i, at.Sub(begin), want)
			}
		}
	})
}

func TestAServerIsStartedWithoutWhatItNeedsInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{lacks: map[string]bool{"mqtt": true}, down: 100}
		b := runWith(t, fake, needing("mqtt"))
		defer b.stop()
		pass(time.Minute - time.Second)
		if n := fake.dialled(); n != 0 {
			t.Fatalf("%d attempts before the time is up", n)
		}
		pass(30 * time.Second)
		want := []time.Duration{60 * time.Second, 62 * time.Second, 66 * time.Second, 74 * time.Second, 82 * time.Second}
		got := starts(*b.attempts)
		if len(got) != len(want) {
			t.Fatalf("attempts began at %v, want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("attempts began at %v, want %v", got, want)
			}
		}
		if s := b.status(); s.Status != mcpint.Failed {
			t.Fatalf("the status is %+v", s)
		}
	})
}

func TestNobodyWhoCannotWaitWaitsForNeeds(t *testing.T) {
	for name, hurry := range map[string]func(t *testing.T, b bench){
		"a call": func(t *testing.T, b bench) {
			t.Helper()
			if _, err := b.Host.supervisors[0].call(t.Context(), "act", nil); err != nil {
				t.Fatal(err)
			}
		},
		"a force": func(t *testing.T, b bench) {
			t.Helper()
			if err := b.Retry(t.Context(), "zwave"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := &fakeServer{lacks: map[string]bool{"mqtt": true}}
				b := runWith(t, fake, needing("mqtt"))
				defer b.stop()
				pass(5 * time.Second)
				hurry(t, b)
				pass(0)
				if s := b.status(); s.Status != mcpint.Connected || s.ErrorMessage != nil {
					t.Fatalf("the status is %+v", s)
				}
				pass(time.Minute)
				if s := b.status(); s.Status != mcpint.Connected || fake.dialled() != 1 {
					t.Fatalf("after %d dials the status is %+v", fake.dialled(), s)
				}
				fake.die() // the connection was stable, so a new round begins with the requirements
				pass(10 * time.Second)
				if s := b.status(); s.Status != mcpint.Retrying || fake.dialled() != 1 || !strings.Contains(*s.ErrorMessage, "waiting for") {
					t.Fatalf("lost, after %d dials the status is %+v", fake.dialled(), s)
				}
			})
		})
	}
}

func TestACallInVainLeavesTheWaitForNeedsAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{lacks: map[string]bool{"mqtt": true}, down: 1}
		b := runWith(t, fake, needing("mqtt"))
		defer b.stop()
		pass(5 * time.Second)
		if _, err := b.Host.supervisors[0].call(t.Context(), "act", nil); err == nil {
			t.Fatal("a call of a server that is away succeeded")
		}
		if s := b.status(); s.Status != mcpint.Retrying || !s.NextRetryTime.Equal(start(t).Add(time.Minute)) {
			t.Fatalf("the status is %+v", s)
		}
		fake.has("mqtt", true)
		pass(2 * time.Second)
		if s := b.status(); s.Status != mcpint.Connected || fake.dialled() != 2 {
			t.Fatalf("after %d dials the status is %+v", fake.dialled(), s)
		}
		if _, err := b.reg.Call(t.Context(), tools.Call{Tool: "act"}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestStoppingEndsTheWaitForNeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := runWith(t, &fakeServer{lacks: map[string]bool{"mqtt": true}}, needing("mqtt"))
		pass(3 * time.Second)
		b.stop()
	})
}

// TestWhoIsHeld: a server that lacks something is reported as held until the wait is
// over; a server that lacks nothing never is.
func TestWhoIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []bool
		fake := &fakeServer{lacks: map[string]bool{"mqtt": true}}
		b := runWith(t, fake, func(c *Config) {
			c.Servers[0].Requires = []string{"mqtt"}
			c.Observer.Held = func(_ string, held bool) { told = append(told, held) }
		})
		pass(5 * time.Second)
		fake.has("mqtt", true)
		pass(5 * time.Second)
		b.stop()
		if !slices.Equal(told, []bool{true, false}) {
			t.Fatalf("held: %v", told)
		}
	})
}
