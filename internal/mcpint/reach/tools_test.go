package reach

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// oneServer is a host with one server; it remembers retries.
type oneServer struct {
	status  mcpint.Status
	fails   error
	retried []string
}

func (o *oneServer) List() mcpint.StatusList { return mcpint.ListOf([]mcpint.Status{o.status}) }

func (o *oneServer) Status(id string) (mcpint.Status, error) {
	if id != o.status.ID {
		return mcpint.Status{}, errors.New("configured are: " + o.status.ID)
	}
	return o.status, nil
}

func (o *oneServer) Retry(_ context.Context, id string) (mcpint.Status, bool, error) {
	o.retried = append(o.retried, id)
	s, err := o.Status(id)
	return s, false, errors.Join(err, o.fails)
}

func (o *oneServer) RetryAll(context.Context) (mcpint.StatusList, error) {
	o.retried = append(o.retried, "all")
	return o.List(), o.fails
}

// TestWhatTheToolsSay checks that a server's state is one sentence: how it is,
// what it offers, what comes next and what went wrong.
func TestWhatTheToolsSay(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	well := mcpint.Status{ID: "zwave", Status: mcpint.Connected, Health: mcpint.Healthy, Breaker: mcpint.BreakerClosed, Tools: new(8)}
	ill := mcpint.Status{
		ID: "zwave", Status: mcpint.Retrying, Health: mcpint.Dead, Breaker: mcpint.BreakerOpen, Tools: new(8),
		NextRetryTime: &at, ErrorMessage: new("it does not answer."),
	}
	for name, tc := range map[string]struct {
		server     mcpint.Status
		fails      error
		tool, args string
		text       string
		failed     bool // the result is a failure whose text the model reads
		err        bool // the call did not happen
		retried    []string
	}{
		"well":    {server: well, tool: "get_server_status", args: `{"serverId":"zwave"}`, text: "zwave is connected (healthy, breaker closed) with 8 tools."},
		"ill":     {server: ill, tool: "get_server_status", args: `{"serverId":"zwave"}`, text: "zwave is retrying (dead, breaker open), tried again at 03:04:05 UTC, last error \"it does not answer\"."},
		"all":     {server: well, tool: "list_servers", args: `{}`, text: "The MCP servers together: full.\nzwave is connected (healthy, breaker closed) with 8 tools.\nThe disk is full."},
		"retry":   {server: ill, tool: "retry_server", args: `{"serverId":"zwave"}`, text: "zwave is retrying", retried: []string{"zwave"}},
		"unknown": {server: well, tool: "retry_server", args: `{"serverId":"music"}`, text: "configured are: zwave", failed: true, retried: []string{"music"}},
		"it ends": {server: well, fails: errors.New("the host has ended"), tool: "retry_server", args: `{"serverId":"zwave"}`, err: true, retried: []string{"zwave"}},
		"so all":  {server: well, fails: errors.New("the host has ended"), tool: "retry_all_servers", args: `{}`, err: true, retried: []string{"all"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := &oneServer{status: tc.server, fails: tc.fails}
			all := NewTools(host, func() []string { return []string{"The disk is full."} })
			i := slices.IndexFunc(all, func(tool tools.Tool) bool { return tool.Spec().Name == tc.tool })
			result, err := all[i].Call(t.Context(), json.RawMessage(tc.args))
			if (err != nil) != tc.err || result.Failed != tc.failed || !strings.Contains(result.Text, tc.text) {
				t.Errorf("%+v, %v", result, err)
			}
			if own := result.Failed || err != nil; result.Untrusted == own {
				t.Errorf("untrusted: %t, though it shows what servers write: %t", result.Untrusted, !own)
			}
			if !slices.Equal(host.retried, tc.retried) {
				t.Errorf("retried %q", host.retried)
			}
		})
	}
}
