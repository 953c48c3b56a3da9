package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/mqtt"
)

// patience bounds every wait; no test measures time.
const patience = 60 * time.Second

// child is a program under test.
type child struct {
	*exec.Cmd
	stderr *safeBuffer
	ended  chan struct{}
	err    error
}

// start runs a program until the test ends; all of its group must be gone then.
func start(tb testing.TB, env []string, program string, args ...string) *child {
	tb.Helper()
	c := &child{Cmd: exec.CommandContext(context.WithoutCancel(tb.Context()), program, args...), stderr: &safeBuffer{}, ended: make(chan struct{})}
	c.Env, c.Stderr = env, c.stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = 5 * time.Second
	if err := c.Start(); err != nil {
		tb.Fatalf("starting %s: %v", program, err)
	}
	go func() { c.err = c.Wait(); close(c.ended) }()
	tb.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		if !c.wait() {
			tb.Errorf("%s does not end", program)
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		}
		if tb.Failed() {
			tb.Logf("stderr of %s:\n%s", filepath.Base(program), c.stderr)
		}
	})
	return c
}

// wait says whether the program has ended within the patience.
func (c *child) wait() bool {
	select {
	case <-c.ended:
		return true
	case <-time.After(patience):
		return false
	}
}

// safeBuffer is a buffer two goroutines may use.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write keeps p.
func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// String is everything so far.
func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// eventually waits until a condition holds.
func eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			tb.Fatalf("it never came to this: %s", what)
		}
	}
}

// mosquitto starts a real broker and returns its address.
func mosquitto(tb testing.TB) string {
	tb.Helper()
	addr := fake.FreeAddr(tb)
	mosquittoAt(tb, addr)
	return "mqtt://" + addr
}

// mosquittoAt starts a real broker at an address. It drops nothing, however slow
// a busy machine makes the one who counts.
func mosquittoAt(tb testing.TB, addr string) *child {
	tb.Helper()
	program, err := exec.LookPath("mosquitto")
	if err != nil {
		program = "/usr/sbin/mosquitto"
	}
	conf := filepath.Join(tb.TempDir(), "mosquitto.conf")
	_, port, _ := strings.Cut(addr, ":")
	if err := os.WriteFile(conf, []byte("listener "+port+" 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n"), 0o600); err != nil {
		tb.Fatal(err)
	}
	c := start(tb, environ(tb), program, "-c", conf)
	eventually(tb, "the broker listens", func() bool {
		c, err := (&net.Dialer{}).DialContext(tb.Context(), "tcp", addr)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return c
}

// simulate starts a simulated Z-Wave house at the broker.
func simulate(tb testing.TB, broker string, more ...string) *child {
	tb.Helper()
	return start(tb, environ(tb), filepath.Join(bin, "zwave-mcp-server"), append([]string{"simulate", "--broker", broker}, more...)...)
}

// ear hears what is said at the broker.
type ear struct {
	*mqtt.Client
	mu    sync.Mutex
	heard map[string][]string
}

// listen connects a stranger to the broker, who hears the gateway or what the
// filter says.
func listen(t *testing.T, broker string, filter ...string) *ear {
	t.Helper()
	c, err := mqtt.New(mqtt.Config{URL: broker}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	e := &ear{Client: c, heard: map[string][]string{}}
	if err := c.Subscribe(t.Context(), append(filter, "voice/#")[0], func(topic string, payload []byte, _ bool) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.heard[topic] = append(e.heard[topic], string(payload))
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var wg sync.WaitGroup
	wg.Go(func() { _ = c.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	if err := c.AwaitConnected(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// on is everything heard on a topic.
func (e *ear) on(topic string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.heard[topic]...)
}

// has says whether a message with these words came on a topic.
func (e *ear) has(topic string, words ...string) bool {
	for _, m := range e.on(topic) {
		all := true
		for _, w := range words {
			all = all && strings.Contains(m, w)
		}
		if all {
			return true
		}
	}
	return false
}

// get reads a JSON document of the daemon.
func get(tb testing.TB, addr, path string, into any) error {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, "http://"+addr+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return json.Unmarshal(body, into)
}

// command runs voice-gateway to its end and returns what it printed.
func command(tb testing.TB, env []string, args ...string) (stdout, stderr string, status int) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), filepath.Join(bin, "voice-gateway"), args...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		tb.Fatalf("running voice-gateway %s: %v", strings.Join(args, " "), err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
