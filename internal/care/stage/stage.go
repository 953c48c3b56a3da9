// Package stage is a whole house in a box: a broker, the simulated Z-Wave house
// behind it and a gateway in front, all of them the real programs. It exists so
// that a recording or a demonstration can never switch anything in a live house.
// Anything else that should run beside them is added with Background.
package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/ear"
	"voicegateway/internal/gateway"
	"voicegateway/internal/ground/broker"
	"voicegateway/internal/ground/mqtt"
	"voicegateway/internal/ground/process"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
)

// Stage is one house in a box. It belongs to the goroutine that made it.
type Stage struct {
	Gateway *gateway.Gateway
	URL     string // the broker's address

	log *slog.Logger

	cancel context.CancelFunc
	wg     sync.WaitGroup
	mu     sync.Mutex
	err    error
}

// Bounds of a stage: patience for the start of the broker and of the simulator,
// endGrace for the simulator's end, and wordsKept bytes of its error output.
const (
	patience  = 20 * time.Second
	endGrace  = 2 * time.Second
	wordsKept = 4 << 10
)

// New starts the broker and the simulator and assembles the gateway, which Run
// starts. The house is the one in houseFile, or the simulator's own if that is "".
// Close ends everything.
func New(ctx context.Context, cfg gateway.Config, opts gateway.Options, houseFile string, log *slog.Logger) (*Stage, error) {
	b, err := broker.New(broker.Config{Listen: "127.0.0.1:0"}, log)
	if err != nil {
		return nil, fmt.Errorf("preparing the broker: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Stage{log: log, cancel: cancel}
	s.Background("broker", func() error { return b.Run(ctx) })
	wait, done := context.WithTimeout(ctx, patience)
	defer done()
	if err := b.Ready(wait); err != nil {
		s.Close()
		return nil, fmt.Errorf("starting the broker: %w", errors.Join(err, s.Failure()))
	}
	s.URL = "mqtt://" + b.Addr()
	if err := s.simulate(ctx, opts, houseFile); err != nil {
		s.Close()
		return nil, err
	}
	cfg.MQTT.URL, cfg.MQTT.AllowInsecure = s.URL, true
	cfg.MQTT.Username, cfg.MQTT.PasswordFile, cfg.MQTT.CAFile = "", "", ""
	cfg.MCP.Servers = servers(cfg.MCP.Servers)
	cfg.HTTP.Listen = "" // a stage must not take a running daemon's port
	// A recording must not change this machine's volume or search the web.
	cfg.Tools.Volume.Backend, cfg.Tools.Search.Provider = "software", "none"
	opts.Secrets.MQTTPassword, opts.Secrets.HTTPToken = "", ""
	if s.Gateway, err = gateway.New(cfg, opts, log); err != nil {
		s.Close()
		return nil, fmt.Errorf("assembling the gateway: %w", err)
	}
	return s, nil
}

// servers returns the Z-Wave server alone. It takes only the program and the
// timeouts from the configuration, because its environment, its arguments or
// another server could lead to a live house.
func servers(configured map[string]mcpint.Server) map[string]mcpint.Server {
	s := gateway.DefaultServer()
	if live, ok := configured["zwave"]; ok && live.Transport == "stdio" {
		s.Command, s.ConnectTimeout, s.CallTimeout = live.Command, live.ConnectTimeout, live.CallTimeout
	}
	return map[string]mcpint.Server{"zwave": s}
}

// Run starts the gateway, which ends with ctx.
func (s *Stage) Run(ctx context.Context) {
	s.Background("gateway", func() error { return s.Gateway.Run(ctx) })
}

// Background runs something beside the gateway; Close waits for its end.
func (s *Stage) Background(name string, run func() error) {
	s.wg.Go(func() {
		if err := run(); err != nil {
			s.mu.Lock()
			s.err = errors.Join(s.err, fmt.Errorf("%s: %w", name, err))
			s.mu.Unlock()
		}
	})
}

// Failure returns the errors of the background so far.
func (s *Stage) Failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close stops the broker and the simulator and waits for everything in the
// background. The contexts of Run and of the funcs given to Background must have
// ended before.
func (s *Stage) Close() {
	s.cancel()
	s.wg.Wait()
}

// simulate starts the simulated house as a child and waits until it is there.
func (s *Stage) simulate(ctx context.Context, opts gateway.Options, houseFile string) error {
	beside := filepath.Dir(opts.Executable)
	program, err := process.Find("zwave-mcp-server", beside)
	if err != nil {
		return fmt.Errorf("the simulated house needs zwave-mcp-server, which is neither at %s nor in PATH; run make build", filepath.Join(beside, "zwave-mcp-server"))
	}
	args := []string{"simulate", "--broker", s.URL}
	if houseFile != "" {
		args = append(args, "--home", houseFile)
	}
	var env []string
	for _, kv := range opts.Environ {
		if name, _, _ := strings.Cut(kv, "="); name == "PATH" || name == "HOME" {
			env = append(env, kv)
		}
	}
	child, err := process.Start(process.Program{Path: program, Args: args, Env: env}, nil)
	if err != nil {
		return fmt.Errorf("starting the simulated house: %w", err)
	}
	s.wg.Go(func() { _, _ = io.Copy(io.Discard, child) })
	s.wg.Go(func() {
		select {
		case <-child.Ended():
			if child.Err() != nil && ctx.Err() == nil {
				s.log.Error("simulated house ended", "part", "simulator", "err", child.Err(), "stderr", string(child.Stderr(wordsKept)))
			}
		case <-ctx.Done():
		}
		if err := child.Stop(process.Grace{Term: endGrace}); err != nil {
			s.log.Error("simulated house does not end", "part", "simulator", "err", err)
		}
	})
	if err := s.houseUp(ctx, child.Ended()); err != nil {
		return fmt.Errorf("the simulated house did not come up: %w\n%s", err, child.Stderr(wordsKept))
	}
	return nil
}

// houseUp waits for the simulated gateway's driver to be ready.
func (s *Stage) houseUp(ctx context.Context, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client, err := mqtt.New(mqtt.Config{URL: s.URL}, s.log)
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

// Watcher is an observer that waits for ended turns.
type Watcher struct{ Ended func(record.Record) }

// StateChanged does nothing.
func (w *Watcher) StateChanged(ear.State) {}

// Hearing does nothing.
func (w *Watcher) Hearing(ear.Hearing) {}

// Replied does nothing.
func (w *Watcher) Replied(string, string) {}

// TurnEnded passes the record on.
func (w *Watcher) TurnEnded(r record.Record) { w.Ended(r) }
