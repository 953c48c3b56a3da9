package reach

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// The schemas of the tools below. The object that describes a server is that of
// M4 and is defined in one place only, mcpint.Status.
const (
	noArguments   = `{"type":"object","properties":{},"additionalProperties":false}`
	serverIDInput = `{"type":"object","properties":{"serverId":{"type":"string","description":"the id of an MCP server, as list_servers tells it"}},"required":["serverId"],"additionalProperties":false}`
	serverOutput  = `{"type":"object","properties":{"id":{"type":"string"},"status":{"type":"string"},"health":{"type":"string"},"breaker":{"type":"string"}},"required":["id","status","health","breaker"]}`
	listOutput    = `{"type":"object","properties":{"overall":{"type":"string"},"servers":{"type":"array","items":` + serverOutput + `},"trouble":{"type":"array","items":{"type":"string"}}},"required":["overall","servers"]}`
)

// serverArg is the argument of the tools that are about one server.
type serverArg struct {
	ServerID string `json:"serverId"`
}

// ServerList gives access to the MCP servers. An error about a server that List does
// not name is shown to the model.
type ServerList interface {
	List() mcpint.StatusList
	Status(id string) (mcpint.Status, error)
	// Retry starts a forced attempt and returns the server's state at once.
	Retry(ctx context.Context, id string) (server mcpint.Status, connected bool, err error)
	RetryAll(ctx context.Context) (mcpint.StatusList, error)
}

// NewTools makes the tools that show and reconnect the MCP servers of this gateway
// (REQUIREMENTS M7). To add a tool, add an entry. The retrying tool starts an attempt and does
// not wait for its end. troubles says what else is wrong with the gateway, in sentences of the
// voice; nil: the tools leave it out.
func NewTools(servers ServerList, troubles func() []string) []tools.Tool {
	return []tools.Tool{
		tools.New(tools.Spec{
			Name: "list_servers", Title: "List the MCP servers", Risk: tools.Read, Idempotent: true,
			Description: "The MCP servers this gateway uses, with connection state, health, next retry and last error.",
			Input:       json.RawMessage(noArguments), Output: json.RawMessage(listOutput),
		}, func(context.Context, struct{}) (tools.Result, error) {
			if troubles == nil {
				return listResult(servers.List(), nil)
			}
			return listResult(servers.List(), troubles())
		}),
		tools.New(tools.Spec{
			Name: "get_server_status", Title: "State of one MCP server", Risk: tools.Read, Idempotent: true,
			Description: "One MCP server's connection state, health, next retry and last error.",
			Input:       json.RawMessage(serverIDInput), Output: json.RawMessage(serverOutput),
		}, func(_ context.Context, a serverArg) (tools.Result, error) {
			s, err := servers.Status(a.ServerID)
			return serverResult(servers, a.ServerID, s, err)
		}),
		tools.New(tools.Spec{
			Name: "retry_server", Title: "Reconnect one MCP server", Risk: tools.Reversible, Idempotent: true,
			Description: "Try to connect to one MCP server at once, with a fresh count of retries. It does not wait for the outcome; ask get_server_status for it.",
			Input:       json.RawMessage(serverIDInput), Output: json.RawMessage(serverOutput),
		}, func(ctx context.Context, a serverArg) (tools.Result, error) {
			s, _, err := servers.Retry(ctx, a.ServerID)
			return serverResult(servers, a.ServerID, s, err)
		}),
		tools.New(tools.Spec{
			Name: "retry_all_servers", Title: "Reconnect all MCP servers", Risk: tools.Reversible, Idempotent: true,
			Description: "Try to connect at once to every MCP server that is not connected. It does not wait for the outcome; ask list_servers for it.",
			Input:       json.RawMessage(noArguments), Output: json.RawMessage(listOutput),
		}, func(ctx context.Context, _ struct{}) (tools.Result, error) {
			list, err := servers.RetryAll(ctx)
			if err != nil {
				return tools.Result{}, err
			}
			return listResult(list, nil)
		}),
	}
}

// listResult is the answer about all servers, and about what else is wrong.
func listResult(list mcpint.StatusList, troubles []string) (tools.Result, error) {
	lines := []string{"The MCP servers together: " + string(list.Overall) + "."}
	for _, s := range list.Servers {
		lines = append(lines, serverSentence(s))
	}
	return serverData(strings.Join(append(lines, troubles...), "\n"), struct {
		mcpint.StatusList
		Trouble []string `json:"trouble,omitempty"`
	}{list, troubles})
}

// serverResult is the answer about one server.
func serverResult(servers ServerList, id string, s mcpint.Status, err error) (tools.Result, error) {
	known := func(s mcpint.Status) bool { return s.ID == id }
	switch {
	case err != nil && !slices.ContainsFunc(servers.List().Servers, known):
		return tools.Result{Failed: true, Text: fmt.Sprintf("There is no MCP server with that id (%v). The tool list_servers tells the ids.", err)}, nil
	case err != nil:
		return tools.Result{}, err
	}
	return serverData(serverSentence(s), s)
}

// serverData is a result of words and data. Both hold what servers call themselves and
// what they wrote to stderr, which is text of others.
func serverData(text string, body any) (tools.Result, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return tools.Result{}, fmt.Errorf("writing the state of the MCP servers: %w", err)
	}
	return tools.Result{Text: text, Data: data, Untrusted: true}, nil
}

// serverSentence says a server's state in words.
func serverSentence(s mcpint.Status) string {
	text := fmt.Sprintf("%s is %s (%s, breaker %s)", s.ID, s.Status, s.Health, s.Breaker)
	if s.Status == mcpint.Connected && s.Tools != nil {
		text += fmt.Sprintf(" with %d tools", *s.Tools)
	}
	if s.NextRetryTime != nil {
		text += ", tried again at " + s.NextRetryTime.Format("15:04:05 MST")
	}
	if s.ErrorMessage != nil {
		text += ", last error " + dialogue.Quote(strings.TrimSuffix(*s.ErrorMessage, "."))
	}
	return text + "."
}
