package housecheck_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"voicegateway/internal/care/housecheck"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

var update = flag.Bool("update", false, "write the reports into testdata")

// TestMain lets the test binary be the server: "server FILE" answers as the file says.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "server" {
		if err := play(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// play is an MCP server that answers what its file has under a method, or under "call" and
// the name of a tool, or "read" and the address of a resource.
func play(file string) error {
	script, err := txtar.ParseFile(file)
	if err != nil {
		return err
	}
	answers := map[string][]byte{"initialize": []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"scripted","version":"1"}}`)}
	for _, f := range script.Files {
		answers[f.Name] = f.Data
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name string `json:"name"`
				URI  string `json:"uri"`
			} `json:"params"`
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		key := m.Method
		switch key {
		case "tools/call":
			key = "call " + m.Params.Name
		case "resources/read":
			key = "read " + m.Params.URI
		}
		var answer bytes.Buffer
		switch result, known := answers[key]; {
		case !known:
			fmt.Fprintf(&answer, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"there is no %s"}}`, m.ID, key)
		case m.Method == "resources/read":
			text, err := json.Marshal(string(result))
			if err != nil {
				return err
			}
			fmt.Fprintf(&answer, `{"jsonrpc":"2.0","id":%s,"result":{"contents":[{"uri":%q,"text":%s}]}}`, m.ID, m.Params.URI, text)
		default:
			var line bytes.Buffer
			if err := json.Compact(&line, result); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			fmt.Fprintf(&answer, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, line.Bytes())
		}
		if _, err := fmt.Println(answer.String()); err != nil {
			return err
		}
	}
	return nil
}

// Each file of testdata is a server, and what is said of it.
func TestReports(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d servers: %v", len(files), err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			r, err := housecheck.Examine(t.Context(), mcpint.Server{ID: "house", Command: self, Args: []string{"server", file}}, client.Options{Name: "test", Version: "1"})
			var got bytes.Buffer
			if err != nil {
				first, _, _ := strings.Cut(err.Error(), "\n")
				fmt.Fprintln(&got, first)
			} else {
				got.WriteString(housecheck.Tell(false, r))
			}
			script, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i := range script.Files {
				f := &script.Files[i]
				if f.Name != "report" {
					continue
				}
				if *update {
					f.Data = got.Bytes()
					if err := os.WriteFile(file, txtar.Format(script), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if got.String() != string(f.Data) {
					t.Errorf("said:\n%s\nwant:\n%s", got.String(), f.Data)
				}
			}
		})
	}
}
