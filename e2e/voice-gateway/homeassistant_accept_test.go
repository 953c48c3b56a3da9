//go:build accept

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"voicegateway/e2e/rig"
)

// homeAssistant is the real program, with its MQTT integration and nothing else of note.
type homeAssistant struct {
	*child
	addr, token, python string
}

// The parts of the rig by the names that these tests use.
var (
	token                 = rig.HomeAssistantToken
	layHomeAssistant      = rig.LayHomeAssistant
	installHomeAssistants = rig.InstallHomeAssistants
)

// startHomeAssistant starts it as a family has it: one user, the MQTT integration.
func startHomeAssistant(t *testing.T, python, broker string) homeAssistant {
	t.Helper()
	_, brokerPort, _ := strings.Cut(strings.TrimPrefix(broker, "mqtt://"), ":")
	dir, addr := layHomeAssistant(t, "mqtt", `{"broker":"127.0.0.1","port":`+brokerPort+`}`, "")
	return runHomeAssistant(t, python, dir, addr)
}

// runHomeAssistant starts one that was laid out.
func runHomeAssistant(t *testing.T, python, dir, addr string) homeAssistant {
	t.Helper()
	h := homeAssistant{start(t, environ(t), python, "-m", "homeassistant", "-c", dir, "--skip-pip"), addr, token("second"), python}
	eventually(t, "Home Assistant answers", func() bool { _, err := h.states(t); return err == nil })
	return h
}

// entityState is what Home Assistant knows of an entity.
type entityState struct {
	ID         string `json:"entity_id"`
	State      string
	Attributes map[string]any
}

// request asks its API.
func (h homeAssistant) request(t *testing.T, method, path, body string, into any) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+h.addr+"/api/"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+h.token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, path, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// states are those of the gateway's entities, by entity id.
func (h homeAssistant) states(t *testing.T) (map[string]entityState, error) {
	t.Helper()
	var all []entityState
	if err := h.request(t, http.MethodGet, "states", "", &all); err != nil {
		return nil, err
	}
	ours := map[string]entityState{}
	for _, s := range all {
		if strings.Contains(s.ID, ".voice_gateway_test_") {
			ours[s.ID] = s
		}
	}
	return ours, nil
}

// is says whether an entity has a state.
func (h homeAssistant) is(t *testing.T, entity, state string) bool {
	t.Helper()
	all, err := h.states(t)
	return err == nil && all[entity].State == state
}

// call calls a service for an entity.
func (h homeAssistant) call(t *testing.T, service, entity, more string) {
	t.Helper()
	if err := h.request(t, http.MethodPost, "services/"+service, `{"entity_id":"`+entity+`"`+more+`}`, new(any)); err != nil {
		t.Errorf("%s: %v", service, err)
	}
}

// dropped has Home Assistant's own schemas read the payloads, and returns the keys that
// they do not know.
const dropped = `
import asyncio, importlib, json, sys
from homeassistant.core import HomeAssistant
from homeassistant.helpers import frame

async def main():
    hass = HomeAssistant("/nowhere")
    getattr(frame, "async_setup", lambda hass: None)(hass)
    for topic, payload in json.load(sys.stdin).items():
        component = topic.split("/")[1]
        payload = json.loads(payload)
        schema = importlib.import_module("homeassistant.components.mqtt." + component).DISCOVERY_SCHEMA
        for key in sorted(set(payload) - set(schema(dict(payload))) - {"origin"}):
            print(component, key)

asyncio.run(main())
`

// TestAcceptHomeAssistant: the real program shows the gateway, acts through it, sees it
// go, and forgets it when discovery is switched off. The older one is what runs with
// Debian 12's own Python; it knows no templates for switches and no options of sensors.
func TestAcceptHomeAssistant(t *testing.T) {
	t.Parallel()
	lacks := map[string]string{"3.13": "", "3.11": "sensor options\nsensor options\nswitch command_template\n"}
	for version, python := range installHomeAssistants(t, slices.Sorted(maps.Keys(lacks))...) {
		t.Run(version, func(t *testing.T) { t.Parallel(); homeAssistantSees(t, python, lacks[version]) })
	}
}

func homeAssistantSees(t *testing.T, python, lacks string) {
	t.Helper()
	broker := mosquitto(t)
	simulate(t, broker)
	c, _, env := daemon(t, broker, "VOICE_GATEWAY_GATEWAY_STATE_DIR="+t.TempDir())
	stranger := listen(t, broker)
	h := startHomeAssistant(t, python, broker)

	const entities = 13
	var seen map[string]entityState
	eventually(t, "all entities have appeared", func() bool {
		seen, _ = h.states(t)
		return len(seen) == entities && seen["sensor.voice_gateway_test_state"].State != "unavailable" && h.is(t, "sensor.voice_gateway_test_servers", "full")
	})
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("it shows %s: %s", id, seen[id].State)
	}
	payloads, err := json.Marshal(configs(t, broker))
	if err != nil {
		t.Fatal(err)
	}
	check := exec.CommandContext(t.Context(), python, "-c", dropped)
	check.Stdin = bytes.NewReader(payloads)
	if out, err := check.CombinedOutput(); err != nil || string(out) != lacks {
		t.Errorf("of its own schemas: %v, unknown are %q", err, out)
	}

	h.call(t, "text/set_value", "text.voice_gateway_test_ask", `,"value":"turn on the kitchen light"`)
	eventually(t, "the lamp is on by its own report", func() bool {
		return stranger.has("voice/test/turn", `"confirmed":true`, `"value":"on"`, `"outcome":"done"`, `"source":"mqtt"`)
	})
	eventually(t, "Home Assistant shows the turn", func() bool {
		all, _ := h.states(t)
		return all["sensor.voice_gateway_test_last_command"].State == "turn on the kitchen light" &&
			all["sensor.voice_gateway_test_last_reply"].State == "The kitchen light is on." && all["event.voice_gateway_test_turn"].Attributes["event_type"] == "done"
	})
	h.call(t, "text/set_value", "text.voice_gateway_test_ask", `,"value":"unlock the front door"`)
	eventually(t, "what is dangerous is refused", func() bool { return stranger.has("voice/test/turn", "unlock the front door", `"route":"refused"`) })
	h.call(t, "text/set_value", "text.voice_gateway_test_ask", `,"value":"set a pasta timer for nine minutes"`)
	eventually(t, "the timer is shown", func() bool { return h.is(t, "sensor.voice_gateway_test_timers", "1") })
	h.call(t, "number/set_value", "number.voice_gateway_test_volume", `,"value":35`)
	eventually(t, "the volume is set and shown", func() bool {
		return stranger.has("voice/test/volume", "35") && h.is(t, "number.voice_gateway_test_volume", "35")
	})
	h.call(t, "button/press", "button.voice_gateway_test_stop", "")
	h.call(t, "button/press", "button.voice_gateway_test_retry_servers", "")
	if err := stranger.Publish(t.Context(), "voice/test/state", []byte("wake")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the opened ear is an event", func() bool {
		all, _ := h.states(t)
		return all["event.voice_gateway_test_begins_to_listen"].Attributes["event_type"] == "wake"
	})
	if refused := stranger.on("voice/test/cmd/error"); len(refused) > 0 {
		t.Errorf("refused: %q", refused)
	}

	h.call(t, "switch/turn_on", "switch.voice_gateway_test_microphone_muted", "")
	if lacks == "" {
		eventually(t, "the gateway is muted, and shown so", func() bool {
			return stranger.has("voice/test/muted", "on") && h.is(t, "switch.voice_gateway_test_microphone_muted", "on")
		})
	} else {
		eventually(t, "the word of an old switch is refused", func() bool { return stranger.has("voice/test/cmd/error", "cmd/mute") })
	}

	send(t, c.Process.Pid, syscall.SIGTERM)
	if !c.wait() {
		t.Fatal("it does not end")
	}
	eventually(t, "the gateway is shown as away", func() bool { return h.is(t, "sensor.voice_gateway_test_state", "unavailable") })
	start(t, append(env, "VOICE_GATEWAY_MQTT_DISCOVERY_ENABLED=false"), filepath.Join(bin, "voice-gateway"), "run")
	eventually(t, "the entities have vanished", func() bool {
		all, err := h.states(t)
		return err == nil && len(all) == 0
	})
	if said := h.stderr.String(); strings.Contains(said, "voice_gateway") || strings.Contains(said, "voice/test") || strings.Contains(said, "components.mqtt") {
		t.Errorf("Home Assistant complains:\n%s", said)
	}
}
