package hass

import "testing"

// FuzzApply: whatever comes as a change of states, the mirror goes on, and every state can
// be told.
func FuzzApply(f *testing.F) {
	f.Add([]byte(`{"a":{"light.kitchen":{"s":"off","a":{"friendly_name":"Kitchen Light"},"c":"01J","lc":1763796633.41}}}`), true)
	f.Add([]byte(`{"c":{"light.kitchen":{"+":{"s":"on","lc":1,"c":{"id":"x","user_id":null},"a":{"brightness":128}},"-":{"a":["effect"]}}}}`), false)
	f.Add([]byte(`{"r":["light.kitchen"],"c":{"nobody":{"+":{"a":{"entity_id":["nobody",1]}}}}}`), false)
	f.Add([]byte(`{"a":{"sensor.x":{"s":"NaN","a":null,"lc":1e300},"climate.y":{"a":{"supported_features":1e308,"hvac_modes":[null]}}}}`), true)
	r := &registries{newOnes: true}
	f.Fuzz(func(_ *testing.T, event []byte, whole bool) {
		m := newMirror(nil)
		_, _ = m.apply([]byte(`{"a":{"light.kitchen":{"s":"off","a":{},"lc":1}}}`), true)
		if _, err := m.apply(event, whole); err != nil {
			return
		}
		states, shape := m.snapshot()
		for id, s := range states {
			if e := newEntity(id, shape[id], r); e != nil {
				_, _ = e.say(s), e.values(s)
				for _, action := range []string{"on", "off", "toggle", "level", "open", "stop", "position", "lock", "setpoint", "mode", "colour", "next", "dock"} {
					if step, err := plan(action, request{entity: e, value: "21", now: s}); err == nil {
						_, _ = step.done(s), step.say(s)
					}
				}
			}
		}
		newModel(r, states, shape)
	})
}
