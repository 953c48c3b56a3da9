//go:build accept

package host

import "testing"

// TestAcceptStartsInAnyWeather starts three hundred times in each weather.
func TestAcceptStartsInAnyWeather(t *testing.T) { startsInAnyWeather(t, 300) }
