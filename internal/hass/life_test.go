package hass_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/hass"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// health is what the tool for the health of the house answers.
func (r rig) health() string {
	r.Helper()
	text, _, err := r.house.Health(r.Context(), form.HealthArgs{})
	if err != nil {
		r.Fatal(err)
	}
	return text
}

// TestTheHouse: what is shown to assistants is there with its rooms, names and abilities,
// and nothing else is.
func TestTheHouse(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		h := r.house.Offer().Document(r.house.Home())
		lamp := h.Entity("light.kitchen")
		if lamp == nil || lamp.Area != "Kitchen" || !slices.Equal(lamp.Aliases, []string{"ceiling lamp"}) || !lamp.Can(home.Brightness) || !lamp.Can(home.Colour) ||
			lamp.Control == nil || lamp.Control.Tool != "control_homeassistant_device" || lamp.Control.ID != "light.kitchen" || lamp.Dangerous != nil {
			t.Errorf("the lamp: %+v", lamp)
		}
		for _, id := range []string{"switch.hidden", "person.somebody"} {
			if e := h.Entity(id); e != nil {
				t.Errorf("it shows %+v", e)
			}
		}
		if a := h.Area("Kitchen"); a == nil || a.Floor != "Ground Floor" {
			t.Errorf("the kitchen: %+v", a)
		}
		if e := h.Entity("alarm_control_panel.home"); e == nil || e.Control != nil {
			t.Errorf("the alarm: %+v", e)
		}
		if e := h.Entity("climate.hall"); e.Counts() != home.Celsius || !e.Can(home.Temperature) {
			t.Errorf("the thermostat: %+v", e)
		}
		if said := r.state("Kitchen Window").State; said != "open" {
			t.Errorf("the window is %v", said)
		}
		if _, got, err := r.house.Sensor(r.Context(), "Hall Thermostat", ""); err != nil || got.Value != 19.5 || got.Unit != "°C" {
			t.Errorf("measured: %+v, %v", got, err)
		}
		if _, got, err := r.house.Sensor(r.Context(), "Door Battery", "battery"); err != nil || !got.Low {
			t.Errorf("measured: %+v, %v", got, err)
		}
		if all, err := r.house.List(r.Context(), form.ListArgs{Area: "kitchen", Type: "lights"}); err != nil || len(all) != 1 || all[0].State != "off" {
			t.Errorf("listed: %+v, %v", all, err)
		}
		if said := r.health(); !strings.Contains(said, "cannot reach these: Gone, Restored") {
			t.Errorf("its health: %s", said)
		}
	})
}

// TestDangerousActsAreAllowed: with the setting, a tool of its own does them.
func TestDangerousActsAreAllowed(t *testing.T) {
	allowed := func(c *hass.Config, _ *fake.HomeAssistant) { c.AllowDangerous = true }
	at(t, family(), allowed, func(r rig) {
		r.home.OnCall = r.after(80*time.Millisecond, "unlocked", nil)
		h := r.house.Offer().Document(r.house.Home())
		if e := h.Entity("lock.front"); e.Dangerous == nil {
			t.Errorf("the lock: %+v", e)
		}
		if got := r.do("Front Door", "unlock", nil); got.Reason != tools.RefusedDangerous {
			t.Errorf("told: %+v", got)
		}
		got, err := r.house.Control(r.Context(), form.Command{Device: "Front Door", Action: "unlock"}, true)
		if err != nil || !got.Done() {
			t.Errorf("told: %+v, %v", got, err)
		}
	})
}

// TestTheHouseChanges: what is renamed, moved, added, hidden and removed is followed without
// a restart.
func TestTheHouseChanges(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		wait(2 * time.Second)
		r.home.Set("switch.kettle", "off", attributes{"friendly_name": "Tea Maker"}, nil)
		r.home.Add("light.new", fake.Thing{State: "off", Area: "hall", Attributes: attributes{"friendly_name": "New Lamp", "supported_color_modes": []any{"brightness"}}})
		r.home.Hide("light.bulb", true)
		r.home.Hide("switch.hidden", false)
		r.home.Remove("fan.hall")
		wait(2 * time.Second)
		h := r.house.Home()
		for id, want := range map[string]string{"switch.kettle": "Tea Maker", "light.new": "New Lamp", "switch.hidden": "Secret", "light.bulb": "", "fan.hall": ""} {
			got := ""
			if e := h.Entity(id); e != nil {
				got = e.Name
			}
			if got != want {
				t.Errorf("%s is called %q, want %q", id, got, want)
			}
		}
		select {
		case <-r.house.Changed():
		default:
			t.Error("it does not tell of the change")
		}
		if got := r.do("Bulb", "on", nil); got.Reason != tools.UnknownDevice {
			t.Errorf("what is hidden now: %+v", got)
		}
		r.home.Set("cover.blind", "unavailable", attributes{"supported_features": nil, "current_position": nil}, nil)
		wait(2 * time.Second)
		h = r.house.Home()
		if e := h.Entity("cover.blind"); !e.Can(home.Position) {
			t.Errorf("what cannot be reached has lost its abilities: %+v", e)
		}
	})
}

// TestAToken that is refused is tried once, and told; another one is taken without a
// restart. A token that is revoked throws us out.
func TestAToken(t *testing.T) {
	var token atomic.Pointer[string]
	take := func(text string) { token.Store(&text) }
	take("wrong")
	wrong := func(c *hass.Config, _ *fake.HomeAssistant) {
		c.Token = func() (string, error) { return *token.Load() + "\n", nil }
	}
	at(t, family(), wrong, func(r rig) {
		wait(time.Hour)
		if all, refused := r.home.Logins(); all != 1 || refused != 1 {
			t.Errorf("%d logins, %d of them refused, want one", all, refused)
		}
		began := time.Now()
		if got := r.do("Kettle", "on", nil); got.Outcome != tools.NoAnswer || got.Reason != tools.HomeAssistantToken || time.Since(began) > time.Second {
			t.Errorf("told: %+v", got)
		}
		if said := r.health(); !strings.Contains(said, "refuses the token") {
			t.Errorf("its health: %s", said)
		}
		take(fake.HomeAssistantToken)
		wait(time.Minute)
		if got := r.do("Bulb", "on", nil); !got.Done() {
			t.Errorf("with the right token: %+v", got)
		}
		r.home.Take("another")
		wait(time.Hour)
		if all, refused := r.home.Logins(); all != 3 || refused != 2 {
			t.Errorf("after it was revoked: %d logins, %d of them refused", all, refused)
		}
		if s := r.state("Bulb"); s.Reachable || s.Reason != tools.HomeAssistantToken || !s.Stale {
			t.Errorf("what is known of a lamp: %+v", s)
		}
	})
}

// TestARestart in the middle of a command: it is not sent again, and what the thing says
// afterwards decides.
func TestARestart(t *testing.T) {
	for name, tt := range map[string]struct {
		state   string
		outcome tools.Outcome
		reason  tools.Reason
	}{
		"done":     {"on", tools.Confirmed, ""},
		"not done": {"off", tools.NoAnswer, tools.Interrupted},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, family(), nil, func(r rig) {
				r.home.OnCall = func(c fake.ServiceCall) *fake.ServiceError {
					r.home.Drop()
					r.home.Set(c.Entity, tt.state, nil, nil)
					return nil
				}
				if got := r.do("Kettle", "on", nil); got.Outcome != tt.outcome || got.Reason != tt.reason {
					t.Errorf("told: %+v", got)
				}
				if n := len(r.home.Calls()); n != 1 {
					t.Errorf("it was called %d times", n)
				}
			})
		})
	}
}

// TestItIsStarting: what has not come up yet is waited for, and said so.
func TestItIsStarting(t *testing.T) {
	things := family()
	kettle := things["switch.kettle"]
	delete(things, "switch.kettle")
	starts := func(_ *hass.Config, h *fake.HomeAssistant) { h.Be("STARTING") }
	at(t, things, starts, func(r rig) {
		if got := r.do("Kettle", "on", nil); got.Reason != tools.HomeAssistantStarting {
			t.Errorf("told: %+v", got)
		}
		if got := r.do("Gone", "on", nil); got.Reason != tools.HomeAssistantStarting {
			t.Errorf("told: %+v", got)
		}
		r.home.OnCall = r.after(50*time.Millisecond, "on", nil)
		came := make(chan tools.Receipt, 1)
		go func() { came <- r.do("Kettle", "on", nil) }()
		wait(time.Second)
		r.home.Add("switch.kettle", kettle)
		if got := <-came; !got.Done() {
			t.Errorf("what came up meanwhile: %+v", got)
		}
		r.home.Be("RUNNING")
		wait(5 * time.Second)
		if got := r.do("Nothing", "on", nil); got.Reason != tools.UnknownDevice {
			t.Errorf("told: %+v", got)
		}
	})
}

// TestHiddenInSecret: Home Assistant tells nobody that a thing without an entry in its registry
// is not shown any more. It is not acted on all the same, nor known afterwards.
func TestHiddenInSecret(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		wait(2 * time.Second)
		r.home.Hide("switch.yaml", true)
		if got := r.do("Yaml", "on", nil); got.Outcome != tools.Refused || got.Reason != tools.UnknownDevice || len(r.home.Calls()) > 0 {
			t.Errorf("told: %+v, called: %v", got, r.home.Calls())
		}
		wait(2 * time.Second)
		h := r.house.Home()
		if e := h.Entity("switch.yaml"); e != nil {
			t.Errorf("it still shows %+v", e)
		}
	})
}

// TestHiddenAMomentAgo: what was hidden a moment ago is not acted on, although the registries
// have not been read again yet; other things are.
func TestHiddenAMomentAgo(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		wait(2 * time.Second)
		r.home.OnCall = r.after(50*time.Millisecond, "on", nil)
		r.home.Hide("switch.kettle", true)
		synctest.Wait()
		if got := r.do("Kettle", "on", nil); got.Outcome != tools.Refused || got.Reason != tools.UnknownDevice || len(r.home.Calls()) > 0 {
			t.Errorf("told: %+v, called: %v", got, r.home.Calls())
		}
		if got := r.do("Kitchen Light", "on", nil); !got.Done() {
			t.Errorf("another thing meanwhile: %+v", got)
		}
		r.home.Hide("switch.kettle", false)
		wait(2 * time.Second)
		if got := r.do("Kettle", "on", nil); !got.Done() {
			t.Errorf("shown again: %+v", got)
		}
	})
}

// TestWhatIsTakenAway: an attribute that Home Assistant takes away is gone. After its start a
// thing is restored only until its integration has come up.
func TestWhatIsTakenAway(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		if s := r.state("Restored"); s.Reachable {
			t.Fatalf("before it has come up: %+v", s)
		}
		r.home.Set("switch.restored", "on", attributes{"restored": nil}, nil)
		wait(time.Second)
		if s := r.state("Restored"); !s.Reachable || s.State != "on" || s.Reason != "" {
			t.Errorf("after it has come up: %+v", s)
		}
		r.home.Set("media_player.tv", "idle", attributes{"media_title": nil}, nil)
		wait(time.Second)
		if s := r.state("Television"); s.Values["media_title"] != nil {
			t.Errorf("it still plays: %+v", s)
		}
	})
}

// TestItComesLate: the house may start before Home Assistant does.
func TestItComesLate(t *testing.T) {
	var runs atomic.Bool
	late := func(c *hass.Config, h *fake.HomeAssistant) {
		c.Socket.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if !runs.Load() {
				return nil, errors.New("connection refused")
			}
			return h.Dial(ctx, network, addr)
		}
	}
	at(t, family(), late, func(r rig) {
		began := time.Now()
		if got := r.do("Kettle", "on", nil); got.Reason != tools.HomeAssistantAway || time.Since(began) > 5*time.Second {
			t.Errorf("told after %v: %+v", time.Since(began), got)
		}
		if _, _, err := r.house.State(r.Context(), "Kettle"); err == nil || !strings.Contains(err.Error(), "cannot reach Home Assistant") {
			t.Errorf("asked: %v", err)
		}
		runs.Store(true)
		wait(time.Minute)
		if got := r.do("Bulb", "on", nil); !got.Done() {
			t.Errorf("told: %+v", got)
		}
	})
}

// TestAHalfOpenConnection: nobody has closed it and nobody answers. A command says so in
// time, and the house connects again.
func TestAHalfOpenConnection(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		r.home.Silence(true)
		began := time.Now()
		if got := r.do("Kettle", "on", nil); got.Outcome != tools.NoAnswer || got.Reason != tools.HomeAssistantAway || time.Since(began) > 5*time.Second {
			t.Errorf("told after %v: %+v", time.Since(began), got)
		}
		wait(30 * time.Second)
		if s := r.state("Kettle"); s.Reachable {
			t.Errorf("after half a minute: %+v", s)
		}
		r.home.Silence(false)
		wait(time.Minute)
		if got := r.do("Bulb", "on", nil); !got.Done() {
			t.Errorf("told: %+v", got)
		}
	})
}

// TestALargeHouse: 10,000 entities, of which 2,000 are shown, and 300 changes a second;
// commands and questions go on, and events stay bounded.
func TestALargeHouse(t *testing.T) {
	things := map[string]fake.Thing{}
	for i := range 10_000 {
		things[fmt.Sprintf("light.lamp_%d", i)] = fake.Thing{
			State: "off", Hidden: i >= 2000, Area: "kitchen",
			Attributes: attributes{"friendly_name": fmt.Sprintf("Lamp %d", i), "supported_color_modes": []any{"brightness"}},
		}
	}
	at(t, things, func(_ *hass.Config, h *fake.HomeAssistant) { h.Coalesce = true }, func(r rig) {
		if n := len(r.house.Home().Entities); n != 2000 {
			t.Fatalf("it shows %d things", n)
		}
		r.home.OnCall = r.after(50*time.Millisecond, "on", nil)
		for i := range 600 {
			state := "on"
			if i%2 == 1 {
				state = "off"
			}
			r.home.Set(fmt.Sprintf("light.lamp_%d", 5+i%400), state, attributes{"brightness": float64(i % 255)}, nil)
			if i%100 == 50 {
				if got := r.do(fmt.Sprintf("Lamp %d", i%4), "on", nil); !got.Done() {
					t.Errorf("told: %+v", got)
				}
			}
			wait(time.Second / 300)
		}
		if n := len(r.house.Events().Events); n == 0 || n > 256 {
			t.Errorf("%d events", n)
		}
	})
}

// TestWhatItTells: dangers at once, things that come and go, and whose act it was.
func TestWhatItTells(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		r.home.OnCall = r.after(50*time.Millisecond, "on", nil)
		r.home.Set("binary_sensor.smoke", "on", nil, nil)
		r.home.Set("switch.gone", "off", nil, nil)
		r.do("Kettle", "on", nil)
		wait(3 * time.Second)
		r.home.Set("switch.kettle", "off", nil, nil)
		wait(3 * time.Second)
		var told []string
		for _, e := range r.house.Events().Events {
			told = append(told, fmt.Sprint(e.Thing, " ", e.Class, " ", e.Before, " ", e.State, " ", e.Ours))
		}
		for _, want := range []string{"Smoke Alarm smoke clear detected false", "Gone reach dead alive false", "Kettle outlet off on true", "Kettle outlet on off false"} {
			if !slices.Contains(told, want) {
				t.Errorf("it does not tell %q, but %q", want, told)
			}
		}
	})
}
