package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"voicegateway/internal/broker"
	"voicegateway/internal/gateway"
	"voicegateway/internal/mqtt"
	"voicegateway/internal/turn"
)

// stage is a whole house in a box: a broker, the simulated Z-Wave house behind
// it and a gateway in front, all of them the real programs. hear and demo play
// on it, so that a recording can never switch anything in a live house.
type stage struct {
	broker  *broker.Broker
	gateway *gateway.Gateway
	url     string
	log     *slog.Logger

	cancel context.CancelFunc
	wg     sync.WaitGroup
	mu     sync.Mutex
	err    error
}

// stagePatience bounds the start of the broker and the simulator.
const stagePatience = 20 * time.Second

// newStage starts broker and simulator and assembles the gateway; run starts it.
func (a *app) newStage(ctx context.Context, l *loaded, opts gateway.Options, houseFile string, log *slog.Logger) (*stage, error) {
	b, err := broker.New(broker.Config{Listen: "127.0.0.1:0"}, log)
	if err != nil {
		return nil, fmt.Errorf("preparing the broker: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &stage{broker: b, log: log, cancel: cancel}
	s.background("broker", func() error { return b.Run(ctx) })
	wait, done := context.WithTimeout(ctx, stagePatience)
	defer done()
	if err := b.Ready(wait); err != nil {
		s.close()
		return nil, fmt.Errorf("starting the broker: %w", errors.Join(err, s.failure()))
	}
	s.url = "mqtt://" + b.Addr()
	if err := a.simulate(ctx, s, houseFile); err != nil {
		s.close()
		return nil, err
	}
	cfg := l.Config
	cfg.MQTT.Broker, cfg.MQTT.AllowInsecure = s.url, true
	cfg.MQTT.Username, cfg.MQTT.PasswordFile, cfg.MQTT.CAFile = "", "", ""
	cfg.MCP.Servers = stageServers(cfg.MCP.Servers)
	cfg.HTTP.Listen = "" // a stage must not get in a running daemon's way
	// A recording must not turn this machine's sound up, nor ask the web.
	cfg.Tools.Volume.Backend, cfg.Tools.Search.Provider = "software", "none"
	secrets := l.secrets
	secrets.MQTTPassword, secrets.HTTPToken = "", ""
	opts.Executable, opts.Version, opts.Secrets = a.Executable, a.version, secrets
	if s.gateway, err = gateway.New(cfg, opts, log); err != nil {
		s.close()
		return nil, fmt.Errorf("assembling the gateway: %w", err)
	}
	return s, nil
}

// stageServers is the Z-Wave server alone, with the configured program and
// patience and nothing else of the configuration: neither its environment nor
// its arguments nor another server may lead to a live house.
func stageServers(configured map[string]gateway.ServerConfig) map[string]gateway.ServerConfig {
	s := gateway.DefaultServer()
	if live, ok := configured["zwave"]; ok && live.Transport == "stdio" {
		s.Command, s.ConnectTimeout, s.CallTimeout = live.Command, live.ConnectTimeout, live.CallTimeout
	}
	return map[string]gateway.ServerConfig{"zwave": s}
}

// run starts the gateway.
func (s *stage) run(ctx context.Context) {
	s.background("gateway", func() error { return s.gateway.Run(ctx) })
}

func (s *stage) background(name string, run func() error) {
	s.wg.Go(func() {
		if err := run(); err != nil {
			s.mu.Lock()
			s.err = errors.Join(s.err, fmt.Errorf("%s: %w", name, err))
			s.mu.Unlock()
		}
	})
}

func (s *stage) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// close stops everything that background started with a context from the stage.
func (s *stage) close() {
	s.cancel()
	s.wg.Wait()
}

// simulate starts the simulated house as a child and waits until it is there.
func (a *app) simulate(ctx context.Context, s *stage, houseFile string) error {
	program := filepath.Join(filepath.Dir(a.Executable), "zwave-mcp-server")
	if !exists(program) {
		found, err := exec.LookPath("zwave-mcp-server")
		if err != nil {
			return fmt.Errorf("the simulated house needs zwave-mcp-server, which is neither at %s nor in PATH; run make build", program)
		}
		program = found
	}
	args := []string{"simulate", "--broker", s.url}
	if houseFile != "" {
		args = append(args, "--home", houseFile)
	}
	words := &tail{limit: 4096}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = io.Writer(words)
	cmd.Env = []string{"PATH=" + a.getenv("PATH"), "HOME=" + a.getenv("HOME")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the simulated house: %w", err)
	}
	ended := make(chan struct{})
	s.wg.Go(func() {
		defer close(ended)
		if err := cmd.Wait(); err != nil && ctx.Err() == nil {
			s.log.Error("simulated house ended", "part", "simulator", "err", err, "stderr", words.String())
		}
	})
	if err := s.houseUp(ctx, ended); err != nil {
		return fmt.Errorf("the simulated house did not come up: %w\n%s", err, words)
	}
	return nil
}

// houseUp waits for the simulated gateway's driver to be ready.
func (s *stage) houseUp(ctx context.Context, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, stagePatience)
	defer cancel()
	client, err := mqtt.New(mqtt.Config{URL: s.url}, s.log)
	if err != nil {
		return fmt.Errorf("watching it: %w", err)
	}
	up := make(chan struct{})
	var once sync.Once
	err = client.Subscribe(ctx, "zwave/driver/status", func(_ string, payload []byte, _ bool) {
		if string(payload) == "true" {
			once.Do(func() { close(up) })
		}
	})
	if err != nil {
		return fmt.Errorf("watching it: %w", err)
	}
	watching, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { _ = client.Run(watching) })
	defer func() { stop(); wg.Wait() }()
	select {
	case <-up:
		return nil
	case <-ended:
		return errors.New("it ended")
	case <-ctx.Done():
		return fmt.Errorf("waiting for its driver: %w", ctx.Err())
	}
}

// tail keeps the last bytes written to it.
type tail struct {
	mu    sync.Mutex
	limit int
	kept  []byte
}

// Write keeps the end of what it is given.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - t.limit; over > 0 {
		t.kept = t.kept[over:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// watcher is an observer of ended turns.
type watcher struct{ ended func(turn.Record) }

// StateChanged is of no interest.
func (w *watcher) StateChanged(turn.State) {}

// Hearing is of no interest.
func (w *watcher) Hearing(turn.Hearing) {}

// Replied is of no interest.
func (w *watcher) Replied(string, string) {}

// TurnEnded passes the record on.
func (w *watcher) TurnEnded(r turn.Record) { w.ended(r) }
