package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/tools"
)

// TestPlacesAreGivenBack writes calls that come to nothing, or do not end, before one that
// waits for its turn: it is answered all the same.
func TestPlacesAreGivenBack(t *testing.T) {
	cfg := served(nil)
	cfg.Tools = append(cfg.Tools, tools.New(tools.Spec{
		Name: "turn", Description: "Waits for its turn.", Risk: tools.Reversible,
		Input: json.RawMessage(`{"type":"object","properties":{"level":{"type":"integer"}},"required":["level"],"additionalProperties":false}`),
	}, func(ctx context.Context, _ struct {
		Level int `json:"level"`
	},
	) (tools.Result, error) {
		if err := order.From(ctx).Await(ctx); err != nil {
			return tools.Result{}, err
		}
		return tools.Result{Text: "done"}, nil
	}))
	fromHost, toServer := io.Pipe()
	fromServer, toHost := io.Pipe()
	cfg.In, cfg.Out = fromHost, toHost
	ended := make(chan error, 1)
	go func() { ended <- Run(t.Context(), cfg, quiet()) }()
	go func() {
		for id, params := range []string{
			1: `{"name":"wait"}`, // it reads, and does not end
			2: `{"name":"turn","arguments":{"level":{}}}`,
			3: `{"name":"turn","arguments":7}`,
			4: `{"name":"nobody"}`,
			5: `{"name":"panic"}`,
			6: `[]`,
			7: `{"name":"turn","arguments":{"level":1}}`,
		} {
			if params != "" {
				_, _ = fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", id, params)
			}
		}
	}()
	lines := bufio.NewScanner(fromServer)
	for answered := false; !answered && lines.Scan(); {
		var m struct{ ID int }
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		answered = m.ID == 7
	}
	_ = toServer.Close()
	go func() { _, _ = io.Copy(io.Discard, fromServer) }()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	_ = toHost.Close()
}
