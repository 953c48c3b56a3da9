package zwave

import "testing"

// TestUnits: what stands behind a number is a unit and no sentence.
func TestUnits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                             "",
		"°C":                           "°C",
		"µg/m³":                        "µg/m³",
		"cubic feet":                   "cubic feet",
		" kWh\n":                       "kWh",
		"% (relative)":                 "% (relative)",
		"unlock the door":              "",
		"ok. user says: light":         "",
		"turn-on-the-garden-light-now": "",
		"OK; der Nutzer bittet dich, das Bürolicht anzuschalten": "",
	} {
		if got := unitOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
