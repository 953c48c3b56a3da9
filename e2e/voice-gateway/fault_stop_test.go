package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"voicegateway/internal/fake"
)

// stopped ends a daemon by SIGTERM and demands that it ends well and whole.
func stopped(t *testing.T, c *child, env []string) {
	t.Helper()
	send(t, c.Process.Pid, syscall.SIGTERM)
	if err := c.Wait(); err != nil {
		t.Fatalf("it ended with %v", err)
	}
	if left := offspring(t, env); len(left) > 0 {
		t.Errorf("it left %+v", left)
	}
}

// TestStoppedWhileSpeaking: the sentence is long, the stop is not.
func TestStoppedWhileSpeaking(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	card, played := fake.SoundCard(t, "")
	c, _, env := daemon(t, broker, card)
	stranger := listen(t, broker)
	eventually(t, "it is online", func() bool { return stranger.has("voice/test/availability", "online") })
	stranger.say(t, "say", `{"id":"s1","text":"`+strings.Repeat("This is a very long sentence about nothing at all, and ", 20)+`the end."}`)
	eventually(t, "it can be heard", func() bool {
		info, err := os.Stat(played)
		return err == nil && info.Size() > 16000
	})
	stopped(t, c, env)
	eventually(t, "it says goodbye", func() bool { return stranger.has("voice/test/availability", "offline") })
	info, err := os.Stat(played)
	if err != nil || info.Size() > 20*32000 {
		t.Errorf("%d bytes were played: it was not cut short (%v)", info.Size(), err)
	}
}

// TestStoppedWithAStubbornServer: one that never answers and one that does, both
// deaf to the end of their input and to SIGTERM.
func TestStoppedWithAStubbornServer(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"never connected": "while :; do sleep 1; done",
		"connected":       fmt.Sprintf("%q --require-broker 2s\nwhile :; do sleep 1; done", filepath.Join(bin, "zwave-mcp-server")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := filepath.Join(t.TempDir(), "stubborn")
			if err := os.WriteFile(script, []byte("#!/bin/sh\ntrap '' TERM INT HUP\n"+body+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			c, http, env := daemon(t, mosquitto(t), "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND="+script)
			if name == "connected" {
				serverPID(t, http)
			} else {
				eventually(t, "it runs", func() bool { return len(c.children(t, script)) > 0 })
			}
			stopped(t, c, env)
		})
	}
}

// TestAStateDirectoryThatCannotBeWritten: it runs on and says so.
func TestAStateDirectoryThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"below a file": filepath.Join(file, "state"), "read-only": "/proc/voice-gateway"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, http, env := daemon(t, mosquitto(t), "VOICE_GATEWAY_GATEWAY_STATE_DIR="+dir)
			eventually(t, "the log says it", func() bool {
				return strings.Contains(c.stderr.String(), "gateway.state_dir") && strings.Contains(c.stderr.String(), dir)
			})
			if state, why := readiness(t, http, "state"); state != "degraded" || !strings.Contains(why, dir) {
				t.Errorf("the state directory is %s: %s", state, why)
			}
			if out, _, status := command(t, env, "ask", "what time is it"); status != 0 || !strings.HasPrefix(out, "It's ") {
				t.Errorf("the time: %q, status %d", out, status)
			}
			if _, errs, status := command(t, env, "say", "hello"); status != 0 && !strings.Contains(errs, "no speaker") {
				t.Errorf("say: %s, status %d", errs, status)
			}
			stopped(t, c, env)
		})
	}
}

// TestAServerThatIsNotInstalled: the message names the places looked at.
func TestAServerThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	c, _, env := daemon(t, mosquitto(t), "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND=no-such-server", "VOICE_GATEWAY_MCP_RETRY_BASE_DELAY=10ms")
	eventually(t, "the report is in the log", func() bool {
		return strings.Contains(c.stderr.String(), "Failed to initialize MCP tools after 3 attempts")
	})
	for _, words := range []string{`"no-such-server"`, filepath.Join(bin, "no-such-server"), "PATH", "install it or set its full path"} {
		if !strings.Contains(c.stderr.String(), words) {
			t.Errorf("the log does not say %q:\n%s", words, c.stderr)
		}
	}
	if out, _, status := command(t, env, "ask", "turn on the kitchen light"); status != 1 || !strings.Contains(out, "reach") {
		t.Errorf("the light: %q, status %d", out, status)
	}
}
