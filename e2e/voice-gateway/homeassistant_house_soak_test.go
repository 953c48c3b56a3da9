//go:build accept && soak

package e2e

import "testing"

// TestSoakOldHomeAssistantHouse does what TestAcceptHomeAssistantHouse does with the older
// release, which runs with Debian 12's own Python. By hand: go test -tags accept,soak.
func TestSoakOldHomeAssistantHouse(t *testing.T) {
	t.Parallel()
	actInHomeAssistant(t, installHomeAssistants(t, "3.11")["3.11"])
}
