package configure

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMayRead: a user who may not read the service's token is told which group may. If
// no group may, the error stays as it is.
func TestMayRead(t *testing.T) {
	t.Parallel()
	for mode, want := range map[os.FileMode]bool{0o750: true, 0o700: false} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		denied := &fs.PathError{Op: "open", Path: filepath.Join(dir, "http.token"), Err: fs.ErrPermission}
		err := mayRead(denied)
		if !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "sudo usermod -aG") != want {
			t.Errorf("%o: %v", mode, err)
		}
		missing := &fs.PathError{Op: "open", Path: denied.Path, Err: fs.ErrNotExist}
		if err := mayRead(missing); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "group") {
			t.Errorf("%v", err)
		}
	}
}

// TestMayUse asks about the users that every Debian has.
func TestMayUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, group string
		want        bool
	}{
		{"root", "audio", true},
		{"daemon", "daemon", true},
		{"daemon", "root", false},
		{"daemon", "no such group", false},
		{"no such user", "daemon", false},
	} {
		if got := MayUse(c.name, c.group); got != c.want {
			t.Errorf("%s, %s: %v", c.name, c.group, got)
		}
	}
}
