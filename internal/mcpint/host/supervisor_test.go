package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
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

// fakeServer is what a fake dialler connects to.
type fakeServer struct {
	receipt   *tools.Receipt // of every call
	mu        sync.Mutex
	down      int             // dials that still do not succeed
	takes     time.Duration   // how long a dial takes
	takesEach []time.Duration // of each dial, the last one of all others too; below 0: it ends at once
	open      int             // sessions that are not closed
	dials     int
	mute      bool // it accepts everything and answers nothing
	pings     int
	calls     []string
	live      *fakeSession
	specs     []tools.Spec
	ends      time.Duration           // how long Close takes
	lacks     map[string]bool         // needs that are not met
	looks     []time.Time             // when a need was probed
	does      func(name string) error // the outcome of a call, if set
	other     *fakeServer             // what every server but zwave connects to, if set
}

// probe reports whether a need is met, and notes that it was asked.
func (f *fakeServer) probe(_ context.Context, need string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks = append(f.looks, time.Now())
	if f.lacks[need] {
		return errors.New("connection refused")
	}
	return nil
}

// has changes whether a need is met.
func (f *fakeServer) has(need string, met bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lacks[need] = !met
}

type fakeSession struct {
	of     *fakeServer
	notify func(client.Notice)
	done   chan struct{}
	once   sync.Once
}

func (f *fakeServer) dial(ctx context.Context, s mcpint.Server, o client.Options) (client.Session, error) {
	if f.other != nil && s.ID != "zwave" {
		return f.other.dial(ctx, s, o)
	}
	f.mu.Lock()
	f.dials++
	down := f.down > 0
	f.down = max(0, f.down-1)
	takes := f.takes
	if n := len(f.takesEach); n > 0 {
		takes = f.takesEach[min(f.dials, n)-1]
	}
	f.mu.Unlock()
	if takes < 0 {
		return nil, errors.New("the address is in use")
	}
	if err := elapse(ctx, takes, s, o); err != nil {
		return nil, err
	}
	if down {
		return nil, &client.DialError{Server: s.ID, Transport: "stdio", Exit: "exit status 3", Stderr: "no broker", Err: errors.New("the process ended before it answered")}
	}
	session := &fakeSession{of: f, notify: o.Notify, done: make(chan struct{})}
	f.mu.Lock()
	f.live = session
	f.open++
	f.mu.Unlock()
	return session, nil
}

// elapse passes the time that a start takes. As the real dialler does, it tells that the
// server is late.
func elapse(ctx context.Context, takes time.Duration, s mcpint.Server, o client.Options) error {
	if o.Late != nil {
		late := time.AfterFunc(s.ConnectTimeout, func() { o.Late(errors.New("no answer to initialize")) })
		defer late.Stop()
	}
	select {
	case <-time.After(takes):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *fakeServer) set(down int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

func (f *fakeServer) slow(takes time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.takes = takes
}

func (f *fakeServer) dialled() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dials
}

// left returns how many sessions are not closed.
func (f *fakeServer) left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

// die ends the live session as a crash would.
func (f *fakeServer) die() {
	f.mu.Lock()
	live := f.live
	f.mu.Unlock()
	live.once.Do(func() { close(live.done) })
}

func (s *fakeSession) ListTools(context.Context) (client.Listing, error) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	return client.Listing{Tools: slices.Clone(s.of.specs)}, nil
}

// hangs waits for the end of ctx if the server is mute.
func (f *fakeServer) hangs(ctx context.Context) error {
	f.mu.Lock()
	mute := f.mute
	f.mu.Unlock()
	if !mute {
		return nil
	}
	<-ctx.Done()
	return fmt.Errorf("%w: %w", tools.ErrNoAnswer, ctx.Err())
}

func (f *fakeServer) hush(mute bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mute = mute
}

func (s *fakeSession) Ping(ctx context.Context) error {
	s.of.mu.Lock()
	s.of.pings++
	s.of.mu.Unlock()
	return s.of.hangs(ctx)
}

func (s *fakeSession) CallTool(ctx context.Context, name string, _ json.RawMessage) (tools.Result, error) {
	select {
	case <-s.done:
		return tools.Result{}, fmt.Errorf("%w: gone", tools.ErrNotConnected)
	default:
	}
	s.of.mu.Lock()
	s.of.calls = append(s.of.calls, name)
	does := s.of.does
	s.of.mu.Unlock()
	if err := s.of.hangs(ctx); err != nil {
		return tools.Result{}, err
	}
	if does != nil {
		if err := does(name); err != nil {
			return tools.Result{}, err
		}
	}
	return tools.Result{Text: "ok", Receipt: s.of.receipt}, nil
}

func (s *fakeSession) Close() error {
	s.once.Do(func() { close(s.done) })
	s.of.mu.Lock()
	s.of.open--
	ends := s.of.ends
	s.of.mu.Unlock()
	<-time.After(ends)
	return nil
}

func (s *fakeSession) Done() <-chan struct{} { return s.done }

func (s *fakeSession) Err() error {
	select {
	case <-s.done:
		return errors.New("it died")
	default:
		return nil
	}
}

// bench is a host with one fake server, running in a synctest bubble.
type bench struct {
	*Host
	fake     *fakeServer
	reg      *tools.Registry
	attempts *[]Attempt
	logged   *logged
	stop     func()
}

func run(t *testing.T, fake *fakeServer, retry Retry) bench {
	t.Helper()
	return runWith(t, fake, func(c *Config) { c.Retry = retry })
}

// runWith is run with changed settings.
func runWith(t *testing.T, fake *fakeServer, set func(*Config)) bench {
	t.Helper()
	if fake.specs == nil {
		fake.specs = []tools.Spec{{Name: "act", Remote: "act", Risk: tools.Reversible}}
	}
	var attempts []Attempt
	var log logged
	reg := tools.NewRegistry()
	cfg := Config{
		Servers:  []mcpint.Server{{ID: "zwave", Command: "/usr/bin/zwave-mcp-server", Essential: true, Trust: mcpint.TrustFull, Env: map[string]string{"MQTT_BROKER_URL": "tcp://x"}}},
		Retry:    DefaultRetry(),
		Observer: Observer{Attempt: func(a Attempt) { attempts = append(attempts, a) }},
	}
	if set != nil {
		set(&cfg)
	}
	h, err := New(cfg, reg, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	h.probe = fake.probe
	h.dial = fake.dial
	h.random = func() float64 { return 0.5 }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	return bench{Host: h, fake: fake, reg: reg, attempts: &attempts, logged: &log, stop: func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with %v", err)
		}
		if got := h.Status()[0].Status; got != mcpint.Disconnected {
			t.Errorf("after Run the status is %s", got)
		}
	}}
}

// pass lets time pass and everything settle.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (b bench) log() string { return string(b.logged.tail()) }

func (b bench) status() mcpint.Status { return b.Status()[0] }

func starts(attempts []Attempt) []time.Duration {
	var list []time.Duration
	for _, a := range attempts {
		list = append(list, a.After)
	}
	return list
}

func TestRetriesAfterZeroTwoAndFourSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &fakeServer{down: 2}, DefaultRetry())
		defer b.stop()
		pass(3 * time.Second)
		if s := b.status(); s.Status != mcpint.Retrying || s.RetryCount != 1 || s.MaxRetries != 2 || s.Health != mcpint.Dead ||
			s.NextRetryTime == nil || !s.NextRetryTime.Equal(time.Now().Add(3*time.Second).Truncate(time.Millisecond)) ||
			s.ErrorMessage == nil || !strings.Contains(*s.ErrorMessage, "exit status 3") {
			t.Fatalf("between the attempts the status is %+v", s)
		}
		if b.reg.Settled() {
			t.Fatal("the registry does not wait for the retries")
		}
		if err := b.reg.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		want := []time.Duration{0, 2 * time.Second, 6 * time.Second}
		if got := starts(*b.attempts); !slices.Equal(got, want) {
			t.Fatalf("attempts began at %v, want %v", got, want)
		}
		for i, a := range *b.attempts {
			if want := []time.Duration{0, 2 * time.Second, 4 * time.Second}[i]; a.Delay != want || a.Number != i+1 || (a.Err == nil) != (i == 2) {
				t.Errorf("attempt %d is %+v", i+1, a)
			}
		}
		if s := b.status(); s.Status != mcpint.Connected || s.RetryCount != 2 || s.Health != mcpint.Healthy || s.ErrorMessage != nil || s.NextRetryTime != nil || s.LastRetryTime == nil || *s.Tools != 1 {
			t.Fatalf("at the end the status is %+v", s)
		}
		for _, want := range []string{"attempt=1 delay=0s", "attempt=2 delay=2s", "attempt=3 delay=4s", "MCP connection succeeded on attempt 3"} {
			if !strings.Contains(b.log(), want) {
				t.Errorf("the log lacks %q:\n%s", want, b.log())
			}
		}
		pass(stableAfter)
		if s := b.status(); s.RetryCount != 0 {
			t.Errorf("after %v the retry count is %d", stableAfter, s.RetryCount)
		}
	})
}

func TestUsedUpAttemptsAreReportedAndTriedOnSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &fakeServer{down: 6}, DefaultRetry())
		defer b.stop()
		if err := b.reg.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := time.Since(b.started); got != 6*time.Second {
			t.Errorf("Await ended after %v, want 6s", got)
		}
		s := b.status()
		if s.Status != mcpint.Failed || s.NextRetryTime == nil || b.Overall() != "disconnected" {
			t.Fatalf("the status is %+v", s)
		}
		if want := "Failed to initialize MCP tools after 3 attempts\nReason: connection to stdio server 'zwave' failed: the process ended before it answered (exit status 3)\nMCP server stderr: no broker\nCheck: MQTT broker running, zwave-mcp-server installed\nContinuing with local tools only (datetime, search, volume)"; s.Report != want {
			t.Errorf("the report is\n%s\nwant\n%s", s.Report, want)
		}
		if !strings.Contains(b.log(), "MCP connection failed after 3 attempts") {
			t.Error("the end is not logged")
		}
		pass(5 * time.Minute)
		want := []time.Duration{0, 2 * time.Second, 6 * time.Second, 14 * time.Second, 22 * time.Second, 30 * time.Second, 38 * time.Second}
		if got := starts(*b.attempts); !slices.Equal(got, want) {
			t.Fatalf("attempts began at %v, want %v", got, want)
		}
		if s := b.status(); s.Status != mcpint.Connected || s.Report != "" || b.Overall() != "full" {
			t.Fatalf("the status is %+v", s)
		}
		if n := strings.Count(b.log(), "MCP connection failed after"); n != 1 {
			t.Errorf("the failure is reported %d times", n)
		}
	})
}

func TestWithoutRetryThereIsOneAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		retry := DefaultRetry()
		retry.Enabled = false
		b := run(t, &fakeServer{down: 1}, retry)
		defer b.stop()
		pass(time.Hour)
		if s := b.status(); s.Status != mcpint.Failed || s.NextRetryTime != nil || b.fake.dialled() != 1 {
			t.Fatalf("after %d attempts the status is %+v", b.fake.dialled(), s)
		}
		if !strings.Contains(b.log(), "MCP connection failed after 1 attempt\"") {
			t.Errorf("the log is %s", b.log())
		}
		if err := b.Retry(t.Context(), "zwave"); err != nil {
			t.Fatal(err)
		}
		pass(0)
		if s := b.status(); s.Status != mcpint.Connected {
			t.Fatalf("forced, the status is %+v", s)
		}
		b.fake.die()
		pass(time.Hour)
		if s := b.status(); s.Status != mcpint.Disconnected || b.fake.dialled() != 2 {
			t.Fatalf("after a loss: %d dials, %+v", b.fake.dialled(), s)
		}
		b.WakeAll() // the broker is back
		pass(time.Hour)
		if n := b.fake.dialled(); n != 2 {
			t.Fatalf("the broker's return made attempt %d", n)
		}
		b.Wake("zwave") // somebody asks for it
		pass(time.Second)
		if s := b.status(); s.Status != mcpint.Connected {
			t.Fatalf("asked for, the status is %+v", s)
		}
	})
}

func TestForceResetsTheCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &fakeServer{down: 100}, DefaultRetry())
		defer b.stop()
		pass(10 * time.Second)
		if err := b.Retry(t.Context(), "nobody"); !errors.Is(err, ErrUnknownServer) {
			t.Fatalf("an unknown server: %v", err)
		}
		if err := b.RetryAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		pass(0)
		if s := b.status(); s.Status != mcpint.Retrying || s.RetryCount != 0 {
			t.Fatalf("the status is %+v", s)
		}
		pass(6 * time.Second)
		want := []time.Duration{0, 2 * time.Second, 6 * time.Second, 10 * time.Second, 12 * time.Second, 16 * time.Second}
		if got := starts(*b.attempts); !slices.Equal(got, want) {
			t.Fatalf("attempts began at %v, want %v", got, want)
		}
		if n := (*b.attempts)[5].Number; n != 3 {
			t.Fatalf("the last attempt has number %d", n)
		}
		if s := b.status(); s.Status != mcpint.Failed {
			t.Fatalf("the status is %+v", s)
		}
	})
}

func TestWakeTriesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{down: 4, takes: 500 * time.Millisecond}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		pass(20 * time.Second)
		if s := b.status(); s.Status != mcpint.Failed {
			t.Fatalf("the status is %+v", s)
		}
		dials := fake.dialled()
		fake.set(1)
		b.WakeAll() // this attempt does not succeed yet …
		pass(100 * time.Millisecond)
		b.WakeAll() // … and a second wake meanwhile is not lost
		pass(2 * time.Second)
		if s := b.status(); s.Status != mcpint.Connected || fake.dialled() != dials+2 {
			t.Fatalf("%d dials more, status %+v", fake.dialled()-dials, s)
		}
	})
}

func TestWakeDoesNotSpendTheScheduledAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{down: 100}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		for range 100 { // the broker's connection comes up, and flaps
			b.WakeAll()
			pass(50 * time.Millisecond)
		}
		if got := fake.dialled(); got != 2 {
			t.Fatalf("%d attempts within five seconds, expected those at 0 and 2 s", got)
		}
		pass(2 * time.Second)
		if got := fake.dialled(); got != 3 {
			t.Fatalf("%d attempts within seven seconds, expected the third at 6 s and no more", got)
		}
	})
}

func TestAServerThatKeepsDyingIsNotRestartedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{}
		b := run(t, fake, DefaultRetry())
		defer b.stop()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		for ctx.Err() == nil {
			pass(time.Second)
			if b.status().Status == mcpint.Connected {
				fake.die()
			}
		}
		if got := fake.dialled(); got > 30 { // every 8 s for two minutes, then slower
			t.Fatalf("restarted %d times in five minutes", got)
		}
		if !strings.Contains(b.log(), "MCP connection failed after 3 attempts") {
			t.Fatalf("it is never reported as failed:\n%s", b.log())
		}
	})
}

func TestToolChangesAreFollowedDebounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{}
		b := runWith(t, fake, func(c *Config) { c.Servers[0].Own = true })
		defer b.stop()
		pass(time.Second)
		fake.mu.Lock()
		fake.specs = []tools.Spec{{Name: "one", Remote: "one"}, {Name: "two", Remote: "two"}}
		live := fake.live
		fake.mu.Unlock()
		for range 100 {
			live.notify(client.Notice{Kind: client.ToolsChanged})
		}
		pass(noticePause + time.Second)
		if got := len(b.reg.Specs()); got != 2 || *b.status().Tools != 2 {
			t.Fatalf("the registry has %d tools", got)
		}
		if n := strings.Count(b.log(), "MCP tools changed"); n > 2 {
			t.Fatalf("a hundred announcements made %d listings", n)
		}
	})
}

func TestHostRefusesABadConfiguration(t *testing.T) {
	good := mcpint.Server{ID: "a", Trust: mcpint.TrustFull, Command: "x"}
	hasty := good
	hasty.Retry.Attempts = -1
	tests := map[string]Config{
		"twice":        {Servers: []mcpint.Server{good, good}, Retry: DefaultRetry()},
		"no id":        {Servers: []mcpint.Server{{Command: "x"}}, Retry: DefaultRetry()},
		"no command":   {Servers: []mcpint.Server{{ID: "a"}}, Retry: DefaultRetry()},
		"no url":       {Servers: []mcpint.Server{{ID: "a", Trust: mcpint.TrustFull, Transport: "http"}}, Retry: DefaultRetry()},
		"no transport": {Servers: []mcpint.Server{{ID: "a", Trust: mcpint.TrustFull, Transport: "carrier-pigeon"}}, Retry: DefaultRetry()},
		"bad override": {Servers: []mcpint.Server{hasty}, Retry: DefaultRetry()},
		"no attempts":  {Servers: []mcpint.Server{good}},
	}
	for name, cfg := range tests {
		t.Run(name, func(t *testing.T) {
			reg := tools.NewRegistry()
			if _, err := New(cfg, reg, quiet()); err == nil {
				t.Fatal("it was taken")
			}
			if !reg.Settled() {
				t.Fatal("a refused host is waited for")
			}
		})
	}
}
