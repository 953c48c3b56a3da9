//go:build cgo && accept

package ear_test

import "testing"

// TestAcceptPausesWithRealVoices: each voice makes each pause.
func TestAcceptPausesWithRealVoices(t *testing.T) {
	reachTheMind(t, func(int, string) bool { return true })
}
