package sim

import (
	"testing"

	"voicegateway/internal/zwave/wire"
)

// both returns the acts at the end of recordings 10 to 15.
func both() map[string][]Fault {
	return map[string][]Fault{
		"temperature report 23.1":      {{Op: "report", Node: 4, Key: "49-0-Air temperature", Value: 23.1}},
		"switch toggled at the device": {{Op: "change", Node: 2, Key: "37-0-currentValue", Value: true}},
		"scene 1 pressed once":         {{Op: "scene", Node: 11, Key: "001"}},
		"node 13 stops answering":      {{Op: "dead", Node: 13}},
		"answered after":               {{Op: "alive", Node: 13}, {Op: "report", Node: 13, Key: "37-0-currentValue"}},
	}
}

// started returns the state of the house when recordings 10 to 15 begin.
func started() map[int]map[string]any {
	return map[int]map[string]any{
		2:  {"37-0-currentValue": true},
		3:  {"38-0-currentValue": 43, "38-0-targetValue": 150, "38-0-Up": false},
		4:  {"49-0-Air temperature": 23.1},
		7:  {"99-0-userIdStatus-2": 1, "99-0-userCode-2": "9876"},
		10: coloured(),
		11: {"91-0-slowRefresh": true},
	}
}

func coloured() map[string]any {
	return map[string]any{
		"51-0-currentColor-2": 200, "51-0-currentColor-3": 0, "51-0-currentColor-4": 0, "51-0-hexColor": "c80000",
		"51-0-currentColor": map[string]any{"warmWhite": 0, "red": 200, "green": 0, "blue": 0},
		"51-0-targetColor":  map[string]any{"warmWhite": 0, "red": 99, "green": 0, "blue": 0},
	}
}

// pressed returns the values that count as reported after the lamp's own button was
// pressed, and those that the supervised lamp confirmed.
func pressed() map[int][]string {
	return map[int][]string{2: {"37-0-targetValue", "37-0-duration"}, 14: {"37-0-targetValue"}}
}

func takes() []take {
	off := map[string]any{"37-0-currentValue": false}
	return []take{
		{file: "02-switch-writes", running: true, state: map[int]map[string]any{12: {"37-1-currentValue": false}}},
		{file: "03-dimmer-writes", running: true, expected: []disagreement{
			{valued, "Ceiling_Light/switch_multilevel/endpoint_0/currentValue", 4, "a level on the way: the busy recorder read it, and stopped it, up to a second late"},
			{valued, "Ceiling_Light/switch_multilevel/endpoint_0/duration", 2, "what is left of such a way"},
			{valued, "Ceiling_Light/switch_multilevel/endpoint_0/targetValue", 1, "where the way was stopped"},
		}},
		{file: "04-other-devices-writes", running: true, state: map[int]map[string]any{
			7: {"98-0-currentMode": 0}, 8: off0(), 9: {"38-0-currentValue": 0},
		}},
		{file: "05-device-events", running: true, prelude: func(_ *testing.T, p *player) {
			p.bus.handle("zwave/Front_Door/wake_up/endpoint_0/wakeUpInterval/set", []byte("3600"), false)
		}, acts: map[string][]Fault{
			"sensor reports temperature 22.9":      {{Op: "report", Node: 4, Key: "49-0-Air temperature", Value: 22.9}},
			"same temperature again":               {{Op: "report", Node: 4, Key: "49-0-Air temperature", Value: 22.9}},
			"motion detected (notification 7/8)":   {{Op: "change", Node: 4, Key: "113-0-Home Security-Motion sensor status", Value: 8}},
			"motion idle (notification 7/0)":       {{Op: "change", Node: 4, Key: "113-0-Home Security-Motion sensor status", Value: 0}},
			"binary sensor motion true":            {{Op: "report", Node: 4, Key: "48-0-Motion", Value: true}},
			"tamper (notification 7/3)":            {{Op: "change", Node: 4, Key: "113-0-Home Security-Cover status", Value: 3}},
			"door opens (6/22)":                    {{Op: "change", Node: 5, Key: "113-0-Access Control-Door state", Value: 22}},
			"door closes (6/23)":                   {{Op: "change", Node: 5, Key: "113-0-Access Control-Door state", Value: 23}},
			"sleeping node wakes up":               {{Op: "awake", Node: 5}},
			"battery report 15":                    {{Op: "report", Node: 4, Key: "128-0-level", Value: 15}},
			"battery low warning":                  {{Op: "notify", Node: 4, Key: "128-0-battery_low", Value: "Soon"}},
			"central scene 1 pressed once":         {{Op: "hear", Node: 11}},
			"meter report 55.25 W":                 {{Op: "report", Node: 2, Key: "50-0-value-66049", Value: 55.25}},
			"switch toggled at the device (Binary": {{Op: "change", Node: 2, Key: "37-0-currentValue", Value: true}},
			"switch toggled at the device (off)":   {{Op: "change", Node: 2, Key: "37-0-currentValue", Value: false}},
		}},
		{file: "05b-central-scene", running: true, acts: map[string][]Fault{
			"central scene 1 pressed once": {{Op: "scene", Node: 11, Key: "001", Value: 0}},
			"central scene 2 pressed":      {{Op: "scene", Node: 11, Key: "002", Value: 3}},
			"central scene 3 held down":    {{Op: "scene", Node: 11, Key: "003", Value: 2}},
			"released":                     {{Op: "scene", Node: 11, Key: "003", Value: 1}},
		}, expected: []disagreement{
			{valued, "Wall_Remote/nodeinfo", 1, "this interview named its first stage late; that of node 13 in 06, which is played, did not"},
		}},
		{file: "06-api", running: true, state: map[int]map[string]any{3: {"38-0-currentValue": 0}}, acts: map[string][]Fault{
			"now the node wakes up": {{Op: "awake", Node: 5}},
		}, expected: []disagreement{
			{missing, "api/writeValue", 1, "in the same millisecond as a lamp's read-back, which came first here"},
			{extra, "api/writeValue", 1, "the same"},
			{missing, "api/writeMulticast", 1, "the recorder's radio had no multicast: its queue hung until a sleeper woke up"},
			{extra, "api/writeMulticast", 1, "answered at once here"},
			{missing, "api/writeBroadcast", 1, "hung in the same queue"},
			{extra, "api/writeBroadcast", 1, "answered at once here"},
			{missing, "Kitchen_Lamp/switch_binary/endpoint_0/targetValue", 1, "the scene's write hung in the same queue"},
			{missing, "Kitchen_Lamp/switch_binary/endpoint_0/currentValue", 2, "the scene's write hung in the same queue"},
			{extra, "Kitchen_Lamp/switch_binary/endpoint_0/targetValue", 1, "sent at once here"},
			{extra, "Kitchen_Lamp/switch_binary/endpoint_0/currentValue", 2, "sent at once here"},
		}},
		{file: "07-lifecycle", running: true, told: pressed(), state: map[int]map[string]any{
			2: off, 3: {"38-0-currentValue": 43, "38-0-targetValue": 150, "38-0-Up": false}, 7: {"99-0-userIdStatus-2": 1, "99-0-userCode-2": "9876"}, 10: coloured(),
		}, acts: map[string][]Fault{
			"=== NODE DEAD": {{Op: "dead", Node: 13}},
			"node 13 is reachable again and sends a report": {{Op: "alive", Node: 13}, {Op: "report", Node: 13, Key: "37-0-currentValue"}},
			"=== SERIAL STICK LOST":                         {{Op: "stick_out"}},
			"=== STICK BACK":                                {{Op: "stick_in"}},
		}, expected: []disagreement{
			{extra, "Wall_Remote/central_scene/endpoint_0/scene", 4, "the recorded remote had no scenes before its interview in 05b, which was made later"},
		}},
		{file: "08-retained-set-and-takeover", running: true, told: pressed(), acts: map[string][]Fault{
			"the lamp is switched off at the device": {{Op: "change", Node: 2, Key: "37-0-currentValue", Value: false}},
		}},
		{file: "09-write-status-and-rename", running: true, told: pressed(), state: map[int]map[string]any{7: {"98-0-currentMode": 0}}},
		{file: "10-named-entire-value-object", state: with(started(), 4, map[string]any{"49-0-Air temperature": 22.9}), told: pressed(), acts: both(), set: func(c *Config) { c.Settings.Payload = EntireObject }},
		{file: "11-named-just-value", state: started(), told: pressed(), acts: both(), set: func(c *Config) { c.Settings.Payload = JustValue }},
		{file: "12-valueid-numeric", state: started(), told: pressed(), acts: both(), set: func(c *Config) { c.Scheme = wire.Scheme{Kind: wire.ByIDAndValue} }},
		{file: "13-valueid-names-ignoreloc", state: started(), told: pressed(), acts: both(), set: func(c *Config) {
			c.Scheme = wire.Scheme{Kind: wire.ByIDAndName, IgnoreLocation: true}
		}},
		{file: "14-manual", state: started(), told: pressed(), acts: both(), set: func(c *Config) {
			c.Settings.Manual = true
			c.Settings.Values = []GatewayValue{
				{Node: 2, Value: "37-0-currentValue", Topic: "lamp/power"},
				{Node: 4, Value: "49-0-Air temperature", Topic: "climate/temp", NoRet: true},
			}
		}},
		{file: "15-named-hass-discovery-events", state: with(started(), 2, off), told: pressed(), acts: both(), set: func(c *Config) {
			c.Settings.Events, c.Settings.NodeNames = true, true
		}, expected: []disagreement{
			{missing, "config", 32, "Home Assistant discovery is not played: off by default, made for one consumer, no base for clients (docs/facts/zwave-js-ui.md, Home Assistant discovery)"},
			{missing, "node/node_dead", 1, "node 13 has an empty name there because it once had one; here it has none, and events leave it out"},
			{extra, "node/node_dead", 1, "the same"},
		}},
	}
}

func off0() map[string]any { return map[string]any{"106-0-currentValue-13": 0} }

// with returns a state of the house in which one node's values are replaced.
func with(state map[int]map[string]any, node int, values map[string]any) map[int]map[string]any {
	state[node] = values
	return state
}
