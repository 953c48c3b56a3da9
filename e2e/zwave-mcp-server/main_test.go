// Package e2e tests zwave-mcp-server from the outside, as an MCP host and as a
// broker's other clients see it.
package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/e2e/rig"
	"voicegateway/internal/zwave/serve"
)

// asProgram is set if this test binary should act as the program itself: the tests then
// talk to a real process over real pipes.
const asProgram = "ZWAVE_MCP_SERVER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run())
	}
	if err := rig.WaitTogether(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// run is what the program's main does.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serve.Program{Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: "test"}.Run(ctx)
}

// The rig by the names that these tests use.
type words = rig.Output

var (
	startBroker = rig.Mosquitto
	waitFor     = rig.Eventually
)

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
	ctx, cancel := context.WithTimeout(t.Context(), rig.Patience)
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
	ctx, cancel := context.WithTimeout(ctx, rig.Patience)
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
	if !rig.Within(h.Context(), rig.Patience, ok) {
		h.Fatalf("it never came to this: %s; stderr: %s", what, h.stderr)
	}
}
