package models

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/ear/moonshine"
)

// TestPipIsFound: a package is fetched with the pip that Python has, else with the one in a
// wheel, and what is missing is named with the command that installs it.
func TestPipIsFound(t *testing.T) {
	const (
		none    = `echo "/usr/bin/python3: No module named pip" >&2; exit 1`
		inWheel = `case $PYTHONPATH in */pip-23.0.1-py3-none-any.whl) echo "fetched by $PYTHONPATH" >&2; exit 1;; esac; ` + none
	)
	wheels := t.TempDir()
	if err := os.WriteFile(filepath.Join(wheels, "pip-23.0.1-py3-none-any.whl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ python, wheels, want string }{
		"pip of Python":       {`echo "fetched by $2, $PIP_INDEX_URL" >&2; exit 1`, wheels, "fetched by pip, https://index.test"},
		"pip in a wheel":      {inWheel, wheels, "fetched by " + wheels + "/pip-23.0.1-py3-none-any.whl"},
		"no pip":              {none, t.TempDir(), "apt-get install python3-pip-whl"},
		"no place for wheels": {none, "", "apt-get install python3-pip-whl"},
		"no Python":           {"", wheels, "apt-get install python3 python3-pip-whl"},
	} {
		t.Run(name, func(t *testing.T) {
			programs := t.TempDir()
			if c.python != "" {
				if err := os.WriteFile(filepath.Join(programs, "python3"), []byte("#!/bin/sh\n"+c.python+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", programs)
			getenv := func(name string) string {
				if name == "PIP_INDEX_URL" {
					return "https://index.test"
				}
				return ""
			}
			var out bytes.Buffer
			err := PullNetwork(t.Context(), &out, moonshine.Catalogue()[0], t.TempDir(), "", Packages{getenv, c.wheels})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("%v\n%s", err, &out)
			}
		})
	}
}
