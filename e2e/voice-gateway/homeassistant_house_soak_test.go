//go:build accept && soak

package e2e

import "testing"

// TestSoakOldHomeAssistantHouse does what TestAcceptHomeAssistantHouse does with the older
// release, which runs with Debian 12's own Python. By hand: go test -tags accept,soak.
func TestSoakOldHomeAssistantHouse(t *testing.T) {
	t.Parallel()
	python := installed(t, "3.11")
	if python == "" {
		t.Fatal("this machine has no Python 3.11")
	}
	inHomeAssistant(t, python)
}
