//go:build accept && soak

package e2e

import (
	"path/filepath"
	"testing"

	"voicegateway/internal/fake"
)

// TestSoakOldHomeAssistantHouse does what TestAcceptHomeAssistantHouse does with the older
// release, which runs with Debian 12's own Python. By hand: go test -tags accept,soak.
func TestSoakOldHomeAssistantHouse(t *testing.T) {
	t.Parallel()
	dir, err := fake.TryInstall(t, "homeassistant.sh", "3.11")
	if err != nil {
		t.Fatal(err)
	}
	actInHomeAssistant(t, filepath.Join(dir, "bin", "python"))
}
