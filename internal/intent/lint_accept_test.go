//go:build accept

package intent_test

import "testing"

// TestAcceptPacksHoldTogether takes fifteen samples of every sentence, so that its
// rarer forms are among them.
func TestAcceptPacksHoldTogether(t *testing.T) {
	t.Parallel()
	holdTogether(t, 15)
}
