package host

import (
	"errors"
	"testing"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

func TestFailureText(t *testing.T) {
	tests := map[string]struct {
		failure failure
		want    string
	}{
		"a child that exits": {
			failure{
				server:   mcpint.Server{ID: "zwave", Trust: mcpint.TrustFull, Transport: "stdio", Command: "/tmp/broken", Program: "zwave-mcp-server", Env: map[string]string{"MQTT_BROKER_URL": "tcp://127.0.0.1:1883"}},
				attempts: 3, local: localTools,
				err: &client.DialError{Server: "zwave", Transport: "stdio", Exit: "exit status 3", Stderr: "connecting\nno broker", Err: errors.New("the process ended before it answered")},
			},
			`Failed to initialize MCP tools after 3 attempts
Reason: connection to stdio server 'zwave' failed: the process ended before it answered (exit status 3)
MCP server stderr: connecting
  no broker
Check: MQTT broker running, zwave-mcp-server installed
Continuing with local tools only (datetime, search, volume)`,
		},
		"a silent server elsewhere": {
			failure{
				server:   mcpint.Server{ID: "music", Trust: mcpint.TrustFull, Transport: "http", URL: "http://us:er@music.example/mcp?token=secret"},
				attempts: 1, local: []string{"datetime"},
				err: &client.DialError{Server: "music", Transport: "http", Err: errors.New("connection refused")},
			},
			`Failed to initialize MCP tools after 1 attempt
Reason: connection to http server 'music' failed: connection refused
Check: http://music.example/mcp reachable
Continuing with local tools only (datetime)`,
		},
		"beside servers that work": {
			failure{
				server: mcpint.Server{ID: "notes", Transport: "stdio", Command: "python3"}, attempts: 3, local: localTools, others: []string{"music (8 tools)", "zwave (1 tool)"},
				err: &client.DialError{Server: "notes", Transport: "stdio", Exit: "exit status 1", Stderr: "Traceback\nNOTES_TOKEN=correcthorse is wrong", Err: errors.New("the process ended before it answered")},
			},
			`Failed to initialize MCP tools after 3 attempts
Reason: connection to stdio server 'notes' failed: the process ended before it answered (exit status 1)
MCP server stderr: Traceback
  NOTES_TOKEN=*** is wrong
Check: the command of mcp.servers.notes, its arguments and its environment: what it wrote before it ended says why
Continuing with local tools (datetime, search, volume) and those of music (8 tools), zwave (1 tool)`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.failure.text(); got != tt.want {
				t.Fatalf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
