package mind

import (
	"context"
	"slices"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/errand"
	"voicegateway/internal/tools"
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

// expectReply lets the voice begin with what is said when every device confirms what an order
// wants of it, while they are still asked. That this is so is said only when it is.
func (m *Mind) expectReply(x *Exchange, o *Order, t *turn) {
	unsure := func(s plan.Step) bool {
		return s.Err != nil || s.Entity == nil || s.Risk == tools.Read || s.Until != nil
	}
	if t.expect == nil || x.DryRun || o.Manner != Ordinary && o.Manner != Passed || len(o.Do) == 0 || slices.ContainsFunc(o.Do, unsure) {
		return
	}
	done := make([]tools.Result, len(o.Do))
	for i := range done {
		done[i].Receipt = &tools.Receipt{Device: o.Do[i].Entity.ID, Outcome: tools.Confirmed}
	}
	if reply := speech.Speakable(m.phrases.SayResults(o.Do, done)); reply != "" {
		t.expect(reply)
	}
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
