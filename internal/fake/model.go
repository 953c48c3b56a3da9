package fake

import (
	"os"
	"path/filepath"
	"testing"
)

// Models returns the directory into which make has installed the neural
// recogniser's model, or skips the test with the reason where it is absent.
func Models(tb testing.TB) string {
	tb.Helper()
	dir := filepath.Join(root(tb), ".tools", "models")
	if _, err := os.Stat(filepath.Join(dir, "moonshine-tiny-en", "tokenizer.bin")); err != nil {
		tb.Skipf("the neural recogniser's model is not installed; make test installs it: %v", err)
	}
	return dir
}
