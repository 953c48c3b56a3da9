package mcpint

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Failure is what is known when the attempts for a server are used up.
type Failure struct {
	Server   Server
	Attempts int
	Err      error    // of the last attempt
	Local    []string // what works all the same
}

// FailureText is the report of a server whose status is failed, else empty.
func FailureText(s Status) string {
	if s.Failure == nil {
		return ""
	}
	return s.Failure.Text()
}

// Text is the report of DESIGN M2, a line for each label; the server's own words
// may add lines.
func (f Failure) Text() string {
	reason := "unknown"
	if f.Err != nil {
		reason = f.Err.Error()
	}
	words := wordsOf(f.Err)
	lines := []string{
		fmt.Sprintf("Failed to initialize MCP tools after %d %s", f.Attempts, plural("attempt", f.Attempts)),
		"Reason: " + reason,
	}
	if f.Server.transport() == "stdio" {
		if words == "" {
			words = "(nothing)"
		}
		lines = append(lines, "MCP server stderr: "+strings.ReplaceAll(words, "\n", "\n  "))
	}
	lines = append(lines,
		"Check: "+strings.Join(checks(f.Server), ", "),
		fmt.Sprintf("Continuing with local tools only (%s)", strings.Join(f.Local, ", ")))
	return strings.Join(lines, "\n")
}

// wordsOf returns the stderr an error carries.
func wordsOf(err error) string {
	if dial, ok := errors.AsType[*DialError](err); ok {
		return dial.Stderr
	}
	if end, ok := errors.AsType[*EndError](err); ok {
		return end.Stderr
	}
	return ""
}

// maxStatusWords bounds the stderr in a status, in bytes; the log has more.
const maxStatusWords = 300

// statusText is an error on one line, with the server's own last words.
func statusText(err error) string {
	text := firstWords(err.Error(), nil, heardShown)
	words := strings.ReplaceAll(wordsOf(err), "\n", " | ")
	if words == "" {
		return text
	}
	if len(words) > maxStatusWords {
		words = "…" + strings.ToValidUTF8(words[len(words)-maxStatusWords:], "")
	}
	return text + "; stderr: " + words
}

// checks lists what has to be true for the server to work.
func checks(s Server) []string {
	var list []string
	// A server that is given a broker depends on it.
	if _, broker := s.Env["MQTT_BROKER_URL"]; broker {
		list = append(list, "MQTT broker running")
	}
	if s.transport() == "stdio" {
		return append(list, filepath.Base(cmp.Or(s.Program, s.Command))+" installed")
	}
	return append(list, bare(s.URL)+" reachable")
}

// bare is an address without what may be a secret in it.
func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its url"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
