//go:build accept

package page

import (
	"bytes"
	"context"
	"encoding/json"
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
)

// patience bounds every wait; no test measures time.
const patience = 40 * time.Second

// start runs a program until the test ends; all of its group must be gone then.
func start(t *testing.T, env []string, program string, args ...string) {
	t.Helper()
	c := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	var said safeBuffer
	c.Env, c.Stderr = env, &said
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = 5 * time.Second
	if err := c.Start(); err != nil {
		t.Fatalf("starting %s: %v", program, err)
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(patience):
			t.Errorf("%s does not end", program)
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		}
		if t.Failed() {
			t.Logf("stderr of %s:\n%s", filepath.Base(program), said.String())
		}
	})
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
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("it never came to this: %s", what)
		}
	}
}

// mosquitto starts a real broker and returns its address.
func mosquitto(t *testing.T) string {
	t.Helper()
	addr := fake.FreeAddr(t)
	program, err := exec.LookPath("mosquitto")
	if err != nil {
		program = "/usr/sbin/mosquitto"
	}
	conf := filepath.Join(t.TempDir(), "mosquitto.conf")
	_, port, _ := strings.Cut(addr, ":")
	if err := os.WriteFile(conf, []byte("listener "+port+" 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, environ(t), program, "-c", conf)
	eventually(t, "the broker listens", func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return "mqtt://" + addr
}

// environ is a clean environment with the given additions.
func environ(t *testing.T, more ...string) []string {
	t.Helper()
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, more...)
}

// gateway is a running one.
type gateway struct {
	t      *testing.T
	url    string // of its page
	broker string
	token  string
}

// house starts a simulated house and a gateway with a configuration in YAML.
func house(t *testing.T, config string, simulate ...string) gateway {
	t.Helper()
	broker := mosquitto(t)
	start(t, environ(t), filepath.Join(bin, "zwave-mcp-server"), append([]string{"simulate", "--broker", broker}, simulate...)...)
	g := run(t, config, broker)
	eventually(t, "the house is known", func() bool {
		var known struct{ Entities []struct{ State any } }
		return g.get("/api/home", &known) == nil && len(known.Entities) > 0 && known.Entities[0].State != nil
	})
	return g
}

// run starts a gateway.
func run(t *testing.T, config, broker string, more ...string) gateway {
	t.Helper()
	addr := fake.FreeAddr(t)
	path := filepath.Join(t.TempDir(), "gateway.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if broker == "" {
		broker = "mqtt://" + fake.FreeAddr(t) // nobody
	}
	start(t, environ(t, append([]string{"VOICE_GATEWAY_MQTT_BROKER=" + broker, "VOICE_GATEWAY_HTTP_LISTEN=" + addr, "VOICE_GATEWAY_AI_ENABLED=false"}, more...)...),
		filepath.Join(bin, "voice-gateway"), "run", "--config", path)
	g := gateway{t: t, url: "http://" + addr, broker: broker}
	eventually(t, "the gateway answers", func() bool { return g.get("/healthz", new(any)) == nil })
	return g
}

// get reads a JSON document of the gateway.
func (g gateway) get(path string, into any) error {
	return g.send(http.MethodGet, path, nil, into)
}

// post sends a JSON document to the gateway.
func (g gateway) post(path string, body, into any) error {
	return g.send(http.MethodPost, path, body, into)
}

func (g gateway) send(method, path string, body, into any) error {
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(g.t.Context(), method, g.url+path, &text)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if g.token != "" {
		req.Header.Set("Authorization", "Bearer "+g.token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return json.NewDecoder(resp.Body).Decode(into)
}

// fault has the simulated house do something on purpose.
func (g gateway) fault(operation string) {
	g.t.Helper()
	_, port, _ := strings.Cut(strings.TrimPrefix(g.broker, "mqtt://"), ":")
	publish := exec.CommandContext(g.t.Context(), "mosquitto_pub", "-h", "127.0.0.1", "-p", port, "-t", "zwave/_SIM/ZWAVE_GATEWAY-Simulated_House/fault/set", "-m", operation)
	if out, err := publish.CombinedOutput(); err != nil {
		g.t.Fatalf("mosquitto_pub: %v\n%s", err, out)
	}
}
