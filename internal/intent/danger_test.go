package intent_test

import (
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// TestDangerousByAnyName goes by what things of every kind are called, because
// the class tells nothing where a relay opens a gate.
func TestDangerousByAnyName(t *testing.T) {
	t.Parallel()
	blind := map[string]any{"device_class": "blind"}
	on, off := intent.Action{Intent: "HassTurnOn"}, intent.Action{Intent: "HassTurnOff"}
	level := func(name, slot string, v any) intent.Action {
		return intent.Action{Intent: name, Slots: map[string]any{slot: v}}
	}
	tests := map[string]struct {
		act    intent.Action
		entity home.Entity
		want   bool
	}{
		"a gate said to be a blind":  {on, home.Entity{Name: "Hoftor", Domain: "cover", Attributes: blind}, true},
		"a garage's relay":           {on, home.Entity{Name: "Garagentor", Domain: "switch"}, true},
		"its other way":              {off, home.Entity{Name: "Garagentor", Domain: "switch"}, false},
		"a gate by its alias":        {on, home.Entity{Name: "Relay 3", Aliases: []string{"Garage Door"}, Domain: "switch"}, true},
		"a door in the garage":       {on, home.Entity{Name: "Door", Area: "Garage", Domain: "light"}, true},
		"a water main":               {on, home.Entity{Name: "Hauptventil", Domain: "switch"}, true},
		"a siren":                    {on, home.Entity{Name: "Sirene", Domain: "switch"}, true},
		"a siren stops":              {off, home.Entity{Name: "Sirene", Domain: "switch"}, false},
		"an oven as a dimmer":        {level("HassLightSet", "brightness", 50), home.Entity{Name: "Wall Oven", Domain: "light"}, true},
		"an oven as a dimmer to 0":   {level("HassLightSet", "brightness", 0), home.Entity{Name: "Wall Oven", Domain: "light"}, false},
		"an oven as a fan":           {level("HassFanSetSpeed", "percentage", 50), home.Entity{Name: "Oven", Domain: "fan"}, true},
		"an oven as a thermostat":    {level("HassClimateSetTemperature", "temperature", 200), home.Entity{Name: "Oven", Domain: "climate"}, true},
		"an oven's mode":             {level("LocalClimateMode", "mode", "heat"), home.Entity{Name: "Oven", Domain: "climate"}, true},
		"an oven's mode off":         {level("LocalClimateMode", "mode", "off"), home.Entity{Name: "Oven", Domain: "climate"}, false},
		"the garage's thermostat":    {level("HassClimateSetTemperature", "temperature", 12), home.Entity{Name: "Garage", Domain: "climate"}, false},
		"the garage's light":         {on, home.Entity{Name: "Garage Light", Domain: "light", Area: "Garage"}, false},
		"the garage's light, dimmed": {level("HassLightSet", "brightness", 50), home.Entity{Name: "Garage Light", Domain: "light"}, false},
		"a shade of the garage":      {on, home.Entity{Name: "Garage Shade", Domain: "cover", Area: "Garage"}, false},
		"asking":                     {intent.Action{Intent: "HassGetState"}, home.Entity{Name: "Garagentor", Domain: "cover"}, false},
	}
	for name, tc := range tests {
		if got := intent.Dangerous(tc.act, &tc.entity); got != tc.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
