package sim

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// FuzzMessages lets any message reach a running gateway, in every setting of its
// topics and payloads.
func FuzzMessages(f *testing.F) {
	api := "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/"
	f.Add(uint8(0), api+"api/writeValue/set", []byte(`{"args":[{"nodeId":2,"commandClass":37,"property":"targetValue"},true]}`))
	f.Add(uint8(1), "zwave/Kitchen/Kitchen_Light/switch_binary/endpoint_0/targetValue/set", []byte(`on`))
	f.Add(uint8(2), "zwave/Living_Room/Living_Room_Light/switch_multilevel/endpoint_0/targetValue/set", []byte(`{"value":1e9}`))
	f.Add(uint8(3), "zwave/Guest_Room/Mood_Light/color/endpoint_0/targetColor/set", []byte(`{"red":1e300,"green":-1}`))
	f.Add(uint8(4), api+"broadcast/switch_binary/endpoint_0/targetValue/set", []byte(`true`))
	f.Add(uint8(5), api+"multicast/set", []byte(`{"nodes":[2,3],"commandClass":37,"property":"targetValue","value":true}`))
	f.Add(uint8(0), api+"api/_addSceneValue/set", []byte(`{"args":[1,{"nodeId":2},true,0]}`))
	f.Add(uint8(0), api+"api/sendCommand/set", []byte(`{"args":[{"nodeId":5,"commandClass":38},"get",[]]}`))
	f.Add(uint8(0), api+"api/pollValue/set", []byte(`{"args":[{"nodeId":25,"commandClass":98,"property":"currentMode"}]}`))
	f.Add(uint8(0), "zwave/Broadcast/basic/endpoint_0/Target_value/set", []byte(`255`))
	f.Add(uint8(0), "zwave/_SIM/ZWAVE_GATEWAY-Simulated_House/fault/set", []byte(`{"op":"change","node":5,"key":"38-0-currentValue","value":1e308}`))
	f.Add(uint8(1), api+"api/pingNode/set", []byte(`{"op":"stick_out"}`))
	f.Add(uint8(2), "zwave/_SIM/ZWAVE_GATEWAY-Simulated_House/truth/set", []byte(`{"op":"block","node":13,"count":3}`))
	usual := DefaultConfig()
	usual.Scale = 0
	kept := map[string]bool{} // one node of each kind is enough, and faster
	usual.House.Nodes = slices.DeleteFunc(usual.House.Nodes, func(n NodeSpec) bool {
		again := kept[n.Kind] || len(n.Kind) > len("thermostat") || strings.HasSuffix(n.Kind, "_sensor")
		kept[n.Kind] = true
		return again && n.Kind != "colour_white" && n.Kind != "keypad_lock"
	})
	f.Fuzz(func(t *testing.T, setting uint8, topic string, payload []byte) {
		cfg := usual
		cfg.Settings.Payload = Payload(setting % 3)
		cfg.Settings.Events, cfg.Settings.NodeDetails = setting&4 != 0, setting&8 != 0
		s, err := New(cfg, &tape{}, quiet())
		if err != nil {
			t.Fatal(err)
		}
		s.greet()
		s.setMessage(topic, payload)
		s.clock.timers.run(time.Now().Add(time.Hour))
		s.controlMessage(payload)
		s.truthMessage(payload)
		s.clock.timers.run(time.Now().Add(time.Hour))
		for _, m := range s.mqtt.out.list {
			if m.topic == "" || strings.ContainsAny(m.topic, "+#") && !strings.ContainsAny(topic+string(payload), "+#") {
				t.Errorf("published on %q", m.topic)
			}
			if string(m.payload) == "null" {
				t.Errorf("%s could not be written", m.topic)
			}
		}
	})
}

func FuzzParseHouse(f *testing.F) {
	f.Add(defaultHouse)
	f.Add([]byte("home_id: 1\ngateway: {type: MANUAL, values: [{node: 2, value: 37-0-currentValue, topic: x}]}\nnodes: [{id: 2, kind: switch}]"))
	f.Add([]byte("nodes: [{id: 2, kind: switch, values: {37-0-currentValue: .nan}}]"))
	f.Add([]byte("nodes: [{id: 2, kind: dimmer, ramp: 1h, extra: [{id: 49-0-Air temperature, type: number, value: {a: [1, b]}}]}]"))
	f.Add([]byte("gateway: {payload: entire, start: {driver: 1s, order: [2, 2, 0]}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		house, err := ParseHouse(data)
		if err != nil {
			return
		}
		cfg := DefaultConfig()
		cfg.House = house
		if err := house.Gateway.Apply(&cfg); err != nil {
			t.Fatalf("a valid house has a bad gateway: %v", err)
		}
		s, err := New(cfg, &tape{}, quiet())
		if err != nil {
			return // values that the kinds do not have
		}
		s.greet()
		s.apiMessage("getNodes", nil)
		s.clock.timers.run(time.Now().Add(48 * time.Hour))
		for _, m := range s.mqtt.out.list {
			if len(m.payload) > 0 && !json.Valid(m.payload) {
				t.Errorf("%s: %s", m.topic, m.payload)
			}
		}
	})
}

func FuzzParseFault(f *testing.F) {
	f.Add([]byte(`{"op":"delay","node":2,"for":"2s"}`))
	f.Add([]byte(`{"op":"join","spec":"{id: 90, kind: switch}"}`))
	f.Add([]byte(`{"op":"wrong","node":"Kitchen Light","value":{"a":[1]},"count":3}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		fault, err := ParseFault(data)
		if err != nil {
			return
		}
		if fault.Op == "" || fault.For < 0 || fault.For > maxPause || fault.Count < 0 {
			t.Errorf("%s was read as %+v", data, fault)
		}
	})
}

func FuzzParseSet(f *testing.F) {
	for _, seed := range []string{"true", `{"value":1}`, "50%", "#00ff7f", "-1e9", `{"value":{"red":1}}`, "lock", `"x"`, "\x00", "+"} {
		f.Add([]byte(seed), uint8(0))
	}
	f.Fuzz(func(t *testing.T, payload []byte, kind uint8) {
		types := []string{"boolean", "number", "string", "any", "color", "duration"}
		m := meta{Type: types[int(kind)%len(types)]}
		v, ok := parseSet(payload, m)
		if ok && !fits(v, m) {
			t.Errorf("%q was taken as %#v for a %s", payload, v, m.Type)
		}
	})
}
