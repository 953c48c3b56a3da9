package mind

import (
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/keep/record"
)

// Amends reports whether a text heard without a wake word, while the microphone is
// open after a turn, is meant for the house: one of the few exact texts that
// correct what was just done, answer no, or ask for quiet. Anything else is taken
// for television.
func (m *Mind) Amends(text string) bool {
	return m.choosing.Amendment(text) != choosing.NoAmendment
}

// Amendable reports whether there is anything a correction could be about: what
// the last turn of a source in an area did, or a question that waits.
func (m *Mind) Amendable(s record.Source, area string) bool {
	return m.memory.holds(asker(record.Request{Source: s, Area: area}))
}

// amended is the step for the few exact texts that correct the turn before.
func (u *understanding) amended(x Exchange, m Memory, h *home.House) (Order, bool) {
	declined := u.declines(x, m)
	m.Asked = m.Asked || declined
	d, ok := u.amendment(x, m)
	if !ok {
		return Order{}, false
	}
	o := u.order(x, m, h, d)
	if declined {
		o.Settles = m.Offered
	}
	return o, true
}

// amendment reads the exact texts that correct the turn before, in every language
// and with any pack of sentences. A "no" answers a question if one waits; otherwise
// it takes back what the turn before did.
func (u *understanding) amendment(x Exchange, m Memory) (intent.Decision, bool) {
	name := ""
	switch u.choosing.Amendment(x.Text) {
	case choosing.Undo:
		name = catalogue.Undo
	case choosing.Other:
		name = catalogue.Other
	case choosing.Halt:
		name = catalogue.Stop
	case choosing.Wrong:
		name = catalogue.Wrong
	case choosing.Keep:
		name = catalogue.Remember
	case choosing.Not:
		name = catalogue.No
		if b := m.Before; !m.Asked && b != nil && b.latest && !b.asked && b.Undone == 0 {
			name = catalogue.Undo
		}
	case choosing.NoAmendment:
		return intent.Decision{}, false
	}
	return plainDecision(name), true
}
