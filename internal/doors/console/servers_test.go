package console_test

import (
	"bytes"
	"testing"
	"time"

	"voicegateway/internal/doors/console"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mcpint"
)

func TestServers(t *testing.T) {
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
				{Tool: "play", Why: "it is new", Choices: []mcpint.Choice{{Level: "accept", Command: "voice-gateway servers accept music play"}}, Resting: true},
				{Tool: "stop", Why: "it is new", Choices: []mcpint.Choice{{Level: "accept", Command: "voice-gateway servers accept music stop"}}, Resting: true},
				forbidden("add", true), forbidden("list", false), forbidden("move", true), forbidden("mute", true), forbidden("rate", true),
				forbidden("sort", true), forbidden("tag", true),
			}, ToolsUnusedCount: 12,
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

  music: 2 tools are not used, because it is new: play, stop
    to accept one tool as it is now (2):
      voice-gateway servers accept music play
      voice-gateway servers accept music stop

  music: 7 tools are not used, because nothing of this server is called (trust: none): add, list, move, mute, rate and 2 more
    to use those that only read (1):
      voice-gateway config set mcp.servers.music.trust read
    to use also those that change something, each after a question (7):
      voice-gateway config set mcp.servers.music.trust act

  music: 3 more tools are not used and not listed here

  zwave: the process ended before it answered (exit status 3); stderr: no broker at all
`
	var out bytes.Buffer
	console.Servers(&out, false, list, now)
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

// forbidden is a tool of a server without trust.
func forbidden(tool string, writes bool) mcpint.UnusedTool {
	u := mcpint.UnusedTool{Tool: tool, Why: "nothing of this server is called (trust: none)", Choices: []mcpint.Choice{{Level: "read", Command: "voice-gateway config set mcp.servers.music.trust read"}, {Level: "act", Command: "voice-gateway config set mcp.servers.music.trust act"}}}
	if writes {
		u.Choices = u.Choices[1:]
	}
	return u
}

func TestTimers(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 11, 3, 12, 9, 0, 0, time.Local)
	var out bytes.Buffer
	console.Timers(&out, false, []timers.Timer{
		{ID: "timer-1", Kind: timers.Countdown, Name: "pasta\n", Area: "Kitchen", State: timers.Running, Due: due, Left: 540, Length: 540},
		{ID: "timer-2", Kind: timers.Command, Command: "turn off the lamp", State: timers.Paused, Left: 90},
		{ID: "timer-3", Kind: timers.Alarm, State: timers.Ringing, Due: due, At: "12:09", Every: "weekday"},
	})
	const want = `  timer    kind     called  command            room     state    left   due                 every
  timer-1  timer    pasta   -                  Kitchen  running  9m0s   Tue Nov 3 12:09:00  once
  timer-2  command  -       turn off the lamp  -        paused   1m30s  -                   once
  timer-3  alarm    -       -                  -        ringing  -      Tue Nov 3 12:09:00  weekday
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}
