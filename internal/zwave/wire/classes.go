package wire

import "strconv"

// The command classes that the project uses by name.
const (
	BinarySwitch       = 37
	MultilevelSwitch   = 38
	BinarySensor       = 48
	MultilevelSensor   = 49
	Meter              = 50
	ColorSwitch        = 51
	ThermostatMode     = 64
	ThermostatState    = 66
	ThermostatSetpoint = 67
	ThermostatFanMode  = 68
	ThermostatFanState = 69
	CentralScene       = 91
	DoorLock           = 98
	BarrierOperator    = 102
	WindowCovering     = 106
	Notification       = 113
	Protection         = 117 // locks the device's own buttons
	Lock               = 118 // an older kind of lock, with one boolean
	Battery            = 128
	WakeUp             = 132
)

// classLevels are the class levels of NAMED topics.
var classLevels = map[int]string{
	32:                 "basic",
	BinarySwitch:       "switch_binary",
	MultilevelSwitch:   "switch_multilevel",
	BinarySensor:       "sensor_binary",
	MultilevelSensor:   "sensor_multilevel",
	Meter:              "meter",
	ColorSwitch:        "color",
	ThermostatMode:     "thermostat_mode",
	ThermostatState:    "thermostat_operating_state",
	ThermostatSetpoint: "thermostat_setpoint",
	ThermostatFanMode:  "thermostat_fan_mode",
	CentralScene:       "central_scene",
	DoorLock:           "door_lock",
	99:                 "user_code",
	BarrierOperator:    "barrier_operator",
	112:                "configuration",
	Notification:       "notification",
	114:                "manufacturer_specific",
	Lock:               "lock",
	121:                "sound_switch",
	Battery:            "battery",
	WakeUp:             "wake_up",
	134:                "version",
	135:                "indicator",
}

// otherLevels are possible names of classes that no recording shows; the gateway
// may or may not use them.
var otherLevels = map[int]string{
	ThermostatFanState: "thermostat_fan_state",
	71:                 "thermostat_setback",
	Protection:         "protection",
	129:                "clock",
}

// classLevel returns a class's level in a NAMED topic. The gateway has no name
// for some classes it does speak, Window Covering among them.
func classLevel(class int) string {
	if level, ok := classLevels[class]; ok {
		return level
	}
	return "unknownClass_" + strconv.Itoa(class)
}
