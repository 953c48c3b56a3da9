//go:build accept

package wakekeeper

import "testing"

// TestAcceptAWeekWithATelevision plays more houses, so that chance is small.
func TestAcceptAWeekWithATelevision(t *testing.T) {
	t.Parallel()
	weekWithATelevision(t, 25)
}
