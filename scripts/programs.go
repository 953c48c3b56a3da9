//go:build ignore

// This program builds voice-gateway and zwave-mcp-server for the tests that start them,
// into a directory named by what they are made of, and prints that directory. The tests
// find it in the variable TEST_PROGRAMS: all of them start the same programs, built
// once, and as the name changes with the programs, go keeps no result of a test that was
// run with others. Usage:
//
//	TEST_PROGRAMS=$(go run scripts/programs.go) go test ./...
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

func main() {
	dir, err := build()
	if err != nil {
		fmt.Fprintln(os.Stderr, "building the programs that the tests start:", err)
		os.Exit(1)
	}
	fmt.Println(dir)
}

func build() (string, error) {
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
	for _, program := range []struct{ name, cgo string }{{"voice-gateway", "1"}, {"zwave-mcp-server", "0"}} {
		path := filepath.Join(fresh, program.name)
		cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, "voicegateway/cmd/"+program.name)
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
