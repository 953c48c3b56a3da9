package fake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// ProgramsVariable names the directory of the built programs, which make sets
// (scripts/programs.go), and WorkerVariable that of the recognisers' process.
const (
	ProgramsVariable = "TEST_PROGRAMS"
	WorkerVariable   = "TEST_WORKER"
)

// Program returns the path of one of the real programs.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	dir, err := Programs()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// Programs returns the directory of the real voice-gateway and house servers, built
// without the race detector: what is tested is what is shipped. Where no make has built
// them, they are built here, and the sources are looked at, so that go does not keep
// the result of a test that was run with older programs.
var Programs = sync.OnceValues(func() (string, error) { return programs(ProgramsVariable) })

// Worker returns the path of a program that is called as voice-gateway is, and is only
// its recognisers: worker stt and worker stt-moonshine. What is tested with it alone is
// tested anew only where something of the recognisers has changed; that voice-gateway
// itself is such a worker is tested in e2e/voice-gateway.
func Worker(tb testing.TB) string {
	tb.Helper()
	dir, err := workerDir()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(dir, "worker")
}

var workerDir = sync.OnceValues(func() (string, error) { return programs(WorkerVariable, "worker") })

// programs returns the directory that a variable names, or else the one that
// scripts/programs.go prints.
func programs(variable string, args ...string) (string, error) {
	if dir := os.Getenv(variable); dir != "" { //nolint:forbidigo // go sees that a test depends on it
		return dir, nil
	}
	root, err := rootDir()
	if err != nil {
		return "", err
	}
	var words bytes.Buffer
	cmd := exec.CommandContext(context.Background(), "go", append([]string{"run", filepath.Join("scripts", "programs.go")}, args...)...)
	cmd.Dir, cmd.Stderr = root, &words
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("building the programs: %w: %s", err, words.String())
	}
	if err := look(root, "cmd", "internal", "configs", "go.mod"); err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// look opens every file below the given ones, but tests, which go remembers with the
// result of a test.
func look(root string, names ...string) error {
	for _, name := range names {
		err := filepath.WalkDir(filepath.Join(root, name), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			return f.Close()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rootDir returns the directory of the repository, above the test's own.
func rootDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the test's directory")
		}
		dir = parent
	}
}
