package zwave_test

import (
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/zwave/sim"
	"voicegateway/internal/zwave/wire"
)

// TestALevelOnTheWayIsNotTheEnd has things that report every level on their way, so that they
// report the one beside the asked one a moment before they arrive.
func TestALevelOnTheWayIsNotTheEnd(t *testing.T) {
	t.Parallel()
	at := func(level int) map[string]any { return map[string]any{"38-0-currentValue": level} }
	lamp := sim.NodeSpec{ID: 17, Name: "Office Light", Location: "Office", Kind: "dimmer", Ramp: time.Second, Values: at(99)}
	answering, slow := lamp, lamp
	answering.Supervised = true
	slow.Ramp, slow.Values = 30*time.Second, at(66)
	for name, spec := range map[string]sim.NodeSpec{
		"a lamp":                       lamp,
		"a lamp that answers for it":   answering,
		"a slow lamp":                  slow,
		"a fan":                        {ID: 19, Name: "Ceiling Fan", Location: "Office", Kind: "fan", Ramp: 2 * time.Second, Values: at(20)},
		"curtains":                     {ID: 10, Name: "Bedroom Curtains", Location: "Bedroom", Kind: "cover", Ramp: 4 * time.Second, Values: at(99)},
		"curtains that close a little": {ID: 10, Name: "Bedroom Curtains", Location: "Bedroom", Kind: "cover", Ramp: 25 * time.Second, Values: at(62)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				spec.Steps = true
				r := start(t, asSpoken(spec))
				r.warm()
				if got, _ := r.speak(spec.Name, "level", 60); got.Outcome != "confirmed" || got.Value != 60.0 {
					t.Errorf("%+v", got)
				}
				if fact := r.fact(spec.Name, "38-0-currentValue"); fact != 60.0 {
					t.Errorf("it is at %v", fact)
				}
			})
		})
	}
}

// TestALevelBesideTheAskedOne has a lamp that says nothing by itself and is found at the
// level beside the asked one. It may be on its way, or stay there because it rounds.
func TestALevelBesideTheAskedOne(t *testing.T) {
	t.Parallel()
	type level struct {
		from time.Duration
		is   float64
	}
	for name, tc := range map[string]struct {
		before float64
		then   []level // after the command
		told   float64
		within time.Duration
	}{
		"it is there at once":              {20, []level{{0, 60}}, 60, 200 * time.Millisecond},
		"it is about to arrive":            {20, []level{{0, 59}, {200 * time.Millisecond, 60}}, 60, time.Second},
		"it arrives from above":            {99, []level{{0, 80}, {300 * time.Millisecond, 61}, {500 * time.Millisecond, 60}}, 60, 2 * time.Second},
		"it needs a second for each level": {63, []level{{0, 63}, {time.Second, 62}, {2 * time.Second, 61}, {3 * time.Second, 60}}, 60, 5 * time.Second},
		"it begins late":                   {61, []level{{0, 61}, {700 * time.Millisecond, 60}}, 60, 3 * time.Second},
		"it rounds":                        {20, []level{{0, 61}}, 61, time.Second},
		"it rounds after a ramp":           {20, []level{{0, 40}, {300 * time.Millisecond, 59}}, 59, 2 * time.Second},
		"it rounds and was there before":   {61, []level{{0, 61}}, 61, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, asSpoken(sim.NodeSpec{ID: 17, Name: "Office Light", Location: "Office", Kind: "dimmer", Values: map[string]any{"38-0-currentValue": tc.before}}))
				r.warm()
				var told time.Time
				r.puppeteer(map[int]puppet{17: {
					write: func(any) *written { told = time.Now(); return &written{status: 254} },
					poll: func(wire.ValueID) any {
						is := tc.before
						for _, l := range tc.then {
							if !told.IsZero() && time.Since(told) >= l.from {
								is = l.is
							}
						}
						return is
					},
				}})
				began := time.Now()
				if got, _ := r.speak("Office Light", "level", 60); got.Outcome != "confirmed" || got.Value != tc.told {
					t.Errorf("%+v", got)
				}
				if took := time.Since(began); took > tc.within {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}
