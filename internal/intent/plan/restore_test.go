package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// thing is an entity with both tools and the abilities of its kind.
func thing(name, domain string, can ...home.Ability) *home.Entity {
	return &home.Entity{
		ID: "x", Name: name, Domain: domain, Server: "zwave", Abilities: can,
		Control: &home.Control{Tool: "control", ID: "x"}, Read: &home.Control{Tool: "state", ID: "x"},
	}
}

// TestRestore leads from what a receipt says to the call that takes it back.
func TestRestore(t *testing.T) {
	t.Parallel()
	lamp := thing("Lamp", "light", home.OnOff, home.Brightness, home.Colour)
	plug := thing("Plug", "switch", home.OnOff)
	blind := thing("Blind", "cover", home.OpenClose, home.Position)
	heater := thing("Heater", "climate", home.Setpoint, home.Mode)
	fan := thing("Fan", "fan", home.OnOff, home.Speed)
	player := thing("TV", "media_player", home.OnOff, home.Play, home.Stop, home.Skip, home.Volume, home.Mute, home.Source)
	robot := thing("Robot", "vacuum", home.Start, home.Pause, home.Dock)
	for name, tt := range map[string]struct {
		e       *home.Entity
		receipt string
		want    string // "" is an error
		risk    tools.Risk
	}{
		"on":                       {plug, `"property":"on_off","before":"off","value":"on"`, `off`, tools.Reversible},
		"off":                      {plug, `"property":"on_off","before":"on","value":"off"`, `on`, tools.Reversible},
		"true and false":           {plug, `"property":"on_off","before":true,"value":false`, `on`, tools.Reversible},
		"off with its level":       {lamp, `"property":"on_off","before":"on","before_level":40,"value":"off"`, `level 40`, tools.Reversible},
		"on from a level":          {lamp, `"property":"on_off","before":"on","before_level":30,"value":"on","value_level":100`, `level 30`, tools.Reversible},
		"on to a lower level":      {lamp, `"property":"on_off","before":"on","before_level":100,"value":"on","value_level":60`, `level 100`, tools.Reversible},
		"off from full":            {lamp, `"property":"on_off","before":"on","before_level":100,"value":"off"`, `on`, tools.Reversible},
		"a level of what has none": {plug, `"property":"on_off","before":"on","before_level":40,"value":"off"`, `on`, tools.Reversible},
		"a level":                  {lamp, `"property":"brightness","before":30,"value":80`, `level 30`, tools.Reversible},
		"a level from off":         {lamp, `"property":"brightness","before":0,"value":80`, `off`, tools.Reversible},
		"a colour":                 {lamp, `"property":"colour","before":"#00ff00","value":"#ff0000"`, `colour "#00ff00"`, tools.Reversible},
		"a speed":                  {fan, `"property":"speed","before":33,"value":66`, `level 33`, tools.Reversible},
		"a fan that was still":     {fan, `"property":"speed","before":0,"value":66`, `off`, tools.Reversible},
		"opened from half":         {blind, `"property":"open_close","before":"open","before_level":50,"value":"open"`, `position 50`, tools.Reversible},
		"opened":                   {blind, `"property":"open_close","before":"closed","before_level":0,"value":"open"`, `close`, tools.Reversible},
		"closed":                   {blind, `"property":"open_close","before":"open","before_level":100,"value":"closed"`, `open`, tools.Reversible},
		"a position":               {blind, `"property":"position","before":0,"value":20`, `position 0`, tools.Reversible},
		"a setpoint":               {heater, `"property":"setpoint","before":19.5,"value":22`, `setpoint 19.5`, tools.Reversible},
		"a mode":                   {heater, `"property":"mode","before":"heat","value":"off"`, `mode "heat"`, tools.Reversible},
		"locked before":            {thing("Door", "lock", home.Lock), `"property":"lock","before":"locked","value":"unlocked"`, `lock`, tools.Reversible},
		"unlocked before":          {thing("Door", "lock", home.Lock), `"property":"lock","before":"unlocked","value":"locked"`, `unlock`, tools.Dangerous},
		"a garage":                 {thing("Garage Door", "cover", home.OpenClose), `"property":"open_close","before":"open","value":"closed"`, `open`, tools.Dangerous},
		"an oven":                  {thing("Oven", "switch", home.OnOff), `"property":"on_off","before":"on","value":"off"`, `on`, tools.Dangerous},
		"paused":                   {player, `"property":"play","before":"playing","value":"paused"`, `play`, tools.Reversible},
		"played":                   {player, `"property":"play","before":"paused","value":"playing"`, `pause`, tools.Reversible},
		"played from nothing":      {player, `"property":"play","before":"idle","value":"playing"`, `stop`, tools.Reversible},
		"a volume":                 {player, `"property":"volume","before":30,"value":50`, `level 30`, tools.Reversible},
		"muted":                    {player, `"property":"mute","before":false,"value":true`, `unmute`, tools.Reversible},
		"another source":           {player, `"property":"source","before":"Radio","value":"HDMI 1"`, `source "Radio"`, tools.Reversible},
		"the next title":           {player, `"property":"skip","before":"playing","value":"playing"`, "", tools.Read},
		"sent to clean":            {robot, `"property":"start","before":"docked","value":"cleaning"`, `dock`, tools.Reversible},
		"sent home":                {robot, `"property":"start","before":"cleaning","value":"docked"`, `start`, tools.Reversible},
		"in trouble before":        {robot, `"property":"start","before":"error","value":"docked"`, "", tools.Read},
		"on a list":                {thing("List", "todo", home.List), `"property":"list","before":2,"value":3`, "", tools.Read},
		"not known before":         {plug, `"property":"on_off","before":null,"value":"on"`, "", tools.Read},
		"moving before":            {thing("Gate", "cover", home.OpenClose), `"property":"open_close","before":"opening","value":"closed"`, "", tools.Read},
		"an unknown property":      {plug, `"property":"child_lock","before":"off","value":"on"`, "", tools.Read},
		"a strange before":         {plug, `"property":"on_off","before":{"a":1},"value":"on"`, "", tools.Read},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c plan.Change
			if err := json.Unmarshal([]byte(`{"outcome":"confirmed",`+tt.receipt+`}`), &c); err != nil {
				t.Fatal(err)
			}
			s := plan.Restore(tt.e, c)
			var args struct {
				Action string
				Value  json.RawMessage
			}
			if tt.want != "" {
				if err := json.Unmarshal(s.PlannedCall().Args, &args); err != nil {
					t.Fatal(s.Err, err)
				}
			}
			got := args.Action
			if len(args.Value) > 0 {
				got += " " + string(args.Value)
			}
			if got != tt.want || s.Risk != tt.risk || (s.Err != nil) != (tt.want == "") {
				t.Errorf("%s %s %v, expected %s %s", s.Risk, got, s.Err, tt.risk, tt.want)
			}
		})
	}
}

// TestRestoreLooksFirst: a device that is in another state than the change left
// it in is left alone.
func TestRestoreLooksFirst(t *testing.T) {
	t.Parallel()
	lamp := thing("Lamp", "light", home.OnOff, home.Brightness)
	for name, tt := range map[string]struct {
		change plan.Change
		state  string
		calls  int // 2: it was restored
	}{
		"as it was left":        {plan.Change{Receipt: tools.Receipt{Property: "brightness", Before: 30.0, Value: 80.0, Outcome: tools.Confirmed}}, `{"values":{"brightness":80}}`, 2},
		"a rounding":            {plan.Change{Receipt: tools.Receipt{Property: "brightness", Before: 30.0, Value: 80.0, Outcome: tools.Confirmed}}, `{"values":{"brightness":81}}`, 2},
		"back already":          {plan.Change{Receipt: tools.Receipt{Property: "brightness", Before: 30.0, Value: 80.0, Outcome: tools.Confirmed}}, `{"values":{"brightness":30}}`, 2},
		"not told":              {plan.Change{Receipt: tools.Receipt{Property: "brightness", Before: 30.0, Value: 80.0, Outcome: tools.Confirmed}}, `{}`, 2},
		"no answer that is one": {plan.Change{Receipt: tools.Receipt{Property: "on_off", Before: "on", Value: "off", Outcome: tools.Confirmed}}, `42`, 2},
		"changed":               {plan.Change{Receipt: tools.Receipt{Property: "brightness", Before: 30.0, Value: 80.0, Outcome: tools.Confirmed}}, `{"values":{"brightness":10}}`, 1},
		"switched":              {plan.Change{Receipt: tools.Receipt{Property: "on_off", Before: "on", Value: "off", Outcome: tools.Confirmed}}, `{"state":"jammed"}`, 1},
		"off is not nearly off": {plan.Change{Receipt: tools.Receipt{Property: "brightness", Before: 30.0, Value: 1.0, Outcome: tools.Confirmed}}, `{"values":{"brightness":0}}`, 1},
		"on, as it was left":    {plan.Change{Receipt: tools.Receipt{Property: "on_off", Before: "on", BeforeLevel: 30.0, Value: "on", ValueLevel: 100.0, Outcome: tools.Confirmed}}, `{"state":"on","values":{"brightness":100}}`, 2},
		"on, still rising":      {plan.Change{Receipt: tools.Receipt{Property: "on_off", Before: "on", BeforeLevel: 30.0, Value: "on", ValueLevel: 45.0, Outcome: tools.Confirmed}}, `{"state":"on","values":{"brightness":100}}`, 2},
		"on, dimmed since":      {plan.Change{Receipt: tools.Receipt{Property: "on_off", Before: "on", BeforeLevel: 30.0, Value: "on", ValueLevel: 100.0, Outcome: tools.Confirmed}}, `{"state":"on","values":{"brightness":55}}`, 1},
		"not confirmed":         {plan.Change{Receipt: tools.Receipt{Property: "brightness", Before: 30.0, Value: nil, Outcome: tools.Accepted}}, `{"values":{"brightness":55}}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := plan.Restore(lamp, tt.change)
			var made []string
			_, err := s.Do(t.Context(), func(_ context.Context, c tools.Call) (tools.Result, error) {
				made = append(made, c.Tool)
				return tools.Result{Data: json.RawMessage(tt.state)}, nil
			})
			if len(made) != tt.calls {
				t.Errorf("it calls %v, %v", made, err)
			}
			var planned *plan.Error
			if tt.change.Done() && tt.calls == 1 && (!errors.As(err, &planned) || planned.Key != "changed_since" || s.Call.Tool != "state") {
				t.Errorf("it says %v after %s", err, s.Call.Tool)
			}
			if tt.calls == 2 { // if the step is done again, as after a lost connection, only the act is called
				if _, err := s.Do(t.Context(), func(_ context.Context, c tools.Call) (tools.Result, error) {
					made = append(made, c.Tool)
					return tools.Result{}, nil
				}); err != nil || len(made) != 3 || made[2] != "control" {
					t.Errorf("once more it calls %v, %v", made, err)
				}
			}
		})
	}
}

// TestMoved tells things that have changed from things that were in that state
// already.
func TestMoved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change plan.Change
		want   bool
	}{
		"on from off":   {plan.Change{Receipt: tools.Receipt{Property: "on_off", Before: "off", Value: "on", Outcome: tools.Confirmed}}, true},
		"on from on":    {plan.Change{Receipt: tools.Receipt{Property: "on_off", Before: "on", Value: "On", Outcome: tools.Confirmed}}, false},
		"a dimmed lamp": {plan.Change{Receipt: tools.Receipt{Property: "on_off", Before: "on", BeforeLevel: 40.0, Value: "on", Outcome: tools.Confirmed}}, true},
		"fully on":      {plan.Change{Receipt: tools.Receipt{Property: "on_off", Before: "on", BeforeLevel: 30.0, Value: "on", ValueLevel: 100.0, Outcome: tools.Confirmed}}, true},
		"on as before":  {plan.Change{Receipt: tools.Receipt{Property: "on_off", Before: "on", BeforeLevel: 99.0, Value: "on", ValueLevel: 100.0, Outcome: tools.Confirmed}}, false},
		"half open":     {plan.Change{Receipt: tools.Receipt{Property: "open_close", Before: "open", BeforeLevel: 50.0, Value: "open", Outcome: tools.Confirmed}}, true},
		"nobody knows":  {plan.Change{Receipt: tools.Receipt{Property: "on_off", Value: "on", Outcome: tools.Confirmed}}, true},
		"not confirmed": {plan.Change{Receipt: tools.Receipt{Property: "on_off", Before: "off", Value: "off", Outcome: tools.Accepted}}, true},
	} {
		if got := tt.change.Moved(); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestRepeat: what a model called can be planned for another device.
func TestRepeat(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"device_name":"a","action":"on"}`:                   "HassTurnOn",
		`{"device_name":"a","action":"level","value":40}`:     "HassLightSet",
		`{"device_name":"a","action":"unlock"}`:               "",
		`{"device_name":"a","action":["on"]}`:                 "",
		`{"device_name":"a","action":"selfdestruct"}`:         "",
		`{"device_name":"a","action":"setpoint","value":"a"}`: "HassClimateSetTemperature",
		``: "",
	} {
		got, ok := plan.Repeat(tools.Call{Args: json.RawMessage(args)})
		if got.Intent != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", args, got.Intent, ok)
		}
	}
}
