package mind

import (
	"context"
	"reflect"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
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
func (m *Mind) Extend(ctx context.Context, t record.Turn, whole speech.Transcript) {
	switch carried := t.Record.Route == record.RouteLocal && t.Record.Outcome.Carried(); {
	case t.Record.Challenge: // for an order that has become another one
		m.guard.Drop(t.Record.ID)
		m.answerWhole(ctx, t, whole)
	case carried:
		m.compareGrown(t, whole).goOn(ctx)
	case t.Unfinished, m.foreign(t.Text, t.Area) && (whole.Unfinished || m.foreign(whole.Text, t.Area)):
		m.answerWhole(ctx, t, whole)
	case t.Record.Outcome == record.Asked && !whole.Unfinished && whole.Text != t.Text && m.match.Match(whole.Text, t.Area).Route == intent.Local:
		m.answerWhole(ctx, t, whole)
	}
}

// foreign reports whether a text is a sentence that is only written down.
func (u *understanding) foreign(text, area string) bool {
	d := u.match.Match(text, area)
	return d.Route == intent.Local && d.Foreign
}

// answerWhole answers a sentence of which only the beginning was heard before. The
// question about the beginning is dropped.
func (m *Mind) answerWhole(ctx context.Context, t record.Turn, whole speech.Transcript) {
	m.memory.withdraw(t.Request, t.Record.ID)
	if t.Unsay != nil {
		t.Unsay()
	}
	t.Text, t.Unfinished, t.Others = whole.Text, whole.Unfinished, whole.Others
	r := t.Record
	r.Verdict, r.Route, r.Intent, r.SpeechAct, r.Challenge = record.Verdict{}, record.RouteNone, nil, "", false
	if r.Transcript != nil {
		r.Transcript.Text = whole.Text
	}
	m.Answer(ctx, t)
}

// grown is a sentence that was carried out and has grown since.
type grown struct {
	mind  *Mind
	x     *Exchange // its beginning
	turn  *turn
	unsay func() // drops what is not spoken yet; may be nil
	whole string
	also  []string // other readings of the whole
	house *home.House
}

// compareGrown compares a sentence with what it has become, without the words at the end
// of both that lead to another command.
func (m *Mind) compareGrown(t record.Turn, whole speech.Transcript) *grown {
	g := &grown{mind: m, unsay: t.Unsay, whole: whole.Text, also: whole.Others, house: m.match.House()}
	g.turn = &turn{rec: t.Record, watch: t.Watch, say: t.Say, waiting: t.Waiting}
	text := t.Text
	if said := m.choosing.WithoutJoin(t.Text); t.Unfinished && said != "" {
		text = said
	}
	if all := m.choosing.WithoutJoin(whole.Text); whole.Unfinished && all != "" {
		g.whole = all
	}
	ready, _ := m.model.Ready()
	x := m.as(Exchange{Request: t.Request, Turn: t.Record.ID, Woken: t.Record.Wake != nil, Ready: ready}, text)
	g.x = &x
	return g
}

// goOn does what the whole sentence asks for in addition to, or instead of, what was
// done.
func (g *grown) goOn(ctx context.Context) {
	first := g.x.Alone
	if first.Route != intent.Local || !begins(g.whole, g.x.Text) || g.unclear(ctx) {
		return
	}
	all := g.mind.match.Match(g.whole, g.x.Area)
	n := len(first.Actions)
	switch {
	case refusesRoom(all):
		g.refuse(ctx, all)
	case all.Route != intent.Local:
	case len(all.Actions) > n && reflect.DeepEqual(all.Actions[:n], first.Actions):
		all.Actions = all.Actions[n:]
		g.add(ctx, all)
	default:
		g.correct(ctx, all)
	}
}

// unclear asks which of two readings is meant, if the whole sentence has two that mean
// different things. It reports whether it asked.
func (g *grown) unclear(ctx context.Context) bool {
	m := Memory{Subject: g.mind.memory.subject(g.x.Request)}
	readings, question := g.mind.doubts(*g.x, m, g.house).Either(g.whole, g.also)
	if len(readings) < 2 {
		return false
	}
	o := g.mind.either(*g.x, m, g.house, readings, question)
	part := g.turn.part()
	g.mind.carry(ctx, *g.x, o, part)
	g.mind.conclude(g.x, &o, part)
	g.turn.rec.Add(*part.rec, nil)
	return true
}

// add does the commands that were added.
func (g *grown) add(ctx context.Context, all intent.Decision) {
	o := g.mind.plan(Order{By: "what was added to a sentence", Meant: all}, *g.x, g.house)
	before := g.mind.memory.recall(g.x.Request)
	o.Leaves = func(did past.Turn) past.Turn {
		if before == nil {
			return did.With(nil, g.x.Text, g.whole)
		}
		return did.With(&before.Turn, g.x.Text, g.whole)
	}
	x := *g.x
	x.Made = g.stepsMade()
	part := g.turn.part()
	g.mind.carry(ctx, x, o, part)
	g.mind.note(&x, part, part.rec, all)
	g.turn.rec.Add(*part.rec, past.Intents(all.Actions))
	g.keep(part, part.rec.Reply)
}

// keep puts the whole sentence in the place of its beginning, in the record and in what is
// remembered, and says what is new.
func (g *grown) keep(part *turn, say string) {
	rec := g.turn.rec
	if rec.Transcript != nil {
		rec.Transcript.Text = g.whole
	}
	if say != "" {
		g.turn.say(say)
	}
	g.mind.memory.keep(g.x.Request, rec, part.did, rec.Outcome == record.Asked)
	if say != "" {
		g.mind.model.Remember(asker(g.x.Request), g.whole, rec.Reply)
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
