//go:build soak

package host

import "testing"

// TestSoakStartsInAnyWeather starts a thousand times in each weather.
func TestSoakStartsInAnyWeather(t *testing.T) { startsInAnyWeather(t, 1000) }
