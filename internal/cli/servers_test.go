package cli

import (
	"bytes"
	"testing"
	"time"

	"voicegateway/internal/mcpint"
)

func TestTellServers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	soon, past := now.Add(3600*time.Millisecond), now.Add(-time.Second)
	slow := "the last call took 1.2 s"
	eight, long := 8, "connection to stdio server 'zwave' failed: the process ended before it answered (exit status 3); stderr: no broker\n at all"
	list := mcpint.StatusList{Overall: "disconnected", Servers: []mcpint.Status{
		{
			ID: "music", Transport: "http", Status: mcpint.Connected,
			Health: mcpint.Degraded, HealthReason: &slow, Breaker: "half-open", Tools: &eight,
			RetryCount: 3, MaxRetries: 2, ToolsUnused: []mcpint.UnusedTool{
				{Tool: "play", Why: "it is new", Allow: "voice-gateway servers accept music play"},
				{Tool: "stop", Why: "it is new", Allow: "voice-gateway servers accept music stop"},
			},
		},
		{
			ID: "web", Transport: "http", Status: mcpint.Connecting,
			Health: mcpint.Dead, Breaker: "closed",
			RetryCount: 1, MaxRetries: 2, NextRetryTime: &past,
		},
		{
			ID: "zwave", Transport: "stdio", Essential: true, Status: mcpint.Failed,
			Health: mcpint.Dead, Breaker: "closed",
			RetryCount: 2, MaxRetries: 2, NextRetryTime: &soon, ErrorMessage: &long,
		},
	}}
	const want = `MCP servers: disconnected
  server   state       tools  health    breaker    retries  next try  last error
  music    connected   8      degraded  half-open  3        -         -
  web      connecting  -      dead      closed     1 of 2   now       -
  zwave *  failed      -      dead      closed     2 of 2   in 4 s    the process ended before it answered (exit status 3); stder…
  * essential

  music: degraded: the last call took 1.2 s

  music: not used, because it is new: play, stop
    to allow:
      voice-gateway servers accept music play
      voice-gateway servers accept music stop

  zwave: the process ended before it answered (exit status 3); stderr: no broker at all
`
	var out bytes.Buffer
	tellServers(&out, false, list, now)
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func TestDaemonAddr(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		"127.0.0.1:8765": "127.0.0.1:8765", ":8765": "127.0.0.1:8765", "0.0.0.0:8765": "127.0.0.1:8765", "[::]:8765": "127.0.0.1:8765",
		"192.168.1.5:8765": "192.168.1.5:8765", "pi.lan:80": "pi.lan:80",
	} {
		if got := (daemon{listen: listen}).addr(); got != want {
			t.Errorf("%s: %s, want %s", listen, got, want)
		}
	}
}
