package discovery

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"strings"
)

// Identity is what Home Assistant shows of the gateway.
type Identity struct {
	ID, Area, Language, Version string
	Base                        string // the beginning of its topics
}

// entity is one entity of the device in Home Assistant: its component, its key in ids and
// names, and the part of its configuration that differs from the others.
type entity struct {
	component, key string
	config         map[string]any
}

// longest is how much text Home Assistant takes for a state.
const longest = 255

// command returns the template of a command's payload: a unique id, the time, from which
// the gateway sees that a command was under way for too long, and the fields of the
// command itself.
func command(more string) string {
	return `{"id": "ha-{{ utcnow().timestamp() }}-{{ range(100000) | random }}", "time": "{{ utcnow().isoformat(timespec='seconds') }}"` + more + `}`
}

// entities lists all of them. Names of topics and members are those of the MQTT
// interface (REQUIREMENTS 2.3).
func (g Identity) entities() []entity {
	at := func(topic string) string { return g.Base + "/" + topic }
	const text = "{{ (value_json.text or '')[:255] }}"
	return []entity{
		{"sensor", "state", map[string]any{
			"state_topic": at("state"), "device_class": "enum", "icon": "mdi:account-voice",
			"options": []string{"idle", "wake", "listening", "thinking", "speaking", "muted", "error"},
		}},
		{"sensor", "transcript", map[string]any{"state_topic": at("transcript"), "value_template": text, "icon": "mdi:ear-hearing"}},
		{"sensor", "reply", map[string]any{"state_topic": at("reply"), "value_template": text, "icon": "mdi:message-reply-text"}},
		{"sensor", "timers", map[string]any{
			"state_topic": at("timers"), "value_template": "{{ value_json | count }}", "icon": "mdi:timer-outline",
			"json_attributes_topic": at("timers"), "json_attributes_template": "{{ {'timers': value_json} | to_json }}",
		}},
		{"sensor", "servers", map[string]any{
			"state_topic": at("servers"), "device_class": "enum", "entity_category": "diagnostic", "icon": "mdi:server-network",
			"options": []string{"full", "partial", "degraded", "disconnected"}, "value_template": "{{ value | lower }}",
		}},
		{"switch", "mute", map[string]any{
			"state_topic": at("muted"), "state_on": "on", "state_off": "off", "payload_on": "true", "payload_off": "false",
			"command_topic": at("cmd/mute"), "command_template": command(`, "on": {{ value }}`), "icon": "mdi:microphone-off",
		}},
		{"number", "volume", map[string]any{
			"state_topic": at("volume"), "min": 0, "max": 100, "step": 1, "mode": "slider", "unit_of_measurement": "%",
			"command_topic": at("cmd/volume"), "command_template": command(`, "level": {{ value | int }}`), "icon": "mdi:volume-high",
		}},
		{"text", "ask", map[string]any{
			"command_topic": at("cmd/ask"), "command_template": command(`, "text": {{ value | to_json }}`),
			"min": 1, "max": longest, "mode": "text", "icon": "mdi:chat-question",
		}},
		{"button", "listen", map[string]any{"command_topic": at("cmd/listen"), "command_template": command(""), "icon": "mdi:microphone"}},
		{"button", "stop", map[string]any{"command_topic": at("cmd/stop"), "command_template": command(""), "icon": "mdi:stop"}},
		{"button", "retry", map[string]any{
			"command_topic": at("cmd/retry"), "command_template": command(""), "entity_category": "diagnostic", "icon": "mdi:connection",
		}},
		{"event", "wake", map[string]any{
			"state_topic": at("state"), "event_types": []string{"wake"}, "icon": "mdi:ear-hearing",
			"value_template": "{{ {'event_type': 'wake'} | to_json if value == 'wake' else '' }}",
		}},
		{"event", "turn", map[string]any{
			"state_topic": at("turn"), "icon": "mdi:forum",
			"event_types": []string{"done", "accepted", "failed", "asked", "ignored", "interrupted"},
			"value_template": "{{ {'event_type': value_json.outcome, 'turn': value_json.id, 'source': value_json.source, " +
				"'wake_word': (value_json.wake or {}).get('word'), " +
				"'route': value_json.route, 'area': value_json.area, 'reply': value_json.reply, 'error': value_json.error} | to_json }}",
		}},
	}
}

// node names the gateway in topics and ids, where only some characters may stand. Two
// gateways never have the same.
func (g Identity) node() string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, g.ID)
	if plain != g.ID {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(g.ID))
		plain += fmt.Sprintf("_%08x", sum.Sum32())
	}
	return "voice_gateway_" + plain
}

// message is what is published on a topic of Home Assistant's.
type message struct {
	topic   string
	payload []byte
}

// messages are the configurations of all entities.
func (g Identity) messages(prefix string) ([]message, error) {
	words := wordsOf(g.Language)
	version := cmp.Or(g.Version, "dev")
	device := map[string]any{
		"identifiers": []string{g.node()}, "name": words["device"] + " " + g.ID,
		"manufacturer": "voice-gateway", "model": "voice-gateway", "sw_version": version,
	}
	if g.Area != "" {
		device["suggested_area"] = g.Area
	}
	var all []message
	for _, e := range g.entities() {
		config := map[string]any{
			"name": words[e.key], "unique_id": g.node() + "_" + e.key, "availability_topic": g.Base + "/availability",
			"payload_available": "online", "payload_not_available": "offline",
			"device": device, "origin": map[string]any{"name": "voice-gateway", "sw_version": version}, "qos": 1,
		}
		maps.Copy(config, e.config)
		payload, err := json.Marshal(config)
		if err != nil {
			return nil, fmt.Errorf("writing the configuration of %s: %w", e.key, err)
		}
		all = append(all, message{prefix + "/" + e.component + "/" + g.node() + "/" + e.key + "/config", payload})
	}
	return all, nil
}
