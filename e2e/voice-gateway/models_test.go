package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/fake"
)

// TestModelsArePulledFromADirectory: onto a machine without internet, and again.
func TestModelsArePulledFromADirectory(t *testing.T) {
	t.Parallel()
	from, dir := fake.Shared(t, "speech", "models"), filepath.Join(t.TempDir(), "models")
	models := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "voice-gateway"), append([]string{"models", "--dir", dir}, args...)...)
		cmd.Env = environ(t)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("models %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := models("pull", "hey_jarvis", "stop", "--from", from); strings.Count(out, "the published file") != 2 {
		t.Errorf("pull says: %s", out)
	}
	if out := models("pull", "hey_jarvis", "--from", from); !strings.Contains(out, "installed already") {
		t.Errorf("pull says again: %s", out)
	}
	if out := models("verify"); strings.Count(out, "the published file") != 2 {
		t.Errorf("verify says: %s", out)
	}
	// A word of one's own, put there by hand.
	data, err := os.ReadFile(filepath.Join(from, "alexa.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hey_house.tflite"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := models("verify"); !strings.Contains(out, "not one of the published ones") {
		t.Errorf("verify says of one's own: %s", out)
	}
}
