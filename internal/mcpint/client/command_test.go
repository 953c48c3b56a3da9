package client

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFindCommand(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "our-server")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // it has to be executable
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "text"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := FindCommand("our-server", dir); err != nil || got != program {
		t.Errorf("beside us: %q, %v", got, err)
	}
	if got, err := FindCommand("sh", dir); err != nil || filepath.Base(got) != "sh" {
		t.Errorf("in PATH: %q, %v", got, err)
	}
	if got, err := FindCommand(program, ""); err != nil || got != program {
		t.Errorf("by path: %q, %v", got, err)
	}
	for name, command := range map[string]string{"missing": "no-such-server", "no program": "text", "missing path": dir + "/none", "directory": dir + "/"} {
		if _, err := FindCommand(command, dir); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: the error does not name the place: %v", name, err)
		}
	}
}

func TestChildEnvironment(t *testing.T) {
	got := childEnv([]string{"PATH=/bin", "HOME=/root", "LC_ALL=C", "AWS_SECRET=x", "TZ=UTC", "broken"}, map[string]string{"TZ": "Europe/Vienna", "MQTT_PASSWORD": "p"})
	want := []string{"HOME=/root", "LC_ALL=C", "MQTT_PASSWORD=p", "PATH=/bin", "TZ=Europe/Vienna"}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}
