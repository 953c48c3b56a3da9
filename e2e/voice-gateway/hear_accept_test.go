//go:build accept

package e2e

import "testing"

// TestAcceptHearMusicDoesNothing: the pieces that are most like speech. It takes all of
// the machine, and others hear in the time of sound, so it stands alone.
func TestAcceptHearMusicDoesNothing(t *testing.T) { //nolint:paralleltest // see above
	doesNothing(t, "chords-07", "chords-08", "drone-03")
}
