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
		pass(20 * time.Second)
		if s := b.Status()[1]; s.Status != mcpint.Connected || slow.dialled() != 2 {
			t.Fatalf("after 41 s the slow one is %s, with %d starts", s.Status, slow.dialled())
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
