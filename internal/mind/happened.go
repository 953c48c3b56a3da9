package mind

import (
	"time"

	"voicegateway/internal/keep/record"
)

// Happened lists what happened in the house from one moment to another, the oldest first, in a
// room or, with "", anywhere: what turns did, what things reported, which buttons were pressed and
// what rang.
func (m *Mind) Happened(from, to time.Time, area string) []record.Happening {
	remembered := m.account(&Exchange{})
	return remembered.Happened(from, to, area)
}
