package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/serve"
	"voicegateway/internal/tools"
)

// holdings counts the resources that this process holds.
type holdings struct {
	goroutines, files, children int
	heap                        uint64 // bytes in use after a collection
}

func (h holdings) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d children, %d KB of heap", h.goroutines, h.files, h.children, h.heap>>10)
}

// held counts the resources that this process holds.
func held(t *testing.T) holdings {
	t.Helper()
	runtime.GC()
	runtime.GC() // the second collects what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return holdings{runtime.NumGoroutine(), len(files), len(ownChildren(t)), m.HeapAlloc}
}

// ownChildren lists our children, dead ones too.
func ownChildren(t *testing.T) []string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			list = append(list, string(stat))
		}
	}
	return list
}

// TestConnectionsLeaveNothing connects and disconnects a hundred times: what a
// process holds must not grow.
func TestConnectionsLeaveNothing(t *testing.T) {
	const cycles = 100
	server := child(t, "good", "good")
	server.Env = prompt
	cycle := func() {
		reg := tools.NewRegistry()
		h, step := hosted(t, reg, quick(), server)
		step()
		if err := reg.Await(patience(t)); err != nil {
			t.Fatal(err)
		}
		if _, err := reg.Call(patience(t), tools.Call{Tool: "echo", Args: json.RawMessage(`{"text":"x"}`)}); err != nil {
			t.Fatal(err)
		}
		pid := *h.Status()[0].PID
		step()
		gone(t, pid)
	}
	for range 3 { // what is allocated only once is allocated before measuring
		cycle()
	}
	before := held(t)
	for range cycles {
		cycle()
	}
	var after holdings
	until(patience(t), t, "the end of what was started", func() bool {
		after = held(t)
		return after.goroutines <= before.goroutines && after.files <= before.files && after.children <= before.children
	})
	t.Logf("before %d cycles: %v; after: %v", cycles, before, after)
	// A hundred leaks of anything worth noticing are more than a megabyte.
	if after.heap > before.heap+1<<20 {
		t.Errorf("the heap grew from %d to %d KB", before.heap>>10, after.heap>>10)
	}
}

// TestLossesLeaveNothing kills the server again and again under one host.
func TestLossesLeaveNothing(t *testing.T) {
	reg := tools.NewRegistry()
	h, step := hosted(t, reg, quick(), child(t, "good", "good"))
	step()
	defer step()
	ctx := patience(t)
	if err := reg.Await(ctx); err != nil {
		t.Fatal(err)
	}
	lose := func() {
		pid := *h.Status()[0].PID
		kill(t, pid)
		// A call brings it back at once, whatever the schedule says.
		if _, err := reg.Call(ctx, tools.Call{Tool: "echo", Args: json.RawMessage(`{"text":"x"}`)}); err != nil {
			t.Fatal(err)
		}
		gone(t, pid)
	}
	lose()
	before := held(t)
	for range 20 {
		lose()
	}
	var after holdings
	until(ctx, t, "the end of what was started", func() bool {
		after = held(t)
		return after.goroutines <= before.goroutines && after.files <= before.files && after.children <= before.children
	})
	t.Logf("before 20 losses: %v; after: %v", before, after)
}

// TestManyGatewaysAtOnce has a hundred gateways connect to one server over HTTP,
// call it, lose it and find it again.
func TestManyGatewaysAtOnce(t *testing.T) {
	const gateways = 100
	addr := fake.FreeAddr(t)
	stop := serveAt(t, addr)
	var hosts []*Host
	var regs []*tools.Registry
	for range gateways {
		reg := tools.NewRegistry()
		regs = append(regs, reg)
		retry := quick()
		retry.SlowInterval = quick().MaxDelay
		server := mcpint.Server{ID: "s", Trust: mcpint.TrustFull, Transport: "http", URL: "http://" + addr + "/mcp", ConnectTimeout: long}
		hosts = append(hosts, runHost(t, Config{Servers: []mcpint.Server{server}, Retry: retry}, reg, &logged{}))
	}
	all := func(state mcpint.State) func() bool {
		return func() bool {
			n := 0
			for _, h := range hosts {
				if h.Status()[0].Status == state {
					n++
				}
			}
			return n == gateways
		}
	}
	callAll := func() {
		t.Helper()
		var calling sync.WaitGroup
		failed := make(chan error, gateways)
		for _, reg := range regs {
			calling.Go(func() {
				r, err := reg.Call(patience(t), tools.Call{Tool: "dim", Args: json.RawMessage(`{"level":7}`)})
				if err == nil && r.Text != "Level 7." {
					err = errors.New(r.Text)
				}
				if err != nil {
					failed <- err
				}
			})
		}
		calling.Wait()
		if len(failed) > 0 {
			t.Errorf("%d of %d calls went wrong, one of them: %v", len(failed), gateways, <-failed)
		}
	}
	until(patience(t), t, "a hundred connections", all(mcpint.Connected))
	callAll()
	stop()
	until(patience(t), t, "a hundred losses", func() bool { return !anyOf(hosts, mcpint.Connected) })
	stop = serveAt(t, addr)
	until(patience(t), t, "a hundred connections again", all(mcpint.Connected))
	callAll()
	stop()
}

func anyOf(hosts []*Host, state mcpint.State) bool {
	for _, h := range hosts {
		if h.Status()[0].Status == state {
			return true
		}
	}
	return false
}

// serveAt serves the test's tools at an address until stop is called.
func serveAt(t *testing.T, addr string) (stop func()) {
	t.Helper()
	cfg := served()
	cfg.HTTPAddr = addr
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- serve.Run(ctx, cfg, quiet()) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	}
}
