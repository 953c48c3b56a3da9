package hass_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/hass"
	"voicegateway/internal/hass/socket"
)

// TestLook: one look tells what a person who sets the house up has to know, and tries a
// token once.
func TestLook(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		token  string
		change func(h *fake.HomeAssistant)
		want   hass.Survey
		err    error
	}{
		"all is well":        {fake.HomeAssistantToken + "\n", nil, hass.Survey{Version: "2026.9.3", Admin: true, Shown: 1, Hidden: 1}, nil},
		"no administrator":   {fake.HomeAssistantToken, func(h *fake.HomeAssistant) { h.Common = true }, hass.Survey{Version: "2026.9.3", Shown: 1, Hidden: 1}, nil},
		"nothing is shown":   {fake.HomeAssistantToken, func(h *fake.HomeAssistant) { h.Hide("light.a", true) }, hass.Survey{Version: "2026.9.3", Admin: true, Hidden: 2}, nil},
		"still starting":     {fake.HomeAssistantToken, func(h *fake.HomeAssistant) { h.Be("STARTING") }, hass.Survey{Version: "2026.9.3", Admin: true, Starting: true, Shown: 1, Hidden: 1}, nil},
		"a slow clock":       {fake.HomeAssistantToken, func(h *fake.HomeAssistant) { h.Clock = after(-time.Minute) }, hass.Survey{Version: "2026.9.3", Admin: true, Shown: 1, Hidden: 1, Ahead: -time.Minute, HasClock: true}, nil},
		"a token of nowhere": {"wrong", nil, hass.Survey{}, socket.ErrToken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				home := fake.NewHomeAssistant(map[string]fake.Thing{
					"light.a":  {State: "off", Attributes: attributes{"friendly_name": "A"}},
					"switch.b": {State: "off", Attributes: attributes{"friendly_name": "B"}, Hidden: true},
					"person.c": {State: "home"},
				})
				if tc.change != nil {
					tc.change(home)
				}
				got, err := hass.Look(t.Context(), socket.Config{URL: "http://house.test", Dial: home.Dial}, tc.token)
				if got != tc.want || !errors.Is(err, tc.err) {
					t.Errorf("%+v, %v; want %+v, %v", got, err, tc.want, tc.err)
				}
				if all, _ := home.Logins(); all != 1 {
					t.Errorf("it has logged in %d times", all)
				}
				_ = home.Close()
			})
		})
	}
}

// after is a clock that differs from ours.
func after(d time.Duration) func() time.Time { return func() time.Time { return time.Now().Add(d) } }

// TestGreet: whether a Home Assistant is there is known without a token.
func TestGreet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		home := fake.NewHomeAssistant(nil)
		at := socket.Config{URL: "http://house.test", Dial: home.Dial}
		if version, err := socket.Greet(t.Context(), at); version != "2026.9.3" || err != nil {
			t.Errorf("%q, %v", version, err)
		}
		synctest.Wait()
		if all, _ := home.Logins(); all != 0 {
			t.Errorf("it has logged in %d times", all)
		}
		home.Silence(true)
		if _, err := socket.Greet(t.Context(), at); !errors.Is(err, context.DeadlineExceeded) && err == nil {
			t.Errorf("a silent one: %v", err)
		}
		_ = home.Close()
	})
}

// TestOldReleases are those before the oldest that is tested.
func TestOldReleases(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"2023.12.4": true, "2024.2.5": true, "2024.3.0": false, "2024.10.1": false, "2026.9.3": false, "2026.10.0b3": false, "0.118.5": true, "": false, "dev": false,
	} {
		if got := (hass.Survey{Version: version}).Old(); got != want {
			t.Errorf("%q is old: %v", version, got)
		}
	}
}
