package sim

import (
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/zwave/wire"
)

// kinds is every kind of device a house file can have. Values and classes are
// those of the recorded devices; valve, siren, fan and barrier follow the Z-Wave
// device class list, as no recording has them.
var kinds = map[string]func(*node){
	"switch":     func(n *node) { n.class = [2]int{16, 1}; n.binarySwitch(0) },
	"plug":       func(n *node) { n.class = [2]int{16, 1}; n.binarySwitch(0); n.meters() },
	"strip":      func(n *node) { n.class = [2]int{16, 4}; n.binarySwitch(1); n.binarySwitch(2) },
	"valve":      func(n *node) { n.class = [2]int{16, 6}; n.binarySwitch(0) },
	"siren":      func(n *node) { n.class = [2]int{16, 5}; n.binarySwitch(0) },
	"dimmer":     func(n *node) { n.class = [2]int{17, 1}; n.multilevel("Up", "Down") },
	"fan":        func(n *node) { n.class = [2]int{17, 8}; n.multilevel("Up", "Down") },
	"colour":     func(n *node) { n.class = [2]int{17, 1}; n.multilevel("Up", "Down"); n.colours() },
	"cover":      func(n *node) { n.class = [2]int{17, 6}; n.multilevel("Open", "Close") },
	"blind":      func(n *node) { n.class = [2]int{17, 7}; n.covering() },
	"barrier":    func(n *node) { n.class = [2]int{64, 7}; n.barrier() },
	"lock":       func(n *node) { n.class = [2]int{64, 3}; n.lock() },
	"thermostat": func(n *node) { n.class = [2]int{8, 6}; n.thermostat() },
	"climate_sensor": func(n *node) {
		n.class = [2]int{33, 1}
		n.sensor("Air temperature", "°C")
		n.sensor("Humidity", "%")
	},
	"temperature": func(n *node) { n.class = [2]int{33, 1}; n.sensor("Air temperature", "°C") },
	"humidity":    func(n *node) { n.class = [2]int{33, 1}; n.sensor("Humidity", "%") },
	"illuminance": func(n *node) { n.class = [2]int{33, 1}; n.sensor("Illuminance", "Lux") },
	"motion": func(n *node) {
		n.class = [2]int{7, 1}
		n.alarm("Home Security", "Motion sensor status", 8, "Motion detection")
	},
	"contact": func(n *node) { n.class = [2]int{7, 1}; n.door() },
	"water": func(n *node) {
		n.class = [2]int{7, 1}
		n.alarm("Water Alarm", "Sensor status", 2, "Water leak detected")
	},
	"smoke":          func(n *node) { n.class = [2]int{7, 1}; n.alarm("Smoke Alarm", "Sensor status", 2, "Smoke detected") },
	"battery_sensor": func(n *node) { n.class = [2]int{7, 1}; n.battery(100) },
}

func kindNames() string { return strings.Join(slices.Sorted(maps.Keys(kinds)), ", ") }

// add appends a value; writeable values are readable too unless stated.
func (n *node) add(class, ep int, property, key string, m meta, writeable bool, fact any) *value {
	v := &value{
		id:   wire.ValueID{Node: n.spec.ID, Class: class, Endpoint: ep, Property: property, Key: key},
		meta: m, writeable: writeable, readable: true, fact: fact, now: fact, updated: now(),
	}
	n.values = append(n.values, v)
	return v
}

// button is a value that can only be written.
func (n *node) button(class int, property, key, label string) {
	v := n.add(class, 0, property, key, meta{Type: "boolean", Label: label, States: []state{{"Start", true}, {"Stop", false}}}, true, nil)
	v.readable = false
}

func span(from, to float64) (lowest, highest *float64) { return &from, &to }

func still() any { return map[string]any{"value": 0, "unit": "seconds"} }

func (n *node) binarySwitch(ep int) {
	n.add(wire.BinarySwitch, ep, "currentValue", "", meta{Type: "boolean", Label: "Current value"}, false, false)
	n.add(wire.BinarySwitch, ep, "targetValue", "", meta{Type: "boolean", Label: "Target value"}, true, false)
	n.add(wire.BinarySwitch, ep, "duration", "", meta{Type: "duration", Label: "Remaining duration"}, false, still())
}

func (n *node) multilevel(up, down string) {
	low, high := span(0, 99)
	n.add(wire.MultilevelSwitch, 0, "currentValue", "", meta{Type: "number", Label: "Current value", Min: low, Max: high}, false, 0.0)
	n.add(wire.MultilevelSwitch, 0, "duration", "", meta{Type: "duration", Label: "Remaining duration"}, false, still())
	n.add(wire.MultilevelSwitch, 0, "targetValue", "", meta{Type: "number", Label: "Target value", Min: low, Max: high}, true, 0.0)
	n.button(wire.MultilevelSwitch, up, "", "Perform a level change ("+up+")")
	n.button(wire.MultilevelSwitch, down, "", "Perform a level change ("+down+")")
}

func (n *node) covering() {
	low, high := span(0, 99)
	m := meta{Type: "number", KeyName: "Outbound Bottom", Min: low, Max: high, States: []state{{"Closed", 0}, {"Open", 99}}}
	n.add(wire.WindowCovering, 0, "duration", "13", meta{Type: "duration", KeyName: m.KeyName, Label: "Remaining duration - Outbound Bottom"}, false, still())
	m.Label = "Target value - Outbound Bottom"
	n.add(wire.WindowCovering, 0, "targetValue", "13", m, true, 0.0)
	m.Label = "Current value - Outbound Bottom"
	n.add(wire.WindowCovering, 0, "currentValue", "13", m, false, 0.0)
	n.button(wire.WindowCovering, "levelChangeUp", "13", "Open - Outbound Bottom")
	n.button(wire.WindowCovering, "levelChangeDown", "13", "Close - Outbound Bottom")
}

func (n *node) barrier() {
	low, high := span(0, 255)
	states := []state{{"Closed", 0}, {"Closing", 252}, {"Stopped", 253}, {"Opening", 254}, {"Open", 255}}
	n.add(wire.BarrierOperator, 0, "currentState", "", meta{Type: "number", Label: "Current Barrier State", Min: low, Max: high, States: states}, false, 0.0)
	n.add(wire.BarrierOperator, 0, "targetState", "", meta{
		Type: "number", Label: "Target Barrier State", States: []state{{"Closed", 0}, {"Open", 255}},
	}, true, 0.0)
}

func (n *node) lock() {
	low, high := span(0, 255)
	states := []state{{"Unsecured", 0}, {"UnsecuredWithTimeout", 1}, {"InsideUnsecured", 16}, {"OutsideUnsecured", 32}, {"Unknown", 254}, {"Secured", 255}}
	n.add(wire.DoorLock, 0, "duration", "", meta{Type: "duration", Label: "Remaining duration until target lock mode"}, false, still())
	n.add(wire.DoorLock, 0, "targetMode", "", meta{
		Type: "number", Label: "Target lock mode", Min: low, Max: high, States: []state{{"Unsecured", 0}, {"Secured", 255}},
	}, true, 0.0)
	n.add(wire.DoorLock, 0, "currentMode", "", meta{Type: "number", Label: "Current lock mode", Min: low, Max: high, States: states}, false, 0.0)
	n.add(wire.DoorLock, 0, "boltStatus", "", meta{Type: "any", Label: "Current status of the bolt"}, false, "unlocked")
}

func (n *node) thermostat() {
	low, high := span(0, 255)
	n.sensor("Air temperature", "°C")
	n.add(wire.ThermostatMode, 0, "mode", "", meta{
		Type: "number", Label: "Thermostat mode", Min: low, Max: high,
		States: []state{{"Off", 0}, {"Heat", 1}, {"Cool", 2}, {"Auto", 3}},
	}, true, 1.0)
	n.add(wire.ThermostatState, 0, "state", "", meta{
		Type: "number", Label: "Operating state", Min: low, Max: high, States: []state{{"Idle", 0}, {"Heating", 1}, {"Cooling", 2}},
	}, false, 0.0)
	low, high = span(5, 30)
	n.add(wire.ThermostatSetpoint, 0, "setpoint", "1", meta{Type: "number", Label: "Setpoint (Heating)", KeyName: "Heating", Unit: "°C", Min: low, Max: high}, true, 21.0)
	low, high = span(15, 35)
	n.add(wire.ThermostatSetpoint, 0, "setpoint", "2", meta{Type: "number", Label: "Setpoint (Cooling)", KeyName: "Cooling", Unit: "°C", Min: low, Max: high}, true, 26.0)
}

func (n *node) sensor(property, unit string) {
	n.add(wire.MultilevelSensor, 0, property, "", meta{Type: "number", Label: property, Unit: unit}, false, 20.0)
}

func (n *node) alarm(property, key string, event float64, text string) {
	low, high := span(0, 255)
	n.add(wire.Notification, 0, property, key, meta{
		Type: "number", Label: key, KeyName: key, Min: low, Max: high, States: []state{{"idle", 0}, {text, event}},
	}, false, 0.0)
}

func (n *node) door() {
	low, high := span(0, 255)
	n.add(wire.Notification, 0, "Access Control", "Door state", meta{
		Type: "number", Label: "Door state", KeyName: "Door state", Min: low, Max: high,
		States: []state{{"Window/door is open", 22}, {"Window/door is closed", 23}},
	}, false, 23.0)
}

func (n *node) battery(level float64) {
	low, high := span(0, 100)
	n.add(wire.Battery, 0, "level", "", meta{Type: "number", Label: "Battery level", Unit: "%", Min: low, Max: high}, false, level)
}

func (n *node) meters() {
	n.add(wire.Meter, 0, "value", "65537", meta{Type: "number", Label: "Electric Consumption [kWh]", KeyName: "Electric_kWh_Consumed", Unit: "kWh"}, false, 12.345)
	n.add(wire.Meter, 0, "value", "66049", meta{Type: "number", Label: "Electric Consumption [W]", KeyName: "Electric_W_Consumed", Unit: "W"}, false, 0.0)
}

func (n *node) colours() {
	low, high := span(0, 255)
	whole := func(label string) meta { return meta{Type: "any", Label: label} }
	n.add(wire.ColorSwitch, 0, "currentColor", "", whole("Current color"), false, map[string]any{"red": 255.0, "green": 255.0, "blue": 255.0})
	n.add(wire.ColorSwitch, 0, "targetColor", "", whole("Target color"), true, nil)
	n.add(wire.ColorSwitch, 0, "hexColor", "", meta{Type: "color", Label: "RGB Color"}, true, "ffffff")
	for _, c := range components {
		m := meta{Type: "number", KeyName: c.word, Min: low, Max: high}
		m.Label = "Current value (" + c.word + ")"
		n.add(wire.ColorSwitch, 0, "currentColor", c.key, m, false, 255.0)
		m.Label = "Target value (" + c.word + ")"
		n.add(wire.ColorSwitch, 0, "targetColor", c.key, m, true, nil)
	}
}

// components are the colour components of the recorded lamp, without white.
var components = []struct{ key, word, name string }{{"2", "Red", "red"}, {"3", "Green", "green"}, {"4", "Blue", "blue"}}
