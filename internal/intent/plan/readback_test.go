package plan_test

import (
	"encoding/json"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
)

// TestWishesAreReadBack: the arguments of a control tool become the act that a
// sentence would have planned, or a complaint.
func TestWishesAreReadBack(t *testing.T) {
	t.Parallel()
	thing := func(name, domain string, can ...home.Ability) *home.Entity {
		return &home.Entity{ID: name, Name: name, Domain: domain, Abilities: can, Server: "zwave", Control: &home.Control{Tool: "set", ID: name}}
	}
	lamp := thing("Lamp", "light", home.OnOff, home.Brightness, home.Colour)
	fan := thing("Fan", "fan", home.OnOff, home.Speed)
	blind := thing("Blind", "cover", home.OpenClose, home.Position, home.Stop)
	garage := thing("Garage Door", "cover", home.OpenClose)
	heating := thing("Heating", "climate", home.Setpoint, home.Mode)
	door := thing("Front Door", "lock", home.Lock)
	for name, tt := range map[string]struct {
		on   *home.Entity
		args string
		want string // intent, and the step
	}{
		"on":                    {lamp, `{"action":"on"}`, `HassTurnOn reversible zwave set {"action":"on","device_name":"Lamp"}`},
		"in capitals":           {lamp, `{"action":" OFF"}`, `HassTurnOff reversible zwave set {"action":"off","device_name":"Lamp"}`},
		"a level":               {lamp, `{"action":"level","value":40}`, `HassLightSet reversible zwave set {"action":"level","device_name":"Lamp","value":40}`},
		"a level as a text":     {lamp, `{"action":"level","value":"40 %"}`, `HassLightSet reversible zwave set {"action":"level","device_name":"Lamp","value":40}`},
		"a colour":              {lamp, `{"action":"colour","value":"red"}`, `HassLightSet reversible zwave set {"action":"colour","device_name":"Lamp","value":"red"}`},
		"a speed":               {fan, `{"action":"level","value":66}`, `HassFanSetSpeed reversible zwave set {"action":"level","device_name":"Fan","value":66}`},
		"close":                 {blind, `{"action":"close"}`, `HassTurnOff reversible zwave set {"action":"close","device_name":"Blind"}`},
		"a blind switched on":   {blind, `{"action":"on"}`, `HassTurnOn reversible zwave set {"action":"open","device_name":"Blind"}`},
		"a position":            {blind, `{"action":"position","value":0}`, `HassSetPosition reversible zwave set {"action":"position","device_name":"Blind","value":0}`},
		"stop":                  {blind, `{"action":"stop"}`, `HassStopMoving reversible zwave set {"action":"stop","device_name":"Blind"}`},
		"a temperature":         {heating, `{"action":"setpoint","value":"21.5°C"}`, `HassClimateSetTemperature reversible zwave set {"action":"setpoint","device_name":"Heating","value":21.5}`},
		"heating on":            {heating, `{"action":"on"}`, `HassTurnOn reversible zwave set {"action":"mode","device_name":"Heating","value":"heat"}`},
		"lock":                  {door, `{"action":"lock"}`, `HassTurnOn reversible zwave set {"action":"lock","device_name":"Front Door"}`},
		"unlock":                {door, `{"action":"unlock"}`, `HassTurnOff dangerous zwave set {"action":"unlock","device_name":"Front Door"}`},
		"open a garage":         {garage, `{"action":"open"}`, `HassTurnOn dangerous zwave set {"action":"open","device_name":"Garage Door"}`},
		"a garage switched on":  {garage, `{"action":"on"}`, `HassTurnOn dangerous zwave set {"action":"open","device_name":"Garage Door"}`},
		"a lock switched off":   {door, `{"action":"off"}`, `complaint: Front Door cannot do "off"`},
		"a lamp opened":         {lamp, `{"action":"open"}`, `complaint: Lamp cannot do "open"`},
		"an ability it lacks":   {fan, `{"action":"colour","value":"red"}`, `complaint: Fan cannot do "colour"`},
		"no value":              {lamp, `{"action":"level"}`, `complaint: "level" needs a value: a number from 0 to 100`},
		"a value out of range":  {lamp, `{"action":"level","value":400}`, `complaint: the value of "level" is a number from 0 to 100`},
		"a word for a number":   {heating, `{"action":"setpoint","value":"warm"}`, `complaint: "setpoint" needs a value: a number`},
		"a number for a word":   {lamp, `{"action":"colour","value":7}`, `complaint: "colour" needs a value: a word`},
		"an action of nowhere":  {lamp, `{"action":"dance"}`, `complaint: Lamp cannot do "dance"`},
		"no action":             {lamp, `{}`, "no wish"},
		"arguments of nonsense": {lamp, `[1]`, "no wish"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var args map[string]any
			body := json.RawMessage(tt.args)
			if json.Unmarshal(body, &args) == nil {
				args["device_name"] = tt.on.Name
				body, _ = json.Marshal(args)
			}
			got := "no wish"
			if w, ok := plan.ReadWish(body); ok {
				s, err := w.On(tt.on)
				got = s.Action.Intent + " " + show(s)
				if err != nil {
					got = "complaint: " + err.Error()
				}
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestWhatAThingCanDo: the complaint about a wish tells what would have been right.
func TestWhatAThingCanDo(t *testing.T) {
	t.Parallel()
	thing := func(domain string, can ...home.Ability) home.Entity {
		return home.Entity{ID: domain, Name: domain, Domain: domain, Abilities: can, Server: "zwave", Control: &home.Control{Tool: "set", ID: domain}}
	}
	heating := thing("climate", home.Setpoint, home.Mode)
	heating.Scale, heating.Attributes = home.Celsius, map[string]any{"unit": "°C", "min": 5.0, "max": 30.0, "modes": []any{"off", "heat"}}
	silent := thing("sensor", home.Temperature)
	silent.Control = nil
	anything := thing("switch")
	for _, tt := range []struct {
		e    home.Entity
		want string
	}{
		{thing("light", home.OnOff, home.Brightness, home.Colour), "it can do on, off, toggle, level (0 to 100 percent), colour (a word, such as red)"},
		{thing("cover", home.OpenClose, home.Position, home.Stop), "it can do open, close, position (0 to 100 percent), stop"},
		{thing("lock", home.Lock), "it can do lock, unlock"},
		{heating, "it can do on, off, setpoint (5 to 30 °C), mode (off heat)"},
		{thing("todo", home.List), "it can do add (what stands on the list), complete (what stands on the list), remove (what stands on the list)"},
		{thing("media_player", home.OnOff, home.Play, home.Volume, home.Mute, home.Source), "it can do on, off, toggle, level (0 to 100 percent), pause, play, mute, unmute, source (a word)"},
		{anything, "it can do on, off"},
		{silent, "it can only be read"},
	} {
		if got := plan.Explain(&tt.e); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.e.Domain, got, tt.want)
		}
	}
	for value, fits := range map[float64]bool{4: false, 5: true, 30: true, 31: false} {
		if err := (plan.Wish{Action: "setpoint", Value: value}).Fits(&heating); (err == nil) != fits {
			t.Errorf("%g degrees: %v", value, err)
		}
	}
}
