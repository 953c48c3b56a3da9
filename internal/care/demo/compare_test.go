package demo

import "testing"

// A value is shown in the unit of its own device.
func TestSummary(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]seenNode{
		"69.5 °F":       {Values: map[string]seenValue{"67-0-setpoint-1": {Value: 69.5, Unit: "°F"}}},
		"21 °C":         {Values: map[string]seenValue{"67-0-setpoint-1": {Value: 21.0, Unit: "°C"}}},
		"40 %":          {Values: map[string]seenValue{"38-0-currentValue": {Value: 40.0}}},
		"on":            {Values: map[string]seenValue{"37-0-currentValue": {Value: true}}},
		"locked":        {Values: map[string]seenValue{"98-0-currentMode": {Value: 255.0}}},
		"21.2 °C, 47 %": {Values: map[string]seenValue{"49-0-Air temperature": {CommandClass: 49, Value: 21.2, Unit: "°C", Readable: true}, "49-0-Humidity": {CommandClass: 49, Value: 47.0, Unit: "%", Readable: true}}},
	} {
		if got := summary(n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
