package zwave

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/zwave/wire"
)

// Kinds of sensors that are not among the abilities of package home; they can
// still be read.
const (
	moisture home.Ability = "moisture"
	smoke    home.Ability = "smoke"
	gas      home.Ability = "carbon_monoxide"
	tamper   home.Ability = "tamper"
	voltage  home.Ability = "voltage"
	current  home.Ability = "current"
)

// sensors returns everything a node measures, the most important first, one of a
// kind for each endpoint.
func (n *node) sensors() []sensor {
	var all []sensor
	for _, v := range n.values {
		if s, ok := sensorOf(v); ok {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b sensor) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)), cmp.Compare(a.id.Endpoint, b.id.Endpoint), cmp.Compare(a.kind, b.kind),
			// Notifications before sensors of the class 48, "Door state" before "Opening state".
			cmp.Compare(b.id.Class, a.id.Class), cmp.Compare(a.id.Key, b.id.Key), cmp.Compare(a.id.Property, b.id.Property),
		)
	})
	return slices.CompactFunc(all, func(a, b sensor) bool {
		return a.kind == b.kind && a.id.Endpoint == b.id.Endpoint
	})
}

// rank puts the battery and the meters behind what the device was bought for.
func rank(s sensor) int {
	switch s.kind {
	case home.Battery:
		return 2
	case home.Power, home.Energy, voltage, current, tamper:
		return 1
	default:
		return 0
	}
}

// sensorOf returns the sensor for a value; ok is false if it is not one about which
// people ask.
func sensorOf(v *value) (sensor, bool) {
	if !v.Readable {
		return sensor{}, false
	}
	id := v.Address
	switch id.Class {
	case wire.MultilevelSensor:
		return measuring(id.Property, id), true
	case wire.BinarySensor:
		return binary(id, id.Property)
	case wire.Notification:
		return notification(v)
	case wire.Battery:
		return sensor{home.Battery, "Battery", "battery", id}, id.Property == "level"
	case wire.DoorLock: // "open" or "closed", where the lock can tell
		return sensor{home.Contact, "Contact", "opening", id}, id.Property == "doorStatus" && v.Value != nil
	case wire.CentralScene:
		return button(id)
	case wire.Meter:
		return meter(v)
	default:
		return sensor{}, false
	}
}

// button returns the sensor for a button of a remote control: the key "001" is
// button 1.
func button(id wire.ValueID) (sensor, bool) {
	number := strings.TrimLeft(id.Key, "0")
	return sensor{home.Ability("button_" + number), "Button " + number, "button", id}, id.Property == "scene" && number != ""
}

// sensorKinds are the properties of sensors for which we have a word.
var sensorKinds = map[string]sensor{
	"Air temperature": {kind: home.Temperature, word: "Temperature", class: "temperature"},
	"Humidity":        {kind: home.Humidity, word: "Humidity", class: "humidity"},
	"Illuminance":     {kind: home.Luminance, word: "Illuminance", class: "illuminance"},
	"Luminance":       {kind: home.Luminance, word: "Illuminance", class: "illuminance"},
	"Power":           {kind: home.Power, word: "Power", class: "power"},

	"Carbon dioxide (CO₂) level": {kind: "carbon_dioxide", word: "CO2", class: "carbon_dioxide"},
}

// measuring returns the sensor of a measured property.
func measuring(property string, id wire.ValueID) sensor {
	s, ok := sensorKinds[property]
	if !ok {
		return sensorByProperty(property, id)
	}
	s.id = id
	return s
}

// sensorByProperty returns a sensor for which we have no word: it keeps the name that
// zwave-js gives it.
func sensorByProperty(property string, id wire.ValueID) sensor {
	class := strings.ReplaceAll(strings.ToLower(property), " ", "_")
	return sensor{home.Ability(class), title(property), class, id}
}

func title(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// binaries are the sensors of two states, by the names zwave-js has for the types
// of a Binary Sensor.
var binaries = map[string]sensor{
	"Motion":      {kind: home.Motion, word: "Motion", class: "motion"},
	"Door/Window": {kind: home.Contact, word: "Contact", class: "opening"},
	"Water":       {kind: moisture, word: "Leak", class: "moisture"},
	"Smoke":       {kind: smoke, word: "Smoke", class: "smoke"},
	"CO":          {kind: gas, word: "Carbon Monoxide", class: "carbon_monoxide"},
	"Tamper":      {kind: tamper, word: "Tamper", class: "tamper"},
	"CO2":         {kind: "co2", word: "CO2", class: "co2"},
	"Heat":        {kind: "heat", word: "Heat", class: "heat"},
	"Gas":         {kind: "gas", word: "Gas", class: "gas"}, // no type of that class, but a notification
	"Freeze":      {kind: "freeze", word: "Freeze", class: "freeze"},
	"Tilt":        {kind: "tilt", word: "Tilt", class: "tilt"},
	"Glass Break": {kind: "glass_break", word: "Glass Break", class: "glass_break"},
	"Intrusion":   {kind: "intrusion", word: "Intrusion", class: "intrusion"},
	"Aux":         {kind: "aux", word: "Aux", class: "aux"},
}

// binary returns a sensor of two states; one of an unknown type is called by its
// property's name.
func binary(id wire.ValueID, property string) (sensor, bool) {
	switch property {
	case "", "Any", "General purpose":
		return sensor{}, false
	}
	s, known := binaries[property]
	if !known {
		return sensorByProperty(property, id), true
	}
	s.id = id
	return s, true
}

// notifications are the kinds of events that are sensors of two states, by
// property and key. "Door state" comes in several variants; the plain one is best
// supported.
var notifications = map[string]string{
	"Home Security/Motion sensor status":  "Motion",
	"Home Security/Cover status":          "Tamper",
	"Home Security/Sensor status":         "Intrusion",
	"Access Control/Door state":           "Door/Window",
	"Access Control/Door state (simple)":  "Door/Window",
	"Access Control/Opening state":        "Door/Window",
	"Water Alarm/Sensor status":           "Water",
	"Water Alarm/Water leak status":       "Water",
	"Smoke Alarm/Sensor status":           "Smoke",
	"CO Alarm/Sensor status":              "CO",
	"Carbon Monoxide Alarm/Sensor status": "CO",
	"CO2 Alarm/Sensor status":             "CO2",
	"Carbon Dioxide Alarm/Sensor status":  "CO2",
	"Heat Alarm/Heat sensor status":       "Heat",
	"Gas Alarm/Combustible gas status":    "Gas",
}

// notification returns the sensor of a notification value; ok is false for all
// but one value of each kind of event.
func notification(v *value) (sensor, bool) {
	what := notifications[v.Address.Property+"/"+v.Address.Key]
	if what == "Intrusion" && v.onlyGlass() {
		what = "Glass Break"
	}
	return binary(v.Address, what)
}

// The events with which Home Security reports broken glass, with and without a location.
const (
	glassAt = 5
	glass   = 6
)

// onlyGlass reports whether a value of Home Security knows of no other event than
// broken glass.
func (v *value) onlyGlass() bool {
	found := false
	for _, s := range v.States {
		switch s.Value {
		case 0.0:
		case float64(glassAt), float64(glass):
			found = true
		default:
			return false
		}
	}
	return found
}

// meterUnits are the units of meters that measure one thing only.
var meterUnits = map[string]sensor{
	"W":   {kind: home.Power, word: "Power", class: "power"},
	"kWh": {kind: home.Energy, word: "Energy", class: "energy"},
	"V":   {kind: voltage, word: "Voltage", class: "voltage"},
	"A":   {kind: current, word: "Current", class: "current"},
}

// meter returns the sensor of a meter of consumption; water and gas share their units and
// are told apart by the label.
func meter(v *value) (sensor, bool) {
	if v.Address.Property != "value" || strings.Contains(v.Label, "Production") {
		return sensor{}, false
	}
	if s, ok := meterUnits[v.Unit]; ok {
		s.id = v.Address
		return s, true
	}
	for _, what := range []string{"Water", "Gas", "Heating", "Cooling"} {
		if strings.HasPrefix(v.Label, what) {
			class := strings.ToLower(what)
			return sensor{home.Ability(class), what, class, v.Address}, true
		}
	}
	return sensor{}, false
}

// sensorEntities makes entities of a node's sensors, and adds to the main entities what
// they can also measure.
func (n *node) sensorEntities(mains []*entity) []*entity {
	all := n.sensors()
	var own []sensor
	for _, s := range all {
		if taken := attach(s, mains); !taken && s.kind != tamper && s.kind != voltage && s.kind != current {
			own = append(own, s)
		}
	}
	base := n.display()
	alone := len(mains) == 0 && len(own) > 0 && (len(own) == 1 || rank(own[1]) > 0)
	if len(mains) == 0 && !alone {
		base = n.sensorBase()
	}
	out := make([]*entity, 0, len(own))
	for _, s := range own {
		e := n.sensorEntity(s)
		e.Name = form.JoinWord(n.sensorHolder(s, mains, base), s.word)
		out = append(out, e)
	}
	if alone { // the device is the sensor; battery and tamper come with it
		out[0].Name, out[0].sensors = n.display(), all
		for _, more := range all[1:] {
			out[0].abilities = append(out[0].abilities, more.kind)
		}
	}
	return out
}

// sensorHolder returns the beginning of a sensor's name: the outlet it belongs
// to, else base.
func (n *node) sensorHolder(s sensor, mains []*entity, base string) string {
	if len(mains) > 1 && s.id.Endpoint > 0 {
		for _, e := range mains {
			if e.main.Endpoint == s.id.Endpoint {
				return e.Name
			}
		}
	}
	if len(mains) == 0 && s.id.Endpoint > 0 { // several sensors of one kind in one device
		twin := s.id
		for ep := range s.id.Endpoint {
			twin.Endpoint = ep
			if n.values[twin] != nil {
				return base + " " + strconv.Itoa(s.id.Endpoint)
			}
		}
	}
	return base
}

// attach adds a sensor to the main entities of its endpoint (the root's belong to
// all); taken means that it needs no entity of its own.
func attach(s sensor, mains []*entity) (taken bool) {
	for _, e := range mains {
		if len(mains) > 1 && e.main.Endpoint != s.id.Endpoint && s.id.Endpoint != 0 {
			continue
		}
		e.sensors = append(e.sensors, s)
		e.abilities = append(e.abilities, s.kind)
		switch {
		case e.Domain == "climate" && (s.kind == home.Temperature || s.kind == home.Humidity):
			taken = true
		case e.Domain == "lock" && s.id.Class == wire.DoorLock:
			taken = true
		}
	}
	return taken
}

// sensorEntity makes one sensor an entity, without its name.
func (n *node) sensorEntity(s sensor) *entity {
	e := n.newEntity("sensor", s.id, nil, s.kind)
	e.sensors, e.Class = []sensor{s}, s.class
	if n.values[s.id].Type == "boolean" || s.id.Class == wire.Notification || s.id.Class == wire.BinarySensor {
		e.Domain = "binary_sensor"
		if s.kind == home.Contact {
			e.Class = contactClass(n.display())
		}
	}
	return e
}

func contactClass(name string) string {
	switch {
	case hasWord(name, []string{"window", "windows"}):
		return "window"
	case hasWord(name, []string{"garage"}):
		return "garage_door"
	default:
		return "door"
	}
}

// sensorBase returns the beginning of the names of a multi-sensor's entities:
// people say "Kitchen Temperature" of a node "Kitchen Sensor", not "Kitchen
// Sensor Temperature".
func (n *node) sensorBase() string {
	words := strings.Fields(n.display())
	for len(words) > 0 && slices.Contains(sensorBoxWords, strings.ToLower(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	switch {
	case len(words) > 0:
		return strings.Join(words, " ")
	case n.area() != "":
		return n.area()
	default:
		return n.display()
	}
}

var sensorBoxWords = []string{"sensor", "multisensor", "multi", "detector", "motion", "temperature", "humidity", "climate"}

// nameMains gives the functions of a node their names: the node's own, or with
// several endpoints their labels or numbers after it.
func (n *node) nameMains(mains []*entity) {
	labels := map[int]string{}
	for _, ep := range n.Endpoints {
		if ep.Index > 0 && !strings.HasPrefix(ep.Label, "Endpoint ") {
			labels[ep.Index] = strings.TrimSpace(ep.Label)
		}
	}
	for _, e := range mains {
		e.Name = n.display()
		if len(mains) == 1 {
			continue
		}
		if label := labels[e.main.Endpoint]; label != "" {
			e.Name = form.JoinWord(e.Name, label)
		} else if e.main.Endpoint > 0 { // the root endpoint stands for the whole device
			e.Name += " " + strconv.Itoa(e.main.Endpoint)
		}
	}
	// Two endpoints with the same label would give two things one name.
	count := map[string]int{}
	for _, e := range mains {
		count[e.Name]++
	}
	for _, e := range mains {
		if count[e.Name] > 1 {
			e.Name += " " + strconv.Itoa(e.main.Endpoint)
		}
	}
}

// kindsOf lists what sensors measure, for messages.
func kindsOf(sensors []sensor) []string {
	set := map[string]bool{}
	for _, s := range sensors {
		set[strings.ReplaceAll(string(s.kind), "_", " ")] = true
	}
	return slices.Sorted(maps.Keys(set))
}
