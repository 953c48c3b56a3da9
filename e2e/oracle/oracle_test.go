//go:build oracle

// Package oracle writes down what the programs do, as an outsider sees it: what is
// understood, called, recorded and answered for every sentence and every conversation of
// the repository, and what every route, MQTT verb and command answers. Two checkouts that
// behave the same give the same text, on any machine. scripts/oracle.go runs it, joins its
// parts and compares them with those of another checkout.
//
// The parts of the program's inside that it needs are named in adapter_test.go alone. To
// cover a new file of sentences, add it to sources; a file that nobody decided about fails
// TestEveryFile, and so does a route, a verb or a command that has no entry.
package oracle

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/e2e/rig"
)

var out = flag.String("out", "", "the directory that the parts of the oracle are written into")

// bin holds the real programs.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	time.Local = time.UTC // times of day are spoken
	if *out == "" {
		fmt.Fprintln(os.Stderr, "oracle: no -out DIRECTORY is given; run make oracle")
		os.Exit(2)
	}
	os.Exit(rig.Main(m, &bin))
}

// root is the top of the repository.
const root = "../.."

// section is a part of the oracle: entries, one a line, each with a key of its own.
type section struct {
	name string

	mu   sync.Mutex
	keys map[string]bool
	text bytes.Buffer
}

// open begins a section, which is written when its test ends.
func open(t *testing.T, name string) *section {
	t.Helper()
	s := &section{name: name, keys: map[string]bool{}}
	t.Cleanup(func() {
		if len(s.keys) == 0 {
			t.Errorf("the section %s has no entry", name)
		}
		if err := os.WriteFile(filepath.Join(*out, name+".part"), s.text.Bytes(), 0o600); err != nil {
			t.Error(err)
		}
	})
	return s
}

// put adds an entry. Two entries of one key are a fault of the oracle.
func (s *section) put(t *testing.T, key string, value any) {
	t.Helper()
	data, err := plain(value)
	if err != nil {
		t.Fatal(err)
	}
	name, err := plain(s.name + ": " + key)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys[key] {
		t.Errorf("two entries of the section %s are called %q", s.name, key)
	}
	s.keys[key] = true
	fmt.Fprintf(&s.text, "%s: %s\n", name, data)
}

// plain writes a value as JSON on one line, with the keys of objects in their order.
func plain(value any) (string, error) {
	var generic any
	if err := convert(value, &generic); err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(generic); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
