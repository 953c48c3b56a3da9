package sim

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// members returns some members of what a device is, as JSON has them.
func members(t *testing.T, s *Sim, device string, names ...string) map[string]any {
	t.Helper()
	all, err := s.Truth(t.Context())
	must(t, err)
	one, known := all[device]
	if !known {
		t.Fatalf("the truth has no %q", device)
	}
	return pick(generic(t, one), names...)
}

// TestTruthIsWhatTheDeviceIs compares the gateway's belief with the device where
// both differ.
func TestTruthIsWhatTheDeviceIs(t *testing.T) {
	tests := map[string]struct {
		fault  string
		device string
		want   map[string]any
	}{
		"a lamp":                   {`{"op":"clear"}`, "Kitchen Light", map[string]any{"on": false, "dead": false, "moving": false}},
		"a lamp, pressed":          {`{"op":"change","node":2,"key":"37-0-currentValue","value":true}`, "Kitchen Light", map[string]any{"on": true}},
		"a dead lamp":              {`{"op":"dead","node":2}`, "Kitchen Light", map[string]any{"on": false, "dead": true}},
		"a dimmer":                 {`{"op":"change","node":5,"key":"38-0-currentValue","value":30}`, "Living Room Light", map[string]any{"on": true, "level": 30.0}},
		"a blind":                  {`{"op":"clear"}`, "Living Room Blinds", map[string]any{"position": 100.0, "open": true}},
		"a cover":                  {`{"op":"clear"}`, "Bedroom Curtains", map[string]any{"position": 100.0, "open": true}},
		"a garage door":            {`{"op":"clear"}`, "Garage Door", map[string]any{"state": "Closed", "open": false}},
		"a lock":                   {`{"op":"clear"}`, "Front Door", map[string]any{"locked": false, "mode": "Unsecured", "battery": 87.0}},
		"a lock, unknown":          {`{"op":"change","node":13,"key":"98-0-currentMode","value":254}`, "Front Door", map[string]any{"mode": "Unknown"}},
		"a bolt":                   {`{"op":"clear"}`, "Shed Bolt", map[string]any{"locked": true}},
		"a window":                 {`{"op":"change","node":16,"key":"113-0-Access Control-Door state","value":22}`, "Garage Window", map[string]any{"open": true, "asleep": true, "battery": 64.0}},
		"a sensor":                 {`{"op":"clear"}`, "Kitchen Sensor", map[string]any{"sensors": map[string]any{"Air temperature": 21.2, "Humidity": 47.0}}},
		"a leak":                   {`{"op":"change","node":48,"key":"113-0-Water Alarm-Sensor status","value":2}`, "Boiler Leak", map[string]any{"sensors": map[string]any{"Water Alarm-Sensor status": "Water leak detected"}}},
		"a thermostat":             {`{"op":"clear"}`, "Bedroom Thermostat", map[string]any{"mode": "Heat", "setpoint": 19.0}},
		"a thermostat between two": {`{"op":"change","node":11,"key":"64-0-mode","value":3}`, "Bedroom Thermostat", map[string]any{"mode": "Auto", "setpoint": 19.0, "cools_to": 26.0}},
		"a strip":                  {`{"op":"clear"}`, "Workbench Strip", map[string]any{"outlets": map[string]any{"1": false, "2": false, "3": false, "4": false}}},
		"a colour":                 {`{"op":"clear"}`, "Reading Lamp", map[string]any{"colour": map[string]any{"red": 255.0, "green": 255.0, "blue": 255.0}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				b.handle(s.cfg.ControlTopic(), []byte(tc.fault), false)
				wait(time.Second)
				named := []string{"locked"} // must not be there unless it is wanted
				for member := range tc.want {
					named = append(named, member)
				}
				if got := members(t, s, tc.device, named...); !reflect.DeepEqual(got, tc.want) {
					t.Errorf("it is %v, want %v", got, tc.want)
				}
			})
		})
	}
}

func TestTruthOverTheBroker(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		for payload, says := range map[string]string{
			``:                               `"Front Door":{"id":13`,
			`{"id":"mine"}`:                  `"id":"mine"`,
			`{"node":"kitchen light"}`:       `{"devices":{"Kitchen Light":{"id":2,`,
			`{"node":99}`:                    `no device 99`,
			`{"nod":99}`:                     `unknown field`,
			`{"node":2,"id":[1,{"deep":2}]}`: `"id":[1,{"deep":2}],"ok":true`,
		} {
			b.taken()
			b.handle(s.cfg.TruthTopic(), []byte(payload), false)
			wait(time.Millisecond)
			got := b.taken()
			if len(got) != 1 || got[0].topic != "zwave/_SIM/ZWAVE_GATEWAY-Simulated_House/truth" || got[0].retained || !strings.Contains(string(got[0].payload), says) {
				t.Errorf("%s is answered with %.300s, want one that says %s", payload, fmt.Sprint(got), says)
			}
			if len(got) == 1 && !json.Valid(got[0].payload) {
				t.Errorf("%s is answered with no JSON", payload)
			}
		}
	})
}

func TestTruthTellsNamesakesApart(t *testing.T) {
	cfg := DefaultConfig()
	cfg.House.Nodes = []NodeSpec{
		{ID: 2, Name: "Lamp", Location: "Kitchen", Kind: "switch"}, {ID: 3, Name: "Lamp", Location: "Attic", Kind: "switch"}, {ID: 4, Kind: "switch"},
	}
	play(t, cfg, func(t *testing.T, _ *tape, s *Sim) {
		t.Helper()
		if got := members(t, s, "Lamp #3", "location", "id"); got["location"] != "Attic" || got["id"] != 3.0 {
			t.Errorf("Lamp #3 is %v", got)
		}
		members(t, s, "Lamp #2")
		members(t, s, "nodeID_4")
	})
}
