package home_test

import (
	"testing"

	"voicegateway/internal/home"
)

func TestNamesAreSpokenWithoutSigns(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Blind #1 (left)":    "Blind 1 left",
		"Küche ✨ Lampe Ω":    "Küche Lampe",
		"Garage.Shade+":      "Garage Shade",
		"Desk_Lamp":          "Desk Lamp",
		"Hall/Entrance":      "Hall Entrance",
		"  Kitchen   Light ": "Kitchen Light",
		"Mom's Lamp":         "Mom's Lamp",
		"L’entrée":           "L’entrée",
		"Wi-Fi Plug - TV":    "Wi-Fi Plug TV",
		"Lamp & Fan":         "Lamp & Fan",
		"Zone 2.1":           "Zone 2.1",
		"[old] *Fan*":        "old Fan",
		"🛋 Sofa™":            "Sofa",
		"Ωμέγα":              "Ωμέγα",
		"キッチン":               "キッチン",
		"✨":                  "✨",
		"":                   "",
	} {
		if got := home.SpokenName(name); got != want {
			t.Errorf("%q is spoken %q, want %q", name, got, want)
		}
	}
}
