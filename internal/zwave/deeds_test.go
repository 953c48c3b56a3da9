package zwave_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/zwave/sim"
	"voicegateway/internal/zwave/wire"
)

// belied returns what was reported as done and was not, one line each.
func (r *rig) belied() []string {
	r.Helper()
	var out []string
	for _, e := range r.since(1) {
		if e.Kind == home.Belied {
			out = append(out, fmt.Sprintf("%s/%s %v->%v", e.Thing, e.Property, e.Before, e.State))
		}
	}
	return out
}

// TestALiarIsNotBelieved has devices of every kind answer over Supervision that they have
// done what they have not. All but lamps are read back before anything is reported.
func TestALiarIsNotBelieved(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		device, action string
		value          any
		sets           map[string]any // what it stands at before
		stopsAt        any
		outcome        string // of its receipt
		says           string
		state          any
	}{
		"a plug":            {device: "Coffee Machine", action: "on", outcome: "accepted unchanged", says: "off", state: "off"},
		"a thermostat":      {device: "Thermostat", action: "mode", value: "off", outcome: "accepted unchanged", says: "heat", state: "heat"},
		"a set temperature": {device: "Thermostat", action: "setpoint", value: 25, outcome: "accepted unchanged", says: "21", state: "heat"},
		"a fan":             {device: "Ceiling Fan", action: "level", value: 60, outcome: "accepted unchanged", says: "0", state: "off"},
		"a fan that begins": {device: "Ceiling Fan", action: "level", value: 60, stopsAt: 30, outcome: "accepted unconfirmed", says: "30", state: "on"},
		"curtains":          {device: "Bedroom Curtains", action: "close", outcome: "accepted unchanged", says: "open", state: "open"},
		"a lock":            {device: "Front Door", action: "lock", outcome: "accepted unchanged", says: "unlocked", state: "unlocked"},
		"an outlet":         {device: "Workbench Strip 2", action: "on", outcome: "accepted unchanged", says: "off", state: "off"},
		"a lamp":            {device: "Kitchen Light", action: "on", outcome: "confirmed ", says: "on", state: "off"},
		"a dimmer":          {device: "Living Room Light", action: "level", value: 80, outcome: "confirmed ", says: "80", state: "off"},
		"a dimmer that stops at 45": {
			device: "Living Room Light", action: "level", value: 80, stopsAt: 45, outcome: "confirmed ", says: "80", state: "on",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, asSpoken())
				r.warm()
				r.fault(sim.Fault{Op: "liar", Node: nodeOf(tc.device)})
				if tc.stopsAt != nil {
					r.fault(sim.Fault{Op: "stops_at", Node: nodeOf(tc.device), Value: tc.stopsAt})
				}
				got, _ := r.speak(tc.device, tc.action, tc.value)
				if told := got.Outcome + " " + got.Reason; told != tc.outcome || fmt.Sprint(got.Value) != tc.says {
					t.Errorf("told as %s with %v, want %s with %s", told, got.Value, tc.outcome, tc.says)
				}
				if state := r.state(tc.device).State; state != tc.state {
					t.Errorf("its state is told as %v at once, want %v", state, tc.state)
				}
				pass(2 * time.Second)
				lamp := got.Outcome == "confirmed"
				if told := r.belied(); (len(told) == 1) != lamp {
					t.Errorf("corrected: %q", told)
				}
				if state := r.state(tc.device).State; state != tc.state {
					t.Errorf("its state is told as %v after two seconds, want %v", state, tc.state)
				}
				if !lamp {
					return
				}
				again, _ := r.speak(tc.device, tc.action, tc.value)
				pass(5 * time.Second)
				if told := r.belied(); again.Outcome != "accepted" || len(told) != 1 {
					t.Errorf("told again: %+v, corrected %q", again, told)
				}
			})
		})
	}
}

// nodeOf is the node of a device.
func nodeOf(device string) any {
	if device == "Workbench Strip 2" {
		return "Workbench Strip"
	}
	return device
}

// TestALampIsReadBackAfterItIsTold checks what is made of the lamps that do what they
// say: they are asked once, or while they are on their way, and nothing is corrected.
func TestALampIsReadBackAfterItIsTold(t *testing.T) {
	t.Parallel()
	level := "Office/Office_Light/switch_multilevel/endpoint_0/"
	seconds := func(n int) map[string]any { return map[string]any{"value": n, "unit": "seconds"} }
	for name, tc := range map[string]struct {
		reads  func(p *puppets, since time.Duration) any // how bright the lamp says it is
		belied string
	}{
		"it is there":                    {reads: func(*puppets, time.Duration) any { return 80.0 }},
		"it is on its way":               {reads: func(_ *puppets, since time.Duration) any { return min(80.0, float64(since.Milliseconds()/100)) }},
		"it is slow and tells how long":  {reads: slowly(func(p *puppets, left int) { p.publish(level+"duration", seconds(left)) })},
		"it says nothing":                {reads: func(*puppets, time.Duration) any { return nil }},
		"it stays off":                   {reads: func(*puppets, time.Duration) any { return 0.0 }, belied: "Office Light/brightness 80->0"},
		"it stops at 45":                 {reads: func(_ *puppets, since time.Duration) any { return min(45.0, float64(since.Milliseconds()/10)) }, belied: "Office Light/brightness 80->45"},
		"it stops and says it has ended": {reads: func(p *puppets, _ time.Duration) any { p.publish(level+"duration", seconds(0)); return 45.0 }, belied: "Office Light/brightness 80->45"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, asSpoken())
				r.warm()
				p := r.puppeteer(nil)
				var began time.Time
				r.mine.bus.mu.Lock()
				p.nodes = map[int]puppet{17: {
					write: func(any) *written {
						began = time.Now()
						return &written{status: 255, claims: map[string]any{level + "targetValue": 80, level + "currentValue": 80}}
					},
					poll: func(wire.ValueID) any { return tc.reads(p, time.Since(began)) },
				}}
				r.mine.bus.mu.Unlock()
				got, _ := r.speak("Office Light", "level", 80)
				if got.Outcome != "confirmed" || got.Value != 80.0 || p.times("pollValue", 17) != 0 {
					t.Errorf("%+v, asked %d times before it was told", got, p.times("pollValue", 17))
				}
				pass(2 * time.Second)
				told := r.belied()
				if tc.belied == "" && len(told) != 0 || tc.belied != "" && (len(told) != 1 || told[0] != tc.belied) {
					t.Errorf("corrected: %q, want %q", told, tc.belied)
				}
				if p.times("pollValue", 17) == 0 {
					t.Error("it was not read back within two seconds")
				}
				pass(20 * time.Second)
				if tc.belied == "" && len(r.belied()) != 0 {
					t.Errorf("corrected later: %q", r.belied())
				}
			})
		})
	}
}

// slowly is a lamp that takes twelve seconds and tells how many are left.
func slowly(tell func(p *puppets, left int)) func(*puppets, time.Duration) any {
	return func(p *puppets, since time.Duration) any {
		left := max(0, 12-int(since.Seconds()))
		tell(p, left)
		if left > 0 {
			return 1.0
		}
		return 80.0
	}
}

// TestWhatIsNotReadBackIsNotConfirmed checks that a plug whose answer cannot be
// verified is reported as not confirmed.
func TestWhatIsNotReadBackIsNotConfirmed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken())
		r.warm()
		r.puppeteer(map[int]puppet{3: {
			write: func(any) *written {
				return &written{status: 255, claims: map[string]any{"Kitchen/Coffee_Machine/switch_binary/endpoint_0/currentValue": true}}
			},
			ping: func() any { return true },
		}})
		got, result := r.speak("Coffee Machine", "on", nil)
		if got.Outcome != "accepted" || got.Reason != "unconfirmed" || got.Value != nil || result.Failed {
			t.Errorf("%+v", got)
		}
		if state := r.state("Coffee Machine"); state.State == "on" {
			t.Errorf("its claim is told as its state: %+v", state)
		}
	})
}

// TestAClaimIsNoStateBefore checks that the state before a command is never one that a
// lamp only claimed.
func TestAClaimIsNoStateBefore(t *testing.T) {
	t.Parallel()
	for name, liar := range map[string]bool{"a liar": true, "an honest lamp": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, asSpoken(sim.NodeSpec{ID: 17, Name: "Office Light", Location: "Office", Kind: "dimmer", Supervised: true, Values: map[string]any{"38-0-currentValue": 20}}))
				r.warm()
				want := 60.0
				if liar {
					r.fault(sim.Fault{Op: "liar", Node: 17})
					want = 20
				}
				if got, _ := r.speak("Office Light", "level", 60); got.Outcome != "confirmed" || got.Before != 20.0 {
					t.Errorf("the first: %+v", got)
				}
				r.fault(sim.Fault{Op: "honest", Node: 17})
				if got, _ := r.speak("Office Light", "level", 90); got.Outcome != "confirmed" || got.Before != want {
					t.Errorf("the second: %+v, want before %v", got, want)
				}
				pass(5 * time.Second)
				if told := r.belied(); len(told) != 0 {
					t.Errorf("what nobody waits for any more is corrected: %q", told)
				}
			})
		})
	}
}

// TestWhatIsOnItsWayIsReadBackAtItsEnd has a blind answer that it moves, and then that it
// has arrived, whereupon the controller writes the state; but it never moved. A list of
// the house at that moment must not show it as arrived.
func TestWhatIsOnItsWayIsReadBackAtItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken())
		r.warm()
		const topic = "Living_Room/Living_Room_Blinds/unknownClass_106/endpoint_0/currentValue/13"
		p := r.puppeteer(nil)
		r.mine.bus.mu.Lock()
		p.nodes = map[int]puppet{7: {
			write: func(any) *written {
				time.AfterFunc(12*time.Second, func() { p.publish(topic, 0) })
				return &written{status: 1, remaining: 12}
			},
			poll: func(wire.ValueID) any { return 99.0 },
		}}
		r.mine.bus.mu.Unlock()
		if got, _ := r.speak("Living Room Blinds", "close", nil); got.Reason != "on_its_way" {
			t.Errorf("%+v", got)
		}
		asked := p.times("pollValue", 7)
		pass(14 * time.Second)
		if p.times("pollValue", 7) == asked {
			t.Error("it was not asked at its end")
		}
		var list struct {
			Devices []struct {
				Name  string
				State any
			}
		}
		r.call("list_devices", map[string]any{"type": "cover", "area": "Living Room"}, &list)
		if len(list.Devices) != 1 || list.Devices[0].State != "open" {
			t.Errorf("two seconds after its end it is listed as %+v", list.Devices)
		}
	})
}

// TestWhoSaysItAgainHearsTheTruth repeats a command because the lamp stayed dark, before
// the correction was reported.
func TestWhoSaysItAgainHearsTheTruth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, asSpoken())
		r.warm()
		r.fault(sim.Fault{Op: "liar", Node: "Kitchen Light"})
		if got, _ := r.speak("Kitchen Light", "on", nil); got.Outcome != "confirmed" {
			t.Errorf("the first time: %+v", got)
		}
		pass(500 * time.Millisecond)
		if got, _ := r.speak("Kitchen Light", "on", nil); got.Outcome != "accepted" || got.Value != "off" {
			t.Errorf("the second time: %+v", got)
		}
	})
}
