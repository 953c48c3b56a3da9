package mind

import (
	"context"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/errand"
)

// Foreseeing is an Assistant that can begin with a prompt before the text is final.
// It does and says nothing before Reply gets the same prompt.
type Foreseeing interface {
	Expect(ctx context.Context, p dialogue.Prompt) (drop func())
}

// Expect lets the model begin with the words so far of an utterance that has ended, if
// only a model will understand them: the recogniser may need a moment to make them final.
// A text that belongs to the turn before is not sent early.
func (m *Mind) Expect(ctx context.Context, q record.Request) (drop func()) {
	model, able := m.model.(Foreseeing)
	if !able || q.DryRun || q.FollowUp || m.memory.waits(q) || m.choosing.Amendment(q.Text) != choosing.NoAmendment {
		return func() {}
	}
	d := m.match.Match(q.Text, q.Area)
	if d.Route != intent.Model || unsettled(d) {
		return func() {}
	}
	return model.Expect(ctx, m.prompt(Exchange{Request: q, Alone: d}, m.match.House(), nil))
}

// prompt is what a model is asked about a text, without what it may do with the turn. The
// text may answer a question of the model.
func (u *understanding) prompt(x Exchange, h *home.House, answers *modelQuestion) dialogue.Prompt {
	p := dialogue.Prompt{
		Text: x.Text, Area: x.Area, Conversation: asker(x.Request), House: h, MayAct: u.mayAct(x, answers),
	}
	if !p.MayAct && answers == nil && !u.speechAct(x).Forbids() && errand.Asked(x.Text) {
		p.MayAct, p.Elsewhere = true, true
	}
	return p
}

// waits reports whether a question waits for this asker's answer.
func (m *memories) waits(q record.Request) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.questions[asker(q)]
	return ok && time.Now().Before(p.until)
}
