// Package e2e tests zwave-mcp-server from the outside, as an MCP host and as a
// broker's other clients see it.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/zwave/serve"
)

// asProgram is set where this test is to be the program itself: what is spoken to
// is a real process behind real pipes.
const asProgram = "ZWAVE_MCP_SERVER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run())
	}
	os.Exit(m.Run())
}

// run is what the program's main does.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serve.Program{Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: "test"}.Run(ctx)
}

// words collects what a process says on stderr.
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

// host is an MCP host with the server as its child.
type host struct {
	*testing.T
	*client.Client
	stderr *words
}

func startServer(t *testing.T, environ []string, args ...string) *host {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := &host{T: t, stderr: &words{}}
	h.Client, err = client.NewStdioMCPClientWithOptions(self, append([]string{asProgram + "=1", "HOME=" + t.TempDir()}, environ...), args,
		transport.WithCommandStderrWriter(h.stderr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-11-25"
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := h.Initialize(ctx, hello); err != nil {
		t.Fatalf("%v; stderr: %s", err, h.stderr)
	}
	return h
}

// call calls a tool; the structured content comes as JSON.
func (h *host) call(ctx context.Context, tool string, args map[string]any) (*mcp.CallToolResult, []byte) {
	h.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	result, err := h.CallTool(ctx, req)
	if err != nil {
		h.Fatalf("%s %v: %v; stderr: %s", tool, args, err, h.stderr)
	}
	if result.StructuredContent == nil {
		return result, nil
	}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		h.Fatal(err)
	}
	return result, data
}

// until repeats a question until the answer is right.
func (h *host) until(what string, ok func() bool) {
	h.Helper()
	deadline := time.After(5 * time.Minute)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			h.Fatalf("never: %s; stderr: %s", what, h.stderr)
		}
	}
}
