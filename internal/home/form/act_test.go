package form_test

import (
	"testing"

	"voicegateway/internal/home/form"
)

func TestTemperaturesOfTheOtherScale(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		said any
		unit string
		want float64
		ok   bool
	}{
		"a number":          {21.5, "°C", 21.5, true},
		"a comma":           {"21,5", "°C", 21.5, true},
		"with its unit":     {"21.5 °C", "°C", 21.5, true},
		"degrees":           {"70 degrees", "°F", 70, true},
		"Fahrenheit at °C":  {"70 F", "°C", 21, true},
		"Celsius at °F":     {"21 celsius", "°F", 70, true},
		"words":             {"warm", "°C", 0, false},
		"nothing":           {nil, "°C", 0, false},
		"not even a number": {"NaN", "°C", 0, false},
	}
	for name, tc := range tests {
		if got, ok := form.Temperature(tc.said, tc.unit); ok != tc.ok || got != tc.want {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, ok, tc.want, tc.ok)
		}
	}
}
