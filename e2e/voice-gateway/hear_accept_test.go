//go:build accept

package e2e

import "testing"

// TestAcceptHearMusicDoesNothing: the pieces that are most like speech.
func TestAcceptHearMusicDoesNothing(t *testing.T) {
	t.Parallel()
	doesNothing(t, "chords-07", "chords-08", "drone-03")
}
