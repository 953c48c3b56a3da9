package lab

import (
	"testing"

	"voicegateway/internal/intent"
)

// TestSame: two outcomes are the same if they do the same to the same things, whatever
// the things were called.
func TestSame(t *testing.T) {
	t.Parallel()
	act := func(name string, slots map[string]any, devices ...string) []intent.Action {
		return []intent.Action{{Intent: name, Slots: slots, Devices: devices}}
	}
	light := act("HassLightSet", map[string]any{"name": "Kitchen Light", "brightness": 70.0}, "light.kitchen")
	for name, tt := range map[string]struct {
		heard []intent.Action
		want  bool
	}{
		"by its room":         {act("HassLightSet", map[string]any{"area": "Kitchen", "domain": "light", "brightness": 70.0}, "light.kitchen"), true},
		"another level":       {act("HassLightSet", map[string]any{"name": "Kitchen Light", "brightness": 17.0}, "light.kitchen"), false},
		"another device":      {act("HassLightSet", map[string]any{"name": "Kitchen Light", "brightness": 70.0}, "light.hall"), false},
		"one device more":     {act("HassLightSet", map[string]any{"area": "Kitchen", "brightness": 70.0}, "light.kitchen", "light.counter"), false},
		"another intent":      {act("HassTurnOn", map[string]any{"name": "Kitchen Light", "brightness": 70.0}, "light.kitchen"), false},
		"twice":               {append(light, light...), false},
		"a room alone, other": {act("LocalListDevices", map[string]any{"area": "Kitchen"}), false},
	} {
		if got := same(light, tt.heard); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if same(act("LocalListDevices", map[string]any{"area": "Kitchen"}), act("LocalListDevices", map[string]any{"area": "Hall"})) {
		t.Error("without devices the words count")
	}
}
