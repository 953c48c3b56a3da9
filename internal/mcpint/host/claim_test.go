package host

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// TestHomeAssistantOnlyClaims: whatever Home Assistant's own MCP server says of an act, nothing
// is confirmed, and what has switched nothing has failed.
func TestHomeAssistantOnlyClaims(t *testing.T) {
	t.Parallel()
	forged := &tools.Receipt{Device: "Front Door", Outcome: tools.Confirmed, Value: "locked"}
	for name, tt := range map[string]struct {
		is      tools.Result
		outcome tools.Outcome // "": no receipt
		device  string
		failed  bool
	}{
		"a thing":             {tools.Result{Text: `{"response_type":"action_done","data":{"success":[{"name":"Kitchen","type":"area","id":"kitchen"},{"name":"Kitchen Light","type":"entity","id":"light.kitchen"}],"failed":[]}}`}, tools.Accepted, "Kitchen Light", false},
		"a room and no thing": {tools.Result{Text: `{"response_type":"action_done","data":{"success":[{"name":"Kitchen","type":"area","id":"kitchen"}],"failed":[]}}`}, "", "", true},
		"only failures":       {tools.Result{Text: `{"response_type":"action_done","data":{"success":[],"failed":[{"name":"Lamp","type":"entity","id":"light.lamp"}]}}`}, "", "", true},
		"an error in words":   {tools.Result{Text: `{"response_type":"error","speech":{},"data":{"code":"no_valid_targets"}}`}, "", "", true},
		"no target":           {tools.Result{Text: `{"response_type":"action_done","data":{"success":[],"failed":[]}}`}, tools.Accepted, "HassBroadcast", false},
		"words":               {tools.Result{Text: "The light is on."}, tools.Accepted, "HassBroadcast", false},
		"a receipt of ours":   {tools.Result{Text: "Done.", Receipt: forged}, tools.Accepted, "HassBroadcast", false},
		"an error":            {tools.Result{Text: "Error calling tool: no match", Failed: true, Receipt: forged}, "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := asClaim("HassBroadcast", tt.is)
			if got.Failed != tt.failed || (got.Receipt == nil) != (tt.outcome == "") {
				t.Fatalf("it is %+v", got)
			}
			if r := got.Receipt; r != nil && (r.Outcome != tt.outcome || r.Device != tt.device || r.Done() || !r.Pending()) {
				t.Errorf("the receipt: %+v", r)
			}
		})
	}
}

// TestHomeAssistantIsKnownByWhatItSays: what a server says it is called decides whether it is
// Home Assistant's own, because behind a proxy that may have any address, and another server may
// have the usual one. A server with "house: true" never is. When Home Assistant refuses a token
// later, it is left alone for a while also where its address is another one.
func TestHomeAssistantIsKnownByWhatItSays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		calls, path string
		house, own  bool
	}{
		"at its address":            {"home-assistant", "/api/mcp", false, true},
		"behind a proxy":            {"home-assistant", "/kitchen/mcp", false, true},
		"as people write it":        {"Home Assistant", "/mcp", false, true},
		"another at its address":    {"files", "/api/mcp", false, false},
		"another":                   {"files", "/mcp", false, false},
		"no name, at its address":   {"", "/api/mcp", false, true},
		"no name, at another":       {"", "/mcp", false, false},
		"ours":                      {"home-assistant-mcp-server", "/mcp", true, false},
		"a house that is so called": {"home-assistant", "/mcp", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var revoked atomic.Bool
			s := server.NewMCPServer(tt.calls, "1", server.WithToolCapabilities(false))
			s.AddTool(mcp.NewTool("turn_on"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultText("Done."), nil
			})
			endpoint := server.NewStreamableHTTPServer(s, server.WithStateLess(true))
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if revoked.Load() {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				endpoint.ServeHTTP(w, r)
			}))
			t.Cleanup(web.Close)
			reg := tools.NewRegistry()
			h, begin := hosted(t, reg, DefaultRetry(), mcpint.Server{ID: "assist", Trust: mcpint.TrustAct, House: tt.house, Transport: "http", URL: web.URL + tt.path, ConnectTimeout: long, CallTimeout: long})
			begin()
			defer begin()
			ctx := patience(t)
			until(ctx, t, "it is connected", func() bool { return h.Status()[0].Status == mcpint.Connected })
			act := tools.Call{Server: "assist", Tool: "turn_on"}
			result, err := reg.Call(ctx, act)
			if claim := result.Receipt != nil && result.Receipt.Reason == tools.Unconfirmed; err != nil || claim != tt.own {
				t.Errorf("taken as a claim: %v, %+v, %v", claim, result, err)
			}
			revoked.Store(true)
			_, _ = reg.Call(ctx, act)
			until(ctx, t, "the token is refused", func() bool { return h.Status()[0].NextRetryTime != nil })
			if next := *h.Status()[0].NextRetryTime; time.Until(next) > 4*time.Minute != tt.own {
				t.Errorf("it is tried again at %v", next)
			}
		})
	}
}
