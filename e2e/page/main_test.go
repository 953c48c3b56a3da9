//go:build accept

// Package page tests the page from the outside: the real programs, and a Chromium that
// does what people do.
package page

import (
	"fmt"
	"os"
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
	var err error
	if bin, err = fake.Programs(); err == nil {
		err = os.MkdirAll(shots, 0o750)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
