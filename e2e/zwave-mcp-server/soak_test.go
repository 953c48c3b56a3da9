//go:build soak && accept

package e2e

import "testing"

// TestSoakCommandsThroughRestarts gives a thousand commands.
func TestSoakCommandsThroughRestarts(t *testing.T) { commandsThroughRestarts(t, 1000) }
