package zwave

import (
	"voicegateway/internal/zwave/wire"
)

// lockJammed is the event of an access control notification that says that a lock's
// bolt is stuck.
const lockJammed = 11

// state returns an entity's state as a word or number for people; nil means
// unknown. A lock that has reported a jam is jammed until it is locked or something
// else happens to it.
func (d *devices) state(m *model, e *entity, raw any) any {
	word := m.state(e, raw)
	if e.Domain != "lock" || word == "locked" {
		return word
	}
	event := d.ledger.read(wire.ValueID{Node: e.node.ID, Class: wire.Notification, Property: "Access Control", Key: "Lock state"})
	if event.value == float64(lockJammed) {
		return "jammed"
	}
	return word
}
