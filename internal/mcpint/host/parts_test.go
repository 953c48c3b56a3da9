package host

import (
	"errors"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

func TestDelay(t *testing.T) {
	s := time.Second
	tests := map[string]struct {
		retry Retry
		want  []time.Duration
	}{
		"default":  {DefaultRetry(), []time.Duration{0, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s}},
		"bounded":  {Retry{Attempts: 6, BaseDelay: s, Multiplier: 3, MaxDelay: 5 * s, SlowInterval: 20 * s}, []time.Duration{0, 1 * s, 3 * s, 5 * s, 5 * s, 5 * s, 20 * s, 20 * s}},
		"constant": {Retry{Attempts: 2, BaseDelay: s, Multiplier: 1, MaxDelay: s, SlowInterval: s}, []time.Duration{0, s, s, s}},
		"huge":     {Retry{Attempts: 9999, BaseDelay: s, Multiplier: 1e9, MaxDelay: time.Minute, SlowInterval: s}, []time.Duration{0, s, time.Minute}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for i, want := range tt.want {
				if got := tt.retry.Delay(i + 1); got != want {
					t.Errorf("before attempt %d: %v, want %v", i+1, got, want)
				}
			}
		})
	}
	if got := DefaultRetry().Delay(1 << 20); got != time.Minute {
		t.Errorf("a late delay is %v", got)
	}
	if low, high := jittered(10*s, 0), jittered(10*s, 0.999999); low != 9*s || high > 11*s {
		t.Errorf("jitter goes from %v to %v", low, high)
	}
}

func TestEveryStateCanBeLeftAndReached(t *testing.T) {
	reached := map[mcpint.State]bool{}
	for from, events := range transitions {
		for e, to := range events {
			if to != from {
				reached[to] = true
			}
			if _, known := transitions[to]; !known {
				t.Errorf("%s leads from %s to the unknown %s", e, from, to)
			}
		}
		if to, ok := next(from, stopped); !ok || to != mcpint.Disconnected {
			t.Errorf("%s cannot be stopped", from)
		}
		if _, ok := next(from, forced); !ok {
			t.Errorf("%s cannot be forced", from)
		}
	}
	for state := range transitions {
		if !reached[state] {
			t.Errorf("nothing leads to %s", state)
		}
	}
	if to, ok := next(mcpint.Retrying, opened); ok || to != mcpint.Retrying {
		t.Error("an impossible event moved the state")
	}
}

func TestHealth(t *testing.T) {
	tests := map[string]struct {
		vitals vitals
		want   mcpint.Health
		reason string
	}{
		"new":          {vitals{}, mcpint.Dead, "not connected yet"},
		"away":         {vitals{why: "it ended", failures: 9, silences: 9}, mcpint.Dead, "it ended"},
		"fresh":        {vitals{connected: true}, mcpint.Healthy, ""},
		"slow":         {vitals{connected: true, lastCall: 2 * time.Second}, mcpint.Degraded, "the last call took 2s"},
		"at the limit": {vitals{connected: true, lastCall: slowCall}, mcpint.Healthy, ""},
		"one silence":  {vitals{connected: true, failures: 1, silences: 1}, mcpint.Degraded, "the last call or check"},
		"failed calls": {vitals{connected: true, failures: 9}, mcpint.Degraded, "9 calls or checks"},
		"two":          {vitals{connected: true, failures: 2, silences: 2}, mcpint.Unresponsive, "2 checks in a row"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, reason := healthOf(tt.vitals)
			if got != tt.want || !strings.HasPrefix(reason, tt.reason) || (reason == "") != (tt.reason == "") {
				t.Fatalf("got %s because %q, want %s because %q", got, reason, tt.want, tt.reason)
			}
		})
	}
}

func TestFailureText(t *testing.T) {
	tests := map[string]struct {
		failure failure
		want    string
	}{
		"a child that exits": {
			failure{
				server:   mcpint.Server{ID: "zwave", Transport: "stdio", Command: "/tmp/broken", Program: "zwave-mcp-server", Env: map[string]string{"MQTT_BROKER_URL": "tcp://127.0.0.1:1883"}},
				attempts: 3, local: defaultLocalTools,
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
				server:   mcpint.Server{ID: "music", Transport: "http", URL: "http://us:er@music.example/mcp?token=secret"},
				attempts: 1, local: []string{"datetime"},
				err: &client.DialError{Server: "music", Transport: "http", Err: errors.New("connection refused")},
			},
			`Failed to initialize MCP tools after 1 attempt
Reason: connection to http server 'music' failed: connection refused
Check: http://music.example/mcp reachable
Continuing with local tools only (datetime)`,
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
