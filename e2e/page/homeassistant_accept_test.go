//go:build accept

package page

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"voicegateway/e2e/rig"
	"voicegateway/internal/hass/socket"
)

// appliancesOfHome are what a real Home Assistant has beside its demo house here: a robot that
// drives, a mower, a scene and a script.
const appliancesOfHome = `
config:
conversation:
kitchen_sink:` + rig.RobotOfHomeAssistant + `scene: [{name: Movie Night, entities: {light.bed_light: {state: "on"}}}]
script: {bedtime: {alias: Bedtime, sequence: [{service: light.turn_off, target: {entity_id: light.bed_light}}]}}
`

// startDemo starts a real Home Assistant with its demo house, and a gateway in front of it. owner
// is the owner's connection, and state the state of an entity as Home Assistant itself has it.
func startDemo(t *testing.T) (g gateway, owner *socket.Conn, state func(entity string) map[string]any) {
	t.Helper()
	python := rig.InstallHomeAssistants(t, "3.13")["3.13"]
	dir, addr := rig.LayHomeAssistant(t, "demo", "{}", appliancesOfHome)
	start(t, environ(t), python, "-m", "homeassistant", "-c", dir, "--skip-pip")
	owned := func(method, path string, body, into any) error {
		return rig.SendJSON(t.Context(), method, "http://"+addr+"/api/"+path, body, into, "Authorization", "Bearer "+rig.HomeAssistantToken("second"))
	}
	eventually(t, "Home Assistant has started", func() bool {
		var config struct{ State string }
		return owned(http.MethodGet, "config", nil, &config) == nil && config.State == "RUNNING"
	})
	owner, err := socket.Dial(t.Context(), socket.Config{URL: "http://" + addr}, rig.HomeAssistantToken("second"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() { defer close(ended); _ = owner.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	var flow struct {
		ID string `json:"flow_id"`
	}
	err = owned(http.MethodPost, "config/config_entries/flow", map[string]string{"handler": "shopping_list"}, &flow)
	if err == nil {
		err = owned(http.MethodPost, "config/config_entries/flow/"+flow.ID, map[string]string{}, new(any))
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(rig.HomeAssistantToken("token")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g = run(t, fmt.Sprintf("gateway: {id: home}\nmcp:\n  servers:\n    zwave: null\n    homeassistant: {command: home-assistant-mcp-server, env: {HASS_URL: \"http://%s\", HASS_TOKEN_FILE: %q}}\n", addr, file), mosquitto(t))
	return g, owner, func(entity string) map[string]any {
		var s struct {
			State      string
			Attributes map[string]any
		}
		if err := owned(http.MethodGet, "states/"+entity, nil, &s); err != nil {
			return nil
		}
		if s.Attributes == nil {
			s.Attributes = map[string]any{}
		}
		s.Attributes["state"] = s.State
		return s.Attributes
	}
}

// choose chooses from a list, or moves a slider, by its name for a screen reader.
func (p *tab) choose(name, value string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const e = document.querySelector('[aria-label=%s]'); e.value = %s; e.dispatchEvent(new Event("input")); e.dispatchEvent(new Event("change")); } undefined`, quoted(name), quoted(value))))
}

// TestAcceptPageOfHomeAssistant: one tile of each kind that only Home Assistant has acts on a real
// one, which then has the state that the tile confirms.
func TestAcceptPageOfHomeAssistant(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	g, owner, state := startDemo(t)
	shown := []string{"media_player.walkman", "media_player.lounge_room", "humidifier.hygrostat", "valve.front_garden", "lawn_mower.mower_can_do_all", "script.bedtime", "lock.kitchen_door"}
	if _, err := owner.Call(t.Context(), socket.Command{"type": "homeassistant/expose_entity", "assistants": []string{"conversation"}, "entity_ids": shown, "should_expose": true}); err != nil {
		t.Fatal(err)
	}
	p := loaded(t, ctx, g.url+"/")
	for _, name := range []string{"Walkman", "Dusty", "Hygrostat", "Front Garden", "Mower can do all", "Movie Night", "Bedtime", "Shopping List", "Kitchen Door"} {
		p.eventually(name+" is shown", tile(name))
	}
	p.picture("homeassistant")
	p.watch()
	named := func(name string) func() {
		return func() {
			t.Helper()
			p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector('[aria-label=%s]').click(); undefined`, quoted(name))))
		}
	}
	face := func(name string) func() { return func() { t.Helper(); p.press(name, ".face") } }
	choose := func(name, value string) func() { return func() { t.Helper(); p.choose(name, value) } }
	for _, act := range []struct {
		what          string
		do            func()
		tile, proof   string
		says          string // the tile, with the proof
		entity, about string // what Home Assistant has then
		is            any
	}{
		{"a player pauses", face("Walkman"), "Walkman", "confirmed", "paused", "media_player.walkman", "state", "paused"},
		{"and plays", face("Walkman"), "Walkman", "confirmed", "playing", "media_player.walkman", "state", "playing"},
		{"the next title", named("Walkman: next"), "Walkman", "confirmed", "playing", "media_player.walkman", "media_title", "Luv U More"},
		{"its volume", choose("Volume of Walkman", "45"), "Walkman", "confirmed", "", "media_player.walkman", "volume_level", 0.45},
		{"no sound", named("Walkman: mute"), "Walkman", "confirmed", "", "media_player.walkman", "is_volume_muted", true},
		{"another source", choose("Source of Lounge room", "youtube"), "Lounge room", "confirmed", "", "media_player.lounge_room", "source", "youtube"},
		{"a robot starts", named("Dusty: start"), "Dusty", "confirmed", "cleaning", "vacuum.dusty", "state", "cleaning"},
		{"and drives home", named("Dusty: send home"), "Dusty", "accepted", "", "vacuum.dusty", "state", "returning"},
		{"a mower starts", named("Mower can do all: start"), "Mower can do all", "confirmed", "mowing", "lawn_mower.mower_can_do_all", "state", "mowing"},
		{"and pauses", named("Mower can do all: pause"), "Mower can do all", "confirmed", "paused", "lawn_mower.mower_can_do_all", "state", "paused"},
		{"a fan's speed", choose("Speed of Ceiling Fan", "40"), "Ceiling Fan", "confirmed", "40 %", "fan.ceiling_fan", "percentage", 40.0},
		{"a fan's preset", choose("Preset of Preset Only Limited Fan", "smart"), "Preset Only Limited Fan", "confirmed", "", "fan.preset_only_limited_fan", "preset_mode", "smart"},
		{"a humidifier", choose("Humidity of Hygrostat", "55"), "Hygrostat", "confirmed", "55 %", "humidifier.hygrostat", "humidity", 55.0},
		{"its mode", choose("Mode of Hygrostat", "eco"), "Hygrostat", "confirmed", "", "humidifier.hygrostat", "mode", "eco"},
		{"a thermostat's mode", choose("Mode of Hvac", "heat"), "Hvac", "confirmed", "", "climate.hvac", "state", "heat"},
		{"a degree warmer", named("Hvac: warmer"), "Hvac", "confirmed", "21.5°", "climate.hvac", "temperature", 21.5},
		{"a valve closes", named("Close Front Garden"), "Front Garden", "", "", "valve.front_garden", "state", "closed"},
		{"a blind's position", choose("Position of Hall Window", "30"), "Hall Window", "", "", "cover.hall_window", "current_position", 30.0},
		{"a water heater, which is dangerous to turn up", named("Demo Water Heater Celsius: warmer"), "Demo Water Heater Celsius", "failed", "set to 45°", "water_heater.demo_water_heater_celsius", "temperature", 45.0},
		{"a scene", face("Movie Night"), "Movie Night", "confirmed", "Run", "light.bed_light", "state", "on"},
		{"a lock", face("Kitchen Door"), "Kitchen Door", "confirmed", "locked", "lock.kitchen_door", "state", "locked"},
	} {
		act.do()
		if act.proof != "" {
			p.proves(act.tile, act.proof, act.says)
		}
		if act.about != "" {
			eventually(t, act.what, func() bool { return state(act.entity)[act.about] == act.is })
		}
		t.Log(act.what)
	}
	p.picture("homeassistant-after")
}
