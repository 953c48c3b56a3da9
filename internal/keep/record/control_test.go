package record

import "testing"

func TestControlText(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Control{
		"Kitchen Light: on":        {Name: "Kitchen Light", Do: "on"},
		"Bedroom Lamp: level 40":   {Name: "Bedroom Lamp", Do: "level", Value: 40.0},
		"Thermostat: mode heat":    {Name: "Thermostat", Do: "mode", Value: "heat"},
		"Thermostat: setpoint 0.5": {Name: "Thermostat", Do: "setpoint", Value: 0.5},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
