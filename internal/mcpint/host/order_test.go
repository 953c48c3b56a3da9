package host

import (
	"context"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/ground/order"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// TestAForeignServerGetsCallsInTheirOrder makes the calls of a turn, which have places in
// a line, to servers that count what they get: over stdio, and over HTTP, where each call
// may have a connection of its own.
func TestAForeignServerGetsCallsInTheirOrder(t *testing.T) {
	const turns, calls = 200, 4
	web := child(t, "web", "web", fake.FreeAddr(t))
	program := exec.CommandContext(t.Context(), web.Command, web.Args...)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Process.Kill(); _ = program.Wait() })
	for _, server := range []mcpint.Server{
		child(t, "stdio", "counts"),
		{ID: "http", Trust: mcpint.TrustFull, Transport: "http", URL: "http://" + web.Args[2] + "/mcp", ConnectTimeout: web.ConnectTimeout},
	} {
		t.Run(server.ID, func(t *testing.T) {
			reg := tools.NewRegistry()
			h, step := hosted(t, reg, quick(), server)
			step()
			defer step()
			ctx := patience(t)
			until(ctx, t, "the server is connected", func() bool { return h.Status()[0].Status == mcpint.Connected })
			swapped := 0
			for turn := range turns {
				var line order.Lines
				var making sync.WaitGroup
				var got [calls]string
				for i := range calls {
					place := line.Take("")
					making.Go(func() {
						defer place.Pass()
						if err := place.Await(ctx); err != nil {
							t.Error(err)
						}
						r, err := reg.Call(order.With(ctx, place), tools.Call{Server: server.ID, Tool: "count"})
						if err != nil {
							t.Error(err)
						}
						got[i] = r.Text
					})
				}
				making.Wait()
				for i, n := range got {
					if n != strconv.Itoa(turn*calls+i+1) {
						swapped++
						t.Logf("turn %d: %q", turn, got)
						break
					}
				}
			}
			if swapped > 0 {
				t.Errorf("of %d turns %d came with their calls in another order", turns, swapped)
			}
		})
	}
}

// TestALineGoesOnAfterACallIsSent: a call without an answer holds up no later call.
func TestALineGoesOnAfterACallIsSent(t *testing.T) {
	reg := tools.NewRegistry()
	_, step := hosted(t, reg, quick(), child(t, "good", "good"))
	step()
	defer step()
	ctx := patience(t)
	if err := reg.Await(ctx); err != nil {
		t.Fatal(err)
	}
	var line order.Lines
	first, second := line.Take(""), line.Take("")
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	slow := make(chan error, 1)
	go func() {
		_, err := reg.Call(order.With(waiting, first), tools.Call{Tool: "wait"})
		slow <- err
	}()
	if err := second.Await(ctx); err != nil {
		t.Fatal(err)
	}
	if r, err := reg.Call(order.With(ctx, second), tools.Call{Tool: "echo", Args: []byte(`{"text":"hello"}`)}); err != nil || r.Text != "hello" {
		t.Errorf("got %+v, %v", r, err)
	}
	cancel()
	if err := <-slow; err == nil {
		t.Error("the call that was cancelled has an answer")
	}
}
