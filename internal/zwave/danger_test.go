package zwave

import (
	"strings"
	"testing"

	"voicegateway/internal/home/form"
	"voicegateway/internal/zwave/wire"
)

// TestDangerByName has devices whose names, in any language and spelling, say
// that they open, heat or flood something or wake people up.
func TestDangerByName(t *testing.T) {
	t.Parallel()
	const (
		relay    = `|37-0-currentValue|37-0-targetValue`
		dimmer   = `|38-0-currentValue|38-0-targetValue`
		motor    = `,"deviceClass":{"generic":17,"specific":6}|38-0-currentValue|38-0-targetValue|38-0-Open|38-0-Close`
		covering = `|106-0-currentValue-13|106-0-targetValue-13`
	)
	tests := map[string]struct {
		node, action string
		value        any
		want         bool
	}{
		"german gate, relay":        {`"name":"Garagentor"` + relay, "on", nil, true},
		"german gate, relay, off":   {`"name":"Garagentor"` + relay, "off", nil, false},
		"german oven":               {`"name":"Backofen"` + relay, "on", nil, true},
		"german siren":              {`"name":"Sirene"` + relay, "on", nil, true},
		"german valve":              {`"name":"Hauptventil"` + relay, "on", nil, true},
		"german valve opened":       {`"name":"Hauptventil"` + relay, "open", nil, true},
		"german valve closed":       {`"name":"Hauptventil"` + relay, "close", nil, false},
		"water main":                {`"name":"Water Main"` + relay, "on", nil, true},
		"german gate, cover":        {`"name":"Hoftor"` + motor, "open", nil, true},
		"german gate, to zero":      {`"name":"Hoftor"` + motor, "position", "0 %", false},
		"german gate, covering":     {`"name":"Hoftor"` + covering, "level", 30.0, true},
		"gates":                     {`"name":"Gates"` + motor, "open", nil, true},
		"hyphens":                   {`"name":"Front-Door Opener"` + relay, "on", nil, true},
		"oven as a dimmer":          {`"name":"Wall Oven"` + dimmer, "on", nil, true},
		"oven as a dimmer to half":  {`"name":"Wall Oven"` + dimmer, "level", 50.0, true},
		"oven as a dimmer off":      {`"name":"Wall Oven"` + dimmer, "level", 0.0, false},
		"a fan in a door's name":    {`"name":"Garage Fan Door"` + relay, "on", nil, true},
		"the product is a light's":  {`"name":"Garage Door","productDescription":"In-Wall Light Switch"` + relay, "toggle", nil, true},
		"by its alias":              {`"name":"Relay 3"` + relay, "on", nil, true},
		"by its area":               {`"name":"Door","loc":"Garage"` + relay, "on", nil, true},
		"an oven as a thermostat":   {`"name":"Oven"|64-0-mode|67-0-setpoint-1`, "setpoint", 200.0, true},
		"the oven's thermostat off": {`"name":"Oven"|64-0-mode|67-0-setpoint-1`, "mode", "Off", false},
		"by its label":              {`"name":"Relay","endpoints":[{"index":1,"label":"Gate"}]|37-1-currentValue`, "on", nil, true},
		"a garage's light":          {`"name":"Garage Light","loc":"Garage"` + relay, "on", nil, false},
		"a garage's dimmer":         {`"name":"Garage Light","loc":"Garage"` + dimmer, "level", 40.0, false},
		"a garage's fan":            {`"name":"Garage Fan"` + dimmer, "on", nil, false},
		"a garage's shade":          {`"name":"Garage Shade","loc":"Garage"` + motor, "open", nil, false},
		"a doorbell":                {`"name":"Doorbell"` + relay, "on", nil, false},
		"a fan":                     {`"name":"Dachventilator"` + relay, "on", nil, false},
	}
	for name, tc := range tests {
		m := newModel(1, list(t, `"id":2,`+tc.node), wire.Scheme{}, map[string][]string{"Relay 3": {"Garage Door"}})
		if got := form.Dangerous(m.entities[0].thing(), tc.action, tc.value); got != tc.want {
			t.Errorf("%s (%s %s): dangerous is %v", name, m.entities[0].Domain, m.entities[0].Class, got)
		}
	}
}

func TestDomainsFollowWhatANameIsAbout(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`"name":"Garage Light"|38-0-currentValue`:                                            "light",
		`"name":"Garage Fan"|38-0-currentValue`:                                              "fan",
		`"name":"Garage Shade"|38-0-currentValue`:                                            "cover shade",
		`"name":"Hoftor"|38-0-currentValue`:                                                  "cover garage",
		`"name":"Garage Door","productDescription":"In-Wall Light Switch"|37-0-currentValue`: "switch",
		`"name":"Hauptventil"|37-0-currentValue`:                                             "valve valve",
		`"name":"Hall","productDescription":"Plug-In Light Module"|37-0-currentValue`:        "switch",
	}
	for node, want := range tests {
		e := newModel(1, list(t, `"id":2,`+node), wire.Scheme{}, nil).entities[0]
		if got := strings.TrimSpace(e.Domain + " " + e.Class); got != want {
			t.Errorf("%s is a %s, want %s", node, got, want)
		}
	}
}

func TestSetpointsStayInAHousesRange(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		meta    string
		value   any
		refusal string
	}{
		"no range, far too hot":     {`"unit":"°C"`, 5000.0, "up to 35 degrees"},
		"no range, absolute zero":   {`"unit":"°C"`, -273.0, "down to 4 degrees"},
		"no range, warm":            {`"unit":"°C"`, 22.5, ""},
		"no unit":                   {`"type":"number"`, 90.0, "up to 35"},
		"Fahrenheit, no range":      {`"unit":"°F"`, 200.0, "up to 95 degrees"},
		"Fahrenheit, usual":         {`"unit":"°F"`, 70.0, ""},
		"only a least":              {`"unit":"°C","min":5`, 99.0, "up to 35 degrees"},
		"only a most":               {`"unit":"°C","max":60`, 55.0, ""},
		"a placeholder for a range": {`"unit":"°C","min":-1000,"max":32767`, 90.0, "up to 35 degrees"},
		"its own range":             {`"unit":"°C","min":5,"max":28`, 29.0, "up to 28 degrees"},
	}
	for name, tc := range tests {
		m := newModel(1, list(t, `"id":2,"name":"Radiator"|67-0-setpoint-1 `+tc.meta), wire.Scheme{}, nil)
		r := request{model: m, entity: m.entities[0], value: tc.value, read: func(wire.ValueID) reading { return reading{} }}
		_, err := plan("setpoint", r)
		if tc.refusal == "" && err != nil || tc.refusal != "" && (err == nil || !strings.Contains(err.Error(), tc.refusal)) {
			t.Errorf("%s: %v, want %q", name, err, tc.refusal)
		}
	}
}
