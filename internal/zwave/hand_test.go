package zwave_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/zwave/sim"
	"voicegateway/internal/zwave/wire"
)

// handLamp is a lamp that says under Supervision that it did what it was told, and what
// happens to it within the first second after that.
type handLamp struct {
	*puppets

	device, topic string
	node          int
	state         *atomic.Value // what it is
	began         time.Time
}

// key is the value that shows what the lamp is.
func (l *handLamp) key() string {
	return map[bool]string{true: "37-0-currentValue", false: "38-0-currentValue"}[strings.Contains(l.topic, "binary")]
}

// at has something happen so long after the command.
func (l *handLamp) at(d time.Duration, do func()) { time.AfterFunc(d, do) }

// says has the lamp report of itself that it is something, without being asked.
func (l *handLamp) says(state any) {
	l.state.Store(state)
	l.publish(l.topic+"currentValue", state)
}

// otherWrites has another program command the lamp, which obeys; the controller writes the
// state itself.
func (l *handLamp) otherWrites(state any) {
	l.state.Store(state)
	_ = l.own.Publish(l.ctx, "zwave/"+l.topic+"targetValue/set", fmt.Append(nil, state))
	l.publish(l.topic+"currentValue", state)
}

// otherAsks has another program ask the lamp for its state.
func (l *handLamp) otherAsks() {
	class := map[bool]int{true: wire.BinarySwitch, false: wire.MultilevelSwitch}[strings.Contains(l.topic, "binary")]
	_ = l.own.Publish(l.ctx, "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/pollValue/set",
		fmt.Appendf(nil, `{"args":[{"nodeId":%d,"commandClass":%d,"endpoint":0,"property":"currentValue"}],"requestId":"other"}`, l.node, class))
}

// TestWhatIsSwitchedByHandIsNoLie checks what is made of a lamp that is not as it was told
// to be a second later: only one that never came on has lied. One that was switched by
// hand, or by another program, has changed, and is believed the next time.
func TestWhatIsSwitchedByHandIsNoLie(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	kitchen := handLamp{device: "Kitchen Light", node: 2, topic: "Kitchen/Kitchen_Light/switch_binary/endpoint_0/"}
	office := handLamp{device: "Office Light", node: 17, topic: "Office/Office_Light/switch_multilevel/endpoint_0/"}
	onAndOff := []string{"state Kitchen Light/light/on_off off->on ours", "state Kitchen Light/light/on_off on->off"}
	for name, tc := range map[string]struct {
		lamp   handLamp
		before any
		action string
		value  any
		makes  any                                        // what it is right after the command
		then   func(l *handLamp)                          // what happens after the command
		reads  func(l *handLamp, since time.Duration) any // what it says when it is asked; nil: what it is
		belied int
		liar   bool
		events []string
	}{
		"off by hand before it is asked": {
			lamp: kitchen, before: false, action: "on", makes: true, then: func(l *handLamp) { l.at(100*ms, func() { l.says(false) }) }, events: onAndOff,
		},
		"it says that it is on, then off by hand": {
			lamp: kitchen, before: false, action: "on", makes: true,
			then:   func(l *handLamp) { l.at(20*ms, func() { l.says(true) }); l.at(200*ms, func() { l.says(false) }) },
			events: onAndOff,
		},
		"off by hand while it is asked": {
			lamp: kitchen, before: false, action: "on", makes: true, then: func(l *handLamp) { l.at(270*ms, func() { l.says(false) }) }, events: onAndOff,
		},
		"on by hand after it was switched off": {
			lamp: kitchen, before: true, action: "off", makes: false, then: func(l *handLamp) { l.at(100*ms, func() { l.says(true) }) },
			events: []string{"state Kitchen Light/light/on_off on->off ours", "state Kitchen Light/light/on_off off->on"},
		},
		"off by another program": {
			lamp: kitchen, before: false, action: "on", makes: true, then: func(l *handLamp) { l.at(100*ms, func() { l.otherWrites(false) }) }, events: onAndOff,
		},
		"it was never on": {
			lamp: kitchen, before: false, action: "on", makes: false, belied: 1, liar: true,
		},
		"it was never on, and another program asks as well": {
			lamp: kitchen, before: false, action: "on", makes: false, belied: 1, then: func(l *handLamp) { l.at(100*ms, l.otherAsks) },
		},
		"dimmed by hand once it was there": {
			lamp: office, before: 0.0, action: "level", value: 80, makes: 80.0,
			then:   func(l *handLamp) { l.at(50*ms, func() { l.says(80.0) }); l.at(200*ms, func() { l.says(30.0) }) },
			events: []string{"state Office Light/light/on_off off->on ours"},
		},
		"off by hand on its way": {
			lamp: office, before: 0.0, action: "level", value: 80, makes: 20.0, then: func(l *handLamp) { l.at(500*ms, func() { l.says(0.0) }) },
			events: []string{"state Office Light/light/on_off off->on ours", "state Office Light/light/on_off on->off"},
		},
		"it turns back without a word": {
			lamp: office, before: 0.0, action: "level", value: 80, makes: 20.0,
			reads: func(_ *handLamp, since time.Duration) any {
				if since < 600*ms {
					return 20.0
				}
				return 0.0
			},
			events: []string{"state Office Light/light/on_off off->on ours", "state Office Light/light/on_off on->off"},
		},
		"it says itself where it stopped": {
			lamp: office, before: 0.0, action: "level", value: 80, makes: 45.0, belied: 1, then: func(l *handLamp) { l.at(200*ms, func() { l.says(45.0) }) },
			events: []string{"state Office Light/light/on_off off->on ours"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, asSpoken())
				l := tc.lamp
				l.state = new(atomic.Value)
				r.fault(sim.Fault{Op: "change", Node: l.node, Key: l.key(), Value: tc.before})
				r.warm()
				l.puppets = r.puppeteer(nil)
				r.mine.bus.mu.Lock()
				l.nodes = map[int]puppet{l.node: {
					write: func(to any) *written {
						if tc.makes == nil {
							return nil
						}
						l.state.Store(tc.makes)
						l.began = time.Now()
						if tc.then != nil {
							l.at(60*ms, func() { tc.then(&l) })
						}
						return &written{status: 255, claims: map[string]any{l.topic + "targetValue": to, l.topic + "currentValue": to}}
					},
					poll: func(wire.ValueID) any {
						is := l.state.Load()
						if tc.reads != nil {
							is = tc.reads(&l, time.Since(l.began))
						}
						l.publish(l.topic+"currentValue", is) // every answer is published
						return is
					},
				}}
				r.mine.bus.mu.Unlock()
				next := r.house.Events().Next
				if got, _ := r.speak(l.device, tc.action, tc.value); got.Outcome != "confirmed" {
					t.Fatalf("%+v", got)
				}
				pass(5 * time.Second)
				if told := r.belied(); len(told) != tc.belied {
					t.Errorf("corrected: %q, want %d", told, tc.belied)
				}
				var events []string
				for _, e := range r.since(next) {
					switch {
					case e.Kind == home.Reported:
						events = append(events, brief(e))
					case e.Unsure == tc.liar:
						t.Errorf("corrected as unsure: %v", e.Unsure)
					}
				}
				if !sameTexts(events, tc.events) {
					t.Errorf("told %q, want %q", events, tc.events)
				}
				asked := l.times("pollValue", l.node)
				tc.then = nil
				r.speak(l.device, tc.action, tc.value)
				if believed := l.times("pollValue", l.node) == asked; believed == tc.liar {
					t.Errorf("the next time it is believed: %v", believed)
				}
			})
		})
	}
}
