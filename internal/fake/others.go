package fake

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// InstallOthers runs a script of scripts that installs programs of others, and returns the
// directory that it prints. They come from the internet: a test on a machine that cannot have
// them ends as Lack says.
func InstallOthers(tb testing.TB, script string, args ...string) string {
	tb.Helper()
	dir, err := TryInstall(tb, script, args...)
	if err != nil {
		Lack(tb, "%v", err)
	}
	return dir
}

// TryInstall does what InstallOthers does for a test that can go on without the programs. An
// error holds what the script wrote to stderr, and its *exec.ExitError.
func TryInstall(tb testing.TB, script string, args ...string) (dir string, err error) {
	tb.Helper()
	root, err := rootDir()
	if err != nil {
		return "", err
	}
	var words bytes.Buffer
	cmd := exec.CommandContext(tb.Context(), filepath.Join(root, "scripts", script), args...)
	cmd.Stderr = io.MultiWriter(&words, os.Stderr)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("the programs of others cannot be installed: %w\n%s", err, words.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// Lack ends a test that needs something that this machine does not have: CI has everything,
// so there the test fails, and elsewhere it is skipped.
func Lack(tb testing.TB, format string, args ...any) {
	tb.Helper()
	if os.Getenv("CI") == "true" { //nolint:forbidigo // go sees that a test depends on it
		tb.Fatalf(format, args...)
	}
	tb.Skipf(format, args...)
}
