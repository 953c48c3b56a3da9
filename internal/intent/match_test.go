package intent_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

func ours(tb testing.TB) *home.House {
	tb.Helper()
	data, err := os.ReadFile("testdata/house.json")
	if err != nil {
		tb.Fatal(err)
	}
	h, err := home.Load(data)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// brief writes a decision in one line: "HassTurnOn kitchen_light".
func brief(d intent.Decision) string {
	if d.Route != intent.Local {
		return strings.TrimSpace(string(d.Route) + " " + string(d.Reason) + " " + d.Heard)
	}
	var all []string
	for _, a := range d.Actions {
		all = append(all, strings.TrimSpace(a.Intent+" "+strings.Join(a.Devices, " ")))
	}
	return strings.Join(all, "; ")
}

func TestMatch(t *testing.T) {
	t.Parallel()
	const lights = "kitchen_light living_room_light reading_lamp bedroom_lamp hallway_light office_light"
	tests := map[string]struct{ text, area, want string }{
		"name":                           {"turn on the kitchen light", "", "HassTurnOn kitchen_light"},
		"punctuation and case":           {"Turn on the Kitchen Light!", "", "HassTurnOn kitchen_light"},
		"plural":                         {"switch off the kitchen lights", "", "HassTurnOff kitchen_light"},
		"verb apart":                     {"turn the coffee machine on", "", "HassTurnOn coffee_machine"},
		"polite":                         {"could you please turn on the coffee machine", "", "HassTurnOn coffee_machine"},
		"area and kind":                  {"turn off the living room lights", "", "HassTurnOff living_room_light reading_lamp"},
		"kind in area":                   {"turn off the lights in the living room", "", "HassTurnOff living_room_light reading_lamp"},
		"microphone's room":              {"turn on the lights", "Living Room", "HassTurnOn living_room_light reading_lamp"},
		"no room known":                  {"turn on the lights", "", "ask which_area lights"},
		"whole house":                    {"turn off all the lights", "Kitchen", "HassTurnOff " + lights},
		"part of a name":                 {"turn on the coffee", "", "HassTurnOn coffee_machine"},
		"part of several, room":          {"turn off the lamp", "Bedroom", "HassTurnOff bedroom_lamp"},
		"kind of which the room has one": {"turn off the lamp", "Office", "HassTurnOff office_light"},
		"misheard":                       {"turn on the coffee ma sheen", "", "HassTurnOn coffee_machine"},
		"misheard, dangerous":            {"unlock the frond door", "", "ask ambiguous frond door"},
		"misheard, harmless":             {"lock the frond door", "", "HassTurnOn front_door"},
		"unknown name":                   {"turn on the dishwasher", "", "reject unknown_name dishwasher"},
		"unknown name, polite":           {"please turn the radio off", "", "reject unknown_name radio"},
		"unknown area":                   {"turn on the lights in the attic", "Kitchen", "reject unknown_area attic"},
		"no such kind in area":           {"turn on the lights in the garage", "", "reject no_device lights in the garage"},
		"thing in the wrong area":        {"turn on the reading lamp in the kitchen", "", "reject no_device reading lamp in the kitchen"},
		"wrong kind of thing":            {"open the coffee machine", "", "reject wrong_kind coffee machine"},
		"bare name":                      {"kitchen light", "Kitchen", "reject bare_name kitchen light"},
		"bare verb":                      {"lock", "Hallway", "reject bare_name lock"},
		"negation":                       {"don't turn on the kitchen light", "", "llm no_sentence"},
		"condition":                      {"turn on the kitchen light if it is dark", "", "llm no_sentence"},
		"delay":                          {"turn on the kitchen light in ten minutes", "", "HassStartTimer"},
		"past":                           {"i turned on the kitchen light", "", "reject overheard"},
		"why":                            {"why is the kitchen light on", "", "llm no_sentence"},
		"exception":                      {"turn off all the lights except the kitchen light", "", "HassTurnOff living_room_light reading_lamp bedroom_lamp hallway_light office_light"},
		"chat":                           {"tell me a joke", "", "llm no_sentence"},
		"a room that is to be warm":      {"make the bedroom warm", "", "llm no_sentence"},
		"a warm lamp":                    {"make the bedroom lamp warm", "", "HassLightSet bedroom_lamp"},
		"money":                          {"convert one pound to euro", "", "llm no_sentence"},
		"two commands":                   {"turn on the kitchen light and lock the front door", "", "HassTurnOn kitchen_light; HassTurnOn front_door"},
		"three commands":                 {"lock the front door, then turn off the kitchen light and close the garage door", "", "HassTurnOn front_door; HassTurnOff kitchen_light; HassTurnOff garage_door"},
		"two commands, one unknown":      {"turn on the kitchen light and the moon", "", "reject unknown_name moon"},
		"overheard":                      {"and then he turned on the light and", "", "reject overheard"},
		"lock":                           {"lock the front door", "", "HassTurnOn front_door"},
		"unlock":                         {"unlock the front door", "", "HassTurnOff front_door"},
		"lock without a name":            {"lock the door", "", "HassTurnOn front_door"},
		"open":                           {"open the garage door", "", "HassTurnOn garage_door"},
		"kind of cover in area":          {"close the curtains in the bedroom", "", "HassTurnOff bedroom_curtains"},
		"only cover of its kind":         {"close the curtains", "Kitchen", "HassTurnOff bedroom_curtains"},
		"position":                       {"set the blinds to fifty percent", "Living Room", "HassSetPosition living_room_blinds"},
		"stop moving":                    {"stop the living room blinds", "", "HassStopMoving living_room_blinds"},
		"brightness":                     {"dim the bedroom lamp to 40%", "", "HassLightSet bedroom_lamp"},
		"relative brightness":            {"brighten the office light", "", "LocalBrightnessAdjust office_light"},
		"colour":                         {"set the bedroom lamp to warm white", "", "HassLightSet bedroom_lamp"},
		"setpoint by name":               {"set the thermostat to 21.5 degrees", "", "HassClimateSetTemperature thermostat"},
		"setpoint by area":               {"set the bedroom thermostat to nineteen and a half", "", "HassClimateSetTemperature bedroom_thermostat"},
		"setpoint, temperature":          {"set the temperature to twenty", "Bedroom", "HassClimateSetTemperature bedroom_thermostat"},
		"warmer":                         {"make it warmer in the living room", "", "LocalClimateAdjust thermostat"},
		"warmer where":                   {"make it warmer", "Kitchen", "ask ambiguous"},
		"temperature in area":            {"what's the temperature in the office", "", "HassClimateGetTemperature office_temperature"},
		"temperature by thermostat":      {"what's the temperature in the bedroom", "", "HassClimateGetTemperature bedroom_thermostat"},
		"temperature of unknown place":   {"what's the temperature in paris", "", "llm unknown_area paris"},
		"temperature, household word":    {"what's the temperature in the attic", "", "reject unknown_area attic"},
		"humidity":                       {"what's the humidity in the kitchen", "", "HassGetState kitchen_humidity"},
		"lock state":                     {"is the front door locked", "", "HassGetState front_door"},
		"cover state":                    {"is the garage door open", "", "HassGetState garage_door"},
		"contact state":                  {"is the garage window closed", "", "HassGetState garage_window"},
		"any open":                       {"are any windows open", "", "HassGetState garage_window"},
		"state, none in the room":        {"are the thermostats on", "Garage", "HassGetState thermostat bedroom_thermostat"},
		"light, none in the room":        {"is the light on", "Garage", "HassGetState " + lights},
		"a kind nobody has, its state":   {"are the awnings down", "Kitchen", "reject no_device awnings"},
		"motion":                         {"is there motion in the hallway", "", "HassGetState hallway_motion"},
		"time":                           {"what time is it", "", "HassGetCurrentTime"},
		"date":                           {"what's the date today", "", "HassGetCurrentDate"},
		"volume":                         {"set the volume to thirty percent", "", "HassSetVolume"},
		"louder":                         {"turn the volume up", "", "HassSetVolumeRelative"},
		"unmute":                         {"unmute", "", "HassMediaPlayerUnmute"},
		"timer":                          {"set a timer for ten minutes", "", "HassStartTimer"},
		"stop":                           {"stop", "", "LocalStop"},
		"never mind":                     {"oh never mind", "", "HassNevermind"},
		"good night":                     {"good night", "", "LocalGoodNight"},
		"list":                           {"what can you control in here", "Garage", "LocalListDevices"},
		"nothing":                        {" ?! ", "", "reject empty"},
		"endless":                        {strings.Repeat("turn on the light ", 100), "", "reject too_long"},
	}
	m := matcher(t, ours(t))
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := brief(m.Match(tt.text, tt.area)); got != tt.want {
				t.Errorf("%q in %q:\ngot  %s\nwant %s", tt.text, tt.area, got, tt.want)
			}
		})
	}
}

func TestSlots(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want map[string]any
	}{
		"canonical name":    {"dim the BEDROOM lamps to forty percent", map[string]any{"name": "Bedroom Lamp", "brightness": 40}},
		"word for a number": {"dim the bedroom lamp to half", map[string]any{"name": "Bedroom Lamp", "brightness": 50}},
		"fraction":          {"set the thermostat to 21,5", map[string]any{"name": "Thermostat", "temperature": 21.5}},
		"spoken fraction":   {"set the thermostat to nineteen point five", map[string]any{"name": "Thermostat", "temperature": 19.5}},
		"direction":         {"make it cooler in the bedroom", map[string]any{"area": "Bedroom", "direction": "down", "domain": "climate"}},
		"duration":          {"set a timer for one hour and thirty minutes", map[string]any{"hours": 1, "minutes": 30}},
		"timer's name":      {"ten minutes for the pasta please", map[string]any{"minutes": 10, "name": "pasta"}},
		"state asked for":   {"is the front door locked", map[string]any{"name": "Front Door", "state": "locked"}},
	}
	m := matcher(t, ours(t))
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := m.Match(tt.text, "")
			if d.Route != intent.Local || !reflect.DeepEqual(d.Actions[0].Slots, tt.want) {
				t.Errorf("%q: got %+v", tt.text, d)
			}
		})
	}
}

func TestOutOfRangeIsNotUnderstood(t *testing.T) {
	t.Parallel()
	m := matcher(t, ours(t))
	for _, text := range []string{"dim the bedroom lamp to 140 percent", "set the thermostat to ninety degrees", "dim the bedroom lamp to minus five percent"} {
		if d := m.Match(text, ""); d.Route == intent.Local {
			t.Errorf("%q: %s", text, brief(d))
		}
	}
}

func TestNeedHouse(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"what time is it": false, "set volume to ten percent": false, "stop": false,
		"turn on the kitchen light": true, "turn off the lights in the kitchen": true, "turn on all the lights": true,
		"is the front door locked": true, "movie night": true, "make it warmer": true,
	}
	for house, m := range map[string]*intent.Matcher{"nil": matcher(t, nil), "empty": matcher(t, &home.House{})} {
		for text, want := range tests {
			if d := m.Match(text, "Kitchen"); d.NeedHouse != want {
				t.Errorf("%s house, %q: NeedHouse %v (%s)", house, text, d.NeedHouse, brief(d))
			}
		}
	}
	if d := matcher(t, ours(t)).Match("turn on the dishwasher", ""); d.NeedHouse {
		t.Error("a known house is still asked for")
	}
}

func TestQuestion(t *testing.T) {
	t.Parallel()
	d := matcher(t, ours(t)).Match("turn off the lamp", "")
	if d.Question != "Do you mean the reading lamp or the bedroom lamp?" || len(d.Options) != 2 || len(d.Actions) != 0 {
		t.Errorf("got %+v", d)
	}
}

func TestDangerous(t *testing.T) {
	t.Parallel()
	lock := home.Entity{ID: "l", Name: "Front Door", Domain: "lock"}
	garage := home.Entity{ID: "g", Name: "Big Door", Domain: "cover", Attributes: map[string]any{"device_class": "garage"}}
	named := home.Entity{ID: "n", Name: "Garage", Domain: "cover"}
	blind := home.Entity{ID: "b", Name: "Garden Door Blind", Domain: "cover", Attributes: map[string]any{"device_class": "blind"}}
	valve := home.Entity{ID: "v", Name: "Sprinkler", Domain: "valve"}
	oven := home.Entity{ID: "o", Name: "Kitchen Oven", Domain: "switch"}
	alarm := home.Entity{ID: "a", Name: "House Alarm", Domain: "alarm_control_panel"}
	tests := map[string]struct {
		entity home.Entity
		intent string
		slots  map[string]any
		want   bool
	}{
		"lock": {lock, "HassTurnOn", nil, false}, "unlock": {lock, "HassTurnOff", nil, true},
		"toggle a lock": {lock, "HassToggle", nil, true}, "open garage": {garage, "HassTurnOn", nil, true},
		"close garage": {garage, "HassTurnOff", nil, false}, "garage by name": {named, "HassTurnOn", nil, true},
		"garage to 50": {garage, "HassSetPosition", map[string]any{"position": 50}, true},
		"garage to 0":  {garage, "HassSetPosition", map[string]any{"position": 0}, false},
		"blind":        {blind, "HassTurnOn", nil, false}, "open valve": {valve, "HassTurnOn", nil, true},
		"close valve": {valve, "HassTurnOff", nil, false}, "oven on": {oven, "HassTurnOn", nil, true},
		"oven off": {oven, "HassTurnOff", nil, false}, "disarm": {alarm, "LocalAlarmDisarm", nil, true},
		"arm": {alarm, "LocalAlarmArm", nil, false}, "ask": {lock, "HassGetState", nil, false},
	}
	for name, tt := range tests {
		if got := intent.Dangerous(intent.Action{Intent: tt.intent, Slots: tt.slots}, &tt.entity); got != tt.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func ExampleMatcher_Match() {
	house := &home.House{
		Areas:    []home.Area{{Name: "Kitchen"}},
		Entities: []home.Entity{{ID: "light.k", Name: "Kitchen Light", Domain: "light", Area: "Kitchen"}},
	}
	m, err := intent.New(intent.English(), house)
	if err != nil {
		fmt.Println(err)
		return
	}
	d := m.Match("Could you dim the kitchen light to forty percent?", "")
	fmt.Println(d.Route, d.Actions[0].Intent, d.Actions[0].Slots["brightness"], d.Actions[0].Devices)
	d = m.Match("turn on the dishwasher", "")
	fmt.Println(d.Route, d.Reason, d.Heard)
	// Output:
	// local HassLightSet 40 [light.k]
	// reject unknown_name dishwasher
}

func big(tb testing.TB) *home.House {
	tb.Helper()
	h := ours(tb)
	for i := range 181 {
		e := h.Entities[i%19]
		e.ID = fmt.Sprint(e.ID, i)
		e.Name = fmt.Sprintf("%s %c%c", e.Name, 'a'+i%26, 'k'+i/26)
		h.Entities = append(h.Entities, e)
	}
	return h
}

func BenchmarkMatch(b *testing.B) {
	m := matcher(b, big(b))
	for name, text := range map[string]string{
		"name": "turn on the kitchen light", "level": "dim the bedroom lamp to forty percent", "kind": "turn off the lights in the living room",
		"question": "is the front door locked", "two": "turn on the kitchen light and lock the front door",
		"unknown": "turn on the dishwasher", "misheard": "turn on the reeding lamb", "chat": "what should i cook with eggs and rice tonight",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Match(text, "Kitchen")
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	h, p := ours(b), intent.English()
	for b.Loop() {
		if _, err := intent.New(p, h); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, s := range []string{
		"turn on the kitchen light", "set the thermostat to 21.5°", "and and and", "turn on the the the the", "dim a to -5 %",
		"turn on x and turn off y then", "\xff\xfe", "İstanbul ışık", "ten minutes for for for", strings.Repeat("a ", 400),
	} {
		f.Add(s, "Kitchen")
	}
	m := matcher(f, ours(f))
	f.Fuzz(func(t *testing.T, text, area string) {
		d := m.Match(text, area)
		switch d.Route {
		case intent.Local:
			if len(d.Actions) == 0 {
				t.Fatalf("%q: nothing to do", text)
			}
		case intent.Ask:
			if d.Question == "" {
				t.Fatalf("%q: no question", text)
			}
		case intent.Reject, intent.Model:
			if d.Reason == "" || len(d.Actions) > 0 {
				t.Fatalf("%q: %+v", text, d)
			}
		default:
			t.Fatalf("%q: route %q", text, d.Route)
		}
	})
}

// TestPoliteYes: an answer that is also a polite word is not removed with the other
// polite words.
func TestPoliteYes(t *testing.T) {
	t.Parallel()
	m := matcher(t, nil)
	for text, want := range map[string]string{
		"yes": "LocalYes", "yes please": "LocalYes", "please yes": "LocalYes", "um yes": "LocalYes", "okay yes please": "LocalYes",
	} {
		if d := m.Match(text, ""); d.Route != intent.Local || d.Actions[0].Intent != want {
			t.Errorf("%q: %s %s %+v, want %s", text, d.Route, d.Reason, d.Actions, want)
		}
	}
	for _, text := range []string{"please", "um", "can you please"} {
		if d := m.Match(text, ""); d.Route == intent.Local {
			t.Errorf("%q: %+v, want nothing", text, d.Actions)
		}
	}
}
