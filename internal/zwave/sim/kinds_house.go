package sim

import "voicegateway/internal/zwave/wire"

// part is one movable part of a Window Covering.
type part struct {
	key, name, up, down string
	number              float64
	states              []state
}

var (
	bottom = part{
		"13", "Outbound Bottom", "Open", "Close", 13,
		[]state{{"Closed", 0.0}, {"Open", 99.0}},
	}
	slats = part{
		"23", "Horizontal Slats Angle", "Change tilt (down inside)", "Change tilt (up inside)", 23,
		[]state{{"Closed (up inside)", 0.0}, {"Open", 50.0}, {"Closed (down inside)", 99.0}},
	}
)

func (n *node) covering(p part) {
	low, high := span(0, 99)
	base := meta{KeyName: p.name, More: specific("parameter", p.number)}
	left, target, current := base, base, base
	left.Type, left.Label = "duration", "Remaining duration - "+p.name
	n.add(wire.WindowCovering, 0, "duration", p.key, left, false, still())
	target.Type, target.Min, target.Max, target.States, target.Label = "number", low, high, p.states, "Target value - "+p.name
	target.More = map[string]any{"ccSpecific": map[string]any{"parameter": p.number}, "allowManualEntry": true}
	n.add(wire.WindowCovering, 0, "targetValue", p.key, target, true, 0.0)
	current.Type, current.Min, current.Max, current.States, current.Label = "number", low, high, p.states, "Current value - "+p.name
	n.add(wire.WindowCovering, 0, "currentValue", p.key, current, false, 0.0)
	up, down := base, base
	up.Label, down.Label = p.up+" - "+p.name, p.down+" - "+p.name
	n.button(wire.WindowCovering, "levelChangeUp", p.key, up)
	n.button(wire.WindowCovering, "levelChangeDown", p.key, down)
}

func (n *node) barrier() {
	low, high := span(0, 255)
	states := []state{{"Closed", 0.0}, {"Closing", 252.0}, {"Stopped", 253.0}, {"Opening", 254.0}, {"Open", 255.0}}
	n.add(wire.BarrierOperator, 0, "currentState", "", meta{Type: "number", Label: "Current Barrier State", Min: low, Max: high, States: states}, false, 0.0)
	n.add(wire.BarrierOperator, 0, "targetState", "", meta{
		Type: "number", Label: "Target Barrier State", States: []state{{"Closed", 0.0}, {"Open", 255.0}},
	}, true, 0.0)
}

// lockModes are the states of a lock. Whole ones are all that the recorded lock
// named.
func lockModes(whole bool) []state {
	if !whole {
		return []state{
			{"Unsecured", 0.0},
			{"UnsecuredWithTimeout", 1.0},
			{"InsideUnsecured", 16.0},
			{"OutsideUnsecured", 32.0},
			{"Unknown", 254.0},
			{"Secured", 255.0},
		}
	}
	return []state{
		{"Unsecured", 0.0},
		{"UnsecuredWithTimeout", 1.0},
		{"InsideUnsecured", 16.0},
		{"InsideUnsecuredWithTimeout", 17.0},
		{"OutsideUnsecured", 32.0},
		{"OutsideUnsecuredWithTimeout", 33.0},
		{"Unknown", 254.0},
		{"Secured", 255.0},
	}
}

// lock is a door lock; a whole one has handles, operation types and a time-out.
func (n *node) lock(whole bool) {
	low, high := span(0, 255)
	handles := []any{true, true, true, true}
	if whole {
		n.add(wire.DoorLock, 0, "insideHandlesCanOpenDoorConfiguration", "", meta{Type: "any", Label: "Which inside handles can open the door (configuration)"}, true, handles)
		n.add(wire.DoorLock, 0, "outsideHandlesCanOpenDoorConfiguration", "", meta{Type: "any", Label: "Which outside handles can open the door (configuration)"}, true, handles)
		n.add(wire.DoorLock, 0, "operationType", "", meta{Type: "number", Label: "Lock operation type", Min: low, Max: high, States: []state{{"Constant", 1.0}}}, true, 1.0)
		n.add(wire.DoorLock, 0, "insideHandlesCanOpenDoor", "", meta{Type: "any", Label: "Which inside handles can open the door (actual status)"}, false, handles)
		n.add(wire.DoorLock, 0, "outsideHandlesCanOpenDoor", "", meta{Type: "any", Label: "Which outside handles can open the door (actual status)"}, false, handles)
	}
	n.add(wire.DoorLock, 0, "duration", "", meta{Type: "duration", Label: "Remaining duration until target lock mode"}, false, still())
	n.add(wire.DoorLock, 0, "targetMode", "", meta{
		Type: "number", Label: "Target lock mode", Min: low, Max: high, States: []state{{"Unsecured", 0.0}, {"Secured", 255.0}},
	}, true, 0.0)
	n.add(wire.DoorLock, 0, "currentMode", "", meta{Type: "number", Label: "Current lock mode", Min: low, Max: high, States: lockModes(whole)}, false, 0.0)
	if whole {
		n.add(wire.DoorLock, 0, "doorStatus", "", meta{Type: "any", Label: "Current status of the door"}, false, "closed")
	}
	n.add(wire.DoorLock, 0, "boltStatus", "", meta{Type: "any", Label: "Current status of the bolt"}, false, "unlocked")
	if whole {
		low, high := span(0, 65535)
		n.add(wire.DoorLock, 0, "latchStatus", "", meta{Type: "any", Label: "Current status of the latch"}, false, "closed")
		n.add(wire.DoorLock, 0, "lockTimeoutConfiguration", "", meta{Type: "number", Label: "Duration of timed mode in seconds", Min: low, Max: high}, true, nil)
		n.add(wire.DoorLock, 0, "lockTimeout", "", meta{Type: "number", Label: "Seconds until lock mode times out", Min: low, Max: high}, false, nil)
	}
}

// userCodes are the door codes of a lock with a keypad: secrets of the family,
// which the gateway publishes in clear text all the same.
func (n *node) userCodes() {
	for _, key := range []string{"1", "2", "3"} {
		n.add(userCode, 0, "userIdStatus", key, meta{
			Type: "number", Label: "User ID status (" + key + ")", KeyName: key,
			States: []state{{"Available", 0.0}, {"Enabled", 1.0}, {"Disabled", 2.0}},
		}, true, nil)
		n.add(userCode, 0, "userCode", key, meta{
			Type: "string", Label: "User Code (" + key + ")", KeyName: key, More: map[string]any{"minLength": 4.0, "maxLength": 10.0},
		}, true, nil)
	}
}

// bolt is the simple Lock command class, which is either locked or not.
func (n *node) bolt() {
	n.add(simpleLock, 0, "locked", "", meta{
		Type: "boolean", Label: "Locked", States: []state{{"Locked", true}, {"Unlocked", false}},
	}, true, false)
}

func (n *node) thermostat() {
	low, high := span(0, 255)
	n.sensors("Air temperature")
	n.values[len(n.values)-1].meta.More["commandClassVersion"] = 5
	n.add(wire.ThermostatMode, 0, "mode", "", meta{
		Type: "number", Label: "Thermostat mode", Min: low, Max: high,
		States: []state{{"Off", 0.0}, {"Heat", 1.0}, {"Cool", 2.0}, {"Auto", 3.0}},
	}, true, 1.0)
	n.add(wire.ThermostatMode, 0, "manufacturerData", "", meta{Type: "buffer", Label: "Manufacturer data"}, false, nil)
	n.add(wire.ThermostatState, 0, "state", "", meta{Type: "number", Label: "Operating state", Min: low, Max: high, States: operating()}, false, 0.0)
	low, high = span(5, 30)
	n.setpoint("1", "Heating", "°C", low, high, 21)
	low, high = span(15, 35)
	n.setpoint("2", "Cooling", "°C", low, high, 26)
}

// fahrenheit is a thermostat of another part of the world, with a fan.
func (n *node) fahrenheit() {
	low, high := span(0, 255)
	n.add(wire.MultilevelSensor, 0, "Air temperature", "", meta{
		Type: "number", Label: "Air temperature", Unit: "°F",
		More: map[string]any{"ccSpecific": map[string]any{"sensorType": 1.0, "scale": 1.0}},
	}, false, 70.5)
	n.add(wire.ThermostatMode, 0, "mode", "", meta{
		Type: "number", Label: "Thermostat mode", Min: low, Max: high,
		States: []state{{"Off", 0.0}, {"Heat", 1.0}, {"Cool", 2.0}, {"Energy heat", 11.0}},
	}, true, 1.0)
	n.add(wire.ThermostatState, 0, "state", "", meta{Type: "number", Label: "Operating state", Min: low, Max: high, States: operating()}, false, 0.0)
	low, high = span(41, 86)
	n.setpoint("1", "Heating", "°F", low, high, 69.5)
	low, high = span(59, 95)
	n.setpoint("2", "Cooling", "°F", low, high, 78)
	low, high = span(0, 255)
	n.add(thermostatFanMode, 0, "mode", "", meta{
		Type: "number", Label: "Thermostat fan mode", Min: low, Max: high, States: []state{{"Auto low", 0.0}, {"Low", 1.0}},
	}, true, 0.0)
}

func (n *node) setpoint(key, name, unit string, low, high *float64, fact float64) {
	number := map[string]float64{"1": 1, "2": 2}[key]
	n.add(wire.ThermostatSetpoint, 0, "setpoint", key, meta{
		Type: "number", Label: "Setpoint (" + name + ")", KeyName: name, Unit: unit, Min: low, Max: high, More: specific("setpointType", number),
	}, true, fact)
}

func operating() []state {
	names := []string{
		"Idle", "Heating", "Cooling", "Fan Only", "Pending Heat", "Pending Cool", "Vent/Economizer", "Aux Heating",
		"2nd Stage Heating", "2nd Stage Cooling", "2nd Stage Aux Heat", "3rd Stage Aux Heat",
	}
	out := make([]state, len(names))
	for i, name := range names {
		out[i] = state{name, float64(i)}
	}
	return out
}

// scenes is a remote with four buttons.
func (n *node) scenes() {
	low, high := span(0, 255)
	n.add(wire.CentralScene, 0, "slowRefresh", "", meta{
		Type: "boolean", Label: "Send held down notifications at a slow rate",
		More: map[string]any{"description": "When this is true, KeyHeldDown notifications are sent every 55s. When this is false, the notifications are sent every 200ms."},
	}, true, nil)
	for _, key := range []string{"001", "002", "003", "004"} {
		n.add(wire.CentralScene, 0, "scene", key, meta{
			Type: "number", Label: "Scene " + key, KeyName: key, Min: low, Max: high,
			States: []state{{"KeyPressed", 0.0}, {"KeyReleased", 1.0}, {"KeyHeldDown", 2.0}, {"KeyPressed2x", 3.0}},
		}, false, nil).stateless = true
	}
}

// sensors adds readings by their type.
func (n *node) sensors(properties ...string) {
	units := map[string]struct {
		unit        string
		kind, scale float64
		fact        any
	}{"Air temperature": {"°C", 1, 0, 20.0}, "Illuminance": {"Lux", 3, 1, 120.0}, "Humidity": {"%", 5, 0, 45.0}}
	for _, p := range properties {
		u := units[p]
		n.add(wire.MultilevelSensor, 0, p, "", meta{
			Type: "number", Label: p, Unit: u.unit,
			More: map[string]any{"ccSpecific": map[string]any{"sensorType": u.kind, "scale": u.scale}},
		}, false, u.fact)
	}
}

func (n *node) multiSensor() {
	n.add(wire.BinarySensor, 0, "Motion", "", meta{Type: "boolean", Label: "Sensor state (Motion)", More: specific("sensorType", 12.0)}, false, false)
	n.sensors("Air temperature", "Illuminance", "Humidity")
	n.alarmTypes()
	n.alarm("Home Security", "Cover status", 3, "Tampering, product cover removed")
	n.alarm("Home Security", "Motion sensor status", 8, "Motion detection")
}

// notificationTypes are the numbers of the notifications that are played.
func notificationType(property string) float64 {
	return map[string]float64{"Smoke Alarm": 1, "Water Alarm": 5, "Access Control": 6, "Home Security": 7}[property]
}

func (n *node) alarm(property, key string, event float64, text string) {
	low, high := span(0, 255)
	n.add(wire.Notification, 0, property, key, meta{
		Type: "number", Label: key, KeyName: key, Min: low, Max: high, States: []state{{"idle", 0.0}, {text, event}},
		More: specific("notificationType", notificationType(property)),
	}, false, 0.0)
}

// alarmTypes are the two values of old alarm reports, which come with every
// notification.
func (n *node) alarmTypes() {
	low, high := span(0, 255)
	n.add(wire.Notification, 0, "alarmType", "", meta{Type: "number", Label: "Alarm Type", Min: low, Max: high}, false, 0.0)
	n.add(wire.Notification, 0, "alarmLevel", "", meta{Type: "number", Label: "Alarm Level", Min: low, Max: high}, false, 0.0)
}

// openings are the two further ways in which newer drivers tell the same door.
func (n *node) openings() {
	low, high := span(0, 255)
	add := func(key string, fact float64, states ...state) {
		n.add(wire.Notification, 0, "Access Control", key, meta{
			Type: "number", Label: key, KeyName: key, Min: low, Max: high, States: states, More: specific("notificationType", 6.0),
		}, false, fact)
	}
	add("Opening state", 0, state{"Closed", 0.0}, state{"Open", 1.0})
	add("Door state (simple)", 23, state{"Window/door is open", 22.0}, state{"Window/door is closed", 23.0})
}

func (n *node) door() {
	low, high := span(0, 255)
	states := []state{{"Window/door is open", 22.0}, {"Window/door is closed", 23.0}}
	if n.spec.Kind == "door" {
		states = append(states, state{"Window/door is open in regular position", 5632.0}, state{"Window/door is open in tilt position", 5633.0})
	}
	n.add(wire.Notification, 0, "Access Control", "Door state", meta{
		Type: "number", Label: "Door state", KeyName: "Door state", Min: low, Max: high, States: states,
		More: specific("notificationType", 6.0),
	}, false, 23.0)
}
