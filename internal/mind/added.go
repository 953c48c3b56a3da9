package mind

import (
	"context"
	"reflect"
	"strings"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/doubt"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/past"
)

// Extend answers a sentence that continued after it was answered; whole is all of it.
// Commands that were added are done: after "turn on the light", the fan of "turn on the
// light and the fan". An addition that narrows or changes the command corrects what was
// done: after "open the curtains", "in the bedroom". A beginning is answered as the
// sentence it has become, and the question about it is dropped; so is a question about a
// sentence that has become a whole command. Added politeness changes nothing, and neither
// does a text that is not understood. An added time makes it a command for later: what
// was done is put back.
func (a *Answerer) Extend(ctx context.Context, t record.Turn, whole speech.Transcript) {
	switch carried := t.Record.Route == record.RouteLocal && t.Record.Outcome.Carried(); {
	case t.Record.Challenge: // for an order that has become another one
		a.guard.Drop(t.Record.ID)
		answerWhole(ctx, a, t, whole)
	case carried:
		grownFrom(a, t, whole).goOn(ctx)
	case t.Unfinished, foreign(a.match, t.Text, t.Area) && (whole.Unfinished || foreign(a.match, whole.Text, t.Area)):
		answerWhole(ctx, a, t, whole)
	case t.Record.Outcome == record.Asked && !whole.Unfinished && whole.Text != t.Text && a.match.Match(whole.Text, t.Area).Route == intent.Local:
		answerWhole(ctx, a, t, whole)
	}
}

// foreign reports whether a text is a sentence that is only written down.
func foreign(match Matcher, text, area string) bool {
	d := match.Match(text, area)
	return d.Route == intent.Local && d.Foreign
}

// answerWhole answers a sentence of which only the beginning was heard before. The
// question about the beginning is dropped.
func answerWhole(ctx context.Context, a *Answerer, t record.Turn, whole speech.Transcript) {
	a.memory.withdraw(t.Request, t.Record.ID)
	if t.Unsay != nil {
		t.Unsay()
	}
	t.Text, t.Unfinished, t.Others = whole.Text, whole.Unfinished, whole.Others
	r := t.Record
	r.Verdict, r.Route, r.Intent, r.SpeechAct, r.Challenge = record.Verdict{}, record.RouteNone, nil, "", false
	if r.Transcript != nil {
		r.Transcript.Text = whole.Text
	}
	a.Answer(ctx, t)
}

// grown is a sentence that was carried out and has grown since.
type grown struct {
	*Answerer
	x     *exchange
	turn  record.Turn
	whole string
	also  []string // other readings of the whole
	first intent.Decision
}

// grownFrom compares a sentence with what it has become, without the words at the end
// of both that lead to another command.
func grownFrom(a *Answerer, t record.Turn, whole speech.Transcript) *grown {
	g := &grown{Answerer: a, turn: t, whole: whole.Text, also: whole.Others}
	g.x = &exchange{Request: t.Request, rec: t.Record, watch: t.Watch, say: t.Say}
	if said := a.choosing.WithoutJoin(t.Text); t.Unfinished && said != "" {
		g.x.Text = said
	}
	if all := a.choosing.WithoutJoin(whole.Text); whole.Unfinished && all != "" {
		g.whole = all
	}
	g.first = a.match.Match(g.x.Text, t.Area)
	return g
}

// goOn does what the whole sentence asks for in addition to, or instead of, what was
// done.
func (g *grown) goOn(ctx context.Context) {
	if g.first.Route != intent.Local || !begins(g.whole, g.x.Text) || g.unclear() {
		return
	}
	all := g.match.Match(g.whole, g.x.Area)
	n := len(g.first.Actions)
	switch {
	case refusesRoom(all):
		g.refuse(ctx, all)
	case all.Route != intent.Local:
	case len(all.Actions) > n && reflect.DeepEqual(all.Actions[:n], g.first.Actions):
		all.Actions = all.Actions[n:]
		g.add(ctx, all)
	default:
		g.correct(ctx, all)
	}
}

// unclear asks which of two readings is meant, if the whole sentence has two that mean
// different things. It reports whether it asked.
func (g *grown) unclear() bool {
	x := g.another(g.first)
	d := doubting{g.Answerer, x}
	readings, question := d.reader().Either(g.whole, g.also)
	if len(readings) < 2 {
		return false
	}
	d.ask(intent.Decision{Route: intent.Ask, Reason: intent.Uncertain, Question: question}, doubt.Question{Readings: readings})
	g.x.rec.Add(*x.rec, nil)
	return true
}

// add does the commands that were added.
func (g *grown) add(ctx context.Context, all intent.Decision) {
	added := g.another(all)
	var before *past.Turn
	if last := g.memory.recall(g.x.Request); last != nil {
		before = &last.Turn
	}
	added.done = g.made()
	did := g.act(ctx, added, all)
	g.note(added, added.rec, all)
	g.x.rec.Add(*added.rec, past.Intents(all.Actions))
	g.memory.keep(added.Request, added.rec.ID, did.With(before, g.x.Text, g.whole), g.x.rec.Reply)
	g.rewrite()
	if added.rec.Reply != "" {
		g.x.say(added.rec.Reply)
		g.model.Remember(asker(added.Request), g.whole, g.x.rec.Reply)
	}
}

// rewrite puts the whole sentence into the record.
func (g *grown) rewrite() {
	if r := g.x.rec; r.Transcript != nil {
		r.Transcript.Text = g.whole
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
