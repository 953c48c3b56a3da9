package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/fake"
	"voicegateway/internal/ground/config"
	"voicegateway/internal/ground/mqtt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// words collects stderr.
type words struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// startBroker runs a real broker at an address and returns its URL.
func startBroker(t *testing.T, listen string) (url string, stop func()) {
	t.Helper()
	program, err := exec.LookPath("mosquitto")
	if err != nil {
		program = "/usr/sbin/mosquitto" // not in everybody's PATH
	}
	conf := filepath.Join(t.TempDir(), "mosquitto.conf")
	_, port, _ := strings.Cut(listen, ":")
	must(t, os.WriteFile(conf, []byte("listener "+port+" 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n"), 0o600))
	cmd := exec.CommandContext(t.Context(), program, "-c", conf)
	must(t, cmd.Start())
	done := make(chan struct{})
	go func() { defer close(done); _ = cmd.Wait() }()
	stop = sync.OnceFunc(func() { _ = cmd.Process.Kill(); <-done })
	t.Cleanup(stop)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); ; {
		if c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listen); err == nil {
			_ = c.Close()
			return "mqtt://" + listen, stop
		}
		select {
		case <-tick.C:
		case <-done:
			t.Fatal("mosquitto does not run; make setup installs it")
		case <-deadline:
			t.Fatal("mosquitto does not listen")
		}
	}
}

// server is a running zwave-mcp-server as an MCP host sees it.
type server struct {
	*testing.T
	in   io.WriteCloser
	out  *bufio.Reader
	err  *words
	next int
	exit chan int
}

func startServer(t *testing.T, url string, args ...string) *server {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &server{T: t, in: inW, out: bufio.NewReader(outR), err: &words{}, exit: make(chan int, 1)}
	p := Program{
		Args: args, In: inR, Out: outW, Err: s.err,
		Options: config.Options{Environ: []string{"MQTT_BROKER_URL=" + url, "LOG_LEVEL=debug"}},
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.exit <- p.Run(ctx)
		_ = outW.Close()
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		cancel()
		_ = outR.Close()
		<-done
	})
	return s
}

// ask sends a request and decodes the result of its answer; every line on the way
// must be JSON-RPC.
func (s *server) ask(method string, params any, result any) {
	s.Helper()
	s.next++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.next, "method": method, "params": params})
	if err != nil {
		s.Fatal(err)
	}
	if _, err := s.in.Write(append(body, '\n')); err != nil {
		s.Fatalf("%s: %v; stderr: %s", method, err, s.err)
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			s.Fatalf("%s: %v; stderr: %s", method, err, s.err)
		}
		var m struct {
			Version string `json:"jsonrpc"`
			ID      int
			Result  json.RawMessage
			Error   any
		}
		if err := json.Unmarshal(line, &m); err != nil || m.Version != "2.0" {
			s.Fatalf("stdout carries %q", line)
		}
		if m.ID != s.next {
			continue
		}
		if m.Error != nil {
			s.Fatalf("%s: %v", method, m.Error)
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			s.Fatal(err)
		}
		return
	}
}

func (s *server) shakeHands() {
	s.Helper()
	var got struct{ ServerInfo struct{ Name string } }
	s.ask("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	}, &got)
	if got.ServerInfo.Name != "zwave-mcp-server" {
		s.Errorf("the server calls itself %q", got.ServerInfo.Name)
	}
	if _, err := io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		s.Fatal(err)
	}
}

type answer struct {
	StructuredContent map[string]any
	Content           []struct{ Text string }
	IsError           bool
	Meta              map[string]any `json:"_meta"`
}

func (s *server) call(tool string, args map[string]any) answer {
	s.Helper()
	var a answer
	s.ask("tools/call", map[string]any{"name": tool, "arguments": args}, &a)
	return a
}

// startSimulator plays the built-in house on a broker.
func startSimulator(t *testing.T, url string, args ...string) {
	t.Helper()
	p := Program{Args: append([]string{"simulate", "--broker", url, "--scale", "0.2"}, args...), Err: &words{}, Options: config.Options{Environ: []string{"X=1"}}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if status := p.Run(ctx); status != 0 {
			t.Errorf("the simulator ended with %d: %s", status, p.Err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// until repeats a question until the answer is right.
func (s *server) until(what string, ok func() bool) {
	s.Helper()
	deadline := time.After(60 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			s.Fatalf("never: %s; stderr: %s", what, s.err)
		}
	}
}

func TestWholePathOverARealBroker(t *testing.T) {
	t.Parallel()
	url, _ := startBroker(t, fake.FreeAddr(t))
	startSimulator(t, url)
	s := startServer(t, url, "--require-broker", "30s")
	s.shakeHands()
	var list struct {
		Tools []struct {
			Name                      string
			InputSchema, OutputSchema map[string]any
			Annotations               map[string]any
		}
	}
	s.ask("tools/list", map[string]any{}, &list)
	if len(list.Tools) != 7 {
		t.Errorf("%d tools", len(list.Tools))
	}
	for _, tool := range list.Tools {
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, set := tool.Annotations[hint]; !set {
				t.Errorf("%s lacks %s", tool.Name, hint)
			}
		}
		if tool.OutputSchema == nil {
			t.Errorf("%s lacks an output schema", tool.Name)
		}
	}
	var a answer
	s.until("the light is on", func() bool {
		a = s.call("control_zwave_device", map[string]any{"device_name": "Kitchen Light", "action": "on"})
		return !a.IsError
	})
	if a.StructuredContent["outcome"] != "confirmed" || a.Meta["published_at"] == nil {
		t.Errorf("the light: %+v", a)
	}
	for device, want := range map[string]struct {
		tool, action, value, outcome, reason string
		isError                              bool
	}{
		"Garage Window": {"refresh_device", "", "", "queued", "queued", false},
		"Reading Lamp":  {"control_zwave_device", "colour", "blue", "accepted", "when_on", false},
		"Garage Door":   {"control_zwave_device", "open", "", "refused", "refused_dangerous", true},
		"Gargae Door":   {"control_zwave_device", "close", "", "refused", "unknown_device", true},
	} {
		args := map[string]any{"device_name": device}
		if want.action != "" {
			args["action"] = want.action
		}
		if want.value != "" {
			args["value"] = want.value
		}
		if a = s.call(want.tool, args); a.StructuredContent["outcome"] != want.outcome || a.StructuredContent["reason"] != want.reason || a.IsError != want.isError {
			t.Errorf("%s: %+v", device, a)
		}
	}
	var house struct{ Contents []struct{ Text string } }
	s.ask("resources/read", map[string]any{"uri": "zwave://home"}, &house)
	if len(house.Contents) != 1 || !strings.Contains(house.Contents[0].Text, `"floors":[]`) || !strings.Contains(house.Contents[0].Text, "Front Door") {
		t.Errorf("the house: %+v", house)
	}
	_ = s.in.Close()
	if status := <-s.exit; status != 0 {
		t.Errorf("the host left and the server ended with %d", status)
	}
}

func TestStartsBeforeTheBrokerAndLivesThroughItsRestart(t *testing.T) {
	t.Parallel()
	address := fake.FreeAddr(t)
	s := startServer(t, "mqtt://"+address)
	s.shakeHands()
	a := s.call("get_device_state", map[string]any{"device_name": "Kitchen Light"})
	if !a.IsError || !strings.Contains(a.Content[0].Text, "MQTT broker") {
		t.Errorf("without a broker: %+v", a)
	}
	url, stop := startBroker(t, address)
	startSimulator(t, url)
	on := func() bool {
		return s.call("control_zwave_device", map[string]any{"device_name": "Kitchen Light", "action": "on"}).StructuredContent["outcome"] == "confirmed"
	}
	s.until("the light works", on)
	stop() // all retained messages are lost with it
	s.until("the server says that the broker is away", func() bool {
		return strings.Contains(s.call("check_zwave_health", nil).Content[0].Text, "MQTT broker")
	})
	startBroker(t, address)
	s.until("the light works again", on)
}

// TestSubscribersHearOfANewStructure checks that a subscriber of zwave://home is notified
// once about a new name, and never about states.
func TestSubscribersHearOfANewStructure(t *testing.T) {
	t.Parallel()
	url, _ := startBroker(t, fake.FreeAddr(t))
	startSimulator(t, url)
	s := startServer(t, url)
	s.shakeHands()
	s.until("the house is known", func() bool { return !s.call("list_devices", nil).IsError })
	s.ask("resources/subscribe", map[string]any{"uri": "zwave://home"}, &struct{}{})
	other := connect(t, url)
	told := make(chan string, 16)
	go func() {
		defer close(told)
		for {
			line, err := s.out.ReadBytes('\n')
			if err != nil {
				return
			}
			var m struct {
				Method string
				Params struct{ URI string }
			}
			if json.Unmarshal(line, &m) == nil && m.Method != "" {
				told <- m.Method + " " + m.Params.URI
			}
		}
	}()
	rename := []byte(`{"args":[2,"Cooker Lamp"]}`)
	if err := other.Publish(t.Context(), "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/setNodeName/set", rename); err != nil {
		t.Fatal(err)
	}
	// The gateway publishes the new name with the next state.
	write := []byte(`{"args":[{"nodeId":2,"commandClass":37,"property":"targetValue"},true]}`)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(60 * time.Second)
	for {
		select {
		case got := <-told:
			if got != "notifications/resources/updated zwave://home" {
				t.Errorf("the host is told %q", got)
			}
			return
		case <-tick.C:
			if err := other.Publish(t.Context(), "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/writeValue/set", write); err != nil {
				t.Fatal(err)
			}
		case <-deadline:
			t.Fatalf("nobody is told of the new name; stderr: %s", s.err)
		}
	}
}

// connect returns another client of the broker.
func connect(t *testing.T, url string) *mqtt.Client {
	t.Helper()
	c, err := mqtt.New(mqtt.Config{URL: url}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = c.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	if err := c.AwaitConnected(ctx); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRequiredBrokerStaysAway(t *testing.T) {
	t.Parallel()
	s := startServer(t, "mqtt://"+fake.FreeAddr(t), "--require-broker", "200ms")
	if status := <-s.exit; status != 3 {
		t.Errorf("ended with %d, want 3", status)
	}
	if !strings.Contains(s.err.String(), "did not answer within 200ms") {
		t.Errorf("stderr: %s", s.err)
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args    []string
		environ []string
		says    string
	}{
		"flag":       {[]string{"--nonsense"}, nil, "unknown flag"},
		"argument":   {[]string{"nonsense"}, nil, "nonsense"},
		"no file":    {[]string{"--config", filepath.Join(t.TempDir(), "none.yaml")}, nil, "none.yaml"},
		"log level":  {nil, []string{"LOG_LEVEL=loud"}, `log_level is "loud"`},
		"broker":     {nil, []string{"MQTT_BROKER_URL=nonsense"}, "mqtt://host:1883"},
		"prefix":     {nil, []string{"ZWAVE_MQTT_TOPIC=a/#"}, "prefix"},
		"two houses": {[]string{"simulate", "--house", "a", "--home", "b"}, nil, "house"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := &words{}
			p := Program{Args: tc.args, In: strings.NewReader(""), Out: io.Discard, Err: err, Options: config.Options{Environ: append([]string{"X=1"}, tc.environ...)}}
			if status := p.Run(t.Context()); status != 2 || !strings.Contains(err.String(), tc.says) {
				t.Errorf("ended with %d, saying %s", status, err)
			}
		})
	}
}

func TestCommentedFileIsTheDefault(t *testing.T) {
	cfg := Config{}
	file := filepath.Join("..", "..", "..", "configs", "zwave-mcp-server.yaml")
	if _, err := config.Load(file, &cfg, config.Options{Environ: []string{"X=1"}}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(cfg, Default()) {
		t.Errorf("the file says %+v, the default is %+v", cfg, Default())
	}
}
