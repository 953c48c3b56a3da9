package zwave_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
	"voicegateway/internal/zwave/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestControlIsConfirmedByTheDevice(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		device, action string
		value          any
		want           any    // in the receipt
		key            string // of the device's fact
		fact           any
		message        string
	}{
		"switch on":        {"Kitchen Light", "on", nil, "on", "37-0-currentValue", true, "Kitchen Light is on."},
		"supervised on":    {"hallway light", "on", nil, "on", "37-0-currentValue", true, "Hallway Light is on."},
		"dimmer level":     {"Living Room Light", "level", 40, 40.0, "38-0-currentValue", 40.0, "Living Room Light is at 40 percent."},
		"level as text":    {"Office Light", "level", "100%", 100.0, "38-0-currentValue", 99.0, "Office Light is at 100 percent."},
		"last level":       {"Bedroom Lamp", "on", nil, "on", "", nil, "Bedroom Lamp is on."},
		"cover position":   {"Bedroom Curtains", "position", 30, 30.0, "38-0-currentValue", 30.0, "Bedroom Curtains are at 30 percent."},
		"covering closed":  {"Living Room Blinds", "close", nil, "closed", "106-0-currentValue-13", 0.0, "Living Room Blinds are closed."},
		"lock":             {"Front Door", "lock", nil, "locked", "98-0-currentMode", 255.0, "Front Door is locked."},
		"setpoint":         {"Thermostat", "setpoint", 22.5, 22.5, "67-0-setpoint-1", 22.5, "Thermostat is set to 22.5 degrees."},
		"mode":             {"Bedroom Thermostat", "mode", "Off", "off", "64-0-mode", 0.0, "Bedroom Thermostat is set to off."},
		"colour":           {"Mood Light", "colour", "green", "#00ff00", "51-0-hexColor", "00ff00", "Mood Light is #00ff00."},
		"closing a garage": {"Garage Door", "close", nil, "closed", "102-0-currentState", 0.0, "Garage Door is closed."},
		"fan speed":        {"ceiling fan", "level", 60, 60.0, "38-0-currentValue", 60.0, "Ceiling Fan is at 60 percent."},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, func(_ *zwave.Config, s *sim.Config) {
					node(s, sim.NodeSpec{ID: 42, Name: "Mood Light", Kind: "colour", Values: map[string]any{"38-0-currentValue": 50}})
				})
				got, result := r.control(tc.device, tc.action, tc.value)
				if got.Outcome != "confirmed" || got.Value != tc.want || got.Message != tc.message {
					t.Errorf("receipt %+v, want confirmed %v, %q", got, tc.want, tc.message)
				}
				if result.PublishedAt.IsZero() || result.Failed {
					t.Errorf("result %+v: no time of publishing, or failed", result)
				}
				if tc.key != "" {
					if fact := r.fact(tc.device, tc.key); fact != tc.fact {
						t.Errorf("the device is %v, want %v", fact, tc.fact)
					}
				}
			})
		})
	}
}

// TestCommandsDoNotWaitForEachOther checks that one house takes many commands at
// the same time.
func TestCommandsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		devices := []string{"Kitchen Light", "Hallway Light", "Living Room Light", "Bedroom Lamp", "Office Light", "Coffee Machine", "Ceiling Fan"}
		began := time.Now() // virtual time: the slowest command alone takes as long
		var wg sync.WaitGroup
		for _, device := range devices {
			wg.Go(func() {
				if got, _ := r.control(device, "on", nil); got.Outcome != "confirmed" {
					t.Errorf("%s: %+v", device, got)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%d commands at the same time took %v", len(devices), took)
		}
	})
}

func TestClaimIsNotTakenForTheFact(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *zwave.Config, _ *sim.Config) { c.Patience = 4 * time.Second })
		for _, device := range []string{"Kitchen Light", "Living Room Light"} {
			r.fault(sim.Fault{Op: "deaf", Node: device})
			got, result := r.control(device, "on", nil)
			if got.Outcome != "accepted" || got.Value != "off" || result.Failed {
				t.Errorf("%s: %+v, want accepted and still off", device, got)
			}
		}
	})
}

func TestSlowMovesAreAcceptedNotAwaited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *zwave.Config, s *sim.Config) {
			c.Patience, s.Scale = 3*time.Second, 1
			for i := range s.House.Nodes {
				if s.House.Nodes[i].Kind == "blind" || s.House.Nodes[i].Kind == "cover" {
					s.House.Nodes[i].Ramp = time.Minute
				}
			}
		})
		for _, device := range []string{"Bedroom Curtains", "Living Room Blinds"} {
			got, _ := r.control(device, "close", nil)
			if got.Outcome != "accepted" || !strings.HasSuffix(got.Message, "are on the way.") {
				t.Errorf("%s: %+v, want accepted, on the way", device, got)
			}
			if got, _ = r.control(device, "stop", nil); got.Outcome != "confirmed" || got.Value == 0.0 || got.Value == 100.0 {
				t.Errorf("stopping %s: %+v, want confirmed half way", device, got)
			}
		}
	})
}

func TestDeadAndSleepingDevices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(_ *zwave.Config, s *sim.Config) {
			s.House.Nodes = append(s.House.Nodes, sim.NodeSpec{ID: 230, Name: "Shed Plug", Location: "Garden", Kind: "switch", Sleeping: true})
		})
		r.fault(sim.Fault{Op: "dead", Node: "Kitchen Light"})
		for range 2 { // the first time it is found out, the second time it is known
			got, result := r.control("Kitchen Light", "on", nil)
			if got.Outcome != "no_answer" || !result.Failed || !strings.Contains(got.Message, "does not answer") {
				t.Errorf("dead: %+v", got)
			}
		}
		r.fault(sim.Fault{Op: "alive", Node: "Kitchen Light"})
		if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "confirmed" {
			t.Errorf("revived: %+v", got)
		}
		got, result := r.control("Shed Plug", "on", nil)
		if got.Outcome != "queued" || result.Failed || result.PublishedAt.IsZero() {
			t.Errorf("asleep: %+v", got)
		}
		if fact := r.fact("Shed Plug", "37-0-currentValue"); fact != false {
			t.Errorf("the sleeper is %v before it woke up", fact)
		}
		r.fault(sim.Fault{Op: "awake", Node: "Shed Plug"})
		r.until("the sleeper has done it", func() bool { return r.fact("Shed Plug", "37-0-currentValue") == true })
	})
}

// until waits for a condition that something else brings about.
func (r *rig) until(what string, ok func() bool) {
	r.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-r.ctx.Done():
			r.Fatalf("never: %s", what)
		}
	}
}

func TestRefusalsAreSentencesAndSendNothing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		device, action string
		value          any
		message        string
	}{
		"unknown":        {"Kichen Light", "on", nil, `There is no device called "Kichen Light". Did you mean`},
		"unlock":         {"Front Door", "unlock", nil, "I may not unlock Front Door"},
		"open lock":      {"Front Door", "open", nil, "I may not open Front Door"},
		"garage":         {"Garage Door", "open", nil, "I may not open Garage Door"},
		"garage by half": {"Garage Door", "position", 50, "I may not move Garage Door"},
		"sensor":         {"Kitchen Temperature", "on", nil, "Kitchen Temperature is a sensor"},
		"too much":       {"Office Light", "level", 140, "Office Light needs a value from 0 to 100 percent."},
		"too hot":        {"Thermostat", "setpoint", 55, "Thermostat goes up to 30 degrees at most."},
		"no such mode":   {"Thermostat", "mode", "party", `Thermostat has no mode "party"; it knows off, heat, cool, auto.`},
		"no dimmer":      {"Kitchen Light", "level", 40, "Kitchen Light cannot be dimmed, only switched on and off."},
		"broadcast":      {"Broadcast", "on", nil, `There is no device called "Broadcast"`},
		"odd colour":     {"Reading Lamp", "colour", "infra", `I do not know the colour "infra".`},
	}
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		for name, tc := range tests {
			got, result := r.control(tc.device, tc.action, tc.value)
			if got.Outcome != "refused" || !result.Failed || !strings.HasPrefix(got.Message, tc.message) {
				t.Errorf("%s: %+v, want refused with %q", name, got, tc.message)
			}
		}
		if slices.ContainsFunc(r.mine.published(), func(topic string) bool { return strings.Contains(topic, "writeValue") }) {
			t.Error("a refused command was sent")
		}
		got, _ := r.control("Kichen Light", "on", nil)
		if !slices.Contains(got.Suggestions, "Kitchen Light") {
			t.Errorf("suggestions %v lack Kitchen Light", got.Suggestions)
		}
	})
}

// published returns the topics a client has published so far.
func (c *client) published() []string {
	c.bus.mu.Lock()
	defer c.bus.mu.Unlock()
	return slices.Clone(c.seen)
}

func TestDangerousActsNeedTheirOwnTool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *zwave.Config, _ *sim.Config) { c.AllowDangerous = true })
		var got receipt
		r.call("operate_dangerous_device", map[string]any{"device_name": "Garage Door", "action": "open"}, &got)
		if got.Outcome != "confirmed" || got.Value != "open" {
			t.Errorf("opening the garage: %+v", got)
		}
		r.call("operate_dangerous_device", map[string]any{"device_name": "Front Door", "action": "unlock"}, &got)
		if got.Outcome != "confirmed" || got.Value != "unlocked" {
			t.Errorf("unlocking: %+v", got)
		}
		for _, e := range r.house.Offer().Document(r.house.Home()).Entities {
			if (e.Control == nil) != (e.Dangerous == nil) || e.Dangerous != nil && (e.Dangerous.Tool != "operate_dangerous_device" || e.Dangerous.ID != e.Control.ID) {
				t.Errorf("%s: controlled by %+v, and dangerously by %+v", e.Name, e.Control, e.Dangerous)
			}
		}
		safe := start(t, nil)
		for _, e := range safe.house.Offer().Document(safe.house.Home()).Entities {
			if e.Dangerous != nil {
				t.Errorf("%s: the dangerous tool is told without permission", e.Name)
			}
		}
		for _, tool := range safe.house.Tools() {
			if tool.Spec().Name == "operate_dangerous_device" {
				t.Error("the dangerous tool is listed without permission")
			}
		}
	})
}

func TestTheHouseKeepsToTheForm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *zwave.Config, _ *sim.Config) { c.AllowDangerous = true })
		document, err := json.Marshal(r.house.Offer().Document(r.house.Home()))
		events, errs := json.Marshal(r.house.Events())
		if err != nil || errs != nil {
			t.Fatal(err, errs)
		}
		o := form.Offering{House: document, Events: events}
		for _, tool := range r.house.Tools() {
			o.Tools = append(o.Tools, tool.Spec())
		}
		faults := form.Check(o)
		for _, p := range form.Probes(o, "no such thing") {
			result, err := r.tool(p.Call.Tool).Call(r.ctx, p.Call.Args)
			if err != nil {
				t.Fatal(err)
			}
			faults = append(faults, p.Judge(result)...)
		}
		for _, f := range faults {
			t.Errorf("%+v", f)
		}
	})
}

func TestOnlyAllowedCallsAreSentAndNothingRetained(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		r.control("Kitchen Light", "on", nil)
		r.call("check_zwave_health", map[string]any{}, nil)
		for _, topic := range r.mine.published() {
			if !strings.Contains(topic, "/api/") {
				t.Errorf("published %s, which is no API call", topic)
			}
		}
		r.mine.bus.mu.Lock()
		defer r.mine.bus.mu.Unlock()
		for topic := range r.mine.bus.retained {
			if strings.HasSuffix(topic, "/set") {
				t.Errorf("%s is retained", topic)
			}
		}
	})
}

func TestReadingStatesAndSensors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		var state struct {
			Device, Entity, Domain, Area string
			State                        any
			Values                       map[string]any
			Age                          int64 `json:"age_seconds"`
			Reachable                    bool
		}
		r.call("get_device_state", map[string]any{"device_name": "the thermostat"}, &state)
		if state.State != "heat" || state.Values["setpoint"] != 21.0 || state.Values["temperature"] != 20.5 || !state.Reachable || state.Age < 0 {
			t.Errorf("thermostat: %+v", state)
		}
		r.fault(sim.Fault{Op: "change", Node: "Kitchen Sensor", Key: "49-0-Air temperature", Value: 23.4})
		var reading struct {
			Device, Sensor, Unit, Source string
			Value                        any
			Reachable                    bool
		}
		r.until("the report has arrived", func() bool {
			r.call("get_device_sensor_data", map[string]any{"device_name": "Kitchen Temperature"}, &reading)
			return reading.Value == 23.4
		})
		if reading.Unit != "°C" || reading.Sensor != "temperature" || reading.Source == "list" {
			t.Errorf("reading: %+v", reading)
		}
		r.call("get_device_sensor_data", map[string]any{"device_name": "Front Door", "sensor": "battery"}, &reading)
		if reading.Value != 87.0 || reading.Unit != "%" {
			t.Errorf("battery: %+v", reading)
		}
		r.call("get_device_sensor_data", map[string]any{"device_name": "Garage Window"}, &reading)
		if reading.Value != "closed" || !reading.Reachable {
			t.Errorf("contact: %+v", reading)
		}
		r.fault(sim.Fault{Op: "dead", Node: "Coffee Machine"})
		r.control("Coffee Machine", "on", nil) // nothing is known before the first request
		r.until("the house knows that it is gone", func() bool {
			result := r.call("get_device_sensor_data", map[string]any{"device_name": "Coffee Machine", "sensor": "power"}, &reading)
			return !reading.Reachable && strings.Contains(result.Text, "cannot be reached")
		})
	})
}

func TestRenameIsFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		other := r.mine.bus.client(t)
		body := []byte(`{"args":[2,"Cooker Lamp"]}`)
		if err := other.Publish(r.ctx, "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/setNodeName/set", body); err != nil {
			t.Fatal(err)
		}
		r.until("the new name works", func() bool {
			got, _ := r.control("Cooker Lamp", "on", nil)
			return got.Outcome == "confirmed"
		})
		select {
		case <-r.house.Changed():
		case <-r.ctx.Done():
			t.Error("nobody was told that the house changed")
		}
	})
}

func TestHouseKnownWhateverStartsFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		b := newBus()
		house, err := zwave.New(zwave.DefaultConfig(), b.client(t), quiet())
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		t.Cleanup(func() { cancel(); wg.Wait() })
		wg.Go(func() { _ = house.Run(ctx) })
		list := house.Tools()[0]
		result, err := list.Call(ctx, nil)
		if err != nil || !result.Failed || !strings.Contains(result.Text, "zwave-js-ui") {
			t.Errorf("without a gateway: %+v, %v; want a failure that names what is missing", result, err)
		}
		s, err := sim.New(sim.DefaultConfig(), b.client(t), quiet())
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { _ = s.Run(ctx) })
		select {
		case <-house.Loaded():
		case <-ctx.Done():
			t.Fatal("the house was never known")
		}
		if len(house.Home().Entities) < 14 {
			t.Errorf("only %d entities", len(house.Home().Entities))
		}
	})
}

func TestEveryTopicScheme(t *testing.T) {
	t.Parallel()
	for _, scheme := range wire.Schemes() {
		t.Run(fmt.Sprintf("%+v", scheme), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, func(_ *zwave.Config, s *sim.Config) { s.Scheme, s.Prefix = scheme, "home/zw" }, "home/zw")
				if got, _ := r.control("Front Door", "lock", nil); got.Outcome != "confirmed" {
					t.Errorf("locking: %+v", got)
				}
				r.fault(sim.Fault{Op: "change", Node: "Kitchen Sensor", Key: "49-0-Humidity", Value: 61})
				var reading struct{ Value any }
				r.until("the report is understood", func() bool {
					r.call("get_device_sensor_data", map[string]any{"device_name": "Kitchen Humidity"}, &reading)
					return reading.Value == 61.0
				})
			})
		})
	}
}

// TestEverySettingOfTheGateway checks that with every setting of zwave-js-ui
// commands are confirmed and changes at a device are seen.
func TestEverySettingOfTheGateway(t *testing.T) {
	t.Parallel()
	own := []sim.GatewayValue{{Node: 2, Value: "37-0-currentValue", Topic: "lamp/power"}}
	tests := map[string]struct {
		scheme   wire.Scheme
		settings sim.Settings
	}{
		"entire value object":      {wire.Scheme{}, sim.Settings{Payload: sim.EntireObject}},
		"just the value":           {wire.Scheme{}, sim.Settings{Payload: sim.JustValue}},
		"just the value, by id":    {wire.Scheme{Kind: wire.ByIDAndValue}, sim.Settings{Payload: sim.JustValue}},
		"entire value, by name":    {wire.Scheme{Kind: wire.ByIDAndName, IgnoreLocation: true}, sim.Settings{Payload: sim.EntireObject}},
		"manual":                   {wire.Scheme{}, sim.Settings{Manual: true, Values: own}},
		"manual, just the value":   {wire.Scheme{IgnoreLocation: true}, sim.Settings{Manual: true, Values: own, Payload: sim.JustValue}},
		"manual, entire value":     {wire.Scheme{}, sim.Settings{Manual: true, Values: own, Payload: sim.EntireObject}},
		"topics of the user's own": {wire.Scheme{}, sim.Settings{Values: own}},
		"with details and events":  {wire.Scheme{}, sim.Settings{NodeDetails: true, NodeNames: true, Events: true}},
		"nodes that come slowly":   {wire.Scheme{}, sim.Settings{Driver: time.Second, Node: 300 * time.Millisecond}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, func(_ *zwave.Config, s *sim.Config) { s.Scheme, s.Settings = tc.scheme, tc.settings })
				for _, command := range []struct{ device, action string }{{"Kitchen Light", "on"}, {"Front Door", "lock"}} {
					r.until(command.device+" is done", func() bool { // nodes may still be coming
						got, _ := r.control(command.device, command.action, nil)
						return got.Outcome == "confirmed"
					})
				}
				for key, value := range map[string]struct {
					device string
					to     any
					state  any
				}{"37-0-currentValue": {"Kitchen Light", false, "off"}, "49-0-Humidity": {"Kitchen Sensor", 61, 61.0}} {
					r.fault(sim.Fault{Op: "change", Node: value.device, Key: key, Value: value.to})
					device := strings.Replace(value.device, "Sensor", "Humidity", 1)
					var state struct{ State any }
					r.until(device+" is seen", func() bool {
						r.call("get_device_state", map[string]any{"device_name": device}, &state)
						return state.State == value.state
					})
				}
			})
		})
	}
}

// TestHouseFileThroughZWave checks that a house file survives the way through
// Z-Wave with the same names, domains and areas.
func TestHouseFileThroughZWave(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"speech/clips/home.json", "intents/natural_home.json"} {
		data, err := os.ReadFile(fake.Shared(t, strings.Split(file, "/")...))
		if err != nil {
			t.Fatal(err)
		}
		var want home.House
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			var left []string
			r := start(t, func(_ *zwave.Config, s *sim.Config) { s.House, left = sim.FromHome(want) })
			got := map[string]home.Entity{}
			for _, e := range r.house.Home().Entities {
				got[e.Name] = e
			}
			if count := len(want.Entities) - len(left); len(got) != count || len(r.house.Home().Entities) != count {
				t.Errorf("%s: %d entities, want %d", file, len(r.house.Home().Entities), count)
			}
			for _, e := range want.Entities {
				if slices.Contains(left, e.Name) {
					continue
				}
				if g := got[e.Name]; g.Domain != e.Domain || g.Area != e.Area {
					t.Errorf("%s: %s is %q in %q, want %q in %q", file, e.Name, g.Domain, g.Area, e.Domain, e.Area)
				}
			}
		})
	}
}
