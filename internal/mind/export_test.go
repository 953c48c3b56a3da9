package mind

import (
	"context"

	"voicegateway/internal/intent/reader"
	"voicegateway/internal/keep/record"
)

// SetCaller puts another caller in the place of the one that was given.
func (m *Mind) SetCaller(c Caller) { m.calls.Caller = c }

// Understand makes an order of a text of somebody of whom nothing is remembered: which step
// made it, how many acts it has, and what is said before any of them is made.
func (m *Mind) Understand(ctx context.Context, q record.Request) (by string, acts int, said string) {
	_, o := m.understand(ctx, m.as(Exchange{Request: q}, q.Text), Memory{}, &turn{})
	if o.Say != nil {
		said = o.Say.reply
	}
	return o.By, len(o.Do), said
}

// SetKinds puts another judgement of kinds in the place of what was learned.
func (m *Mind) SetKinds(kinds reader.Learned) { m.kinds = func() reader.Learned { return kinds } }
