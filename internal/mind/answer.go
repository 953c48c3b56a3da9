// Package mind is the mind: it turns a text into a decision, a plan, calls,
// receipts and a reply. It is separate from the ear so that a text that is spoken,
// typed or sent over MQTT is handled in the same way. Everything it needs from the
// world is one of the interfaces in needs.go.
//
// The ways of understanding a text are the list steps below, tried in order. To add
// one, write a file with its method and add a line to that list.
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
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/mind/safety"
)

// step is one way of understanding a text: it answers the text, or leaves it to the
// next step.
type step struct {
	name     string
	answered func(a *Answerer, ctx context.Context, x *exchange) bool
}

// steps lists the ways of understanding a text, in the order in which they are
// tried.
func steps() []step {
	return []step{
		{"the words of a challenge", func(a *Answerer, ctx context.Context, x *exchange) bool { return challenged(ctx, a, x) }},
		{"a wish to hear the answer again", (*Answerer).repeated},
		{"the answer to a question", (*Answerer).completed},
		{"a sentence that was not finished", func(a *Answerer, ctx context.Context, x *exchange) bool { return halfSaid(ctx, a, x) }},
		{"a word about the turn before", (*Answerer).amended},
		{"a task that was stopped", (*Answerer).resumed},
		{"a typed sentence with slips", (*Answerer).respelt},
		{"a sentence that may have been another one", func(a *Answerer, ctx context.Context, x *exchange) bool { return uncertain(ctx, a, x) }},
		{"a short sentence after another", func(a *Answerer, ctx context.Context, x *exchange) bool { return followed(ctx, a, x) }},
		{"a local sentence", (*Answerer).matched},
		{"the language model", (*Answerer).thought},
	}
}

// exchange is one text on its way through the steps, with its record so far.
type exchange struct {
	record.Request
	rec      *record.Record
	watch    record.Stopwatch
	say      func(sentence string)
	before   *remembered     // what the asker's last turn did; nil: nothing is remembered
	asked    bool            // a question was waiting for an answer
	doubts   int             // questions in a row about what was said that led to this text
	ordered  bool            // the text is a command by itself, or answers which thing one is about
	aloud    string          // what is said in place of the reply, which others may read; "": the reply
	question *modelQuestion  // the model's question that the text answers; nil: none
	local    intent.Decision // the decision of the matcher, once it was asked
	decided  string          // the text and the area that local was decided for
	meant    intent.Decision // the decision that was performed, if the turn came to one
	subject  *subject        // what the next short sentence is about, where meant does not tell
	less     bool            // the text asked for a step back
	ends     []string        // the ids of the ends that the turn has set
	done     []plan.Step     // steps already made for the same sentence; they count towards the fan-out limit
	begun    past.Turn       // what the same sentence has done before a question was asked about the rest
	empty    string          // why nothing is known of a house, where that is the answer

	doneBefore []record.TaskStep // what earlier rounds of a model's turn have done
	reconnects int               // made in this turn so far
}

// Answerer turns a text into acts and a reply. It is shared by all sources of
// text and safe for use by several at once.
type Answerer struct {
	match Matcher
	calls calling.Maker
	model Assistant
	choosing.AlertWords
	phrases  *reply.Phrases
	english  *reply.Phrases // for the model
	choosing *choosing.Words
	names    []*choosing.Words // the words with which a model may name things, by language
	limits   safety.Limits
	recovery Recovery
	log      *slog.Logger

	guard *guard.Guard

	rate   safety.Rate
	memory memory
	ledger past.Ledger

	Ends    Ends         // of acts with an end; nil: none can be set. It is set before the first turn
	Reports past.Reports // what the things of the house report by themselves, for the question who did it
}

// New checks the parts and starts nothing. Recovery may be empty: then a call that
// got no answer counts as failed.
func New(m Matcher, c Caller, model Assistant, p *reply.Phrases, l safety.Limits, r Recovery, log *slog.Logger) (*Answerer, error) {
	if m == nil || c == nil || model == nil || p == nil || log == nil {
		return nil, errors.New("answerer: a matcher, a caller, an assistant, phrases and a logger are needed")
	}
	english, err := reply.Ours("en")
	if err != nil {
		return nil, fmt.Errorf("answerer: %w", err)
	}
	var names []*choosing.Words
	for _, language := range []string{p.Language(), english.Language()} {
		words, err := choosing.Ours(language)
		if err != nil {
			return nil, fmt.Errorf("answerer: %w", err)
		}
		names = append(names, words)
	}
	return &Answerer{
		match: m, calls: calling.Maker{Caller: c, Phrases: p, Log: log}, model: model, phrases: p, english: english, limits: l, recovery: r, log: log,
		AlertWords: choosing.ToAlerts(names[0]), choosing: names[0], names: names, guard: guard.New(l, p),
	}, nil
}

// TakePlace takes a place in the queue of one of the gateway's own tools, behind the
// planned calls of turns. The caller has to give it back with Pass.
func (a *Answerer) TakePlace(tool string) *order.Place { return a.calls.TakePlace(tool) }

// Judge says whether the words so far are a sentence (REQUIREMENTS H6).
func (a *Answerer) Judge(partial string) speech.Completeness { return a.match.Judge(partial) }

// NotHeard is the answer to speech in which no sentence was found. Names cannot be
// recognised before the house is known, so the answer gives that as the reason.
func (a *Answerer) NotHeard() string {
	if a.match.House().Empty() {
		return a.phrases.Phrase("no_house", nil)
	}
	return a.phrases.Phrase("not_heard", nil)
}

// Failed is the answer to speech that no recogniser could process.
func (a *Answerer) Failed() string { return a.phrases.Phrase("failed", nil) }

// Turn answers a text that was written, not spoken: it is whole and certain.
func (a *Answerer) Turn(ctx context.Context, q record.Request) record.Record {
	if q.At.IsZero() {
		q.At = time.Now()
	}
	q.Unfinished, q.Others = false, nil
	rec := record.Record{ID: cmp.Or(q.ID, record.NewID()), Time: q.At, Source: q.Source, Area: q.Area, Aloud: q.Aloud}
	rec.Transcript = &record.Transcript{Text: q.Text, Engine: "text", Confidence: 1}
	t := record.Turn{Request: q, Record: &rec, Watch: record.Stopwatch{Zero: q.At}, Say: func(string) {}}
	a.Answer(ctx, t)
	rec.Timings.Total = t.Watch.Now()
	return rec
}

// Answer fills the record of a turn and says each sentence as soon as it is known.
func (a *Answerer) Answer(ctx context.Context, t record.Turn) {
	x := &exchange{Request: t.Request, rec: t.Record, watch: t.Watch, say: t.Say, before: a.memory.recall(t.Request)}
	x.rec.Calls = []record.CallMade{}
	if x.At.IsZero() {
		x.At = x.rec.Time
	}
	for _, s := range steps() {
		if s.answered(a, ctx, x) {
			a.log.Debug("text understood", "part", "answer", "turn", x.rec.ID, "by", s.name)
			a.answerInWords(x)
			heed(a, x)
			a.memory.tell(x.Request, x.rec.Reply)
			a.note(x, x.rec, x.meant)
			return
		}
	}
}

// waits calls the request's Waiting callback, if there is one: the turn waits for
// something slow.
func (x *exchange) waits() {
	if waiting := x.Waiting; waiting != nil {
		x.Waiting = nil // it is called once
		waiting()
	}
}

// decide matches the text of an exchange. The steps that ask about the same text in the
// same room share the decision.
func (a *Answerer) decide(x *exchange) intent.Decision {
	if of := x.Area + "\n" + x.Text; x.decided != of {
		x.local, x.decided = a.match.Match(x.Text, x.Area), of
	}
	return x.local
}

// matched is the step for sentences that need no model. It waits for the house only if
// the house could change the answer: the time of day is said while the servers still
// start.
func (a *Answerer) matched(ctx context.Context, x *exchange) bool {
	d := x.local
	if unsettled(d) && !a.talksOnly(x, d) {
		x.local = a.awaited(ctx, x, a.hopedFor(x, d))
		a.respelt(ctx, x)
		d = x.local
	}
	if x.mistaken(d) {
		return false
	}
	switch d.Route {
	case intent.Ask:
		if d = guard.Hopeless(d, a.match.House(), x.Area); d.Route == intent.Ask {
			a.remember(x.Request, d)
		}
	case intent.Model:
		return false
	case intent.Reject:
		if d.Reason == intent.BareName {
			a.remember(x.Request, d)
		}
	case intent.Local:
	}
	x.ordered = !x.Unfinished
	if a.lacksHouse(d) {
		x.empty = a.noHouse(ctx)
	}
	a.perform(x, d, func() past.Turn { return a.carryOut(ctx, x, d) })
	return true
}

// perform answers a decision and calls act if it is to be carried out.
func (a *Answerer) perform(x *exchange, d intent.Decision, act func() past.Turn) {
	if overheard(x, d) {
		d = intent.Decision{Route: intent.Reject, Reason: intent.Overheard}
	}
	x.meant = d
	past.NoteIntents(x.rec, d.Actions)
	x.rec.SpeechAct = string(d.Act)
	var did past.Turn
	switch d.Route {
	case intent.Local:
		x.rec.Route = record.RouteLocal
		if x.empty != "" {
			x.rec.Outcome, x.rec.Reply = record.Failed, x.empty
			break
		}
		did = act()
	case intent.Ask:
		x.rec.Route, x.rec.Outcome, x.rec.Reply = record.RouteLocal, record.Asked, questionOf(d, a.match.House(), a.phrases)
	case intent.Reject, intent.Model:
		x.rec.Route, x.rec.Outcome = record.RouteRefused, record.Failed
		x.rec.Reply, x.rec.Error = cmp.Or(x.empty, a.phrases.Refusal(d)), past.Reason(d)
	}
	x.rec.Reply = speech.Speakable(x.rec.Reply)
	if x.rec.Reply != "" {
		x.say(cmp.Or(x.aloud, x.rec.Reply))
	} else if x.rec.Route == record.RouteRefused {
		x.rec.Outcome = record.Ignored // the text was not meant for the house, so no answer is expected
	}
	a.memory.keep(x.Request, x.rec.ID, did, x.rec.Reply)
	if x.rec.Reply != "" {
		a.model.Remember(asker(x.Request), x.Text, x.rec.Reply)
	}
}
