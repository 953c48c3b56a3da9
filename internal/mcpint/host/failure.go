package host

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

// localTools are the local tools of a full installation (REQUIREMENTS T1).
var localTools = []string{"datetime", "search", "volume"}

// failure is what is known when the attempts for a server are used up.
type failure struct {
	server   mcpint.Server
	attempts int
	err      error    // of the last attempt
	local    []string // tools that work without the server
}

// text is the report of REQUIREMENTS M2, a line for each label; the server's own
// words may add lines.
func (f failure) text() string {
	reason := "unknown"
	if f.err != nil {
		reason = f.err.Error()
	}
	lines := []string{
		fmt.Sprintf("Failed to initialize MCP tools after %d %s", f.attempts, plural("attempt", f.attempts)),
		"Reason: " + reason,
	}
	if f.server.Transport == "stdio" {
		words := cmp.Or(stderrOf(f.err), "(nothing)")
		lines = append(lines, "MCP server stderr: "+strings.ReplaceAll(words, "\n", "\n  "))
	}
	lines = append(lines,
		"Check: "+strings.Join(thingsToCheck(f.server), ", "),
		fmt.Sprintf("Continuing with local tools only (%s)", strings.Join(f.local, ", ")))
	return strings.Join(lines, "\n")
}

// stderrOf returns the stderr an error carries.
func stderrOf(err error) string {
	if said, ok := errors.AsType[*client.SaidError](err); ok {
		return said.Stderr
	}
	if dial, ok := errors.AsType[*client.DialError](err); ok {
		return dial.Stderr
	}
	if end, ok := errors.AsType[*client.EndError](err); ok {
		return end.Stderr
	}
	return ""
}

// maxLastWords bounds the words of a server in the error of a call, in bytes.
const maxLastWords = 200

// lastWords returns the last line of the stderr that an error carries, as a part of a
// sentence; "" if there is none. They are quoted, because they are the server's.
func lastWords(err error) string {
	lines := strings.Split(strings.TrimSpace(stderrOf(err)), "\n")
	line := client.Secrets(nil).RedactLine(lines[len(lines)-1], maxLastWords)
	if line == "" {
		return ""
	}
	return fmt.Sprintf("; its last words: %q", line)
}

// maxStatusWords bounds the stderr in a status, in bytes; the log has more.
const maxStatusWords = 300

// statusText is an error on one line, with the server's own last words.
func statusText(err error) string {
	text := client.Secrets(nil).RedactLine(err.Error(), client.MaxQuote)
	words := strings.ReplaceAll(stderrOf(err), "\n", " | ")
	if words == "" {
		return text
	}
	if len(words) > maxStatusWords {
		words = "…" + strings.ToValidUTF8(words[len(words)-maxStatusWords:], "")
	}
	return text + "; stderr: " + words
}

// thingsToCheck lists what has to be true for the server to work.
func thingsToCheck(s mcpint.Server) []string {
	var list []string
	// A server that is given a broker's address depends on that broker.
	if _, broker := s.Env["MQTT_BROKER_URL"]; broker {
		list = append(list, "MQTT broker running")
	}
	if s.Transport == "stdio" {
		return append(list, filepath.Base(cmp.Or(s.Program, s.Command))+" installed")
	}
	return append(list, mcpint.BareAddress(s.URL)+" reachable")
}

func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
