package answer

import (
	"context"
	"reflect"
	"strings"

	"voicegateway/internal/dialogue/past"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/record"
)

// Extend answers commands that were added to a sentence already carried out: after
// "turn on the light", the fan of "turn on the light and the fan". Added politeness
// changes nothing, and neither does a text that may not be the same sentence with
// more commands. A delay that is added comes too late, and the person is told so.
func (a *Answerer) Extend(ctx context.Context, t record.Turn, whole string) {
	x := &exchange{Request: t.Request, rec: t.Record, watch: t.Watch, say: t.Say}
	if x.rec.Route != record.RouteLocal || !x.rec.Outcome.Carried() || !begins(whole, x.Text) {
		return
	}
	first, all := a.match.Match(x.Text, x.Area), a.match.Match(whole, x.Area)
	if first.Route != intent.Local || all.Route != intent.Local {
		return
	}
	if len(all.Actions) == 1 && all.Actions[0].Slots["conversation_command"] != nil && first.Actions[0].Slots["conversation_command"] == nil {
		text := a.phrases.Phrase("done_already", nil)
		x.rec.Reply = strings.TrimSpace(x.rec.Reply + " " + text)
		x.say(text)
		return
	}
	n := len(first.Actions)
	if len(all.Actions) <= n || !reflect.DeepEqual(all.Actions[:n], first.Actions) {
		return
	}
	all.Actions = all.Actions[n:]
	more := record.Record{ID: x.rec.ID, Source: x.rec.Source, Area: x.rec.Area, Route: record.RouteLocal, Verdict: record.Verdict{Calls: []record.CallMade{}}}
	var before *past.Turn
	if last := a.memory.recall(x.Request); last != nil {
		before = &last.Turn
	}
	added := &exchange{Request: x.Request, rec: &more, watch: x.watch, say: x.say}
	added.done, _ = plan.Calls(first, a.match.House(), x.Area) // the first commands were planned without an error before
	did := a.act(ctx, added, all)
	a.ledger.Note(a.match.House(), x.Request, &more, all)
	x.rec.Add(more, intentsOf(all.Actions))
	a.memory.keep(x.Request, did.With(before, x.Text, whole), x.rec.Reply)
	x.rec.Transcript.Text = whole
	if more.Reply != "" {
		x.say(more.Reply)
		a.model.Remember(asker(x.Request), whole, x.rec.Reply)
	}
}

// begins reports whether a text starts with another one, word for word. A word may
// gain or lose a final "s", because a recogniser that hears more may turn a
// singular into a plural.
func begins(whole, first string) bool {
	w, f := strings.Fields(whole), strings.Fields(first)
	if len(w) <= len(f) {
		return false
	}
	for i := range f {
		if w[i] != f[i] && w[i] != f[i]+"s" && w[i]+"s" != f[i] {
			return false
		}
	}
	return true
}
