//go:build accept

package host

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// recovery is a row of the acceptance table: a fault of a server that runs with the
// schedule of the configuration, and how it ends.
type recovery struct {
	mode string // of the child, until it is mended
	set  func(t *testing.T, s *mcpint.Server, dir string)
	hurt func(t *testing.T, in *injured)                        // harms a connected server; nil: the service comes up late
	mend func(t *testing.T, in *injured, server *mcpint.Server) // brings up what was missing, once it failed
	late time.Duration                                          // how long after it failed

	hangs bool // it does not end: only the end of an attempt tells that it hangs
}

// unseen brings up a service in a way that cannot be seen from here.
func unseen(t *testing.T, in *injured, _ *mcpint.Server) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(in.dir, "mended"), nil, 0o600); err != nil {
		t.Error(err)
	}
}

// listens opens the port that a server needs, and then mends the server.
func listens(address func(s *mcpint.Server) string) func(*testing.T, *injured, *mcpint.Server) {
	return func(t *testing.T, in *injured, s *mcpint.Server) {
		t.Helper()
		unseen(t, in, s)
		var config net.ListenConfig
		port, err := config.Listen(t.Context(), "tcp", address(s))
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = port.Close() })
	}
}

// programComes makes the command appear.
func programComes(t *testing.T, in *injured, s *mcpint.Server) {
	t.Helper()
	unseen(t, in, s)
	self, err := os.Executable()
	if err != nil {
		t.Error(err)
	}
	if err := os.Symlink(self, s.Command); err != nil {
		t.Error(err)
	}
}

// webComes starts a server over HTTP.
func webComes(t *testing.T, _ *injured, s *mcpint.Server) {
	t.Helper()
	t.Cleanup(serveAt(t, s.URL[len("http://"):len(s.URL)-len("/mcp")]))
}

func calls(limit time.Duration) func(*testing.T, *injured) {
	return func(t *testing.T, in *injured) {
		t.Helper()
		_, _ = in.call(t, limit, `{"text":"x"}`)
	}
}

// recoveries are the rows.
var recoveries = map[string]recovery{
	"a required port opens": {
		mode: "exit", late: 13 * time.Second, mend: listens(func(s *mcpint.Server) string { return s.Requires[0][len("tcp://"):] }),
		set: func(t *testing.T, s *mcpint.Server, _ string) {
			t.Helper()
			s.Requires, s.RequiresTimeout = []string{"tcp://" + fake.FreeAddr(t)}, time.Second
		},
	},
	"the broker's port opens": {
		mode: "exit", late: 21 * time.Second, mend: listens(func(s *mcpint.Server) string { return s.Env["MQTT_BROKER_URL"][len("mqtt://"):] }),
		set: func(t *testing.T, s *mcpint.Server, _ string) {
			t.Helper()
			s.Env = map[string]string{"MQTT_BROKER_URL": "mqtt://" + fake.FreeAddr(t)}
		},
	},
	"the program is installed": {
		mode: "exit", late: 11 * time.Second, mend: programComes,
		set: func(_ *testing.T, s *mcpint.Server, dir string) { s.Command = filepath.Join(dir, "program") },
	},
	"an HTTP server comes late": {
		late: 17 * time.Second, mend: webComes,
		set: func(t *testing.T, s *mcpint.Server, _ string) {
			t.Helper()
			*s = mcpint.Server{ID: "s", Trust: mcpint.TrustFull, Transport: "http", URL: "http://" + fake.FreeAddr(t) + "/mcp"}
		},
	},
	"mute at the handshake, unseen": {mode: "mute", late: 5 * time.Second, mend: unseen, hangs: true},
	"killed":                        {hurt: func(t *testing.T, in *injured) { t.Helper(); kill(t, *in.status().PID) }},
	"killed in a call":              {mode: "die", hurt: calls(long)},
	"frozen":                        {hurt: func(t *testing.T, in *injured) { t.Helper(); _ = syscall.Kill(*in.status().PID, syscall.SIGSTOP) }},
	"hangs in a call":               {mode: "hang", hurt: calls(5 * time.Second)},
	"closes its stdout":             {mode: "hangup", hurt: calls(long)},
	"closes its stdin":              {mode: "no-input", hurt: calls(long)},
}

// TestAcceptRecoveries runs every row at once, with the schedule of the configuration,
// and demands that everything is connected again without help: within 10 s on average
// and 20 s at worst from the moment at which the service is up, or the loss is seen (M3).
// A start that hangs unseen cannot be told from one that is slow, so it has the time of an
// attempt more, up to a minute (M21).
func TestAcceptRecoveries(t *testing.T) {
	for i := range 6 {
		name := fmt.Sprintf("ends at once, unseen, up after %d s", 3+7*i)
		recoveries[name] = recovery{mode: "exit", late: time.Duration(3+7*i) * time.Second, mend: unseen}
	}
	var mu sync.Mutex
	var lines []string
	var sum, worst time.Duration
	var running sync.WaitGroup
	for name, r := range recoveries { // they mostly wait, so all at once, however few processors there are
		running.Go(func() {
			t.Run(name, func(t *testing.T) {
				line, took := r.run(t)
				mu.Lock()
				defer mu.Unlock()
				lines = append(lines, name+"\t"+line)
				sum += took
				if r.hangs {
					took -= time.Minute
				}
				worst = max(worst, took)
			})
		})
	}
	running.Wait()
	mean := sum / time.Duration(len(recoveries))
	t.Logf("none needed a person; connected after %v on average, %v at worst:\n%s", mean.Round(time.Millisecond), worst.Round(time.Millisecond),
		tableOf("fault\tdetected after\tstate\trecovered after", lines))
	if mean > 10*time.Second || worst > 20*time.Second {
		t.Errorf("connected after %v on average, %v at worst; expected 10s and 20s", mean, worst)
	}
}

// run lets the fault happen and waits for the recovery. It returns the row, and the
// time from the moment at which a connection was possible again.
func (r recovery) run(t *testing.T) (line string, took time.Duration) {
	t.Helper()
	in := &injured{dir: t.TempDir(), reg: tools.NewRegistry(), logged: &logged{}}
	s := in.faulty(t, r.mode)
	s.ConnectTimeout, s.CallTimeout = 0, 0
	if r.mode == "" {
		s = child(t, "s", "good")
	} else {
		s.Dir, s.Args[2], s.Args[3] = in.dir, "mended", "journal" // names that are no signs
	}
	if r.set != nil {
		r.set(t, &s, in.dir)
	}
	began := time.Now()
	var mu sync.Mutex
	var detected time.Time
	var state mcpint.State
	fallen := make(chan struct{})
	fall := sync.OnceFunc(func() { close(fallen) })
	settings := Default()
	in.Host = runHost(t, Config{
		Servers: []mcpint.Server{s}, Retry: settings.Retry, Breaker: settings.Breaker,
		Health: settings.Health,
		Observer: Observer{State: func(_ string, from, to mcpint.State) {
			if to != mcpint.Failed && from != mcpint.Connected {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if detected.IsZero() {
				detected, state = time.Now(), to
			}
			fall()
		}},
	}, in.reg, in.logged)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if r.hurt != nil {
		until(ctx, t, "a connection to hurt", func() bool { return in.status().Status == mcpint.Connected })
		unseen(t, in, &s)
		began = time.Now()
		r.hurt(t, in)
	}
	select {
	case <-fallen:
	case <-ctx.Done():
		t.Fatalf("the fault is not seen: %+v", in.status())
	}
	mu.Lock()
	up := detected // a harmed server can be restarted at once
	mu.Unlock()
	if r.hurt == nil {
		<-time.After(r.late)
		up = time.Now()
		r.mend(t, in, &s)
	}
	until(ctx, t, "the recovery", func() bool { return in.status().Status == mcpint.Connected })
	took = time.Since(up)
	mu.Lock()
	defer mu.Unlock()
	return fmt.Sprintf("%s\t%s\t%s", detected.Sub(began).Round(time.Millisecond), state, took.Round(time.Millisecond)), took
}
