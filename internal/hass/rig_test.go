package hass_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/hass"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// attributes are the attributes of a thing.
type attributes = map[string]any

// rig is a house behind a Home Assistant of the tests.
type rig struct {
	*testing.T

	home  *fake.HomeAssistant
	house *hass.House
	token func() (string, error)
}

// family are the things of most tests.
func family() map[string]fake.Thing {
	return map[string]fake.Thing{
		"light.kitchen":            {State: "off", Area: "kitchen", Attributes: attributes{"friendly_name": "Kitchen Light", "supported_color_modes": []any{"hs", "color_temp"}, "brightness": nil}, Aliases: []any{"ceiling lamp"}},
		"light.bulb":               {State: "on", Area: "hall", Attributes: attributes{"friendly_name": "Bulb", "supported_color_modes": []any{"onoff"}}},
		"switch.kettle":            {State: "off", Area: "kitchen", Attributes: attributes{"friendly_name": "Kettle", "device_class": "outlet"}},
		"switch.guess":             {State: "off", Area: "hall", Attributes: attributes{"friendly_name": "Guess", "assumed_state": true}},
		"switch.gone":              {State: "unavailable", Area: "hall", Attributes: attributes{"friendly_name": "Gone"}},
		"switch.restored":          {State: "unavailable", Area: "hall", Attributes: attributes{"friendly_name": "Restored", "restored": true}},
		"switch.hidden":            {State: "off", Area: "hall", Attributes: attributes{"friendly_name": "Secret"}, Hidden: true},
		"switch.yaml":              {State: "off", Attributes: attributes{"friendly_name": "Yaml"}, Unlisted: true},
		"lock.front":               {State: "unlocked", Area: "hall", Attributes: attributes{"friendly_name": "Front Door"}},
		"cover.blind":              {State: "open", Area: "kitchen", Attributes: attributes{"friendly_name": "Kitchen Blind", "device_class": "blind", "supported_features": 15.0, "current_position": 100.0}},
		"cover.garage":             {State: "closed", Area: "garage", Attributes: attributes{"friendly_name": "Garage Door", "device_class": "garage", "supported_features": 3.0}},
		"climate.hall":             {State: "heat", Area: "hall", Attributes: attributes{"friendly_name": "Hall Thermostat", "supported_features": 1.0, "hvac_modes": []any{"off", "heat"}, "min_temp": 7.0, "max_temp": 30.0, "temperature": 20.0, "current_temperature": 19.5}},
		"climate.range":            {State: "heat_cool", Area: "kitchen", Attributes: attributes{"friendly_name": "Ecobee", "supported_features": 3.0, "hvac_modes": []any{"off", "heat", "cool", "heat_cool"}, "min_temp": 7.0, "max_temp": 30.0, "temperature": nil, "target_temp_low": 19.0, "target_temp_high": 24.0}},
		"climate.cooler":           {State: "cool", Area: "kitchen", Attributes: attributes{"friendly_name": "Cooler", "supported_features": 1.0, "hvac_modes": []any{"off", "heat", "cool"}, "min_temp": 16.0, "max_temp": 30.0, "temperature": 24.0}},
		"fan.hall":                 {State: "off", Area: "hall", Attributes: attributes{"friendly_name": "Hall Fan", "supported_features": 9.0, "percentage_step": 33.0, "percentage": 0.0, "preset_mode": nil, "preset_modes": []any{"Sleep", "Breeze"}}},
		"scene.movie":              {State: "unknown", Attributes: attributes{"friendly_name": "Movie Night", "entity_id": []any{"light.kitchen"}}},
		"scene.leave":              {State: "unknown", Attributes: attributes{"friendly_name": "Leaving", "entity_id": []any{"light.kitchen", "lock.front"}}},
		"script.anything":          {State: "off", Attributes: attributes{"friendly_name": "Anything"}},
		"script.bedtime":           {State: "off", Attributes: attributes{"friendly_name": "Bedtime"}},
		"siren.loud":               {State: "off", Area: "hall", Attributes: attributes{"friendly_name": "Howler"}},
		"valve.main":               {State: "closed", Attributes: attributes{"friendly_name": "Main", "supported_features": 3.0}},
		"media_player.tv":          {State: "playing", Area: "hall", Attributes: attributes{"friendly_name": "Television", "supported_features": 22973.0, "volume_level": 0.3, "is_volume_muted": false, "media_title": "One", "source": "HDMI 1", "source_list": []any{"HDMI 1", "Radio"}}},
		"vacuum.robot":             {State: "docked", Attributes: attributes{"friendly_name": "Robot", "supported_features": 8220.0}},
		"media_player.old":         {State: "off", Area: "garage", Attributes: attributes{"friendly_name": "Old Radio", "supported_features": 384.0}},
		"lawn_mower.garden":        {State: "docked", Attributes: attributes{"friendly_name": "Mower", "supported_features": 7.0}},
		"humidifier.bedroom":       {State: "on", Area: "hall", Attributes: attributes{"friendly_name": "Humidifier", "supported_features": 1.0, "humidity": 40.0, "min_humidity": 30.0, "max_humidity": 70.0, "mode": "auto", "available_modes": []any{"auto", "Sleep"}}},
		"todo.shopping":            {State: "2", Attributes: attributes{"friendly_name": "Shopping List", "supported_features": 7.0}},
		"alarm_control_panel.home": {State: "armed_away", Attributes: attributes{"friendly_name": "House Alarm"}},
		"sensor.hall":              {State: "21.4", Area: "hall", Attributes: attributes{"friendly_name": "Hall Temperature", "device_class": "temperature", "unit_of_measurement": "°C"}},
		"sensor.battery":           {State: "12", Area: "hall", Device: "", Attributes: attributes{"friendly_name": "Door Battery", "device_class": "battery", "unit_of_measurement": "%"}},
		"binary_sensor.window":     {State: "on", Area: "kitchen", Attributes: attributes{"friendly_name": "Kitchen Window", "device_class": "window"}},
		"binary_sensor.smoke":      {State: "off", Area: "kitchen", Attributes: attributes{"friendly_name": "Smoke Alarm", "device_class": "smoke"}},
		"person.somebody":          {State: "home", Attributes: attributes{"friendly_name": "Somebody"}},
	}
}

// at runs a test in virtual time with a house whose first connection has been made, unless
// the test has changed what cannot be connected.
func at(t *testing.T, things map[string]fake.Thing, change func(*hass.Config, *fake.HomeAssistant), do func(r rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		home := fake.NewHomeAssistant(things)
		cfg := hass.DefaultConfig()
		cfg.Socket = socket.Config{URL: "http://house.test:8123", Dial: home.Dial}
		cfg.Token = func() (string, error) { return fake.HomeAssistantToken, nil }
		cfg.Scripts = []string{"script.bedtime"}
		if change != nil {
			change(&cfg, home)
		}
		house, err := hass.New(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { _ = house.Run(ctx) })
		synctest.Wait()
		do(rig{T: t, home: home, house: house, token: cfg.Token})
		cancel()
		wg.Wait()
		_ = home.Close()
	})
}

// do carries out a command.
func (r rig) do(device, action string, value any) tools.Receipt {
	r.Helper()
	got, err := r.house.Control(r.Context(), form.Command{Device: device, Action: action, Value: value}, false)
	if err != nil {
		r.Fatalf("%s %s: %v", action, device, err)
	}
	return got
}

// state is what a thing last reported.
func (r rig) state(device string) form.State {
	r.Helper()
	_, s, err := r.house.State(r.Context(), device)
	if err != nil {
		r.Fatalf("the state of %s: %v", device, err)
	}
	return s
}

// wait lets virtual time pass.
func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// after makes a service that shows a state after a while, and ends then.
func (r rig) after(d time.Duration, state string, a attributes) func(fake.ServiceCall) *fake.ServiceError {
	return func(c fake.ServiceCall) *fake.ServiceError {
		<-time.After(d)
		r.home.Set(c.Entity, state, a, c.Context)
		return nil
	}
}
