package hass

import (
	"log/slog"
	"testing"
)

// TestAFireWhileTheHouseIsRead is told: nobody watches the smoke alarm before the house is
// known, and it says nothing more afterwards.
func TestAFireWhileTheHouseIsRead(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig()
	cfg.Token = func() (string, error) { return "", nil }
	h, err := New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	apply := func(event string, whole bool) {
		if _, err := h.mirror.apply([]byte(event), whole); err != nil {
			t.Fatal(err)
		}
	}
	const alarm = "binary_sensor.smoke"
	apply(`{"a":{"binary_sensor.smoke":{"s":"off","a":{"device_class":"smoke"},"lc":1}}}`, true)
	states, shape := h.mirror.snapshot()
	apply(`{"c":{"binary_sensor.smoke":{"+":{"s":"on","lc":2}}}}`, false)
	h.adopt(newModel(&registries{shown: map[string]bool{alarm: true}}, states, shape), states)
	for _, e := range h.Events().Events {
		if e.Entity == alarm && e.State == "detected" {
			return
		}
	}
	t.Errorf("told: %+v", h.Events().Events)
}
