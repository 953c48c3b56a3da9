package host

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// lateKind is a way in which a service that comes up late can be seen, or cannot.
type lateKind struct {
	takes  time.Duration                                 // how long an attempt takes while the service is not up
	set    func(s *mcpint.Server, dir string)            // what of it can be seen from here
	comes  func(t *testing.T, h *Host, dir string)       // what happens when it is up; nil: nothing that can be seen
	within func(failed time.Duration) (up time.Duration) // scales a number from 0 to 1 s to when it comes, after it failed
	worst  time.Duration                                 // from its start to the connection
}

// soon are the two minutes in which most services come, and someday is the time after.
func soon(roll time.Duration) time.Duration    { return roll * 120 }
func someday(roll time.Duration) time.Duration { return 2*time.Minute + roll*1800 }

const (
	aWhile = 20 * time.Second
	atOnce = 6 * time.Second
	// aSlowStart is the longest attempt (M21), with the pause after it.
	aSlowStart = 70 * time.Second
)

// lateKinds are services that come up late. Their attempts fail at once, take as long
// as the wait for a broker, or hang until connect_timeout.
var lateKinds = map[string]lateKind{
	"unseen, fails at once":      {within: soon, worst: aWhile},
	"unseen, fails after 2 s":    {takes: 2 * time.Second, within: soon, worst: aWhile},
	"unseen, hangs":              {takes: time.Hour, within: soon, worst: aSlowStart}, // as a slow start does, until it answers
	"the broker, told":           {takes: 2 * time.Second, within: soon, worst: atOnce, comes: func(_ *testing.T, h *Host, _ string) { h.WakeAll() }},
	"the broker's port":          {takes: 2 * time.Second, within: soon, worst: atOnce, set: func(s *mcpint.Server, _ string) { s.Env = map[string]string{"MQTT_BROKER_URL": "mqtt://u:p@box"} }},
	"a required port":            {within: soon, worst: atOnce, set: func(s *mcpint.Server, _ string) { s.Requires = []string{"mqtt", "tcp://box:1883"} }},
	"a url's port":               {within: soon, worst: atOnce, set: func(s *mcpint.Server, _ string) { s.Transport, s.URL = "http", "http://box:1883/mcp" }},
	"the program":                {within: soon, worst: atOnce, set: func(s *mcpint.Server, dir string) { s.Command = filepath.Join(dir, "program") }, comes: appears("program")},
	"a file it is given":         {within: soon, worst: atOnce, set: func(s *mcpint.Server, dir string) { s.Args = []string{filepath.Join(dir, "house.json")} }, comes: appears("house.json")},
	"its directory":              {within: soon, worst: atOnce, set: func(s *mcpint.Server, dir string) { s.Dir = filepath.Join(dir, "stick") }, comes: appears("stick")},
	"unseen, after minutes":      {within: someday, worst: 70 * time.Second},
	"a url's port, much later":   {within: someday, worst: 10 * time.Second, set: func(s *mcpint.Server, _ string) { s.Transport, s.URL = "http", "http://box:1883/mcp" }},
	"the program, after minutes": {within: someday, worst: 10 * time.Second, set: func(s *mcpint.Server, dir string) { s.Command = filepath.Join(dir, "program") }, comes: appears("program")},
}

// appears makes a file.
func appears(name string) func(*testing.T, *Host, string) {
	return func(t *testing.T, _ *Host, dir string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/true\n"), 0o700); err != nil { //nolint:gosec // it has to be executable
			t.Error(err)
		}
	}
}

// found runs one start and returns how long after the service was up the server was
// connected.
func (k lateKind) found(t *testing.T, seed uint64) (took time.Duration) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		roll := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // a fixed seed, so that the test can be repeated
		var mu sync.Mutex
		var up time.Time
		failed, connected := make(chan struct{}), make(chan struct{})
		isUp := func() bool { mu.Lock(); defer mu.Unlock(); return !up.IsZero() }
		server := mcpint.Server{ID: "s", Trust: mcpint.TrustFull, Command: "/s", RequiresTimeout: time.Second}
		if k.set != nil {
			k.set(&server, dir)
		}
		h, err := New(Config{
			Servers: []mcpint.Server{server}, Retry: DefaultRetry(),
			Observer: Observer{
				State: func(_ string, _, to mcpint.State) {
					if to == mcpint.Failed {
						close(failed)
					}
				},
				Connected: func(Connection) { close(connected) },
			},
		}, tools.NewRegistry(), quiet())
		if err != nil {
			t.Fatal(err)
		}
		h.random = func() float64 { mu.Lock(); defer mu.Unlock(); return roll.Float64() }
		h.probe = func(_ context.Context, need string) error {
			if need != "tcp://box:1883" || !isUp() {
				return errors.New("connection refused")
			}
			return nil
		}
		h.dial = func(ctx context.Context, _ mcpint.Server, _ client.Options) (client.Session, error) {
			if isUp() {
				<-time.After(300 * time.Millisecond)
				return &outdoorSession{done: make(chan struct{})}, nil
			}
			select {
			case <-time.After(k.takes):
				return nil, errors.New("it is not there")
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx) }()
		<-failed
		mu.Lock()
		after := k.within(time.Duration(roll.Int64N(int64(time.Second))))
		mu.Unlock()
		<-time.After(after)
		mu.Lock()
		up = time.Now()
		mu.Unlock()
		if k.comes != nil {
			k.comes(t, h, dir)
		}
		<-connected
		took = time.Since(up)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return took
}

// TestLateServicesAreFoundSoon: a service that comes up after its server failed is
// found in seconds where it can be seen from here, and else by the schedule (M3).
func TestLateServicesAreFoundSoon(t *testing.T) {
	const each = 40
	var lines []string
	for name, kind := range lateKinds {
		var sum, worst time.Duration
		for seed := range uint64(each) {
			took := kind.found(t, seed)
			sum += took
			worst = max(worst, took)
		}
		mean := sum / each
		lines = append(lines, fmt.Sprintf("%s\t%v\t%v", name, mean.Round(10*time.Millisecond), worst.Round(10*time.Millisecond)))
		if worst > kind.worst || mean > kind.worst/2 {
			t.Errorf("%s: found after %v on average, %v at worst; expected %v and %v", name, mean, worst, kind.worst/2, kind.worst)
		}
	}
	t.Logf("in virtual time, %d starts each:\n%s", each, tableOf("what comes late\tmean\tlongest", lines))
}

// TestAPortThatComesAndGoesIsNotChased: a port that opens and closes again and again
// makes no more attempts than one a look.
func TestAPortThatComesAndGoesIsNotChased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &fakeServer{down: 1 << 20}, DefaultRetry())
		defer b.stop()
		pass(7 * time.Second)
		before := b.fake.dialled()
		for range 1000 {
			b.WakeAll()
			pass(60 * time.Millisecond)
		}
		if got := b.fake.dialled() - before; got > 61 || got < 50 {
			t.Fatalf("a thousand wake-ups in a minute made %d attempts, expected one a second", got)
		}
	})
}
