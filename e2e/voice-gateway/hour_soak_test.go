//go:build soak && accept

package e2e

import (
	"testing"
	"time"
)

// TestSoakHourOfSound: an hour goes through all of the wake words.
func TestSoakHourOfSound(t *testing.T) { hearsAll(t, time.Hour, everyWord) }
