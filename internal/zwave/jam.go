package zwave

import (
	"voicegateway/internal/zwave/wire"
)

// lockJammed is the event of an access control notification that says that a lock's
// bolt is stuck.
const lockJammed = 11

// state returns an entity's state as a word or number for people; nil means
// unknown.
func (d *devices) state(m *model, e *entity, raw any) any {
	switch {
	case isSensor(e) && len(e.sensors) > 0:
		return m.sayReading(e.sensors[0], raw, d.ledger.read)
	case e.Domain != "lock":
		return m.state(e, raw)
	}
	return m.lockState(e, raw, d.ledger.read(lockEvent(e)).value)
}

// lockEvent is the value with which a lock reports that its bolt is stuck.
func lockEvent(e *entity) wire.ValueID {
	return wire.ValueID{Node: e.node.ID, Class: wire.Notification, Property: "Access Control", Key: "Lock state"}
}

// lockState returns the state of a lock. One that has reported a jam is jammed until
// it is locked or something else happens to it.
func (m *model) lockState(e *entity, raw, event any) any {
	word := m.state(e, raw)
	if word != "locked" && event == float64(lockJammed) {
		return "jammed"
	}
	return word
}
