//go:build accept

package host

import "testing"

// TestAcceptStartsInAnyWeather starts a thousand times in each weather.
func TestAcceptStartsInAnyWeather(t *testing.T) { startsInAnyWeather(t, 1000) }
