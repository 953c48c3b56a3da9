//go:build accept

// Package page tests the page from the outside: the real programs, and a Chromium that
// does what people do.
package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"voicegateway/internal/fake"
)

// bin holds the real programs, built once; shots is where pictures are kept.
var (
	bin   string
	shots = filepath.Join("..", "..", "dist", "page")
)

func TestMain(m *testing.M) {
	if script := os.Getenv(fake.PuppetVariable); script != "" {
		os.Exit(fake.Stage{Script: script, Environ: os.Environ(), Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr}.Play())
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "page-test-")
	if err == nil {
		err = os.MkdirAll(shots, 0o750)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin = dir
	for _, program := range []struct{ name, cgo string }{{"voice-gateway", "1"}, {"zwave-mcp-server", "0"}} {
		cmd := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", filepath.Join(dir, program.name), "voicegateway/cmd/"+program.name)
		cmd.Env = append(os.Environ(), "CGO_ENABLED="+program.cgo)
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building %s: %v\n%s", program.name, err, out)
			return 1
		}
	}
	return m.Run()
}
