package host

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// BenchmarkCall compares one call through the registry and the supervisor with
// the same call on the bare client library. Budget: 20 µs between the two.
func BenchmarkCall(b *testing.B) {
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
	args := json.RawMessage(`{"text":"hello"}`)
	b.Run("library", func(b *testing.B) {
		bare := bareLibrary(b, server)
		var request mcp.CallToolRequest
		request.Params.Name, request.Params.Arguments = "echo", args
		for b.Loop() {
			if _, err := bare.CallTool(b.Context(), request); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("gateway", func(b *testing.B) {
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
		for b.Loop() {
			if _, err := reg.Call(b.Context(), tools.Call{Tool: "echo", Args: args}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkConnect measures connecting to a server, listing its tools and closing
// again.
func BenchmarkConnect(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		session, err := client.Dial(b.Context(), mcpint.Server{ID: "good", Trust: mcpint.TrustFull, Command: self, Args: []string{"child", "good"}}, client.Options{Name: "bench", Version: "0"})
		if err != nil {
			b.Fatal(err)
		}
		if list, err := session.ListTools(b.Context()); err != nil || len(list.Tools) == 0 {
			b.Fatal(list, err)
		}
		b.StopTimer()
		if err := session.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
