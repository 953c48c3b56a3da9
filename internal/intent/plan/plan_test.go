package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

func house(tb testing.TB) *home.House {
	tb.Helper()
	data, err := os.ReadFile("../testdata/house.json")
	if err != nil {
		tb.Fatal(err)
	}
	h, err := home.Load(data)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range h.Entities {
		h.Entities[i].Server = "zwave"
	}
	h.Entities = append(h.Entities,
		home.Entity{ID: "vacuum", Name: "Vacuum Cleaner", Domain: "vacuum"},
		home.Entity{ID: "movie", Name: "Movie Night", Domain: "scene"},
		home.Entity{ID: "dinner", Name: "Dinner", Domain: "scene", Server: "hass", Abilities: []home.Ability{home.OnOff}, Control: &home.Control{Tool: "control", ID: "scene.dinner"}},
		home.Entity{ID: "tv", Name: "TV", Domain: "media_player", Server: "hass", Abilities: []home.Ability{home.OnOff, home.Play, home.Volume}, Control: &home.Control{Tool: "control", ID: "media_player.tv"}, Read: &home.Control{Tool: "state", ID: "media_player.tv"}},
		home.Entity{ID: "robot", Name: "Roverex", Domain: "vacuum", Server: "hass", Abilities: []home.Ability{home.Start, home.Stop, home.Dock}, Control: &home.Control{Tool: "control", ID: "vacuum.robot"}},
		home.Entity{ID: "shop", Name: "Shopping List", Domain: "todo", Server: "hass", Abilities: []home.Ability{home.List}, Control: &home.Control{Tool: "control", ID: "todo.shop"}},
		home.Entity{ID: "shed", Name: "Shed Lock", Domain: "lock"})
	return h
}

// show writes a step in one line.
func show(s plan.Step) string {
	if s.Err != nil {
		return string(s.Risk) + " error: " + s.Err.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", s.Risk, s.Call.Server, s.Call.Tool, s.Call.Args))
}

func TestCalls(t *testing.T) {
	t.Parallel()
	const control = "zwave control_zwave_device "
	tests := map[string]struct{ text, want string }{
		"on":            {"turn on the kitchen light", "reversible " + control + `{"action":"on","device_name":"kitchen_light"}`},
		"off":           {"turn off the coffee machine", "reversible " + control + `{"action":"off","device_name":"coffee_machine"}`},
		"toggle":        {"toggle the reading lamp", "reversible " + control + `{"action":"toggle","device_name":"reading_lamp"}`},
		"level":         {"dim the bedroom lamp to forty percent", "reversible " + control + `{"action":"level","device_name":"bedroom_lamp","value":40}`},
		"lacks ability": {"set the hallway light to blue", "read error: I can't do that with the hallway light."},
		"lock":          {"lock the front door", "reversible " + control + `{"action":"lock","device_name":"front_door"}`},
		"unlock":        {"unlock the front door", "dangerous " + control + `{"action":"unlock","device_name":"front_door"}`},
		"garage":        {"open the garage door", "dangerous " + control + `{"action":"open","device_name":"garage_door"}`},
		"garage shut":   {"close the garage door", "reversible " + control + `{"action":"close","device_name":"garage_door"}`},
		"curtains":      {"open the bedroom curtains", "reversible " + control + `{"action":"open","device_name":"bedroom_curtains"}`},
		"position":      {"set the living room blinds to fifty percent", "reversible " + control + `{"action":"position","device_name":"living_room_blinds","value":50}`},
		"stop":          {"stop the living room blinds", "reversible " + control + `{"action":"stop","device_name":"living_room_blinds"}`},
		"setpoint":      {"set the thermostat to 21.5 degrees", "reversible " + control + `{"action":"setpoint","device_name":"thermostat","value":21.5}`},
		"warmer reads":  {"make it warmer in the living room", `reversible zwave get_device_state {"device_name":"thermostat"}`},
		"state":         {"is the front door locked", `read zwave get_device_state {"device_name":"front_door"}`},
		"sensor":        {"what's the humidity in the kitchen", `read zwave get_device_sensor_data {"device_name":"kitchen_humidity","sensor":"humidity"}`},
		"contact":       {"is the garage window open", `read zwave get_device_sensor_data {"device_name":"garage_window","sensor":"contact"}`},
		"time":          {"what time is it", `read  get_datetime {"what":"time"}`},
		"date":          {"what day is it", `read  get_datetime {"what":"date"}`},
		"volume":        {"set volume to fifty percent", `reversible  set_volume {"action":"set","level":50}`},
		"louder":        {"turn the volume up", `reversible  set_volume {"action":"up"}`},
		"mute":          {"mute", `reversible  set_volume {"action":"mute"}`},
		"nothing to do": {"never mind", "read"},
		"no control":    {"start the vacuum cleaner", "read error: I have no way to control the vacuum cleaner."},
		"scene":         {"activate movie night", "read error: I have no way to start movie night."},
		"a scene":       {"activate dinner", `reversible hass control {"action":"on","device_name":"scene.dinner"}`},
		"pause":         {"pause the tv", `reversible hass control {"action":"pause","device_name":"media_player.tv"}`},
		"its volume":    {"set the tv volume to 20 percent", `reversible hass control {"action":"level","device_name":"media_player.tv","value":20}`},
		"cannot mute":   {"mute the tv", "read error: I can't do that with the tv."},
		"a robot":       {"start roverex", `reversible hass control {"action":"start","device_name":"vacuum.robot"}`},
		"it only stops": {"pause roverex", `reversible hass control {"action":"stop","device_name":"vacuum.robot"}`},
		"a list":        {"add oat milk to the shopping list", `reversible hass control {"action":"add","device_name":"todo.shop","value":"oat milk"}`},
		"heating off":   {"turn off the heating in the living room", "reversible " + control + `{"action":"mode","device_name":"thermostat","value":"off"}`},
		"heating on":    {"turn the thermostat on", "reversible " + control + `{"action":"mode","device_name":"thermostat","value":"heat"}`},
		"no modes":      {"turn the bedroom thermostat off", "read error: I can't do that with the bedroom thermostat."},
		"mode":          {"set the heating in the living room to auto", "reversible " + control + `{"action":"mode","device_name":"thermostat","value":"auto"}`},
		"kelvin":        {"set the bedroom lamp to 2700 kelvin", "read error: I can't do that with the bedroom lamp."},
		"relative dim":  {"turn the bedroom lamp down a bit", `reversible zwave get_device_state {"device_name":"bedroom_lamp"}`},
		"danger first":  {"unlock the shed", "dangerous error: I have no way to control the shed lock."},
	}
	h := house(t)
	m, err := intent.New(intent.English(), h)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, err := plan.Calls(m.Match(tt.text, ""), h, "")
			if err != nil {
				t.Fatal(err)
			}
			if len(steps) != 1 || strings.Join(strings.Fields(show(steps[0])), " ") != strings.Join(strings.Fields(tt.want), " ") {
				t.Errorf("got  %v\nwant %s", show(steps[0]), tt.want)
			}
		})
	}
}

// TestColourReadsFirst checks that a lamp that may be off is looked at before it gets a
// colour, so that it can be switched on.
func TestColourReadsFirst(t *testing.T) {
	t.Parallel()
	h := house(t)
	m, err := intent.New(intent.English(), h)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := plan.Calls(m.Match("set the bedroom lamp to blue", ""), h, "")
	if err != nil || len(steps) != 2 || !steps[0].Ahead || steps[1].Ahead {
		t.Fatalf("got %d steps, %v", len(steps), err)
	}
	for i, want := range []string{`reversible zwave get_device_state {"device_name":"bedroom_lamp"}`, `reversible zwave control_zwave_device {"action":"colour","device_name":"bedroom_lamp","value":"blue"}`} {
		if got := strings.Join(strings.Fields(show(steps[i])), " "); got != want {
			t.Errorf("step %d: %s, want %s", i, got, want)
		}
	}
}

func TestCallsOfSeveral(t *testing.T) {
	t.Parallel()
	h := house(t)
	m, err := intent.New(intent.English(), h)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := plan.Calls(m.Match("turn off all the lights and lock the front door", ""), h, "")
	if err != nil || len(steps) != 7 {
		t.Fatalf("%d steps, %v; want one for each light and the lock", len(steps), err)
	}
	if steps[6].Entity.ID != "front_door" {
		t.Errorf("the last step is about %s", steps[6].Entity.ID)
	}
	steps, err = plan.Calls(m.Match("what can you control in here", "Garage"), h, "Garage")
	if err != nil || len(steps) != 3 {
		t.Fatalf("listing: %d steps, %v", len(steps), err)
	}
}

func TestCallsRefuses(t *testing.T) {
	t.Parallel()
	h := house(t)
	var planned *plan.Error
	_, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{{Intent: "LocalUndo"}}}, h, "")
	if !errors.As(err, &planned) || planned.Text != "There is nothing to undo." || planned.Key != "nothing_to_undo" {
		t.Errorf("undo: %v", err)
	}
	if _, err = plan.Calls(intent.Decision{Route: intent.Ask}, h, ""); err == nil {
		t.Error("a question back was planned")
	}
	steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{{Intent: "HassTurnOn", Devices: []string{"gone"}}}}, h, "")
	if err != nil || steps[0].Err == nil {
		t.Errorf("a device that is gone: %v, %+v", err, steps)
	}
}

// TestRelativeStartsFromTheState makes "warmer" of the state that was read.
func TestRelativeStartsFromTheState(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, state, want string }{
		"warmer":        {"make it warmer in the living room", `{"values":{"setpoint":20.5}}`, `{"action":"setpoint","device_name":"thermostat","value":21.5}`},
		"two cooler":    {"turn the heating down two degrees in the bedroom", `{"values":{"setpoint":20}}`, `{"action":"setpoint","device_name":"bedroom_thermostat","value":18}`},
		"brighter":      {"brighten the office light", `{"values":{"brightness":50}}`, `{"action":"level","device_name":"office_light","value":70}`},
		"not above":     {"brighten the office light", `{"values":{"brightness":95}}`, `{"action":"level","device_name":"office_light","value":100}`},
		"never dark":    {"dim the office light", `{"values":{"brightness":10}}`, `{"action":"level","device_name":"office_light","value":5}`},
		"from off":      {"brighten the office light", `{"values":{"brightness":0}}`, `{"action":"on","device_name":"office_light"}`},
		"off by":        {"brighten the office light by 30 percent", `{"values":{"brightness":0}}`, `{"action":"level","device_name":"office_light","value":30}`},
		"too dark":      {"the office light is too dark", `{"values":{"brightness":0}}`, `{"action":"on","device_name":"office_light"}`},
		"off stays off": {"dim the office light", `{"values":{"brightness":0}}`, `{"action":"level","device_name":"office_light","value":0}`},
		"too bright":    {"the office light is too bright", `{"values":{"brightness":0}}`, `{"action":"level","device_name":"office_light","value":0}`},
		"unknown state": {"dim the office light", `{"values":{}}`, "I don't know how the office light is set now."},
		"no state":      {"dim the office light", `nonsense`, "I don't know how the office light is set now."},
	}
	h := house(t)
	m, err := intent.New(intent.English(), h)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, err := plan.Calls(m.Match(tt.text, ""), h, "")
			if err != nil || len(steps) != 1 {
				t.Fatalf("%v, %+v", err, steps)
			}
			var made []string
			_, err = steps[0].Do(t.Context(), func(_ context.Context, c tools.Call) (tools.Result, error) {
				made = append(made, string(c.Args))
				return tools.Result{Data: json.RawMessage(tt.state)}, nil
			})
			got := made[len(made)-1]
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if err == nil && string(steps[0].Call.Args) != tt.want {
				t.Errorf("the step says %s", steps[0].Call.Args)
			}
		})
	}
}

// TestMoreLightOfASwitchedLamp: a lamp that only switches is switched on when it is
// too dark, without a look at its state; less light is nothing it can do.
func TestMoreLightOfASwitchedLamp(t *testing.T) {
	t.Parallel()
	h := &home.House{Entities: []home.Entity{{
		ID: "lamp", Name: "Lamp", Domain: "light", Abilities: []home.Ability{home.OnOff},
		Control: &home.Control{Tool: "control_zwave_device", ID: "Lamp"},
	}}}
	for direction, want := range map[string]string{"up": `{"action":"on","device_name":"Lamp"}`, "down": ""} {
		steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{{
			Intent: "LocalBrightnessAdjust", Devices: []string{"lamp"}, Slots: map[string]any{"direction": direction},
		}}}, h, "")
		if err != nil || string(steps[0].Call.Args) != want || (steps[0].Err == nil) != (want != "") {
			t.Errorf("%s: got %s and %v, %v", direction, steps[0].Call.Args, steps[0].Err, err)
		}
	}
}

func TestDoStopsAtAFailedRead(t *testing.T) {
	t.Parallel()
	h := house(t)
	d := intent.Decision{Route: intent.Local, Actions: []intent.Action{{Intent: "LocalClimateAdjust", Devices: []string{"thermostat"}}}}
	steps, err := plan.Calls(d, h, "")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	res, err := steps[0].Do(t.Context(), func(context.Context, tools.Call) (tools.Result, error) {
		calls++
		return tools.Result{Failed: true, Text: "The thermostat did not answer."}, nil
	})
	if err != nil || !res.Failed || calls != 1 {
		t.Errorf("%d calls, %+v, %v", calls, res, err)
	}
}

func ExampleCalls() {
	h := &home.House{Entities: []home.Entity{{
		ID: "lamp", Name: "Lamp", Domain: "light", Server: "zwave", Control: &home.Control{Tool: "control_zwave_device", ID: "Lamp"},
	}}}
	d := intent.Decision{Route: intent.Local, Actions: []intent.Action{{Intent: "HassTurnOn", Devices: []string{"lamp"}}}}
	steps, err := plan.Calls(d, h, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(steps[0].Call.Tool, string(steps[0].Call.Args), steps[0].Risk)
	// Output: control_zwave_device {"action":"on","device_name":"Lamp"} reversible
}

// Every intent of the catalogue that is answered by a tool of the gateway has its
// call.
func TestOwnToolsAreCalled(t *testing.T) {
	for _, in := range catalogue.All() {
		d := intent.Decision{Route: intent.Local, Actions: []intent.Action{{Intent: in.Name}}}
		if in.Plan != catalogue.Tool {
			continue
		}
		steps, err := plan.Calls(d, &home.House{}, "")
		if err != nil || len(steps) != 1 || steps[0].Call.Tool == "" || steps[0].Risk != in.Risk {
			t.Errorf("%s: got %+v and %v, want one call of a tool of ours with the risk %q", in.Name, steps, err, in.Risk)
		}
	}
}
