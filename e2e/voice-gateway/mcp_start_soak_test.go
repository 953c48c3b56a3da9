//go:build soak && accept

package e2e

import (
	"testing"
	"time"
)

// TestSoakColdStarts starts everything in every order, each with four pauses.
func TestSoakColdStarts(t *testing.T) {
	var starts []coldStart
	for _, order := range append(orders(apart), orders(asChild)...) {
		for n := range time.Duration(4) {
			starts = append(starts, coldStart{order: order, pause: n * 500 * time.Millisecond})
		}
	}
	allConnect(t, starts)
}
