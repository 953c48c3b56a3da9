package host

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	library "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/fake"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// BenchmarkLayer makes each call twice, in turns, on the bare client library and
// through the registry and the supervisor: a busy machine slows both alike, so
// that the difference of the medians is the cost of our own layers.
func BenchmarkLayer(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	server := mcpint.Server{ID: "good", Trust: mcpint.TrustFull, Command: self, Args: []string{"child", "good"}}
	conn, err := client.Dial(b.Context(), server, client.Options{Name: "bench", Version: "0"})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	list, err := conn.ListTools(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	reg := tools.NewRegistry()
	h, err := New(Config{Servers: []mcpint.Server{server}, Retry: DefaultRetry()}, reg, quiet())
	if err != nil {
		b.Fatal(err)
	}
	h.supervisors[0].view.session = conn
	reg.Replace("good", h.supervisors[0].remoteTools(list.Tools))

	args := json.RawMessage(`{"text":"hello"}`)
	bare := bareLibrary(b, server)
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = "echo", args
	var library, gateway []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := bare.CallTool(b.Context(), request); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if _, err := reg.Call(b.Context(), tools.Call{Tool: "echo", Args: args}); err != nil {
			b.Fatal(err)
		}
		library, gateway = append(library, between.Sub(began)), append(gateway, time.Since(between))
	}
	fake.Spread(b, "library", library, 50)
	fake.Spread(b, "gateway", gateway, 50)
	b.ReportMetric(float64(median(gateway)-median(library)), "layer-ns")
}

// bareLibrary connects to a server with nothing but the client library.
func bareLibrary(b *testing.B, s mcpint.Server) *library.Client {
	b.Helper()
	c, err := library.NewStdioMCPClient(s.Command, nil, s.Args...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-11-25"
	hello.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "0"}
	if _, err := c.Initialize(b.Context(), hello); err != nil {
		b.Fatal(err)
	}
	return c
}

func median(took []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(took))[len(took)/2]
}
