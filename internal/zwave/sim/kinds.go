package sim

import (
	"maps"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// Command classes that only simulated devices speak of.
const (
	basic             = 32
	thermostatFanMode = 68
	userCode          = 99
	simpleLock        = 118
	soundSwitch       = 121
)

// kind is a kind of device: its generic and specific device class, and what
// gives it its values.
type kind struct {
	class [2]int
	build func(*node)
}

// kinds is every kind of device a house file can have. Values and classes are
// those of the recorded devices; valve, siren, fan, barrier, bolt and the single
// sensors follow the Z-Wave device class list, as no recording has them.
var kinds = map[string]kind{
	"switch":         {[2]int{16, 1}, func(n *node) { n.binarySwitch(0) }},
	"plug":           {[2]int{16, 1}, func(n *node) { n.binarySwitch(0); n.meters(false) }},
	"meter_switch":   {[2]int{16, 1}, func(n *node) { n.binarySwitch(0); n.meters(true) }},
	"strip":          {[2]int{16, 4}, func(n *node) { n.binarySwitch(1); n.binarySwitch(2) }},
	"strip4":         {[2]int{16, 4}, strip4},
	"valve":          {[2]int{16, 6}, func(n *node) { n.binarySwitch(0) }},
	"siren":          {[2]int{16, 5}, func(n *node) { n.binarySwitch(0) }},
	"sound":          {[2]int{3, 1}, func(n *node) { n.sound() }},
	"dimmer":         {[2]int{17, 1}, func(n *node) { n.multilevel("Up", "Down") }},
	"fan":            {[2]int{17, 8}, func(n *node) { n.multilevel("Up", "Down") }},
	"colour":         {[2]int{17, 1}, func(n *node) { n.multilevel("Up", "Down"); n.colours(false) }},
	"colour_white":   {[2]int{17, 1}, func(n *node) { n.multilevel("Up", "Down"); n.colours(true) }},
	"cover":          {[2]int{17, 6}, func(n *node) { n.multilevel("Open", "Close") }},
	"blind":          {[2]int{17, 7}, func(n *node) { n.covering(bottom) }},
	"venetian":       {[2]int{17, 7}, func(n *node) { n.covering(bottom); n.covering(slats) }},
	"barrier":        {[2]int{64, 7}, func(n *node) { n.barrier() }},
	"lock":           {[2]int{64, 3}, func(n *node) { n.lock(false) }},
	"keypad_lock":    {[2]int{64, 3}, func(n *node) { n.lock(true); n.userCodes() }},
	"bolt":           {[2]int{64, 1}, func(n *node) { n.bolt() }},
	"thermostat":     {[2]int{8, 6}, func(n *node) { n.thermostat() }},
	"thermostat_f":   {[2]int{8, 6}, func(n *node) { n.fahrenheit() }},
	"remote":         {[2]int{24, 1}, func(n *node) { n.scenes() }},
	"climate_sensor": {[2]int{33, 1}, func(n *node) { n.sensors("Air temperature", "Humidity") }},
	"multi_sensor":   {[2]int{33, 1}, func(n *node) { n.multiSensor() }},
	"temperature":    {[2]int{33, 1}, func(n *node) { n.sensors("Air temperature") }},
	"humidity":       {[2]int{33, 1}, func(n *node) { n.sensors("Humidity") }},
	"illuminance":    {[2]int{33, 1}, func(n *node) { n.sensors("Illuminance") }},
	"motion":         {[2]int{7, 1}, func(n *node) { n.alarm("Home Security", "Motion sensor status", 8, "Motion detection") }},
	"contact":        {[2]int{7, 1}, func(n *node) { n.door() }},
	"door":           {[2]int{7, 1}, func(n *node) { n.alarmTypes(); n.openings(); n.door() }},
	"water":          {[2]int{7, 1}, func(n *node) { n.alarm("Water Alarm", "Sensor status", 2, "Water leak detected") }},
	"smoke":          {[2]int{7, 1}, func(n *node) { n.alarm("Smoke Alarm", "Sensor status", 2, "Smoke detected") }},
	"battery_sensor": {[2]int{7, 1}, func(n *node) { n.battery(100) }},
}

func kindNames() string { return strings.Join(slices.Sorted(maps.Keys(kinds)), ", ") }

// add appends a value; it is readable.
func (n *node) add(class, ep int, property, key string, m meta, writeable bool, fact any) *value {
	v := &value{
		id:   wire.ValueID{Node: n.spec.ID, Class: class, Endpoint: ep, Property: property, Key: key},
		meta: m, writeable: writeable, readable: true, fact: fact, now: fact, rank: len(n.values),
	}
	n.values = append(n.values, v)
	return v
}

// button is a value that can only be written.
func (n *node) button(class int, property, key string, m meta) {
	m.Type = "boolean"
	if m.States == nil {
		m.States = []state{{"Start", true}, {"Stop", false}}
	}
	n.add(class, 0, property, key, m, true, nil).readable = false
}

func span(from, to float64) (lowest, highest *float64) { return &from, &to }

func still() any { return map[string]any{"value": 0.0, "unit": "seconds"} }

func specific(name string, number any) map[string]any {
	return map[string]any{"ccSpecific": map[string]any{name: number}}
}

// common is what every device has: who made it, and versions.
func (n *node) common() {
	ids := n.spec.IDs
	if ids == [3]int{} {
		ids = [3]int{0xFFFF, 0xFFFF, 0xFFFE} // what a device without an entry in the data base has
	}
	low, high := span(0, 65535)
	for i, p := range []struct{ property, label string }{{"productId", "Product ID"}, {"productType", "Product type"}, {"manufacturerId", "Manufacturer ID"}} {
		n.add(114, 0, p.property, "", meta{Type: "number", Label: p.label, Min: low, Max: high}, false, float64(ids[2-i]))
	}
	if n.spec.Battery > 0 {
		n.battery(float64(n.spec.Battery))
	}
	if n.spec.Sleeping {
		low, high := span(0, 16777215)
		n.add(wire.WakeUp, 0, "controllerNodeId", "", meta{Type: "any", Label: "Node ID of the controller"}, false, 1.0)
		n.add(wire.WakeUp, 0, "wakeUpInterval", "", meta{Type: "number", Label: "Wake Up interval", Min: low, Max: high}, true, 3600.0)
	}
	n.add(134, 0, "hardwareVersion", "", meta{Type: "number", Label: "Z-Wave chip hardware version"}, false, 1.0)
	n.add(134, 0, "firmwareVersions", "", meta{Type: "string[]", Label: "Z-Wave chip firmware versions"}, false, []any{"1.0"})
	n.add(134, 0, "protocolVersion", "", meta{Type: "string", Label: "Z-Wave protocol version"}, false, "7.0")
	n.add(134, 0, "libraryType", "", meta{Type: "number", Label: "Library type", States: libraries()}, false, 3.0)
}

func libraries() []state {
	names := []string{
		"Unknown", "Static Controller", "Controller", "Enhanced Slave", "Slave", "Installer",
		"Routing Slave", "Bridge Controller", "Device under Test", "N/A", "AV Remote", "AV Device",
	}
	out := make([]state, len(names))
	for i, name := range names {
		out[i] = state{name, float64(i)}
	}
	return out
}

func (n *node) binarySwitch(ep int) {
	n.add(wire.BinarySwitch, ep, "currentValue", "", meta{Type: "boolean", Label: "Current value"}, false, false)
	target := n.add(wire.BinarySwitch, ep, "targetValue", "", meta{Type: "boolean", Label: "Target value"}, true, false)
	left := n.add(wire.BinarySwitch, ep, "duration", "", meta{Type: "duration", Label: "Remaining duration"}, false, still())
	target.rank, left.rank = left.rank, target.rank // unknown ones are told in this order
}

func strip4(n *node) {
	for ep := range 4 {
		n.binarySwitch(ep + 1)
	}
}

// sound is a sound switch: a siren with a choice of tones.
func (n *node) sound() {
	low, high := span(0, 254)
	n.add(soundSwitch, 0, "toneId", "", meta{
		Type: "number", Label: "Play Tone", Min: low, Max: high,
		States: []state{{"off", 0.0}, {"Ding Dong (5 sec)", 1.0}, {"Alarm (10 sec)", 2.0}, {"default", 255.0}},
	}, true, 0.0)
	low, high = span(0, 100)
	n.add(soundSwitch, 0, "volume", "", meta{Type: "number", Label: "Volume", Unit: "%", Min: low, Max: high, States: []state{{"default", 0.0}}}, true, nil)
	n.add(soundSwitch, 0, "defaultVolume", "", meta{Type: "number", Label: "Default volume", Unit: "%", Min: low, Max: high}, true, 60.0)
	low, high = span(1, 2)
	n.add(soundSwitch, 0, "defaultToneId", "", meta{Type: "number", Label: "Default tone ID", Min: low, Max: high}, true, 1.0)
}

func (n *node) multilevel(up, down string) {
	switchType := 2.0
	if up == "Open" {
		switchType = 3
	}
	low, high := span(0, 99)
	n.add(wire.MultilevelSwitch, 0, "currentValue", "", meta{Type: "number", Label: "Current value", Min: low, Max: high}, false, 0.0)
	n.add(wire.MultilevelSwitch, 0, "duration", "", meta{Type: "duration", Label: "Remaining duration"}, false, still())
	n.add(wire.MultilevelSwitch, 0, "targetValue", "", meta{Type: "number", Label: "Target value", Min: low, Max: high}, true, 0.0)
	for _, way := range []string{up, down} {
		n.button(wire.MultilevelSwitch, way, "", meta{Label: "Perform a level change (" + way + ")", More: specific("switchType", switchType)})
	}
	n.button(wire.MultilevelSwitch, "restorePrevious", "", meta{Label: "Restore previous value", States: []state{{"Restore", true}}})
}

func (n *node) battery(level float64) {
	low, high := span(0, 100)
	n.add(wire.Battery, 0, "level", "", meta{Type: "number", Label: "Battery level", Unit: "%", Min: low, Max: high}, false, level)
}

// meters measure what a plug lets through; whole ones also volts and amperes.
func (n *node) meters(whole bool) {
	scales := []struct {
		key, unit string
		scale     float64
		fact      any
	}{{"65537", "kWh", 0, 12.345}, {"66049", "W", 2, 0.0}, {"66561", "V", 4, 230.1}, {"66817", "A", 5, 0.182}}
	if !whole {
		scales = scales[:2]
	}
	for _, m := range scales {
		n.add(wire.Meter, 0, "value", m.key, meta{
			Type: "number", Label: "Electric Consumption [" + m.unit + "]", KeyName: "Electric_" + m.unit + "_Consumed", Unit: m.unit,
			More: map[string]any{"ccSpecific": map[string]any{"meterType": 1.0, "scale": m.scale, "rateType": 1.0}},
		}, false, m.fact)
	}
	n.button(wire.Meter, "reset", "", meta{Label: "Reset accumulated values", States: []state{{"Reset", true}}})
}

func (n *node) colours(white bool) {
	low, high := span(0, 255)
	start := map[string]any{"red": 255.0, "green": 255.0, "blue": 255.0}
	parts := components[1:]
	if white {
		parts = components
		start["warmWhite"] = 0.0
	}
	whole := func(label string) meta { return meta{Type: "any", Label: label} }
	current := func(i int) {
		c := parts[i]
		n.add(wire.ColorSwitch, 0, "currentColor", c.key, meta{
			Type: "number", KeyName: c.word, Min: low, Max: high, Label: "Current value (" + c.word + ")",
			More: map[string]any{"description": "The current value of the " + c.word + " channel."},
		}, false, start[c.name])
	}
	current(0)
	n.add(wire.ColorSwitch, 0, "currentColor", "", whole("Current color"), false, start)
	if white {
		current(1)
	}
	n.add(wire.ColorSwitch, 0, "hexColor", "", meta{Type: "color", Label: "RGB Color", More: map[string]any{"minLength": 6.0, "maxLength": 7.0}}, true, "ffffff")
	for i := len(parts) - 2; i < len(parts); i++ {
		current(i)
	}
	target := n.add(wire.ColorSwitch, 0, "targetColor", "", whole("Target color"), true, nil)
	for _, c := range parts {
		n.add(wire.ColorSwitch, 0, "targetColor", c.key, meta{
			Type: "number", KeyName: c.word, Min: low, Max: high, Label: "Target value (" + c.word + ")",
			More: map[string]any{"description": "The target value of the " + c.word + " channel."},
		}, true, nil)
	}
	left := n.add(wire.ColorSwitch, 0, "duration", "", meta{Type: "duration", Label: "Remaining duration"}, false, map[string]any{"unit": "seconds"})
	target.rank = left.rank // an unknown one is told after its parts
}

// components are the colour components of the recorded lamp. Lamps without
// white leave out the first.
var components = []struct{ key, word, name string }{
	{"0", "Warm White", "warmWhite"}, {"2", "Red", "red"}, {"3", "Green", "green"}, {"4", "Blue", "blue"},
}

// travel is how long the whole range takes.
func (n *node) travel() time.Duration {
	if n.spec.Ramp > 0 {
		return n.spec.Ramp
	}
	switch n.spec.Kind {
	case "cover", "blind", "venetian", "barrier":
		return 4 * time.Second
	default:
		return 0
	}
}
