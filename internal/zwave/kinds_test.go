package zwave

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/zwave/wire"
)

// list makes a getNodes answer of nodes written as "members|value|value", where a
// value is "class-endpoint-property[-key] members".
func list(t *testing.T, nodes ...string) map[int]*node {
	t.Helper()
	var all []string
	for _, n := range nodes {
		parts := strings.Split(n, "|")
		var values []string
		for _, p := range parts[1:] {
			id, members, _ := strings.Cut(p, " ")
			f := strings.SplitN(id, "-", 4)
			value := fmt.Sprintf(`"commandClass":%s,"endpoint":%s,"property":%q,"readable":true,"writeable":true`, f[0], f[1], strings.ReplaceAll(f[2], "_", " "))
			if len(f) == 4 {
				value += fmt.Sprintf(`,"propertyKey":%q`, strings.ReplaceAll(f[3], "_", " "))
			}
			if members != "" {
				value += "," + members
			}
			values = append(values, fmt.Sprintf("%q:{%s}", id, value))
		}
		all = append(all, "{"+parts[0]+`,"isListening":true,"values":{`+strings.Join(values, ",")+"}}")
	}
	out, skipped, err := decodeNodes(json.RawMessage("[" + strings.Join(all, ",") + "]"))
	if err != nil || len(skipped) > 0 {
		t.Fatal(err, skipped)
	}
	return out
}

func TestKindsOfDevices(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		node string
		want map[string]string // name: domain and abilities
	}{
		"a power strip that measures each outlet": {
			`"id":2,"name":"Power Strip"|37-1-currentValue|37-1-targetValue|37-2-currentValue|37-2-targetValue|50-1-value-66049 "unit":"W"|50-2-value-66049 "unit":"W"`,
			map[string]string{
				"Power Strip 1": "switch on_off power", "Power Strip 2": "switch on_off power",
				"Power Strip 1 Power": "sensor power", "Power Strip 2 Power": "sensor power",
			},
		},
		"outlets with labels and a root": {
			`"id":2,"name":"Bar","endpoints":[{"index":1,"label":"Left"},{"index":2,"label":"Right"}]|37-0-currentValue|37-1-currentValue|37-2-currentValue`,
			map[string]string{"Bar": "switch on_off", "Bar Left": "switch on_off", "Bar Right": "switch on_off"},
		},
		"an old lock": {
			`"id":2,"name":"Shed Lock"|118-0-locked "type":"boolean","value":true`,
			map[string]string{"Shed Lock": "lock lock"},
		},
		"a lock that knows its door": {
			`"id":2,"name":"Front Lock"|98-0-currentMode|98-0-targetMode|98-0-doorStatus "value":"open"`,
			map[string]string{"Front Lock": "lock lock contact"},
		},
		"a remote control": {
			`"id":2,"name":"Remote"|91-0-scene-001|91-0-scene-002|91-0-slowRefresh|128-0-level`,
			map[string]string{"Remote Button 1": "sensor button_1", "Remote Button 2": "sensor button_2", "Remote Battery": "sensor battery"},
		},
		"a door sensor with the newer notification only": {
			`"id":2,"name":"Patio Door"|113-0-Access_Control-Opening_state|128-0-level`,
			map[string]string{"Patio Door": "binary_sensor contact battery", "Patio Door Battery": "sensor battery"},
		},
		"a thermostat with a fan": {
			`"id":2,"name":"Thermostat"|64-0-mode|67-0-setpoint-1|67-0-setpoint-2|68-0-mode|69-0-state|49-0-Air_temperature`,
			map[string]string{"Thermostat": "climate setpoint mode temperature"},
		},
		"a radiator valve with a setpoint of its own kind": {
			`"id":2,"name":"Radiator"|67-0-setpoint-11`,
			map[string]string{"Radiator": "climate setpoint"},
		},
		"a garage door and a garage's shade": {
			`"id":2,"name":"Garage Door"|102-0-currentState|102-0-targetState`,
			map[string]string{"Garage Door": "cover open_close"},
		},
		"a water meter": {
			`"id":2,"name":"Main"|50-0-value-66306 "unit":"m³","label":"Water Consumption [m³]"`,
			map[string]string{"Main": "sensor water"},
		},
		"a freezer's sensor": {
			`"id":2,"name":"Freezer"|48-0-Freeze "type":"boolean"`,
			map[string]string{"Freezer": "binary_sensor freeze"},
		},
		"a glass break sensor": {
			`"id":2,"name":"Conservatory"|113-0-Home_Security-Sensor_status "states":[{"text":"idle","value":0},{"text":"Glass breakage (location provided)","value":5},{"text":"Glass breakage","value":6}]`,
			map[string]string{"Conservatory": "binary_sensor glass_break"},
		},
		"a box that tells intrusion and broken glass": {
			`"id":2,"name":"Alarm Box"|113-0-Home_Security-Sensor_status "states":[{"text":"idle","value":0},{"text":"Intrusion","value":2},{"text":"Glass breakage","value":6}]`,
			map[string]string{"Alarm Box": "binary_sensor intrusion"},
		},
		"a sensor of intrusion": {
			`"id":2,"name":"Alarm Box"|113-0-Home_Security-Sensor_status`,
			map[string]string{"Alarm Box": "binary_sensor intrusion"},
		},
		"two thermometers in one box": {
			`"id":2,"name":"Probe"|49-1-Air_temperature|49-2-Air_temperature`,
			map[string]string{"Probe Temperature": "sensor temperature", "Probe 2 Temperature": "sensor temperature"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(1, list(t, tc.node), wire.Scheme{}, nil)
			got := map[string]string{}
			for _, e := range m.entities {
				words := []string{e.Domain}
				for _, a := range e.abilities {
					words = append(words, string(a))
				}
				got[e.Name] = strings.Join(words, " ")
				if !slices.Contains(domains(), e.Domain) {
					t.Errorf("%s is a %s, which is not in deviceTypes: no list can be asked for it", e.Name, e.Domain)
				}
			}
			if !maps.Equal(got, tc.want) {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}

// TestNamesOfEveryLanguageTellWhatAThingIs checks which kind of thing a relay or a motor
// becomes by the name that a family gave it, whatever language the house speaks.
func TestNamesOfEveryLanguageTellWhatAThingIs(t *testing.T) {
	t.Parallel()
	const (
		relay    = "37-0-currentValue"
		motor    = "38-0-currentValue|38-0-Open|38-0-Close"
		covering = "106-0-currentValue-13"
	)
	for _, c := range []struct{ name, product, value, want string }{
		{"Küchenlicht", "", relay, "light "},
		{"Flurlampe links", "", relay, "light "},
		{"Außenbeleuchtung", "", relay, "light "},
		{"Luz del pasillo", "", relay, "light "},
		{"Lampe du couloir", "", relay, "light "},
		{"Lichterkette", "Smart Plug", relay, "switch "},
		{"Kühlschrank", "", relay, "switch "},
		{"Heizstrahler", "", relay, "switch "},
		{"Deckenventilator", "", relay, "fan "},
		{"Kellerlüfter", "", relay, "fan "},
		{"Markise Terrasse", "", motor, "cover awning"},
		{"Terrassenmarkise", "", motor, "cover awning"},
		{"Pergola Awning", "", motor, "cover awning"},
		{"Toldo", "", motor, "cover awning"},
		{"Rollladen Küche", "", motor, "cover blind"},
		{"Vorhang links", "", motor, "cover curtain"},
		{"Rideaux", "", motor, "cover curtain"},
		{"Skylight", "", motor, "cover window"},
		{"Dachfenster", "", motor, "cover window"},
		{"Lucarne", "", motor, "cover window"},
		{"Dachfenster Rollo", "", motor, "cover blind"},
		{"Fenster Süd", "Roller Shutter 3", motor, "cover blind"},
		{"Window Left", "", covering, "cover blind"},
		{"Garagentor", "", motor, "cover garage"},
	} {
		m := newModel(1, list(t, fmt.Sprintf(`"id":2,"name":%q,"productDescription":%q|%s`, c.name, c.product, c.value)), wire.Scheme{}, nil)
		if e := m.entities[0]; e.Domain+" "+e.Class != c.want {
			t.Errorf("%s (%s) is %q, want %q", c.name, c.product, e.Domain+" "+e.Class, c.want)
		}
	}
}

func TestOddNodesAreReadAllTheSame(t *testing.T) {
	t.Parallel()
	nodes, skipped, err := decodeNodes(json.RawMessage(`[
		{"id":2,"name":null,"isListening":false,"isFrequentListening":"1000ms","deviceClass":"unknown","endpoints":{"0":1},
		 "values":{"a":{"commandClass":98,"endpoint":null,"property":"currentMode","min":"low","states":"none","label":7,"lastUpdate":"never"}}},
		{"id":3,"values":[{"commandClass":37,"property":"currentValue","value":true},{"commandClass":"x"},5]},
		{"id":255,"virtual":true},{"id":"4"},{"name":"nobody"},7]`))
	if err != nil || len(nodes) != 2 || len(skipped) != 5 {
		t.Fatalf("%d nodes, skipped %v, %v", len(nodes), skipped, err)
	}
	if n := nodes[2]; n.sleeper() || !n.Available || n.find(wire.DoorLock, 0, "currentMode", "") == nil {
		t.Errorf("a lock that listens now and then: %+v", n)
	}
	if nodes[3].find(wire.BinarySwitch, 0, "currentValue", "") == nil {
		t.Error("values in a list are not read")
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	m := newModel(1, list(t,
		`"id":2,"name":"Ceiling Light","loc":"Kitchen"|38-0-currentValue`,
		`"id":3,"name":"Counter Lights","loc":"Kitchen"|38-0-currentValue`,
		`"id":4,"name":"Desk Lamp","loc":"Office"|38-0-currentValue`,
		`"id":5,"name":"Coffee Machine","loc":"Kitchen"|37-0-currentValue`,
	), wire.Scheme{}, nil)
	tests := map[string][]string{
		"kitchen lights":                {"Ceiling Light", "Counter Lights"},
		"all the lights in the kitchen": nil, // "all the lights" is no type
		"all lights in the Kitchen":     {"Ceiling Light", "Counter Lights"},
		"the Kitchen":                   {"Ceiling Light", "Counter Lights"},
		"kitchen switches":              {"Coffee Machine"},
		"desk lamp and coffee machine":  {"Desk Lamp", "Coffee Machine"},
		"Desk Lamp, Counter Lights":     {"Desk Lamp", "Counter Lights"},
		"desk lamp and the moon":        nil,
		"cellar lights":                 nil,
		"lights":                        nil,
		"everything":                    nil,
		"all":                           nil,
	}
	tests["all the lights in the kitchen"] = tests["kitchen lights"]
	for name, want := range tests {
		var got []string
		for _, e := range m.group(name) {
			got = append(got, e.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q means %v, want %v", name, got, want)
		}
	}
}

func TestValuesAreCheckedBeforeTheyAreSent(t *testing.T) {
	t.Parallel()
	m := newModel(1, list(t,
		`"id":2,"name":"Thermostat"|64-0-mode "type":"number","min":0,"max":255,"states":[{"text":"Off","value":0},{"text":"Heat","value":1}]`+
			`|67-0-setpoint-1 "unit":"°F","min":40,"max":90|68-0-mode "states":[{"text":"Auto low","value":0}]`,
		`"id":3,"name":"Lamp"|38-0-currentValue "value":5|38-0-targetValue "type":"number","min":0,"max":99`,
	), wire.Scheme{}, nil)
	tests := map[string]struct {
		device, action string
		value          any
		want           any    // the value that is written
		refusal        string // why it is refused instead
	}{
		"last level":   {"Lamp", "on", nil, 255.0, ""},
		"full":         {"Lamp", "level", 100.0, 99.0, ""},
		"a hair":       {"Lamp", "level", "0.4%", 1.0, ""},
		"beyond":       {"Lamp", "level", 101.0, nil, "from 0 to 100"},
		"fan":          {"Thermostat", "mode", "fan auto low", 0.0, ""},
		"mode":         {"Thermostat", "mode", "HEAT", 1.0, ""},
		"Celsius":      {"Thermostat", "setpoint", "20°C", 68.0, ""},
		"no such mode": {"Thermostat", "mode", "cool", nil, "it knows off, heat"},
		"too hot":      {"Thermostat", "setpoint", 99.0, nil, "up to 90 degrees"},
	}
	for name, tc := range tests {
		r := request{model: m, entity: m.exact(tc.device)[0], value: tc.value, read: func(wire.ValueID) reading { return reading{} }}
		s, err := plan(tc.action, r)
		if err == nil {
			err = r.valid(s)
		}
		if tc.refusal == "" && (err != nil || s.value != tc.want) || tc.refusal != "" && (err == nil || !strings.Contains(err.Error(), tc.refusal)) {
			t.Errorf("%s: %v, %v", name, s.value, err)
		}
	}
	if (&node{Name: "Garage.Shade+"}).coverClass() != "shade" || (&node{Name: "Garage Door Shutter"}).coverClass() != "garage" {
		t.Error("a garage's shade is no door")
	}
}

func TestClaimsAreNoStates(t *testing.T) {
	t.Parallel()
	id := wire.ValueID{Node: 2, Class: wire.BinarySwitch, Property: "currentValue"}
	said := func(v bool) wire.Reading { return wire.Reading{Value: v, Known: true} }
	l := newLedger()
	is := func(when string, value any, unproved bool) {
		t.Helper()
		if got := l.read(id).value; got != value || l.unproved(id) != unproved {
			t.Errorf("%s it is %v (unproved: %t)", when, got, l.unproved(id))
		}
	}
	l.report(id, said(false))
	is("reported out of nothing", false, false)
	l.writing(2, "x", apiWait)
	l.report(id, said(true))
	is("reported during a write", false, true)
	if c := l.claim(id); c.value != true {
		t.Errorf("what is claimed of it is %v", c)
	}
	l.notePoll(id, true, 1)
	is("read back", true, false)
	l.report(id, said(false))
	is("claimed again", true, true)
	l.notePoll(id, true, 1)
	is("asked", true, false)
	l.wrote(2, "x")
	l.report(id, said(false))
	is("reported after the answer", false, false)
	l.doubt(everyNode, apiWait)
	l.report(id, said(true))
	is("reported after a command to everybody", false, true)
	battery := wire.ValueID{Node: 2, Class: wire.Battery, Property: "level"}
	l.report(battery, wire.Reading{Value: 50.0, Known: true})
	if got := l.read(battery).value; got != 50.0 {
		t.Errorf("what no command changes is %v", got)
	}
}

// TestTheGatewaysMemoryRepeatsClaims checks that a list of nodes neither makes a
// state of a claim nor hides what was reported later.
func TestTheGatewaysMemoryRepeatsClaims(t *testing.T) {
	t.Parallel()
	house := func(members string) map[int]*node { return list(t, `"id":2,"name":"Lamp"|37-0-currentValue `+members) }
	id := wire.ValueID{Node: 2, Class: wire.BinarySwitch, Property: "currentValue"}
	claimedAt := time.UnixMilli(2000)
	for name, tc := range map[string]struct {
		listed string
		want   any
	}{
		"the claim":      {`"value":true,"lastUpdate":2000`, false},
		"a later report": {`"value":true,"lastUpdate":2001`, true},
		"no time":        {`"value":true`, false},
	} {
		l := newLedger()
		l.load(house(`"value":false,"lastUpdate":1000`), l.tick())
		l.writing(2, "x", apiWait)
		l.report(id, wire.Reading{Value: true, Known: true, Time: claimedAt})
		l.wrote(2, "x")
		l.load(house(tc.listed), l.tick())
		if got := l.read(id).value; got != tc.want {
			t.Errorf("%s: the lamp is %v", name, got)
		}
	}
}

func TestAGatewayThatIsStillReadingItsNodesHidesNone(t *testing.T) {
	t.Parallel()
	before := list(t, `"id":2,"name":"Lamp","ready":true|37-0-currentValue "value":false`)
	h, err := New(DefaultConfig(), nil, quietLog())
	if err != nil {
		t.Fatal(err)
	}
	h.adopt(newModel(1, before, wire.Scheme{}, nil), h.ledger.tick())
	h.handle("zwave/Lamp/switch_binary/endpoint_0/currentValue", []byte(`{"time":1,"value":true}`), false)
	after := list(t, `"id":2,"name":"New Lamp","ready":false`)
	keepUnread(after, before)
	h.adopt(newModel(1, after, wire.Scheme{}, nil), h.ledger.tick())
	e := h.directory.current().exact("new lamp")
	if len(e) != 1 || h.ledger.read(e[0].main).value != true {
		t.Errorf("the lamp is %v, its state %v", e, h.ledger.read(before[2].find(37, 0, "currentValue", "").Address))
	}
}

func TestButtonsKeepWhatWasPressed(t *testing.T) {
	t.Parallel()
	h, err := New(DefaultConfig(), nil, quietLog())
	if err != nil {
		t.Fatal(err)
	}
	h.adopt(newModel(1, list(t, `"id":11,"name":"Wall Remote"|91-0-scene-001`), wire.Scheme{}, nil), h.ledger.tick())
	for _, m := range recording(t, "05b-central-scene.jsonl") {
		h.handle(m.Topic, m.body(), false)
	}
	m := h.directory.current()
	e := m.exact("Wall Remote")[0]
	if got := m.state(e, h.ledger.read(e.main).value); got == nil || !e.has(home.Ability("button_1")) {
		t.Errorf("the button is %v", got)
	}
}
