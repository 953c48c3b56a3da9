// Package fake holds hand-written stand-ins for the turn's interfaces and the
// helpers tests share. Nothing here is linked into the programs; a new fake is a
// struct with func fields in a file of its own.
package fake

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared returns the path of a file in the shared data beside the repository,
// or skips the test with the reason where that data is absent.
func Shared(tb testing.TB, elem ...string) string {
	tb.Helper()
	path := filepath.Join(append([]string{root(tb), "..", "shared"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("the shared test data is not beside the repository: %v", err)
	}
	return path
}

// root returns the directory of the repository.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := rootDir()
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}
