package fake

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// PuppetVariable makes a test binary a puppet: it holds the path of the script.
const PuppetVariable = "FAKE_PUPPET"

// Puppet is the script of an MCP server over stdio that says what its script says,
// however wrong that is. In every text of it <ENVIRON> stands for the environment and
// the arguments that the server was given.
type Puppet struct {
	Stderr    string                     `json:"stderr"`          // printed at the start
	Dies      bool                       `json:"dies"`            // it ends after that
	Hello     json.RawMessage            `json:"hello,omitempty"` // the result of initialize; empty: an ordinary one
	Tools     []json.RawMessage          `json:"tools"`           // as they are listed
	Then      []json.RawMessage          `json:"then"`            // as they are listed once that has changed, after the first list
	Results   map[string]json.RawMessage `json:"results"`         // of calls, by tool
	Errors    map[string]string          `json:"errors"`          // in place of results
	Leaves    []string                   `json:"leaves"`          // tools at whose call it ends without an answer
	Resources map[string]string          `json:"resources"`       // texts by address
	Sends     []json.RawMessage          `json:"sends"`           // messages sent without a request, after the first list
	Heard     string                     `json:"heard"`           // the file to which everything is written that the server receives
}

// Pull writes the script and returns what starts the server: the command and its
// environment. The binary of the test has to play it where PuppetVariable is set.
func (p Puppet) Pull(tb testing.TB) (command string, env map[string]string) {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	script, err := json.Marshal(p)
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "script.json")
	if err := os.WriteFile(path, script, 0o600); err != nil {
		tb.Fatal(err)
	}
	return self, map[string]string{PuppetVariable: path}
}

// Stage is what a puppet is given by its process.
type Stage struct {
	Script  string // the path in the variable PuppetVariable
	Environ []string
	Args    []string
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
}

// Play plays the script until its input ends, and returns the exit status.
func (s Stage) Play() int {
	script, err := os.ReadFile(s.Script)
	if err != nil {
		_, _ = fmt.Fprintln(s.Err, err)
		return 1
	}
	given, _ := json.Marshal(strings.Join(slices.Concat(s.Environ, s.Args), " ")) // a text
	inner := string(given[1 : len(given)-1])
	var p Puppet
	if err := json.Unmarshal([]byte(strings.NewReplacer("<ENVIRON>", inner, `\u003cENVIRON\u003e`, inner).Replace(string(script))), &p); err != nil {
		_, _ = fmt.Fprintln(s.Err, err)
		return 1
	}
	_, _ = fmt.Fprintln(s.Err, p.Stderr)
	if p.Dies {
		return 1
	}
	p.play(s.In, s.Out)
	return 0
}

// message is one line of the protocol.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
	} `json:"params"`
}

// play answers until its input ends.
func (p Puppet) play(in io.Reader, out io.Writer) {
	say := func(line string) { _, _ = fmt.Fprintln(out, line) }
	lists := 0
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		p.hear(lines.Text())
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil || m.Method == "" {
			continue
		}
		if m.Method == methodCall && slices.Contains(p.Leaves, m.Params.Name) {
			return
		}
		say(p.answer(m, lists))
		if m.Method != methodList {
			continue
		}
		if lists++; lists > 1 {
			continue
		}
		for _, message := range p.Sends {
			say(string(message))
		}
		if p.Then != nil {
			say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
	}
}

const (
	methodList = "tools/list"
	methodCall = "tools/call"
)

// hear keeps a line that the server received. If it cannot be kept, the test will notice
// that it is missing.
func (p Puppet) hear(line string) {
	if p.Heard == "" {
		return
	}
	f, err := os.OpenFile(p.Heard, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintln(f, line)
	_ = f.Close()
}

// answer returns the answer to a request, on one line.
func (p Puppet) answer(m message, lists int) string {
	if text, bad := p.Errors[m.Params.Name]; bad && m.Method == methodCall {
		return oneLine(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32000, "message": text}})
	}
	return oneLine(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": p.result(m, lists)})
}

func (p Puppet) result(m message, lists int) any {
	switch m.Method {
	case "initialize":
		if p.Hello != nil {
			return p.Hello
		}
		return map[string]any{
			"protocolVersion": "2025-11-25", "serverInfo": map[string]any{"name": "puppet", "version": "1"},
			"capabilities": map[string]any{"tools": map[string]any{"listChanged": true}, "resources": map[string]any{}},
		}
	case methodList:
		if p.Then != nil && lists > 0 {
			return map[string]any{"tools": p.Then}
		}
		return map[string]any{"tools": append([]json.RawMessage{}, p.Tools...)}
	case methodCall:
		if result, ok := p.Results[m.Params.Name]; ok {
			return result
		}
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": "ok"}}}
	case "resources/list":
		list := []any{}
		for uri := range p.Resources {
			list = append(list, map[string]any{"uri": uri, "name": uri, "mimeType": "application/json"})
		}
		return map[string]any{"resources": list}
	case "resources/read":
		return map[string]any{"contents": []any{map[string]any{"uri": m.Params.URI, "mimeType": "application/json", "text": p.Resources[m.Params.URI]}}}
	}
	return map[string]any{}
}

func oneLine(v any) string {
	text, _ := json.Marshal(v) // of what was read from JSON
	return string(text)
}
