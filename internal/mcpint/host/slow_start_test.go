package host

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// childSlow answers nothing for a time, as a launcher does that fetches its server
// first.
func childSlow(args []string) {
	takes, _ := time.ParseDuration(args[0])
	<-time.After(takes)
	serveGood()
}

// TestASlowServerIsWaitedFor starts a server that needs longer than its
// connect_timeout, beside a quick one, which does not wait for it.
func TestASlowServerIsWaitedFor(t *testing.T) {
	reg := tools.NewRegistry()
	slow := child(t, "slow", "slow", "1200ms")
	slow.ConnectTimeout = 500 * time.Millisecond
	h, step := hosted(t, reg, quick(), slow, child(t, "quick", "good"))
	of := func(id string) mcpint.Status {
		for _, s := range h.Status() {
			if s.ID == id {
				return s
			}
		}
		return mcpint.Status{}
	}
	step()
	if err := reg.Await(patience(t), "quick"); err != nil {
		t.Fatal(err)
	}
	if s := of("quick"); s.Status != mcpint.Connected {
		t.Errorf("the quick one is %+v", s)
	}
	told := ""
	until(patience(t), t, "the connection of the slow one", func() bool {
		s := of("slow")
		if s.ErrorMessage != nil {
			told = *s.ErrorMessage
		}
		return s.Status == mcpint.Connected
	})
	for _, want := range []string{"no answer to initialize within ", "mcp.servers.slow.connect_timeout"} {
		if !strings.Contains(told, want) {
			t.Errorf("the status lacks %q while it is retried: %s", want, told)
		}
	}
	step()
}

// TestLaterAttemptsWaitLonger checks how long each attempt may take, that a server which
// was slow once gets its time at once, and that nobody waits for it meanwhile: the other
// server, its retry, and the end.
func TestLaterAttemptsWaitLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &fakeServer{takes: 25 * time.Second, other: &fakeServer{}}
		b := runWith(t, slow, func(c *Config) {
			c.Servers = append(c.Servers, mcpint.Server{ID: "quick", Command: "/q", Trust: mcpint.TrustFull})
			c.Observer = Observer{} // the usual one is for a single server
		})
		pass(time.Second)
		state := func(at int) mcpint.State { return b.Status()[at].Status }
		if state(0) != mcpint.Connected || state(1) != mcpint.Connecting {
			t.Fatalf("after a second the quick one is %s and the slow one %s", state(0), state(1))
		}
		pass(20 * time.Second) // in the second attempt
		if err := b.Reconnect(t.Context(), "quick"); err != nil {
			t.Fatal(err)
		}
		pass(time.Millisecond)
		if state(0) != mcpint.Connected || state(1) != mcpint.Connecting {
			t.Fatalf("after a reconnect the quick one is %s and the slow one %s", state(0), state(1))
		}
		if s := b.Status()[1]; s.ErrorMessage == nil || slow.dialled() != 2 {
			t.Fatalf("after 21 s, with %d starts, the status of the slow one is %+v", slow.dialled(), s)
		}
		pass(5 * time.Second) // the first start has ended meanwhile, and is not repeated
		if s := b.Status()[1]; s.Status != mcpint.Connected || slow.dialled() != 2 || slow.left() != 1 {
			t.Fatalf("after 26 s the slow one is %s, with %d starts, %d of them left", s.Status, slow.dialled(), slow.left())
		}
		// Stable for long enough that its retries are forgotten, it is lost.
		pass(stableAfter + time.Second)
		slow.die()
		pass(26 * time.Second)
		if s := b.Status()[1]; s.Status != mcpint.Connected || slow.dialled() != 3 {
			t.Fatalf("after its loss the slow one is %s, with %d starts in all", s.Status, slow.dialled())
		}
		pass(stableAfter)
		slow.slow(time.Hour)
		slow.die()
		pass(time.Second)
		if state(1) != mcpint.Connecting {
			t.Fatalf("the slow one is %s", state(1))
		}
		begin := time.Now()
		b.stop()
		if took := time.Since(begin); took != 0 {
			t.Errorf("the end waited %v for the attempt", took)
		}
	})
}

// TestWhatIsStartingIsLeftAlone starts a server that needs 20 s while each attempt may
// take 10 s at first, and says when it is connected and how often it was started.
func TestWhatIsStartingIsLeftAlone(t *testing.T) {
	for name, test := range map[string]struct {
		takes     []time.Duration // of each start; the last one of all others too
		set       func(*Config)
		connected time.Duration
		starts    int
	}{
		"the first start is there in the second attempt":         {takes: []time.Duration{20 * time.Second}, connected: 20 * time.Second, starts: 2},
		"the first start hangs":                                  {takes: []time.Duration{time.Hour, time.Second}, connected: 11 * time.Second, starts: 2},
		"the third start hangs, and those before failed at once": {takes: []time.Duration{-1, -1, time.Hour, time.Second}, connected: 19 * time.Second, starts: 4},
		"two starts hang":                                        {takes: []time.Duration{time.Hour, time.Hour, time.Second}, connected: 41 * time.Second, starts: 3},
		"later ones cannot start beside the first":               {takes: []time.Duration{20 * time.Second, -1}, connected: 20 * time.Second, starts: 3},
		"there is one attempt alone": {
			takes: []time.Duration{20 * time.Second}, connected: 20 * time.Second, starts: 1, set: func(c *Config) { c.Retry.Enabled = false },
		},
		"over http it starts by itself": {
			takes: []time.Duration{20 * time.Second, 10 * time.Second}, connected: 20 * time.Second, starts: 2, set: func(c *Config) { c.Servers[0].Transport, c.Servers[0].URL = "http", "http://x" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := &fakeServer{takesEach: test.takes}
				b := runWith(t, slow, func(c *Config) {
					if test.set != nil {
						test.set(c)
					}
				})
				defer b.stop()
				pass(test.connected - time.Millisecond)
				if s := b.status(); s.Status == mcpint.Connected {
					t.Errorf("before %v it is connected", test.connected)
				}
				pass(2 * time.Millisecond)
				if s := b.status(); s.Status != mcpint.Connected {
					t.Errorf("after %v the status is %+v", test.connected, s)
				}
				pass(time.Minute)
				if slow.dialled() != test.starts || slow.left() != 1 {
					t.Errorf("it was started %d times, and %d are left; expected %d and 1", slow.dialled(), slow.left(), test.starts)
				}
			})
		})
	}
}
