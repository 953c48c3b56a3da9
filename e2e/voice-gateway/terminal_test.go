package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// atTerminal runs a command at a terminal of 100 columns.
func atTerminal(t *testing.T, env []string, args string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "script", "-qec", "stty cols 100; "+filepath.Join(bin, "voice-gateway")+" "+args, os.DevNull) //nolint:gosec // both are ours
	cmd.Env = append(env, "SHELL=/bin/sh")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestTerminal checks what a user reads: lines that fit, colours where they are wanted,
// numbers with their units, and no time since speech if there was no speech.
func TestTerminal(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	_, _, env := daemon(t, broker)
	eventually(t, "the house is known", func() bool {
		stdout, _, _ := command(t, env, "home")
		return strings.Contains(stdout, "Kitchen Light")
	})
	if stdout, _, _ := command(t, env, "home"); !strings.Contains(stdout, " °C ") || strings.Contains(stdout, "on °C") {
		t.Errorf("home without units: %s", stdout)
	}
	stdout, stderr, status := command(t, env, "ask", "--verbose", strings.Repeat("is the kitchen light on and ", 5)+"is the kitchen light on")
	if status != 0 || !strings.Contains(stdout, "after the text came") || strings.Contains(stdout, "speech ") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
	turns := atTerminal(t, append(env, "NO_COLOR=1", "TERM=xterm"), "turns")
	for line := range strings.Lines(turns) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\r\n")); n > 100 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	if !strings.Contains(turns, "…") || !strings.Contains(turns, "done") {
		t.Errorf("turns: %s", turns)
	}
	for what, want := range map[string]bool{"TERM=xterm": true, "TERM=dumb": false, "NO_COLOR=1": false} {
		if got := strings.Contains(atTerminal(t, append(env, what), "turns"), "\x1b["); got != want {
			t.Errorf("colours with %s: %v", what, got)
		}
	}
}

// TestSayWithoutSpeaker fails with the reason.
func TestSayWithoutSpeaker(t *testing.T) {
	t.Parallel()
	env := environ(t, "VOICE_GATEWAY_HTTP_LISTEN=127.0.0.1:9")
	if _, stderr, status := command(t, env, "say", "hello"); status != 1 || !strings.Contains(stderr, "no speaker found") {
		t.Errorf("status %d: %s", status, stderr)
	}
}
