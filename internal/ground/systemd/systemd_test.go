package systemd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	_ "voicegateway/internal/fake/bubble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patient is a daemon whose state a test sets.
type patient struct {
	mu     sync.Mutex
	ready  bool
	status string
	hangs  bool // Alive does not return before its time is up
	ill    error
	asked  int // how often Ready was
}

func (p *patient) Ready(context.Context) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	return p.ready
}

func (p *patient) Status() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

func (p *patient) Alive(ctx context.Context) error {
	p.mu.Lock()
	hangs, ill := p.hangs, p.ill
	p.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return ill
}

func (p *patient) set(change func(*patient)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// manager is a service manager that only records its notices.
type manager struct {
	mu   sync.Mutex
	says []string
}

func (m *manager) notify(state string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.says = append(m.says, state)
	return true, nil
}

// since returns the notices since the last call.
func (m *manager) since() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	says := m.says
	m.says = nil
	return says
}

// pass lets time pass in the bubble.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func count(says []string, what string) int {
	n := 0
	for _, s := range says {
		if slices.Contains(strings.Split(s, "\n"), what) {
			n++
		}
	}
	return n
}

// run starts a service with a watchdog of 30 s in a bubble; stop ends it.
func run(t *testing.T, p *patient) (m *manager, stop func()) {
	t.Helper()
	m = &manager{}
	s := &Service{daemon: p, log: slog.New(slog.DiscardHandler), notify: m.notify, pause: 10 * time.Second}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	synctest.Wait()
	return m, func() { cancel(); running.Wait() }
}

func TestReadyIsToldOnceAndOnlyWhenTrue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &patient{status: "starting, waiting for MQTT"}
		m, stop := run(t, p)
		pass(20 * time.Second)
		says := m.since()
		if count(says, "READY=1") != 0 || count(says, "STATUS=starting, waiting for MQTT") != 1 {
			t.Errorf("before it was ready it told %q", says)
		}
		p.set(func(p *patient) { p.ready, p.status = true, "listening\nREADY=0" })
		pass(20 * time.Second)
		says = m.since()
		if count(says, "READY=1") != 1 || count(says, "STATUS=listening READY=0") != 1 {
			t.Errorf("when it was ready it told %q", says)
		}
		stop()
		if says := m.since(); count(says, "STOPPING=1") != 1 {
			t.Errorf("at its end it told %q", says)
		}
	})
}

func TestBeatsStopWhenTheDaemonHangsAndComeBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &patient{ready: true, status: "listening"}
		m, stop := run(t, p)
		defer stop()
		minute := func() int {
			m.since()
			pass(time.Minute)
			return count(m.since(), "WATCHDOG=1")
		}
		if n := minute(); n < 5 || n > 7 {
			t.Errorf("%d signs of life in a minute; expected one every ten seconds", n)
		}
		p.set(func(p *patient) { p.hangs = true })
		minute()
		if n := minute(); n != 0 {
			t.Errorf("%d signs of life of a daemon that hangs", n)
		}
		p.set(func(p *patient) { p.hangs, p.ill = false, errors.New("no sound") })
		minute()
		if n := minute(); n != 0 {
			t.Errorf("%d signs of life of a daemon that does not work", n)
		}
		p.set(func(p *patient) { p.ill = nil })
		minute()
		if n := minute(); n < 5 {
			t.Errorf("%d signs of life in a minute once it works again", n)
		}
	})
}

// TestRealSocket uses a real socket, in the file system and in the abstract name
// space.
func TestRealSocket(t *testing.T) {
	t.Chdir(t.TempDir()) // the absolute path can be too long for a socket's name
	for name, address := range map[string]string{
		"file": "socket", "abstract": fmt.Sprintf("@voice-gateway-test-%d", os.Getpid()),
	} {
		t.Run(name, func(t *testing.T) {
			socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = socket.Close() }()
			t.Setenv("NOTIFY_SOCKET", address)
			t.Setenv("WATCHDOG_USEC", "300000")
			s, err := New(&patient{ready: true, status: "listening"}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() {
				if err := s.Run(ctx); err != nil {
					t.Error(err)
				}
			})
			if err := socket.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			var says []string
			b := make([]byte, 4096)
			for count(says, "STOPPING=1") == 0 {
				n, err := socket.Read(b)
				if err != nil {
					t.Fatal(err)
				}
				says = append(says, string(b[:n]))
				if count(says, "READY=1") > 0 && count(says, "WATCHDOG=1") > 1 {
					cancel()
				}
			}
			cancel()
			running.Wait()
			if says[0] != "STATUS=starting" || count(says, "STATUS=listening") != 1 {
				t.Errorf("told %q", says)
			}
		})
	}
}

func TestWithoutAServiceManagerNothingIsTold(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	t.Setenv("WATCHDOG_USEC", "")
	p := &patient{ready: true}
	s, err := New(p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Run(ctx); err != nil || p.asked != 0 {
		t.Errorf("error %v, asked %d times", err, p.asked)
	}
}

func TestABlindManagerIsAnError(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "gone"))
	t.Setenv("WATCHDOG_USEC", "")
	s, err := New(&patient{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "telling the service manager") {
		t.Error(err)
	}
}

func TestNewRefusesNonsense(t *testing.T) {
	if _, err := New(nil, nil); err == nil {
		t.Error("nothing to tell of was accepted")
	}
	t.Setenv("WATCHDOG_USEC", "soon")
	if _, err := New(&patient{}, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a watchdog's time that is no number was accepted")
	}
}
