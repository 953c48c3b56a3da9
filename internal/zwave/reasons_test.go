package zwave_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/tools"
	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
	"voicegateway/internal/zwave/wire"
)

// brokenBus is a bus whose broker can go away.
type brokenBus struct {
	*client

	mu   sync.Mutex
	gone bool
}

func (b *brokenBus) Connected() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.gone
}

func (b *brokenBus) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = true
}

// TestEveryReceiptHasItsReason breaks the house in every way and checks who is
// blamed for it.
func TestEveryReceiptHasItsReason(t *testing.T) {
	t.Parallel()
	lamp := func(p puppet) func(*rig) { return func(r *rig) { r.puppeteer(map[int]puppet{2: p}) } }
	fault := func(f sim.Fault) func(*rig) { return func(r *rig) { r.fault(f) } }
	answers := func(status int) func(any) *written { return func(any) *written { return &written{status: status} } }
	there := func(yes bool) func() any { return func() any { return yes } }
	off := func(wire.ValueID) any { return false }
	tests := map[string]struct {
		device, action  string
		value           any
		trouble         func(*rig)
		outcome, reason string
	}{
		"nothing said since":            {"Kitchen Light", "on", nil, lamp(puppet{write: answers(254), ping: there(true)}), "accepted", "unconfirmed"},
		"it still says what it said":    {"Kitchen Light", "on", nil, fault(sim.Fault{Op: "deaf", Node: 2}), "accepted", "unchanged"},
		"asleep":                        {"Shed Plug", "on", nil, nil, "queued", "queued"},
		"dead, not known so far":        {"Kitchen Light", "on", nil, fault(sim.Fault{Op: "dead", Node: 2}), "no_answer", "dead"},
		"dead, and nobody tells":        {"Kitchen Light", "on", nil, lamp(puppet{write: answers(2), ping: there(false)}), "no_answer", "dead"},
		"it says that it failed":        {"Kitchen Light", "on", nil, lamp(puppet{write: answers(2), ping: there(true)}), "refused", "refused_by_device"},
		"acknowledges and is gone":      {"Kitchen Light", "on", nil, lamp(puppet{write: answers(254), ping: there(false)}), "no_answer", "dead"},
		"the device alone is silent":    {"Kitchen Light", "on", nil, lamp(puppet{}), "no_answer", "silent"},
		"the stick is out":              {"Kitchen Light", "on", nil, fault(sim.Fault{Op: "stick_out"}), "no_answer", "stick_gone"},
		"the stick is out, for a door":  {"Front Door", "lock", nil, fault(sim.Fault{Op: "stick_out"}), "no_answer", "stick_gone"},
		"the driver is down":            {"Kitchen Light", "on", nil, func(r *rig) { r.fault(sim.Fault{Op: "driver_down"}); synctest.Wait() }, "no_answer", "controller_not_ready"},
		"the gateway has crashed":       {"Kitchen Light", "on", nil, func(r *rig) { r.fault(sim.Fault{Op: "crash", For: sim.Pause(time.Minute)}); synctest.Wait() }, "no_answer", "gateway_away"},
		"one answer of it is lost":      {"Kitchen Light", "on", nil, fault(sim.Fault{Op: "mute"}), "confirmed", ""},
		"the gateway is mute":           {"Kitchen Light", "on", nil, fault(sim.Fault{Op: "mute", For: sim.Pause(time.Minute)}), "no_answer", "gateway_away"},
		"a bolt that is stuck":          {"Shed Lock", "lock", nil, fault(sim.Fault{Op: "block", Node: "Shed Lock"}), "accepted", "unconfirmed"},
		"a value out of range":          {"Office Light", "level", 140, nil, "refused", "refused_value"},
		"a value it does not take":      {"Kitchen Light", "on", nil, lamp(puppet{write: answers(5)}), "refused", "refused_value"},
		"no such mode":                  {"Thermostat", "mode", "party", nil, "refused", "refused_value"},
		"too hot":                       {"Thermostat", "setpoint", 80, nil, "refused", "refused_value"},
		"no such colour":                {"Reading Lamp", "colour", "infra", nil, "refused", "refused_value"},
		"it cannot be dimmed":           {"Kitchen Light", "level", 40, nil, "refused", "refused_action"},
		"a sensor":                      {"Kitchen Temperature", "on", nil, nil, "refused", "refused_action"},
		"the device does not know that": {"Kitchen Light", "on", nil, lamp(puppet{write: answers(0)}), "refused", "refused_action"},
		"dangerous":                     {"Garage Door", "open", nil, nil, "refused", "refused_dangerous"},
		"unlocking":                     {"Front Door", "unlock", nil, nil, "refused", "refused_dangerous"},
		"no such device":                {"Kichen Light", "on", nil, nil, "refused", "unknown_device"},
		"no such group":                 {"workshop fans", "off", nil, nil, "refused", "unknown_device"},
		"two of one name":               {"Twin", "on", nil, nil, "refused", "ambiguous_device"},
		"nobody says what the state is": {"Kitchen Light", "toggle", nil, func(r *rig) {
			p := r.puppeteer(map[int]puppet{2: {write: answers(254), poll: off}})
			p.publish("Kitchen/Kitchen_Light/switch_binary/endpoint_0/currentValue", nil)
			synctest.Wait()
			p.mine.bus.mu.Lock()
			p.nodes[2] = puppet{}
			p.mine.bus.mu.Unlock()
		}, "no_answer", "silent"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, func(c *zwave.Config, s *sim.Config) {
					asSpoken(
						sim.NodeSpec{ID: 200, Name: "Twin", Location: "Attic", Kind: "switch"}, sim.NodeSpec{ID: 201, Name: "Twin", Location: "Cellar", Kind: "switch"},
						sim.NodeSpec{ID: 202, Name: "Shed Plug", Location: "Garden", Kind: "switch", Sleeping: true},
						sim.NodeSpec{ID: 203, Name: "Shed Lock", Location: "Garden", Kind: "lock", Values: map[string]any{"98-0-currentMode": 0}},
					)(c, s)
					c.AllowDangerous = false
				})
				r.warm()
				if tc.trouble != nil {
					tc.trouble(r)
				}
				got, result := r.control(tc.device, tc.action, tc.value)
				if got.Outcome != tc.outcome || got.Reason != tc.reason || result.Failed != (tc.outcome == "refused" || tc.outcome == "no_answer") {
					t.Errorf("%+v (failed: %t), want %s, %s", got, result.Failed, tc.outcome, tc.reason)
				}
				if number := tc.action == "level" || tc.action == "setpoint"; number && tc.reason == "refused_value" && len(got.Limits) != 2 {
					t.Errorf("the limits are %v, want the least and the most", got.Limits)
				}
				network := []string{"stick_gone", "controller_not_ready", "gateway_away"}
				for _, why := range network {
					if got.Reason == why && strings.Contains(got.Message, "power") {
						t.Errorf("the device is blamed: %q", got.Message)
					}
				}
			})
		})
	}
}

// liveWithABrokenBus starts a house whose broker can be taken away, within a bubble of synctest.
func liveWithABrokenBus(t *testing.T) (*rig, *brokenBus) {
	t.Helper()
	b := newBus()
	play(t, b, nil)
	mine := &brokenBus{client: b.client(t)}
	house, err := zwave.New(zwave.DefaultConfig(), mine, quiet())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = house.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	<-house.Loaded()
	return &rig{T: t, ctx: ctx, house: house, mine: mine.client}, mine
}

// TestWithoutABrokerNoDeviceIsBlamed takes the broker away before a command and in
// the middle of one.
func TestWithoutABrokerNoDeviceIsBlamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, mine := liveWithABrokenBus(t)
		p := r.puppeteer(map[int]puppet{2: {write: func(any) *written { mine.leave(); return nil }}})
		if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "no_answer" || got.Reason != "interrupted" || !strings.Contains(got.Message, "MQTT broker") {
			t.Errorf("gone after it was sent: %+v", got)
		}
		if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "no_answer" || got.Reason != "broker_away" || p.times("writeValue", 2) != 1 {
			t.Errorf("gone before: %+v", got)
		}
	})
}

// TestALampIsNotToldAsItWasBeforeItsWord takes the broker away right after a lamp has said that it
// is on, before it can be asked: what it reported before that is not told as its last state.
func TestALampIsNotToldAsItWasBeforeItsWord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, mine := liveWithABrokenBus(t)
		r.warm()
		r.puppeteer(map[int]puppet{2: {write: func(any) *written {
			return &written{status: 255, claims: map[string]any{"Kitchen/Kitchen_Light/switch_binary/endpoint_0/currentValue": true}}
		}}})
		if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "confirmed" || got.Value != "on" {
			t.Fatalf("the lamp's own word: %+v", got)
		}
		mine.leave()
		if got := r.state("Kitchen Light"); got.State == "off" || got.Reachable || got.Reason != "broker_away" {
			t.Errorf("it is told %+v", got)
		}
		if said := r.call("list_devices", map[string]any{"area": "Kitchen", "type": "light"}, nil).Text; strings.Contains(said, "off") {
			t.Errorf("the list: %q", said)
		}
	})
}

// TestAHouseThatNobodyKnows checks the reason before the first list of nodes.
func TestAHouseThatNobodyKnows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := open(t, newBus(), nil)
		if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "no_answer" || got.Reason != "gateway_away" {
			t.Errorf("without a gateway: %+v", got)
		}
		b := newBus()
		play(t, b, func(c *sim.Config) { c.Settings.Driver = time.Minute })
		r = open(t, b, nil)
		if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "no_answer" || got.Reason != "controller_not_ready" && got.Reason != "house_unknown" {
			t.Errorf("without its nodes: %+v", got)
		}
	})
}

// TestALampThatAcknowledgesAndDies checks that the gateway's claim about it is never
// reported, whatever the gateway's list says later.
func TestALampThatAcknowledgesAndDies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken())
		r.warm()
		dead := puppet{
			write: func(any) *written {
				return &written{status: 254, claims: map[string]any{"Kitchen/Kitchen_Light/switch_binary/endpoint_0/currentValue": true}}
			},
			ping: func() any { return false },
		}
		r.puppeteer(map[int]puppet{2: dead})
		first, _ := r.control("Kitchen Light", "on", nil)
		if first.Outcome == "confirmed" || first.Before != "off" || first.Value != nil {
			t.Errorf("the first command: %+v", first)
		}
		if said := r.call("get_device_state", map[string]any{"device_name": "Kitchen Light"}, nil).Text; strings.Contains(said, " on.") {
			t.Errorf("its state: %q", said)
		}
		if said := r.call("list_devices", map[string]any{"area": "Kitchen", "type": "light"}, nil).Text; strings.Contains(said, "): on") || strings.Contains(said, "reported on") {
			t.Errorf("the list: %q", said)
		}
		if next, _ := r.control("Kitchen Light", "on", nil); next.Outcome != "no_answer" || next.Reason != "dead" || next.Before != "off" {
			t.Errorf("the next command: %+v", next)
		}
	})
}

// TestWhatSomebodyElseSwitchedIsAsked checks that the state of a supervised switch, whose
// gateway publishes once and reads nothing back, is known after another client's command.
func TestWhatSomebodyElseSwitchedIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken())
		r.warm()
		other := r.mine.bus.client(t)
		if err := other.Publish(r.ctx, "zwave/Hallway/Hallway_Light/switch_binary/endpoint_0/targetValue/set", []byte("true")); err != nil {
			t.Fatal(err)
		}
		r.warm()
		said := r.call("list_devices", map[string]any{"area": "Hallway", "type": "light"}, nil).Text
		if !strings.Contains(said, "): on") {
			t.Errorf("the list: %q", said)
		}
	})
}

// TestAGroupNamesWhoIsLeftOut checks that "all" is not told as done while one
// device is dead.
func TestAGroupNamesWhoIsLeftOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken(
			sim.NodeSpec{ID: 210, Name: "Ceiling Light", Location: "Kitchen", Kind: "switch", Values: map[string]any{"37-0-currentValue": true}},
			sim.NodeSpec{ID: 211, Name: "Corner Light", Location: "Kitchen", Kind: "switch"},
			sim.NodeSpec{ID: 212, Name: "Table Light", Location: "Kitchen", Kind: "switch"},
		))
		r.warm()
		r.fault(sim.Fault{Op: "dead", Node: "Corner Light"})
		r.fault(sim.Fault{Op: "dead", Node: "Table Light"})
		got, result := r.control("all kitchen lights", "off", nil)
		want := "2 of 4 have done it. Corner Light and Table Light do not answer. Check that they have power, then try again."
		if got.Outcome != "no_answer" || got.Reason != "dead" || got.Message != want || !result.Failed {
			t.Errorf("%+v", got)
		}
		for _, d := range got.Devices {
			dead := d.Device == "Corner Light" || d.Device == "Table Light"
			if dead && (d.Outcome != "no_answer" || d.Reason != "dead") || !dead && d.Outcome != "confirmed" {
				t.Errorf("a member: %+v", d)
			}
		}
		r.fault(sim.Fault{Op: "stick_out"})
		got, _ = r.control("Kitchen Light, Ceiling Light", "on", nil)
		if got.Reason != "stick_gone" || strings.Count(got.Message, "stick") != 1 || !strings.HasSuffix(got.Message, "whether Kitchen Light and Ceiling Light got the command.") {
			t.Errorf("without the stick: %+v", got)
		}
	})
}

// TestRefreshingADeadDevice checks that it is not told as done.
func TestRefreshingADeadDevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken(sim.NodeSpec{ID: 202, Name: "Shed Plug", Location: "Garden", Kind: "switch", Sleeping: true}))
		r.warm()
		r.fault(sim.Fault{Op: "dead", Node: "Kitchen Light"})
		for device, want := range map[string]struct {
			outcome tools.Outcome
			reason  tools.Reason
			state   any
		}{"Kitchen Light": {tools.NoAnswer, tools.Dead, nil}, "Office Light": {tools.Confirmed, "", "off"}, "Shed Plug": {tools.Queued, tools.Asleep, "off"}} {
			var out struct {
				Outcome tools.Outcome
				Reason  tools.Reason
				State   any
			}
			result := r.call("refresh_device", map[string]any{"device_name": device}, &out)
			if out.Outcome != want.outcome || out.Reason != want.reason || out.State != want.state || result.Failed != (want.outcome == tools.NoAnswer) {
				t.Errorf("%s: %+v, %q", device, out, result.Text)
			}
		}
	})
}

// TestReceiptsTellWhatWasBefore checks that everything a receipt says of the state
// before can be written back.
func TestReceiptsTellWhatWasBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken(sim.NodeSpec{ID: 42, Name: "Mood Light", Location: "Guest Room", Kind: "colour", Values: map[string]any{"38-0-currentValue": 30}}))
		r.warm()
		for _, tc := range []struct {
			device, action              string
			value                       any
			before, level, now, nowPart any
		}{
			{"Mood Light", "on", nil, "on", 30.0, "on", 100.0},
			{"Mood Light", "off", nil, "on", 100.0, "off", 0.0},
			{"Mood Light", "toggle", nil, "off", 0.0, "on", 100.0},
			{"Mood Light", "level", 40, 100.0, 100.0, 40.0, nil},
			{"Mood Light", "colour", "red", "#ffffff", nil, "#ff0000", nil},
			{"Mood Light", "colour", "blue", "#ff0000", nil, "#0000ff", nil},
			{"Thermostat", "setpoint", 23, 21.0, nil, 23.0, nil},
			{"Thermostat", "setpoint", 20, 23.0, nil, 20.0, nil},
			{"Thermostat", "mode", "cool", "heat", nil, "cool", nil},
			{"Thermostat", "mode", "off", "cool", nil, "off", nil},
			{"Living Room Blinds", "position", 40, 100.0, 100.0, 40.0, nil},
			{"Living Room Blinds", "close", nil, "open", 40.0, "closed", 0.0},
		} {
			got, _ := r.control(tc.device, tc.action, tc.value)
			if got.Outcome != "confirmed" || got.Before != tc.before || got.BeforeLevel != tc.level || got.Value != tc.now || got.ValueLevel != tc.nowPart {
				t.Errorf("%s %s %v: %+v", tc.device, tc.action, tc.value, got)
			}
		}
	})
}

// TestALevelOnTheWayIsNotTold checks that a lamp that is on and still brightens has
// no level yet.
func TestALevelOnTheWayIsNotTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken(sim.NodeSpec{ID: 17, Name: "Office Light", Location: "Office", Kind: "dimmer", Ramp: 3 * time.Second}))
		r.warm()
		if got, _ := r.control("Office Light", "on", nil); got.Value == "on" && got.ValueLevel != nil && got.ValueLevel != 100.0 {
			t.Errorf("%+v", got)
		}
	})
}

// TestAColourIsKeptUntilTheLampIsOn checks that a lamp that is off is not told as
// blue.
func TestAColourIsKeptUntilTheLampIsOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken())
		r.warm()
		got, result := r.control("Reading Lamp", "colour", "blue")
		if got.Outcome != "accepted" || got.Reason != "when_on" || got.Value != "#0000ff" || result.Failed ||
			got.Message != "Reading Lamp is off. It will show the colour when it is switched on." {
			t.Errorf("%+v", got)
		}
	})
}

// TestADimmerThatDoesSomethingElse checks that its final state is reported, and no state
// that it never had.
func TestADimmerThatDoesSomethingElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken())
		r.warm()
		base := "Office/Office_Light/switch_multilevel/endpoint_0/"
		says := after(1500*time.Millisecond, 5.0, 20.0)
		r.puppeteer(map[int]puppet{17: {
			write: func(to any) *written { return &written{status: 254, claims: map[string]any{base + "currentValue": to}} },
			poll:  func(wire.ValueID) any { return says() },
		}})
		got, _ := r.control("Office Light", "level", 80)
		if got.Outcome != "accepted" || got.Value != 20.0 || strings.Contains(got.Message, "still") {
			t.Errorf("%+v", got)
		}
	})
}

// TestTheSchemaOfAReceiptNamesAllOfIt checks that a receipt has no member that its
// schema lacks.
func TestTheSchemaOfAReceiptNamesAllOfIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		var schema struct {
			Properties map[string]any
		}
		if err := json.Unmarshal(r.tool("control_zwave_device").Spec().Output, &schema); err != nil {
			t.Fatal(err)
		}
		_, result := r.control("Office Light", "on", nil)
		_, refused := r.control("Office Lihgt", "on", nil)
		for _, data := range []json.RawMessage{result.Data, refused.Data} {
			var sent map[string]any
			if err := json.Unmarshal(data, &sent); err != nil {
				t.Fatal(err)
			}
			for name := range sent {
				if schema.Properties[name] == nil {
					t.Errorf("the schema lacks %s", name)
				}
			}
		}
	})
}

// TestALockThatDoesNotKnow checks that a bolt that is nowhere is not told as
// unlocked, though it is not locked.
func TestALockThatDoesNotKnow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken(sim.NodeSpec{ID: 203, Name: "Shed Lock", Location: "Garden", Kind: "lock", Values: map[string]any{"98-0-currentMode": 255}}))
		r.warm()
		r.fault(sim.Fault{Op: "block", Node: "Shed Lock"})
		if got, _ := r.speak("Shed Lock", "unlock", nil); got.Outcome != "accepted" || got.Reason != "unconfirmed" || got.Value != nil {
			t.Errorf("%+v", got)
		}
	})
}
