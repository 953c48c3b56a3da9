package zwave_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

// TestABatteryIsLowByItsCode checks what every tool reports of batteries whose level is
// not a percentage, or that say that they are low: they are low, and a percentage above
// 100 never appears.
func TestABatteryIsLowByItsCode(t *testing.T) {
	t.Parallel()
	flag := sim.ValueSpec{ID: "128-0-isLow", Type: "boolean", Label: "Low battery level", Value: true}
	tests := map[string]struct {
		level float64
		extra []sim.ValueSpec
		want  any
		low   bool
	}{
		"the code for low":            {255, nil, "low", true},
		"a reserved level":            {247, nil, "low", true},
		"just above a full one":       {101, nil, "low", true},
		"below an empty one":          {-1, nil, "low", true},
		"it says so, at half charge":  {50, []sim.ValueSpec{flag}, "low", true},
		"it says so, and how little":  {0, []sim.ValueSpec{flag}, 0.0, true},
		"a low level":                 {20, nil, 20.0, true},
		"a full battery":              {100, nil, 100.0, false},
		"nothing to be afraid of yet": {21, nil, 21.0, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, func(_ *zwave.Config, s *sim.Config) {
					s.House = sim.House{HomeID: 1, Nodes: []sim.NodeSpec{
						{ID: 2, Name: "Hall Window", Location: "Hall", Kind: "contact", Battery: 50, Values: map[string]any{"128-0-level": test.level}, Extra: test.extra},
						{ID: 3, Name: "Front Door", Location: "Hall", Kind: "lock", Battery: 50, Values: map[string]any{"128-0-level": test.level}, Extra: test.extra},
					}}
				})
				var reading struct {
					Value any
					Unit  string
					Low   bool
				}
				for _, thing := range []string{"Hall Window Battery", "Front Door Battery", "Front Door"} {
					result := r.call("get_device_sensor_data", map[string]any{"device_name": thing, "sensor": "battery"}, &reading)
					_, percent := test.want.(float64)
					if reading.Value != test.want || reading.Low != test.low || (reading.Unit == "%") != percent || strings.Contains(result.Text, "255") {
						t.Errorf("%s: %+v, %q; expected %v, low: %v", thing, reading, result.Text, test.want, test.low)
					}
				}
				var state struct{ Values map[string]any }
				r.call("get_device_state", map[string]any{"device_name": "Front Door"}, &state)
				if state.Values["battery"] != test.want {
					t.Errorf("the lock's battery is told as %v, expected %v", state.Values["battery"], test.want)
				}
				var list struct {
					Devices []struct {
						Name  string
						State any
					}
				}
				r.call("list_devices", map[string]any{}, &list)
				for _, d := range list.Devices {
					if strings.HasSuffix(d.Name, "Battery") && d.State != test.want {
						t.Errorf("%s is listed with %v, expected %v", d.Name, d.State, test.want)
					}
				}
				var health struct {
					Low []string `json:"low_battery"`
				}
				r.call("check_zwave_health", map[string]any{}, &health)
				if slices.Contains(health.Low, "Hall Window") != test.low || slices.Contains(health.Low, "Front Door") != test.low {
					t.Errorf("low batteries: %v, expected both: %v", health.Low, test.low)
				}
			})
		})
	}
}
