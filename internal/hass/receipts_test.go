package hass_test

import (
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/hass"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// TestWhatIsToldOfAnAct has a thing do what a real one does, and compares what is told.
func TestWhatIsToldOfAnAct(t *testing.T) {
	const ms = time.Millisecond
	type world = func(r rig) func(fake.ServiceCall) *fake.ServiceError
	shows := func(d time.Duration, state string, a attributes) world {
		return func(r rig) func(fake.ServiceCall) *fake.ServiceError { return r.after(d, state, a) }
	}
	nothing := func(rig) func(fake.ServiceCall) *fake.ServiceError { return nil }
	refuses := func(d time.Duration, code string) world {
		return func(rig) func(fake.ServiceCall) *fake.ServiceError {
			return func(fake.ServiceCall) *fake.ServiceError {
				<-time.After(d)
				return &fake.ServiceError{Code: code, Message: "No."}
			}
		}
	}
	for name, tt := range map[string]struct {
		device, action string
		value          any
		world          world
		service        string // "": nothing may be called
		outcome        tools.Outcome
		reason         tools.Reason
		says           string
	}{
		"a lamp":                     {"Kitchen Light", "on", nil, shows(80*ms, "on", attributes{"brightness": 255.0}), "light.turn_on", tools.Confirmed, "", "Kitchen Light is on."},
		"by another name":            {"ceiling lamp", "on", nil, shows(80*ms, "on", nil), "light.turn_on", tools.Confirmed, "", "Kitchen Light is on."},
		"by its id":                  {"light.kitchen", "on", nil, shows(80*ms, "on", nil), "light.turn_on", tools.Confirmed, "", "Kitchen Light is on."},
		"on already":                 {"Bulb", "on", nil, nothing, "light.turn_on", tools.Confirmed, "", "Bulb is on."},
		"dimmed":                     {"Kitchen Light", "level", 40.0, shows(80*ms, "on", attributes{"brightness": 102.0}), "light.turn_on", tools.Confirmed, "", "Kitchen Light is at 40 percent."},
		"dimmed to nothing":          {"Kitchen Light", "level", "0 %", shows(80*ms, "off", nil), "light.turn_off", tools.Confirmed, "", "Kitchen Light is at 0 percent."},
		"red":                        {"Kitchen Light", "colour", "red", shows(80*ms, "on", attributes{"rgb_color": []any{255.0, 4.0, 0.0}, "brightness": 90.0}), "light.turn_on", tools.Confirmed, "", "Kitchen Light is #ff0400."},
		"cannot be dimmed":           {"Bulb", "level", 40.0, nothing, "", tools.Refused, tools.RefusedAction, "Bulb cannot be dimmed, only switched on and off."},
		"toggled":                    {"Bulb", "toggle", nil, shows(80*ms, "off", nil), "light.turn_off", tools.Confirmed, "", "Bulb is off."},
		"does nothing":               {"Kettle", "on", nil, nothing, "switch.turn_on", tools.Accepted, tools.Unchanged, "Kettle took the command but still reports off."},
		"only guesses":               {"Guess", "on", nil, shows(10*ms, "on", nil), "switch.turn_on", tools.Accepted, tools.Unconfirmed, "cannot tell whether it has done it"},
		"cannot be reached":          {"Gone", "on", nil, nothing, "", tools.NoAnswer, tools.Dead, "Home Assistant cannot reach Gone."},
		"has not come back":          {"Restored", "on", nil, nothing, "", tools.NoAnswer, tools.NotReady, "has not come back"},
		"is lost meanwhile":          {"Kettle", "on", nil, shows(80*ms, "unavailable", nil), "switch.turn_on", tools.NoAnswer, tools.Dead, "Home Assistant cannot reach Kettle."},
		"is hidden":                  {"Secret", "on", nil, nothing, "", tools.Refused, tools.UnknownDevice, `no device called "Secret"`},
		"is hidden, by its id":       {"switch.hidden", "on", nil, nothing, "", tools.Refused, tools.UnknownDevice, "no device called"},
		"is a person":                {"Somebody", "on", nil, nothing, "", tools.Refused, tools.UnknownDevice, "no device called"},
		"has no entry":               {"Yaml", "on", nil, shows(80*ms, "on", nil), "switch.turn_on", tools.Confirmed, "", "Yaml is on."},
		"refused in time":            {"Kettle", "on", nil, refuses(50*ms, "home_assistant_error"), "switch.turn_on", tools.Refused, tools.RefusedByDevice, "did not carry out"},
		"refused late":               {"Kettle", "on", nil, refuses(3*time.Second, "home_assistant_error"), "switch.turn_on", tools.Refused, tools.RefusedByDevice, "did not carry out"},
		"a wrong value":              {"Kettle", "on", nil, refuses(50*ms, "service_validation_error"), "switch.turn_on", tools.Refused, tools.RefusedValue, "does not accept"},
		"not this user":              {"Kettle", "on", nil, refuses(50*ms, socket.CodeUnauthorized), "switch.turn_on", tools.Refused, tools.RefusedAction, "does not let us"},
		"slow":                       {"Kettle", "on", nil, shows(8*time.Second, "on", nil), "switch.turn_on", tools.Accepted, tools.OnItsWay, "takes long"},
		"a lock":                     {"Front Door", "lock", nil, shows(800*ms, "locked", nil), "lock.lock", tools.Confirmed, "", "Front Door is locked."},
		"a lock that jams":           {"Front Door", "lock", nil, shows(800*ms, "jammed", nil), "lock.lock", tools.Refused, tools.RefusedByDevice, "Front Door is jammed."},
		"a lock is not unlocked":     {"Front Door", "unlock", nil, nothing, "", tools.Refused, tools.RefusedDangerous, "let somebody in"},
		"nor switched off":           {"Front Door", "off", nil, nothing, "", tools.Refused, tools.RefusedDangerous, "let somebody in"},
		"a garage is not opened":     {"Garage Door", "open", nil, nothing, "", tools.Refused, tools.RefusedDangerous, "let somebody in"},
		"water does not run":         {"Main", "open", nil, nothing, "", tools.Refused, tools.RefusedDangerous, "do harm"},
		"a siren does not howl":      {"Howler", "on", nil, nothing, "", tools.Refused, tools.RefusedDangerous, "do harm"},
		"a garage is closed":         {"Garage Door", "close", nil, nothing, "cover.close_cover", tools.Confirmed, "", "Garage Door is closed."},
		"a blind":                    {"Kitchen Blind", "close", nil, shows(90*ms, "closing", nil), "cover.close_cover", tools.Accepted, tools.OnItsWay, "Kitchen Blind is on the way."},
		"a position":                 {"Kitchen Blind", "position", 30.0, shows(90*ms, "open", attributes{"current_position": 31.0}), "cover.set_cover_position", tools.Confirmed, "", "Kitchen Blind is at 31 percent."},
		"warmer":                     {"Hall Thermostat", "setpoint", "21,5", shows(90*ms, "heat", attributes{"temperature": 21.5}), "climate.set_temperature", tools.Confirmed, "", "Hall Thermostat is set to 21.5 degrees."},
		"in Fahrenheit":              {"Hall Thermostat", "setpoint", "70 F", shows(90*ms, "heat", attributes{"temperature": 21.0}), "climate.set_temperature", tools.Confirmed, "", "set to 21 degrees."},
		"too warm":                   {"Hall Thermostat", "setpoint", 45.0, nothing, "", tools.Refused, tools.RefusedValue, "goes up to 30 degrees at most"},
		"one of two":                 {"Ecobee", "setpoint", "cool 25", shows(90*ms, "heat_cool", attributes{"target_temp_high": 25.0}), "climate.set_temperature", tools.Confirmed, "", "Ecobee cools to 25 degrees."},
		"a mode":                     {"Hall Thermostat", "mode", "off", shows(90*ms, "off", nil), "climate.set_hvac_mode", tools.Confirmed, "", "Hall Thermostat is set to off."},
		"no such mode":               {"Hall Thermostat", "mode", "cool", nothing, "", tools.Refused, tools.RefusedValue, "it knows off, heat"},
		"a fan":                      {"Hall Fan", "level", 50.0, shows(90*ms, "on", attributes{"percentage": 66.0}), "fan.set_percentage", tools.Confirmed, "", "Hall Fan is at 66 percent."},
		"a scene":                    {"Movie Night", "on", nil, shows(90*ms, "2026-11-28T19:00:00+00:00", nil), "scene.turn_on", tools.Confirmed, "", "Movie Night has been started."},
		"a scene that unlocks":       {"Leaving", "on", nil, nothing, "", tools.Refused, tools.RefusedDangerous, "Front Door"},
		"a scene has no end":         {"Movie Night", "off", nil, nothing, "", tools.Refused, tools.RefusedAction, "can only be started"},
		"any script":                 {"Anything", "on", nil, nothing, "", tools.Refused, tools.RefusedDangerous, "scripts: [script.anything]"},
		"a script of the settings":   {"Bedtime", "on", nil, shows(90*ms, "on", nil), "script.turn_on", tools.Confirmed, "", "Bedtime has been started."},
		"louder":                     {"Television", "level", 45.0, shows(90*ms, "playing", attributes{"volume_level": 0.45}), "media_player.volume_set", tools.Confirmed, "", "Television is at 45 percent."},
		"paused":                     {"Television", "pause", nil, shows(90*ms, "paused", nil), "media_player.media_pause", tools.Confirmed, "", "Television is paused."},
		"the next one":               {"Television", "next", nil, shows(90*ms, "playing", attributes{"media_title": "Two"}), "media_player.media_next_track", tools.Confirmed, "", "Television is playing."},
		"nothing comes next":         {"Television", "next", nil, shows(90*ms, "idle", attributes{"media_title": nil}), "media_player.media_next_track", tools.Accepted, tools.Unconfirmed, "took the command"},
		"cools already":              {"Cooler", "on", nil, nothing, "climate.set_hvac_mode", tools.Confirmed, "", "Cooler is set to cool."},
		"goes on":                    {"Television", "play", nil, shows(90*ms, "playing", nil), "media_player.media_play", tools.Confirmed, "", "Television is playing."},
		"stopped":                    {"Television", "stop", nil, shows(90*ms, "idle", nil), "media_player.media_stop", tools.Confirmed, "", "Television is idle."},
		"muted":                      {"Television", "mute", nil, shows(90*ms, "playing", attributes{"is_volume_muted": true}), "media_player.volume_mute", tools.Confirmed, "", "Television is muted."},
		"not muted":                  {"Television", "unmute", nil, nothing, "media_player.volume_mute", tools.Confirmed, "", "Television is not muted."},
		"muted, it says":             {"Television", "mute", nil, nothing, "media_player.volume_mute", tools.Accepted, tools.Unchanged, "still reports"},
		"another source":             {"Television", "source", "radio", shows(90*ms, "playing", attributes{"source": "Radio"}), "media_player.select_source", tools.Confirmed, "", "Television is set to Radio."},
		"no such source":             {"Television", "source", "HDMI 9", nothing, "", tools.Refused, tools.RefusedValue, "it knows HDMI 1, Radio"},
		"cannot skip":                {"Old Radio", "next", nil, nothing, "", tools.Refused, tools.RefusedAction, "cannot do that"},
		"cannot be louder":           {"Old Radio", "level", 40.0, nothing, "", tools.Refused, tools.RefusedAction, "Old Radio cannot"},
		"a robot goes home":          {"Robot", "dock", nil, shows(90*ms, "returning", nil), "vacuum.return_to_base", tools.Accepted, tools.OnItsWay, "on the way"},
		"a robot waits":              {"Robot", "pause", nil, shows(90*ms, "paused", nil), "vacuum.pause", tools.Confirmed, "", "Robot is paused."},
		"a mower":                    {"Mower", "start", nil, shows(90*ms, "mowing", nil), "lawn_mower.start_mowing", tools.Confirmed, "", "Mower is mowing."},
		"a mower goes home":          {"Mower", "dock", nil, nothing, "lawn_mower.dock", tools.Confirmed, "", "Mower is docked."},
		"a preset":                   {"Hall Fan", "preset", "breeze", shows(90*ms, "on", attributes{"preset_mode": "Breeze"}), "fan.set_preset_mode", tools.Confirmed, "", "Hall Fan is set to Breeze."},
		"no such preset":             {"Hall Fan", "preset", "storm", nothing, "", tools.Refused, tools.RefusedValue, "it knows Sleep, Breeze"},
		"more humid":                 {"Humidifier", "humidity", 55.0, shows(90*ms, "on", attributes{"humidity": 55.0}), "humidifier.set_humidity", tools.Confirmed, "", "Humidifier is set to 55 percent."},
		"too humid":                  {"Humidifier", "humidity", 95.0, nothing, "", tools.Refused, tools.RefusedValue, "takes 30 to 70 percent"},
		"a mode of a humidifier":     {"Humidifier", "mode", "sleep", shows(90*ms, "on", attributes{"mode": "Sleep"}), "humidifier.set_mode", tools.Confirmed, "", "Humidifier is set to Sleep."},
		"on the list":                {"Shopping List", "add", "milk", shows(90*ms, "3", nil), "todo.add_item", tools.Confirmed, "", "milk is on Shopping List."},
		"not on the list":            {"Shopping List", "add", "milk", nothing, "todo.add_item", tools.Accepted, tools.Unchanged, "still reports 2"},
		"nothing on the list":        {"Shopping List", "add", "  ", nothing, "", tools.Refused, tools.RefusedValue, "needs an item"},
		"a robot":                    {"Robot", "start", nil, shows(90*ms, "cleaning", nil), "vacuum.start", tools.Confirmed, "", "Robot is cleaning."},
		"an alarm is only read":      {"House Alarm", "off", nil, nothing, "", tools.Refused, tools.RefusedAction, "can only be read"},
		"a sensor is only read":      {"Hall Temperature", "on", nil, nothing, "", tools.Refused, tools.RefusedAction, "is a sensor"},
		"a room that does not exist": {"Bathroom Light", "on", nil, nothing, "", tools.Refused, tools.UnknownDevice, "no device called"},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, family(), nil, func(r rig) {
				r.home.OnCall = tt.world(r)
				got := r.do(tt.device, tt.action, tt.value)
				if got.Outcome != tt.outcome || got.Reason != tt.reason || !strings.Contains(got.Message, tt.says) {
					r.Errorf("told: %s, %q, %q; want %s, %q, %q", got.Outcome, got.Reason, got.Message, tt.outcome, tt.reason, tt.says)
				}
				var called string
				for _, c := range r.home.Calls() {
					called += c.Service
				}
				if called != tt.service {
					r.Errorf("called: %q, want %q", called, tt.service)
				}
				wait(10 * time.Second)
			})
		})
	}
}

// TestALampThatFlipsBack: what was told as done and is not a moment later is corrected; a
// person who switches it off in between is not blamed.
func TestALampThatFlipsBack(t *testing.T) {
	for name, tt := range map[string]struct {
		context any
		belied  bool
	}{
		"by itself":       {nil, true},
		"its integration": {"ours-a", true},
		"a person's wish": {map[string]any{"id": "theirs", "user_id": "anna"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, family(), nil, func(r rig) {
				r.home.OnCall = r.after(50*time.Millisecond, "on", nil)
				if got := r.do("Kettle", "on", nil); !got.Done() {
					r.Fatalf("told: %+v", got)
				}
				wait(time.Second)
				r.home.Set("switch.kettle", "off", nil, tt.context)
				wait(time.Second)
				belied := false
				for _, e := range r.house.Events().Events {
					belied = belied || e.Kind == home.Belied && e.Entity == "switch.kettle" && e.State == "off" && e.Before == "on"
				}
				if belied != tt.belied {
					r.Errorf("corrected: %v, want %v; events: %+v", belied, tt.belied, r.house.Events().Events)
				}
			})
		})
	}
}

// TestALockThatOnlyPretends: what lets people in is not believed before its service has
// ended.
func TestALockThatOnlyPretends(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		r.home.OnCall = func(c fake.ServiceCall) *fake.ServiceError {
			r.home.Set(c.Entity, "locked", nil, c.Context)
			<-time.After(time.Second)
			r.home.Set(c.Entity, "unlocked", nil, nil)
			return &fake.ServiceError{Code: "home_assistant_error", Message: "The bolt does not move."}
		}
		if got := r.do("Front Door", "lock", nil); got.Outcome != tools.Refused || got.Value != "unlocked" {
			r.Errorf("told: %+v", got)
		}
	})
}

// TestALockThatPretendsAndFails: an integration may write the wanted state, fail, and leave it
// written. What lets people in is not told as done while its service has failed or runs on.
func TestALockThatPretendsAndFails(t *testing.T) {
	for name, tt := range map[string]struct {
		takes   time.Duration
		failure *fake.ServiceError
		outcome tools.Outcome
		reason  tools.Reason
	}{
		"fails":   {time.Second, &fake.ServiceError{Code: "home_assistant_error", Message: "The bolt does not move."}, tools.Refused, tools.RefusedByDevice},
		"runs on": {8 * time.Second, nil, tools.Accepted, tools.OnItsWay},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, family(), nil, func(r rig) {
				r.home.OnCall = func(c fake.ServiceCall) *fake.ServiceError {
					r.home.Set(c.Entity, "locked", nil, c.Context)
					<-time.After(tt.takes)
					return tt.failure
				}
				if got := r.do("Front Door", "lock", nil); got.Outcome != tt.outcome || got.Reason != tt.reason {
					r.Errorf("told: %+v", got)
				}
				wait(10 * time.Second)
			})
		})
	}
}

// TestWhatASceneReaches: a scene is as dangerous as the worst that it reaches, also through
// groups and of what is not shown, which is not named then.
func TestWhatASceneReaches(t *testing.T) {
	things := family()
	scene := func(members ...any) fake.Thing {
		return fake.Thing{State: "unknown", Attributes: attributes{"friendly_name": "Evening", "entity_id": members}}
	}
	things["cover.all"] = fake.Thing{State: "closed", Attributes: attributes{"friendly_name": "All Shutters", "entity_id": []any{"cover.blind", "cover.garage"}, "supported_features": 3.0}}
	things["group.doors"] = fake.Thing{State: "on", Attributes: attributes{"friendly_name": "Both", "entity_id": []any{"lock.front", "group.doors"}}}
	things["alarm_control_panel.plain"] = fake.Thing{State: "disarmed", Attributes: attributes{"friendly_name": "Panel"}}
	things["lock.hidden"] = fake.Thing{State: "locked", Hidden: true, Attributes: attributes{"friendly_name": "Secret Vault"}}
	for name, member := range map[string]string{
		"a group of covers": "cover.all", "a group of anything": "group.doors", "an alarm": "alarm_control_panel.plain", "a hidden lock": "lock.hidden",
	} {
		t.Run(name, func(t *testing.T) {
			things["scene.evening"] = scene("light.kitchen", member)
			at(t, things, nil, func(r rig) {
				got := r.do("Evening", "on", nil)
				if got.Reason != tools.RefusedDangerous || len(r.home.Calls()) > 0 || strings.Contains(got.Message, "Secret") {
					r.Errorf("told: %+v, called: %v", got, r.home.Calls())
				}
			})
		})
	}
}

// TestSeveralAtOnce: a room and a kind mean all of them; a newer command overtakes one for
// the same thing.
func TestSeveralAtOnce(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		r.home.OnCall = r.after(50*time.Millisecond, "on", nil)
		if got := r.do("kitchen lights", "on", nil); !got.Done() || len(got.Devices) != 1 {
			r.Errorf("told: %+v", got)
		}
		if got := r.do("Kettle and Bulb", "on", nil); !got.Done() || len(got.Devices) != 2 {
			r.Errorf("told: %+v", got)
		}
		r.home.OnCall = func(fake.ServiceCall) *fake.ServiceError { <-time.After(3 * time.Second); return nil }
		first := make(chan tools.Receipt, 1)
		go func() {
			got, _ := r.house.Control(r.Context(), form.Command{Device: "Kettle", Action: "off"}, false)
			first <- got
		}()
		wait(100 * time.Millisecond)
		go func() { _, _ = r.house.Control(r.Context(), form.Command{Device: "Kettle", Action: "on"}, false) }()
		if got := <-first; got.Reason != tools.Overtaken {
			r.Errorf("told: %+v", got)
		}
		wait(10 * time.Second)
	})
}

// TestAModelsWordIsNoAgreement: a host that lets its model fill in the arguments may have asked
// nobody, so there a script does not run because the arguments say that somebody has agreed.
func TestAModelsWordIsNoAgreement(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		got, err := r.house.Control(r.Context(), form.Command{Device: "Anything", Action: "on", Confirmed: true}, false)
		if err != nil || got.Outcome != tools.Refused || !strings.Contains(got.Message, "hass_scripts: [script.anything]") {
			r.Errorf("agreed to by a model: %+v, %v", got, err)
		}
		r.home.OnCall = r.after(50*time.Millisecond, "on", nil)
		if got := r.do("Bedtime", "on", nil); got.Outcome != tools.Confirmed {
			r.Errorf("a script that the settings name: %+v", got)
		}
	})
}

// TestAScriptRunsWhenAPersonAgreed: a script that the settings do not name is costly: it runs
// only when the command says that a person was asked, and is stopped without.
func TestAScriptRunsWhenAPersonAgreed(t *testing.T) {
	asks := func(c *hass.Config, _ *fake.HomeAssistant) { c.HostAsks = true }
	at(t, family(), asks, func(r rig) {
		costly := map[string]bool{}
		for _, e := range r.house.Home().Entities {
			costly[e.ID] = e.Costly
		}
		if !costly["script.anything"] || costly["script.bedtime"] || costly["light.kitchen"] {
			r.Errorf("costly: %v", costly)
		}
		r.home.OnCall = r.after(50*time.Millisecond, "on", nil)
		if got := r.do("Anything", "on", nil); got.Outcome != tools.Refused || !strings.Contains(got.Message, "Ask the person first") {
			r.Errorf("without a word of anybody: %+v", got)
		}
		got, err := r.house.Control(r.Context(), form.Command{Device: "Anything", Action: "on", Confirmed: true}, false)
		if err != nil || got.Outcome != tools.Confirmed {
			r.Errorf("agreed to: %+v, %v", got, err)
		}
		r.home.OnCall = r.after(50*time.Millisecond, "off", nil)
		if got := r.do("Anything", "off", nil); got.Outcome != tools.Confirmed {
			r.Errorf("stopped: %+v", got)
		}
		// What could let somebody in needs more than a yes.
		if got, err := r.house.Control(r.Context(), form.Command{Device: "Front Door", Action: "unlock", Confirmed: true}, false); err != nil || got.Outcome != tools.Refused {
			r.Errorf("a door: %+v, %v", got, err)
		}
	})
}
