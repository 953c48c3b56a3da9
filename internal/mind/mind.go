// Package mind is the mind: it turns a text into a decision, a plan, calls,
// receipts and a reply. It is separate from the ear so that a text that is spoken,
// typed or sent over MQTT is handled in the same way. Everything it needs from the
// world is one of the interfaces in needs.go.
//
// The steps (understand.go) are the ways of understanding a text, tried in order. A step
// makes an Order of an Exchange, a Memory and a house, and changes nothing; carry
// (carry.go) does what an order says, whoever made it: a step, a sentence that has grown,
// the end of an act, a round of a language model. To add a way of understanding, write a
// file with its step and add a line to the steps. The mind learns from what is said about
// the turn before (teaching.go), and says "one moment" while a model thinks (moment.go).
package mind

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/tools"
)

// Mind turns a text into acts and a reply. It is shared by all sources of
// text and safe for use by several at once.
type Mind struct {
	understanding
	choosing.AlertWords

	guard    *guard.Guard
	teacher  Teacher
	calls    calling.Maker
	model    Assistant
	english  *reply.Phrases    // for the model
	names    []*choosing.Words // the words with which a model may name things, by language
	limits   guard.Limits
	recovery Recovery
	log      *slog.Logger

	rate   guard.Rate
	memory memories
	ledger past.Ledger
	began  time.Time // since when it takes note of what happens

	Ends    Ends         // of acts with an end; nil: none can be set. It is set before the first turn
	Gateway Gateway      // what the gateway knows of itself; nil: nothing. It is set before the first turn
	Houses  Houses       // which houses there should be; nil: only those that are known. It is set before the first turn
	Reports past.Reports // what the things of the house report by themselves, for the question who did it
}

// New checks the parts and starts nothing. Recovery may be empty: then a call that
// got no answer counts as failed.
func New(m Matcher, c Caller, model Assistant, p *reply.Phrases, l guard.Limits, r Recovery, log *slog.Logger) (*Mind, error) {
	if m == nil || c == nil || model == nil || p == nil || log == nil {
		return nil, errors.New("mind: a matcher, a caller, an assistant, phrases and a logger are needed")
	}
	english, err := reply.Ours(sentences.OfTools)
	if err != nil {
		return nil, fmt.Errorf("mind: %w", err)
	}
	var names []*choosing.Words
	for _, language := range []string{p.Language(), english.Language()} {
		words, err := choosing.Ours(language)
		if err != nil {
			return nil, fmt.Errorf("mind: %w", err)
		}
		names = append(names, words)
	}
	guarding, teacher := guard.New(l, p), newTeacher(m, p)
	return &Mind{
		understanding: understanding{match: m, phrases: p, choosing: names[0], rules: guarding.Rules, tasks: r.Tasks != nil, learns: teacher.Teaches(), kinds: learned(p.Language())},
		AlertWords:    choosing.ToAlerts(names[0]),
		began:         time.Now(),
		guard:         guarding,
		teacher:       teacher,
		calls:         calling.Maker{Caller: c, Phrases: p, Log: log}, model: model, english: english, names: names, limits: l, recovery: r, log: log,
	}, nil
}

// TakePlace takes a place in the queue of one of the gateway's own tools, behind the
// planned calls of turns. The caller has to give it back with Pass.
func (m *Mind) TakePlace(tool string) *order.Place { return m.calls.TakePlace(tool) }

// NotHeard is the answer to speech in which no sentence was found. Names cannot be
// recognised before the house is known, so the answer gives that as the reason.
func (m *Mind) NotHeard(ctx context.Context) string {
	if m.match.House().Empty() {
		return m.noHouse(ctx, intent.Decision{})
	}
	return m.phrases.Phrase("not_heard", nil)
}

// Failed is the answer to speech that no recogniser could process.
func (m *Mind) Failed() string { return m.phrases.Phrase("failed", nil) }

// Turn answers a text that was written, not spoken: it is whole and certain. It also carries
// out an act that was ordered without words.
func (m *Mind) Turn(ctx context.Context, q record.Request) record.Record {
	if q.At.IsZero() {
		q.At = time.Now()
	}
	q.Unfinished, q.Loose, q.Others = false, false, nil
	rec := record.Record{ID: cmp.Or(q.ID, record.NewID()), Time: q.At, Source: q.Source, Area: q.Area, Aloud: q.Aloud}
	if rec.Control = q.Control; rec.Control == nil {
		rec.Transcript = &record.Transcript{Text: q.Text, Engine: "text", Confidence: 1}
	}
	t := record.Turn{Request: q, Record: &rec, Watch: record.Stopwatch{Zero: q.At}, Say: func(string) {}}
	m.Answer(ctx, t)
	rec.Timings.Total = t.Watch.Now()
	return rec
}

// Answer fills the record of a turn and says each sentence as soon as it is known.
func (m *Mind) Answer(ctx context.Context, q record.Turn) {
	t := m.newTurn(q)
	t.rec.Calls = []record.CallMade{}
	x, seen := m.begin(q.Request, t)
	x, o := m.understand(ctx, x, seen, t)
	m.log.Debug("text understood", "part", "answer", "turn", x.Turn, "by", o.By)
	w, resumed := m.workFor(ctx, &q, x, seen, o, t)
	if resumed {
		t.moment.End()
	}
	m.finish(w)
}

// newTurn begins a turn.
func (m *Mind) newTurn(q record.Turn) *turn {
	t := &turn{rec: q.Record, watch: q.Watch, waiting: q.Waiting, expect: q.Expect, moment: newMoment(q.Say, m.phrases.Phrase("still_working", nil))}
	t.say = t.moment.Pass
	return t
}

// workFor begins the work of an order, or goes on with that of an earlier turn, if the text
// answers the question of a server. Another text declines such a question. A dry run does
// neither.
func (m *Mind) workFor(ctx context.Context, q *record.Turn, x Exchange, seen Memory, o Order, t *turn) (w *work, resumed bool) {
	switch {
	case o.Replies != nil && x.DryRun:
		o = ignore() // what the server does with an answer cannot be known in advance
	case o.Replies != nil:
		if o.Replies.resume(ctx, q, o.Replies.answer) {
			return o.Replies.work, true
		}
		o = Order{}.say(m.phrases.Phrase("nothing_asked", nil), record.Failed, "the question of the server is no longer open")
	case seen.Question != nil && seen.Question.server != nil && !x.DryRun && !x.asksAgain():
		seen.Question.server.drop()
	}
	return m.work(ctx, x, seen, o, t), false
}

// finish waits for work, and ends the turn with what came of it or with the question of a
// server.
func (m *Mind) finish(w *work) {
	t, rec := w.turn, w.turn.rec
	if !w.attend() { // the work belongs to the turn with the answer
		m.memory.tell(w.x.Request, rec.Reply)
		return
	}
	m.conclude(&w.x, &w.order, t)
	m.answerInWords(&w.x, t)
	m.heed(&w.x, &w.order, rec)
	m.memory.tell(w.x.Request, rec.Reply)
	m.note(&w.x, t, rec, w.order.Meant)
}

// begin makes an exchange of a text, with what is remembered of its asker. The words of a
// challenge are answered here, so that they are passed on to nothing.
func (m *Mind) begin(q record.Request, t *turn) (x Exchange, seen Memory) {
	if q.At.IsZero() {
		q.At = t.rec.Time
	}
	x = Exchange{Request: q, Turn: t.rec.ID, Woken: t.rec.Wake != nil}
	if said := t.rec.Transcript; said != nil && !x.typed() {
		x.Heard = said.Engine
	}
	x.Ready, _ = m.model.Ready()
	if q.Challenge == "" {
		x = m.as(x, q.Text)
		return x, m.memory.beginTurn(&x)
	}
	seen = m.memory.beginTurn(&x)
	seen.Passed, seen.Refused = m.guard.Answer(q)
	x.Text, x.Others = seen.Passed.Text, nil
	if seen.Refused == nil {
		x.Area = seen.Passed.Area
	}
	t.rec.Risk = string(tools.Dangerous)
	t.rec.Transcript = &record.Transcript{Text: record.ChallengeAnswer}
	return x, seen
}

// understand tries the steps until one makes an order of the text, and waits for the
// house where a step asks for that.
func (m *Mind) understand(ctx context.Context, x Exchange, seen Memory, t *turn) (Exchange, Order) {
	steps := m.steps()
	if x.Loose {
		steps = m.looseSteps()
	}
	for i := 0; i < len(steps); {
		o, ok := steps[i].understand(x, seen, m.match.House())
		if o.Read != nil {
			x = *o.Read
		}
		switch {
		case !ok:
			i++
		case o.Await:
			x = m.await(ctx, x, seen, t)
		default:
			o.By = steps[i].name
			return x, o
		}
	}
	return x, ignore() // the last step takes every text
}

// conclude says the reply of an order and keeps what was done.
func (m *Mind) conclude(x *Exchange, o *Order, t *turn) {
	rec := t.rec
	if !o.Think {
		rec.Reply = speech.Speakable(rec.Reply)
		if rec.Reply != "" {
			t.say(cmp.Or(t.aloud, rec.Reply))
		} else if rec.Route == record.RouteRefused {
			rec.Outcome = record.Ignored // the text was not meant for the house, so no answer is expected
		}
	}
	m.memory.keep(x.Request, rec, t.did, t.asks || rec.Outcome == record.Asked)
	if o.Meant.Route != "" && rec.Reply != "" && !x.DryRun && x.Control == nil {
		m.model.Remember(asker(x.Request), x.Text, rec.Reply)
	}
}
