//go:build ignore

// This program builds the programs that tests start, voice-gateway and the house servers,
// into a directory named by what they are made of, and prints that directory; or, with
// the argument worker, the process of the recognisers alone. The tests find the
// directories in the variables TEST_PROGRAMS and TEST_WORKER: all of them start the same
// programs, built once, and as the names change with the programs, go keeps no result of
// a test that was run with others. The worker is apart because the tests of what is heard
// take minutes and need nothing else of the gateway. Usage:
//
//	TEST_PROGRAMS=$(go run scripts/programs.go) TEST_WORKER=$(go run scripts/programs.go worker) go test ./...
package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// kept is where the programs are; the repository's root is the working directory.
const kept = ".tools/programs"

// program is one that is built: its name, its package and whether it has C code.
type program struct{ name, path, cgo string }

var (
	whole = []program{
		{"voice-gateway", "voicegateway/cmd/voice-gateway", "1"},
		{"zwave-mcp-server", "voicegateway/cmd/zwave-mcp-server", "0"},
		{"home-assistant-mcp-server", "voicegateway/cmd/home-assistant-mcp-server", "0"},
	}
	alone = []program{{"worker", "voicegateway/internal/fake/testdata/worker", "1"}}
)

func main() {
	programs := whole
	if len(os.Args) > 1 {
		if len(os.Args) > 2 || os.Args[1] != "worker" {
			fmt.Fprintf(os.Stderr, "called with %q; expected nothing, or worker\n", os.Args[1:])
			os.Exit(2)
		}
		programs = alone
	}
	dir, err := build(programs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "building the programs that the tests start:", err)
		os.Exit(1)
	}
	fmt.Println(dir)
}

func build(programs []program) (string, error) {
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(kept, "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	if err := os.Chmod(fresh, 0o755); err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, program := range programs {
		path := filepath.Join(fresh, program.name)
		cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, program.path)
		cmd.Env = append(os.Environ(), "CGO_ENABLED="+program.cgo)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", program.name, err, out)
		}
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(sum, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
	// The programs name the place they are started from without links, so it is named so.
	home, err := filepath.EvalSymlinks(kept)
	if err == nil {
		home, err = filepath.Abs(home)
	}
	if err != nil {
		return "", err
	}
	dir := filepath.Join(home, fmt.Sprintf("%x", sum.Sum(nil)[:8]))
	// Another run may have built the same beside this one: then its directory stays.
	if err := os.Rename(fresh, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, nil
}
