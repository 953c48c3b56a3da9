package configure

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"voicegateway/internal/mcpint"
)

// TestImportedServers: the lists of other hosts become servers that are trusted to read,
// and what is wrong with a list is told with its file, key and what was expected.
func TestImportedServers(t *testing.T) {
	t.Parallel()
	environ := []string{"HOME=/home/anna", "NOTES_KEY=Tr0ub4dor-and-3"}
	type servers map[string]mcpint.Server
	for name, tt := range map[string]struct {
		list string
		own  string // more of our own configuration, below mcp
		want servers
		bad  string
	}{
		"Claude Desktop": {
			`{"mcpServers":{"files":{"command":"npx","args":["-y","files-mcp","${HOME}/docs"],"env":{"KEY":"${NOTES_KEY}"},"alwaysAllow":["x"]}}}`, "",
			servers{"files": {Transport: "stdio", Command: "npx", Args: []string{"-y", "files-mcp", "/home/anna/docs"}, Env: map[string]string{"KEY": "Tr0ub4dor-and-3"}}},
			"",
		},
		"VS Code": {
			`{"inputs":[],"servers":{"notes":{"type":"http","url":"https://example.org/mcp","headers":{"Authorization":"Bearer ${env:NOTES_KEY}"}}}}`, "",
			servers{"notes": {Transport: "http", URL: "https://example.org/mcp", Headers: map[string]string{"Authorization": "Bearer Tr0ub4dor-and-3"}}},
			"",
		},
		"an address, without a type":  {`{"mcpServers":{"n":{"url":"http://127.0.0.1:1/mcp"}}}`, "", servers{"n": {Transport: "http", URL: "http://127.0.0.1:1/mcp"}}, ""},
		"with a default":              {`{"mcpServers":{"n":{"command":"${NONE:-notes}"}}}`, "", servers{"n": {Transport: "stdio", Command: "notes"}}, ""},
		"disabled":                    {`{"mcpServers":{"n":{"command":"notes","disabled":true}}}`, "", nil, ""},
		"written by hand":             {`{"mcpServers":{"n":{"command":"theirs"}}}`, "  servers: {n: {command: ours, trust: act}}", servers{"n": {Transport: "stdio", Command: "ours", Trust: mcpint.TrustAct}}, ""},
		"not wanted here":             {`{"mcpServers":{"n":{"command":"theirs"},"m":{"command":"theirs"}}}`, "  servers: {n: null}", servers{"m": {Transport: "stdio", Command: "theirs"}}, ""},
		"our own server":              {`{"mcpServers":{"zwave":{"command":"theirs"}}}`, "", nil, ""},
		"a variable that is not set":  {`{"mcpServers":{"n":{"command":"n","env":{"A":"${NONE}"}}}}`, "", nil, "list.json: mcpServers.n.env.A: ${NONE} is not set; expected it in the environment"},
		"a question of another host":  {`{"servers":{"n":{"command":"n","args":["${input:key}"]}}}`, "", nil, "list.json: servers.n.args[0]: ${input:key} is known to the other host only; expected"},
		"neither command nor address": {`{"mcpServers":{"n":{}}}`, "", nil, "list.json: mcpServers.n.command: a stdio server needs the command"},
		"a wrong type":                {`{"mcpServers":{"n":{"command":["a"]}}}`, "", nil, "list.json: mcpServers.n: command is a array; expected an object with command"},
		"an unknown way":              {`{"mcpServers":{"n":{"type":"pigeon","url":"http://x"}}}`, "", nil, `list.json: mcpServers.n.type: "pigeon" is unknown; expected stdio, http or sse`},
		"no JSON":                     {"{\n\"mcpServers\": {,}}", "", nil, "list.json: not valid JSON on line 2"},
		"no list":                     {`{"editor":1}`, "", nil, "list.json: it has no servers; expected an object mcpServers"},
		"no file":                     {"", "", nil, "list.json: cannot be imported"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			list, file := filepath.Join(dir, "list.json"), filepath.Join(dir, "c.yaml")
			if tt.list != "" {
				write(t, list, tt.list)
			}
			write(t, file, "gateway: {state_dir: \""+dir+"\"}\nmcp:\n  import: [\""+list+"\"]\n"+tt.own+"\n")
			l, err := Load(file, environ)
			if tt.bad != "" {
				if err == nil || !strings.Contains(err.Error(), tt.bad) {
					t.Fatalf("got %v, want %s", err, tt.bad)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for id, want := range tt.want {
				got := l.MCP.Servers[id]
				if want.Trust == "" {
					want.Trust, want.From = mcpint.TrustRead, list
				}
				same := got.Transport == want.Transport && got.Command == want.Command && got.URL == want.URL && got.Trust == want.Trust && got.From == want.From && !got.House
				if !same || len(want.Args) > 0 && !reflect.DeepEqual(got.Args, want.Args) || len(want.Env) > 0 && !reflect.DeepEqual(got.Env, want.Env) || len(want.Headers) > 0 && !reflect.DeepEqual(got.Headers, want.Headers) {
					t.Errorf("%s is %+v, want %+v", id, got, want)
				}
			}
			if n := len(l.MCP.Servers) - 1; n != len(tt.want) { // beside our own
				t.Errorf("%d servers, want %d: %+v", n, len(tt.want), l.MCP.Servers)
			}
			if got := l.MCP.Servers["zwave"]; got.From != "" || got.Trust != mcpint.TrustFull {
				t.Errorf("our own server is %+v", got)
			}
		})
	}
}

// TestHeadersFromFiles: a header's value may stand in a file of its own.
func TestHeadersFromFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret, file := filepath.Join(dir, "key"), filepath.Join(dir, "c.yaml")
	write(t, file, "gateway: {state_dir: "+dir+"}\nmcp: {servers: {n: {transport: http, url: http://x, header_file: {Authorization: "+secret+"}}}}\n")
	l, err := Load(file, nil)
	if err != nil || l.Locked == nil || !strings.Contains(l.Locked.Error(), "mcp.servers.n.header_file.Authorization") {
		t.Errorf("without the file: %v, %v", err, l.Locked)
	}
	write(t, secret, "Bearer Tr0ub4dor-and-3\n")
	if l, err = Load(file, nil); err != nil || l.Locked != nil || l.MCP.Servers["n"].Headers["Authorization"] != "Bearer Tr0ub4dor-and-3" {
		t.Errorf("the headers are %+v, %v, %v", l.MCP.Servers["n"].Headers, err, l.Locked)
	}
}

// TestTokensFromFiles: what a server of tokens is shown stands in a file of its own, and a
// file without a key is told before it is needed.
func TestTokensFromFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret, file := filepath.Join(dir, "key"), filepath.Join(dir, "c.yaml")
	for key, wrong := range map[string]string{"client_secret_file": "", "private_key_file": "key: there is no private key in PEM; expected a file"} {
		write(t, file, "gateway: {state_dir: "+dir+"}\nmcp: {servers: {n: {transport: http, url: http://x, auth: {client_id: house, "+key+": "+secret+"}}}}\n")
		l, err := Load(file, nil)
		if err != nil || l.Locked == nil || !strings.Contains(l.Locked.Error(), "mcp.servers.n.auth."+key+": ") {
			t.Errorf("without the file: %v, %v", err, l.Locked)
		}
		write(t, secret, "Tr0ub4dor-and-3\n")
		l, err = Load(file, nil)
		switch {
		case err != nil:
			t.Error(err)
		case wrong == "" && (l.Locked != nil || l.MCP.Servers["n"].Auth.ClientSecret != "Tr0ub4dor-and-3"):
			t.Errorf("the secret is %+v, %v", l.MCP.Servers["n"].Auth, l.Locked)
		case wrong != "" && (l.Locked == nil || !strings.Contains(l.Locked.Error(), wrong)):
			t.Errorf("%s: %v", key, l.Locked)
		}
		if err := os.Remove(secret); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
