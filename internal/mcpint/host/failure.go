package host

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"voicegateway/internal/ground/secret"
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
	others   []string // servers that are connected, with the number of their tools
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
		"Check: "+strings.Join(thingsToCheck(f.server, f.err), ", "),
		f.whatIsLeft())
	return strings.Join(lines, "\n")
}

// whatIsLeft says which tools work without the server.
func (f failure) whatIsLeft() string {
	if len(f.others) == 0 {
		return fmt.Sprintf("Continuing with local tools only (%s)", strings.Join(f.local, ", "))
	}
	return fmt.Sprintf("Continuing with local tools (%s) and those of %s", strings.Join(f.local, ", "), strings.Join(f.others, ", "))
}

// stderrOf returns the stderr an error carries, without what looks like a secret: it
// reaches language models.
func stderrOf(err error) string {
	said := ""
	if lives, ok := errors.AsType[*client.SaidError](err); ok {
		said = lives.Stderr
	} else if dial, ok := errors.AsType[*client.DialError](err); ok {
		said = dial.Stderr
	} else if end, ok := errors.AsType[*client.EndError](err); ok {
		said = end.Stderr
	}
	return secret.HideLikely(said)
}

// maxLastWords bounds the words of a server in the error of a call, in bytes.
const maxLastWords = 200

// lastWords returns the last line of the stderr that an error carries, as a part of a
// sentence; "" if there is none. They are quoted, because they are the server's.
func lastWords(err error) string {
	line := lastLine(err)
	if line == "" {
		return ""
	}
	return fmt.Sprintf("; its last words: %q", line)
}

// lastLine returns the last line of the stderr that an error carries, bounded; "" if there
// is none.
func lastLine(err error) string {
	lines := strings.Split(strings.TrimSpace(stderrOf(err)), "\n")
	return client.Secrets(nil).RedactLine(lines[len(lines)-1], maxLastWords)
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

// thingsToCheck lists what has to be true for the server to work, as far as the error of
// the last attempt does not tell that it is.
func thingsToCheck(s mcpint.Server, err error) []string {
	program, address := filepath.Base(cmp.Or(s.Program, s.Command)), mcpint.BareAddress(s.URL)
	fault := faultOf(err)
	certain := map[mcpint.Fault]string{
		mcpint.FaultNotFound:      program + " installed",
		mcpint.FaultNotExecutable: s.Command + " may be executed by the gateway's user (chmod +x), and is made for this machine",
		mcpint.FaultNotMCP:        address + " is the address of an MCP server",
		mcpint.FaultUnauthorized:  fmt.Sprintf("mcp.servers.%s.headers has the right key or token for %s", s.ID, address),
		mcpint.FaultNoPage:        "the path of " + address,
		mcpint.FaultNoName:        fmt.Sprintf("the name in %s, and the network's DNS", address),
		mcpint.FaultRefused:       fmt.Sprintf("the server at %s runs, and its port", address),
		mcpint.FaultTLS:           fmt.Sprintf("the certificate of %s, and this machine's clock", address),
	}
	if s.Transport == "stdio" {
		certain[mcpint.FaultNotMCP] = program + " is an MCP server for stdio, with its arguments, and writes nothing else to its standard output"
	}
	if text := certain[fault]; text != "" {
		return []string{text}
	}
	var list []string
	// A server that is given a broker's address depends on that broker.
	_, broker := s.Env["MQTT_BROKER_URL"]
	if broker {
		list = append(list, "MQTT broker running")
	}
	switch {
	case fault == mcpint.FaultSlow:
		return append(list, fmt.Sprintf("whether the server needs longer to start than mcp.servers.%s.connect_timeout", s.ID))
	case s.Transport != "stdio":
		return append(list, address+" reachable")
	case fault == mcpint.FaultEnded && !broker: // with a broker it is the Z-Wave server, which ends without it
		return append(list, fmt.Sprintf("the command of mcp.servers.%s, its arguments and its environment: what it wrote before it ended says why", s.ID))
	}
	return append(list, program+" installed")
}

// faultOf sorts the error of an attempt or of the end of a connection.
func faultOf(err error) mcpint.Fault {
	if errors.Is(err, errHanging) {
		return mcpint.FaultSlow
	}
	return client.FaultOf(err)
}

func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
