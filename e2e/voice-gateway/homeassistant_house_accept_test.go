//go:build accept

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
)

// moreThings are what a real Home Assistant has beside its demo house: switches that report
// another state than they should, a robot and a list.
const moreThings = `
config:
conversation:` + rig.RobotOfHomeAssistant + `input_boolean: {never: {name: Never}, late: {name: Late}}
switch:
  - platform: template
    switches:
      liar: {unique_id: liar, friendly_name: Liar, value_template: "{{ is_state('input_boolean.never', 'on') }}", turn_on: [], turn_off: []}
      laggard:
        unique_id: laggard
        friendly_name: Laggard
        value_template: "{{ is_state('input_boolean.late', 'on') }}"
        turn_on: [{delay: 7}, {service: input_boolean.turn_on, target: {entity_id: input_boolean.late}}]
        turn_off: []
      failure: {unique_id: failure, friendly_name: Failure, value_template: "{{ false }}", turn_on: [{service: light.turn_on, target: {entity_id: light.bed_light}, data: {nonsense: 1}}], turn_off: []}
`

// hassHouse is a real Home Assistant with its demo house, and a gateway that knows it.
type hassHouse struct {
	*testing.T
	homeAssistant
	dir, file, http string
	conn            *socket.Conn // of the owner
}

// entity returns the state of an entity as Home Assistant itself reports it.
func (h *hassHouse) entity(id string) (s entityState) {
	_ = h.request(h.T, http.MethodGet, "states/"+id, "", &s)
	return s
}

// say asks the gateway.
func (h *hassHouse) say(text string) (r record.Record) {
	h.Helper()
	if err := rig.SendJSON(h.Context(), http.MethodPost, "http://"+h.http+"/api/ask", map[string]string{"text": text}, &r); err != nil {
		h.Fatalf("%s: %v", text, err)
	}
	h.Logf("%q: %s, %q", text, r.Outcome, r.Reply)
	return r
}

// waitFor waits until all things with these names fit in what the gateway shows of the house.
func (h *hassHouse) waitFor(what string, fits func(home.EntityState) bool, names ...string) {
	h.Helper()
	eventually(h, fmt.Sprintf("%q: %s", names, what), func() bool {
		var house home.Snapshot
		if get(h, h.http, "/api/home", &house) != nil {
			return false
		}
		return !slices.ContainsFunc(names, func(name string) bool {
			return !slices.ContainsFunc(house.Entities, func(e home.EntityState) bool { return e.Name == name && fits(e) })
		})
	})
}

// waitForNames waits until the gateway knows things with these names.
func (h *hassHouse) waitForNames(names ...string) {
	h.Helper()
	h.waitFor("they are known", func(home.EntityState) bool { return true }, names...)
}

// waitForReach waits until the gateway can reach the reading lamp, or cannot reach it.
func (h *hassHouse) waitForReach(can bool) {
	h.Helper()
	h.waitFor(fmt.Sprintf("reachable: %v", can), func(e home.EntityState) bool { return e.Reachable != nil && *e.Reachable == can }, "Reading Lamp")
}

// change changes something as the owner does, over the interface of Home Assistant.
func (h *hassHouse) change(command socket.Command) {
	h.Helper()
	if _, err := h.conn.Call(h.Context(), command); err != nil {
		h.Fatalf("%v: %v", command["type"], err)
	}
}

// enter connects the owner.
func (h *hassHouse) enter() {
	h.Helper()
	conn, err := socket.Dial(h.Context(), socket.Config{URL: "http://" + h.addr}, h.token)
	if err != nil {
		h.Fatal(err)
	}
	h.conn = conn
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.Context()))
	ended := make(chan struct{})
	go func() { defer close(ended); _ = conn.Run(ctx) }()
	h.Cleanup(func() { cancel(); <-ended })
}

// TestAcceptHomeAssistantHouse: a sentence acts on a real Home Assistant, and the reply says
// what became of it: done, under way, refused, not changed. The gateway survives renames, a
// restart and a revoked token. Only the address and the token are configured.
func TestAcceptHomeAssistantHouse(t *testing.T) {
	t.Parallel()
	actInHomeAssistant(t, installHomeAssistants(t, "3.13")["3.13"])
}

func actInHomeAssistant(t *testing.T, python string) {
	t.Helper()
	broker := mosquitto(t)
	dir, addr := layHomeAssistant(t, "demo", "{}", moreThings)
	h := &hassHouse{T: t, homeAssistant: runHomeAssistant(t, python, dir, addr), dir: dir, file: filepath.Join(t.TempDir(), "token")}
	h.write(token("token"))
	h.enter()
	eventually(t, "Home Assistant has started", func() bool {
		var config struct{ State string }
		return h.request(t, http.MethodGet, "config", "", &config) == nil && config.State == "RUNNING" && h.entity("switch.liar").State != ""
	})
	h.change(socket.Command{"type": "homeassistant/expose_entity", "assistants": []string{"conversation"}, "entity_ids": []string{"lock.kitchen_door", "lock.poorly_installed_door", "lock.front_door"}, "should_expose": true})
	h.change(socket.Command{"type": "homeassistant/expose_entity", "assistants": []string{"conversation"}, "entity_ids": []string{"switch.ac"}, "should_expose": false})
	config := filepath.Join(t.TempDir(), "voice-gateway.yaml")
	text := fmt.Sprintf("mcp:\n  servers:\n    zwave: null\n    homeassistant: {command: home-assistant-mcp-server, env: {HASS_URL: \"http://%s\", HASS_TOKEN_FILE: %q}}\n", addr, h.file)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, h.http, _ = daemonWith(t, []string{"--config", config}, broker, "VOICE_GATEWAY_GATEWAY_STATE_DIR="+t.TempDir())
	h.waitForNames("Bed Light", "Liar", "Kitchen Door")

	h.tryCommands()
	h.tryThings()
	h.tryRenames()
	h.tryRestart(python)
	h.tryRevocation()
	if said := h.stderr.String(); strings.Contains(said, "websocket_api") {
		t.Errorf("Home Assistant complains:\n%s", said)
	}
}

// write writes a token into the file that the gateway reads.
func (h *hassHouse) write(token string) {
	h.Helper()
	if err := os.WriteFile(h.file, []byte(token+"\n"), 0o600); err != nil {
		h.Fatal(err)
	}
}

// tryCommands checks for each sentence what the gateway replies, and the state that Home
// Assistant itself reports then.
func (h *hassHouse) tryCommands() {
	h.Helper()
	h.tryAll([]hassTrial{
		{"turn on the bed light", record.Done, "The bed light is on.", "light.bed_light", func(s entityState) bool { return s.State == "on" }},
		{"set the bed light to 40 percent", record.Done, "40 percent", "light.bed_light", func(s entityState) bool { return s.Attributes["brightness"] == 102.0 }},
		{"make the bed light red", record.Done, "red", "light.bed_light", func(s entityState) bool { return fmt.Sprint(s.Attributes["rgb_color"]) == "[255 0 0]" }},
		{"turn off the kitchen lights", record.Done, "off", "light.kitchen_lights", func(s entityState) bool { return s.State == "off" }},
		{"turn on the ceiling fan", record.Done, "on", "fan.ceiling_fan", func(s entityState) bool { return s.State == "on" }},
		{"set the heatpump to 23 degrees", record.Done, "23", "climate.heatpump", func(s entityState) bool { return s.Attributes["temperature"] == 23.0 }},
		{"lock the kitchen door", record.Done, "locked", "lock.kitchen_door", func(s entityState) bool { return s.State == "locked" }},
		{"is the kitchen door locked", record.Done, "Yes", "lock.kitchen_door", func(s entityState) bool { return s.State == "locked" }},
		{"lock the poorly installed door", record.Failed, "", "lock.poorly_installed_door", func(s entityState) bool { return s.State == "jammed" }},
		{"unlock the front door", record.Failed, "", "lock.front_door", func(s entityState) bool { return s.State == "locked" }},
		{"open the garage door", record.Failed, "", "cover.garage_door", func(s entityState) bool { return s.State == "closed" }},
		{"close the living room window", record.Accepted, "on its way", "cover.living_room_window", func(s entityState) bool { return s.State == "closing" || s.State == "closed" }},
		{"what is the outside temperature", record.Done, "15.6", "sensor.outside_temperature", func(s entityState) bool { return s.State == "15.6" }},
		{"turn on the ac", record.Asked, "", "switch.ac", func(s entityState) bool { return s.State == "off" }},
		{"turn on the liar", record.Failed, "not changed", "switch.liar", func(s entityState) bool { return s.State == "off" }},
		{"turn on the laggard", record.Accepted, "being switched on", "switch.laggard", func(s entityState) bool { return s.State == "off" }},
		{"turn on the failure", record.Failed, "", "switch.failure", func(s entityState) bool { return s.State == "off" }},
	})
}

// hassTrial is a sentence, what is replied, and the state that a thing has then.
type hassTrial struct {
	said    string
	outcome record.Outcome
	reply   string
	entity  string
	is      func(entityState) bool
}

func (h *hassHouse) tryAll(all []hassTrial) {
	h.Helper()
	for _, tt := range all {
		r := h.say(tt.said)
		if r.Outcome != tt.outcome || !strings.Contains(r.Reply, tt.reply) {
			h.Errorf("%q: %s, %q; want %s, %q; calls %+v", tt.said, r.Outcome, r.Reply, tt.outcome, tt.reply, r.Calls)
		}
		if s := h.entity(tt.entity); !tt.is(s) {
			h.Errorf("%q: %s is %q, %v", tt.said, tt.entity, s.State, s.Attributes)
		}
	}
}

// addShoppingList adds the shopping list, as the owner does on its page of integrations.
func (h *hassHouse) addShoppingList() {
	h.Helper()
	var flow struct {
		ID string `json:"flow_id"`
	}
	err := h.request(h.T, http.MethodPost, "config/config_entries/flow", `{"handler":"shopping_list"}`, &flow)
	if err == nil {
		err = h.request(h.T, http.MethodPost, "config/config_entries/flow/"+flow.ID, "{}", new(any))
	}
	if err != nil {
		h.Fatal(err)
	}
}

// tryThings does the same with players, a robot, a fan, a humidifier and a list.
func (h *hassHouse) tryThings() {
	h.Helper()
	h.change(socket.Command{"type": "homeassistant/expose_entity", "assistants": []string{"conversation"}, "entity_ids": []string{"media_player.walkman", "media_player.lounge_room", "humidifier.hygrostat"}, "should_expose": true})
	h.addShoppingList()
	h.waitForNames("Dusty", "Shopping List", "Walkman", "Hygrostat")
	state := func(want string) func(entityState) bool { return func(s entityState) bool { return s.State == want } }
	attribute := func(name string, want any) func(entityState) bool {
		return func(s entityState) bool { return s.Attributes[name] == want }
	}
	const player, television, robot, fan, damp, list = "media_player.walkman", "media_player.lounge_room", "vacuum.dusty", "fan.preset_only_limited_fan", "humidifier.hygrostat", "todo.shopping_list"
	h.tryAll([]hassTrial{
		{"pause the walkman", record.Done, "The walkman is paused.", player, state("paused")},
		{"is the walkman playing", record.Done, "No, the walkman is paused.", player, state("paused")},
		{"undo that", record.Done, "", player, state("playing")},
		{"what is playing on the walkman", record.Done, "I Wanna Be A Hippy", player, state("playing")},
		{"next song on the walkman", record.Done, "Next title", player, attribute("media_title", "Luv U More")},
		{"previous song on the walkman", record.Done, "Previous title", player, attribute("media_artist", "Technohead")},
		{"set the walkman volume to 30 percent", record.Done, "30 percent", player, attribute("volume_level", 0.3)},
		{"turn up the walkman", record.Done, "40 percent", player, attribute("volume_level", 0.4)},
		{"how loud is the walkman", record.Done, "40 percent", player, attribute("volume_level", 0.4)},
		{"mute the walkman", record.Done, "muted", player, attribute("is_volume_muted", true)},
		{"unmute the walkman", record.Done, "sound again", player, attribute("is_volume_muted", false)},
		{"stop the walkman", record.Done, "stopped", player, state("off")},
		{"switch the lounge room to youtube", record.Done, "youtube", television, attribute("source", "youtube")},
		{"start dusty", record.Done, "started", robot, state("cleaning")},
		{"is dusty cleaning", record.Done, "Yes", robot, state("cleaning")},
		{"pause dusty", record.Done, "paused", robot, state("paused")},
		{"send dusty home", record.Accepted, "driving home", robot, state("returning")},
		{"set the preset only limited fan to smart", record.Done, "smart", fan, attribute("preset_mode", "smart")},
		{"set the hygrostat to 55 percent", record.Done, "55 percent", damp, attribute("humidity", 55.0)},
		{"set the hygrostat to eco mode", record.Done, "eco", damp, attribute("mode", "eco")},
		{"add oat milk to the shopping list", record.Done, "Oat milk is on the shopping list.", list, state("1")},
		{"add bread to the shopping list", record.Done, "Bread is on the shopping list.", list, state("2")},
		{"what is on the shopping list", record.Done, "oat milk and bread", list, state("2")},
		{"cross Oat Milk off the shopping list", record.Done, "is done", list, state("1")},
		{"remove cheese from the shopping list", record.Failed, "not on the shopping list", list, state("1")},
		{"remove bread from the shopping list", record.Done, "is off the shopping list", list, state("0")},
	})
}

// tryRenames checks that a thing has its other name and its room a moment after the owner gave
// them to it.
func (h *hassHouse) tryRenames() {
	h.Helper()
	h.change(socket.Command{"type": "config/area_registry/create", "name": "Attic"})
	h.change(socket.Command{"type": "config/entity_registry/update", "entity_id": "light.bed_light", "name": "Reading Lamp", "area_id": "attic", "aliases": []string{"book light"}})
	h.waitForNames("Reading Lamp")
	if r := h.say("turn off the reading lamp"); r.Outcome != record.Done || h.entity("light.bed_light").State != "off" {
		h.Errorf("by its new name: %s, %q", r.Outcome, r.Reply)
	}
	if r := h.say("turn on the lights in the attic"); r.Outcome != record.Done || h.entity("light.bed_light").State != "on" {
		h.Errorf("by its room: %s, %q", r.Outcome, r.Reply)
	}
	if r := h.say("turn off the book light"); r.Outcome != record.Done || h.entity("light.bed_light").State != "off" {
		h.Errorf("by its other name: %s, %q", r.Outcome, r.Reply)
	}
}

// tryRestart checks that the gateway says so while Home Assistant is away, and that all works
// again afterwards.
func (h *hassHouse) tryRestart(python string) {
	h.Helper()
	send(h.T, h.Process.Pid, syscall.SIGTERM)
	if !h.wait() {
		h.Fatal("Home Assistant does not end")
	}
	if r := h.say("turn on the reading lamp"); r.Outcome == record.Done || !strings.Contains(r.Reply, "Home Assistant") {
		h.Errorf("while it is away: %s, %q", r.Outcome, r.Reply)
	}
	h.homeAssistant = runHomeAssistant(h.T, python, h.dir, h.addr)
	h.waitForReach(true)
	if r := h.say("turn on the reading lamp"); r.Outcome != record.Done || h.entity("light.bed_light").State != "on" {
		h.Errorf("after the restart: %s, %q", r.Outcome, r.Reply)
	}
}

// tryRevocation checks that the gateway says so when the owner revokes the token, and uses a
// new one as soon as the file holds it.
func (h *hassHouse) tryRevocation() {
	h.Helper()
	h.enter()
	h.change(socket.Command{"type": "auth/delete_refresh_token", "refresh_token_id": "token"})
	h.waitForReach(false)
	if r := h.say("turn off the reading lamp"); !strings.Contains(r.Reply, "token") || h.entity("light.bed_light").State != "on" {
		h.Errorf("without a token: %s, %q", r.Outcome, r.Reply)
	}
	h.write(token("second"))
	h.waitForReach(true)
	if r := h.say("turn off the reading lamp"); r.Outcome != record.Done {
		h.Errorf("with another token: %s, %q", r.Outcome, r.Reply)
	}
}
