package zwave

import (
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/zwave/wire"
)

// watchKey names one state of one thing.
type watchKey struct{ entity, property string }

// watched is one state of one thing, whose changes are reported.
type watched struct {
	entity, thing, area, class, property string

	ids   []wire.ValueID                 // the values that show it
	word  func(map[wire.ValueID]any) any // the state that they show, in the words of get_device_state; nil: unknown
	moves bool                           // it takes time, and shows other states on its way
	raw   map[wire.ValueID]any           // the values as they were last seen

	state any       // as it was told last
	known bool      // it was told
	lost  bool      // it has been unknown since
	at    time.Time // when it was told
	row   int       // how many events there were without a quiet time
	now   any       // as it is now
	ours  bool      // a write of ours brought it into this state
}

// urgent reports whether a class is about a danger for people.
func urgent(class string) bool {
	switch class {
	case "smoke", "carbon_monoxide", "moisture", "tamper", "gas", "heat", "intrusion", "glass_break", "lock":
		return true
	default:
		return false
	}
}

func (w *watched) pause() time.Duration {
	if urgent(w.class) {
		return urgentPause
	}
	return calmPause
}

// watchStates returns the states of the things of a model whose changes are reported and,
// for every node, whether it answers.
func watchStates(m *model) (all map[watchKey]*watched, reach map[int]*watched) {
	all, reach = map[watchKey]*watched{}, map[int]*watched{}
	covered := map[wire.ValueID]bool{}
	for _, e := range m.entities { // a sensor that is a thing of its own is reported by its own name
		if isSensor(e) && !e.unread {
			covered[e.main] = true
		}
	}
	for _, e := range m.entities {
		for _, w := range m.statesOf(e, covered) {
			w.entity, w.thing, w.area, w.raw = e.ID, e.Name, e.node.area(), map[wire.ValueID]any{}
			all[watchKey{e.ID, w.property}] = w
		}
		if reach[e.node.ID] == nil || isSensor(reach[e.node.ID].of(m)) && !isSensor(e) {
			reach[e.node.ID] = &watched{entity: e.ID, thing: e.Name, area: e.node.area(), class: "reach", property: "reach", raw: map[wire.ValueID]any{}}
		}
	}
	for _, w := range reach {
		all[watchKey{w.entity, w.property}] = w
	}
	return all, reach
}

// of returns the entity that a state is of.
func (w *watched) of(m *model) *entity {
	for _, e := range m.names.Own(w.entity) {
		if e.ID == w.entity {
			return e
		}
	}
	return &entity{}
}

// statesOf returns the states of one entity. Covered values are reported by other
// entities.
func (m *model) statesOf(e *entity, covered map[wire.ValueID]bool) []*watched {
	var out []*watched
	if property, ok := e.mainProperty(); ok {
		w := &watched{class: e.eventClass(), property: string(property), ids: []wire.ValueID{e.main}, moves: e.Domain == "cover"}
		w.word = func(raw map[wire.ValueID]any) any { return m.state(e, raw[e.main]) }
		if e.Domain == "lock" {
			event := lockEvent(e)
			w.ids = append(w.ids, event)
			w.word = func(raw map[wire.ValueID]any) any { return m.lockState(e, raw[e.main], raw[event]) }
		}
		out = append(out, w)
	}
	for _, s := range e.sensors {
		if covered[s.id] && s.id != e.main {
			continue
		}
		if w := m.sensorWatched(e, s); w != nil {
			covered[s.id] = true
			out = append(out, w)
		}
	}
	return out
}

// mainProperty returns what changes when the state of a thing that can be commanded
// does; ok is false for numbers, and for what only measures.
func (e *entity) mainProperty() (_ home.Ability, ok bool) {
	if e.unread || isSensor(e) || e.main.Class == wire.ThermostatSetpoint {
		return "", false
	}
	for _, a := range []home.Ability{home.Lock, home.OpenClose, home.OnOff, home.Mode} {
		if e.has(a) {
			return a, true
		}
	}
	return "", false
}

// eventClass returns what kind of thing reports, as in the house.
func (e *entity) eventClass() string {
	if e.Class != "" {
		return e.Class
	}
	return e.Domain
}

// sensorWatched returns the reported state of a sensor; nil for one that measures, and
// for buttons only that they exist.
func (m *model) sensorWatched(e *entity, s sensor) *watched {
	w := &watched{class: s.class, property: string(s.kind), ids: []wire.ValueID{s.id}}
	w.word = func(raw map[wire.ValueID]any) any { return m.sensorState(s, raw[s.id]) }
	switch s.id.Class {
	case wire.CentralScene:
		w.word = func(map[wire.ValueID]any) any { return nil } // a press is no state
	case wire.Battery:
		w.ids = append(w.ids, lowFlag(s.id))
		w.word = charge(w, s)
	case wire.Notification, wire.BinarySensor, wire.DoorLock:
		if s.kind == home.Contact {
			w.class = contactClass(e.node.display())
		}
	default:
		return nil
	}
	return w
}
