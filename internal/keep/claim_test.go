package keep

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two gateways with one state directory would overwrite each other's timers and mute
// switch: the second gets an error that names the owner of the directory.
func TestADirectoryHasOneOwner(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	release, err := Claim(dir, "gateway kitchen, process 7")
	if err != nil {
		t.Fatal(err)
	}
	var used *InUseError
	if _, err := Claim(dir, "gateway attic, process 8"); !errors.As(err, &used) || !strings.Contains(err.Error(), "gateway kitchen, process 7") ||
		!strings.Contains(err.Error(), "gateway.state_dir") {
		t.Errorf("the second was told %v", err)
	}
	release()
	release, err = Claim(dir, "gateway attic, process 8")
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	defer release()
	if _, err := Claim(dir, "x"); err == nil || !strings.Contains(err.Error(), "(gateway attic, process 8)") {
		t.Errorf("the third was told %v", err)
	}
}

// A link in the place of the lock leads to another user's file.
func TestTheClaimFollowsNoLink(t *testing.T) {
	t.Parallel()
	dir, others := t.TempDir(), filepath.Join(t.TempDir(), "others")
	if err := os.WriteFile(others, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(others, filepath.Join(dir, claimFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(dir, "x"); err == nil {
		t.Error("the link was followed")
	}
	if data, err := os.ReadFile(others); err != nil || string(data) != "theirs" {
		t.Errorf("the other file has %q, %v", data, err)
	}
}
