package turn

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/record"
	"voicegateway/internal/speech"
	"voicegateway/internal/tools"
)

// Limits of one answer. A spoken turn gives a call five seconds in all (M6).
const (
	callBudget  = 5 * time.Second
	confirmTime = 15 * time.Second // from the question; it takes a few seconds to say
)

// Safety is what is never done, or not without asking (REQUIREMENTS 8).
type Safety struct {
	FanOutLimit int // more devices than this are asked about first
}

// Answerer turns a text into acts and a reply. It is shared by all sources of
// text and safe for use by several at once.
type Answerer struct {
	match   Matcher
	caller  Caller
	model   Assistant
	phrases *reply.Phrases
	safety  Safety
	log     *slog.Logger
	places  places

	recovery Recovery
	rate     rate
	memory   memory
}

// NewAnswerer checks its parts and starts nothing.
func NewAnswerer(m Matcher, c Caller, model Assistant, p *reply.Phrases, s Safety, log *slog.Logger) (*Answerer, error) {
	if m == nil || c == nil || model == nil || p == nil || log == nil {
		return nil, errors.New("answerer: a matcher, a caller, an assistant, phrases and a logger are needed")
	}
	return &Answerer{match: m, caller: c, model: model, phrases: p, safety: s, log: log}, nil
}

// Judge says whether the words so far are a sentence (REQUIREMENTS H6).
func (a *Answerer) Judge(partial string) speech.Completeness { return a.match.Judge(partial) }

// NotHeard is the answer to speech in which there was no sentence. While the
// house is not known its names cannot be recognised, and that is the reason.
func (a *Answerer) NotHeard() string {
	if a.match.House().Empty() {
		return a.phrases.Phrase("no_house", nil)
	}
	return a.phrases.Phrase("not_heard", nil)
}

// Turn answers a text that was written, not spoken.
func (a *Answerer) Turn(ctx context.Context, q Question) record.Record {
	if q.At.IsZero() {
		q.At = time.Now()
	}
	rec := record.Record{ID: cmp.Or(q.ID, record.NewID()), Time: q.At, Source: q.Source, Area: q.Area}
	rec.Transcript = &record.Transcript{Text: q.Text, Engine: "text", Confidence: 1}
	w := record.Stopwatch{Zero: q.At}
	a.answer(ctx, q, &rec, w, func(string) {})
	rec.Timings.Total = w.Now()
	return rec
}

// answer fills the record and says each sentence as soon as it is known.
func (a *Answerer) answer(ctx context.Context, q Question, rec *record.Record, w record.Stopwatch, say func(string)) {
	rec.Calls = []record.CallMade{}
	before := a.memory.recall(q)
	d, asked := a.decide(ctx, q, before)
	if overheard(q, d, asked, rec) {
		d = intent.Decision{Route: intent.Reject, Reason: "overheard"}
	}
	if len(d.Actions) > 0 {
		for _, act := range d.Actions {
			rec.Intents = append(rec.Intents, record.Intent{Name: act.Intent, Slots: act.Slots})
		}
		rec.Intent = &rec.Intents[0]
		if len(rec.Intents) == 1 {
			rec.Intents = nil
		}
	}
	var did past
	switch d.Route {
	case intent.Local:
		rec.Route = record.RouteLocal
		did = a.local(ctx, q, d, before, rec, w)
	case intent.Ask:
		rec.Route, rec.Outcome, rec.Reply = record.RouteLocal, record.Asked, d.Question
	case intent.Reject:
		rec.Route, rec.Outcome = record.RouteRefused, record.Failed
		rec.Reply = a.phrases.Refusal(d)
		rec.Error = reason(d)
	case intent.Model:
		if q.FollowUp {
			rec.Outcome = record.Ignored
			return
		}
		did = a.think(ctx, q, rec, w, say)
		a.memory.keep(q, did, rec.Reply)
		return
	}
	rec.Reply = speech.Speakable(rec.Reply)
	if rec.Reply != "" {
		say(rec.Reply)
	} else if rec.Route == record.RouteRefused {
		rec.Outcome = record.Ignored // it was not meant for the house, so nobody waits for an answer
	}
	a.memory.keep(q, did, rec.Reply)
	if rec.Reply != "" {
		a.model.Remember(q.Text, rec.Reply)
	}
}

// local does what needs no model.
func (a *Answerer) local(ctx context.Context, q Question, d intent.Decision, before *past, rec *record.Record, w record.Stopwatch) past {
	if id, ok := a.resumes(q, d); ok {
		return a.resume(ctx, id, q, rec, w)
	}
	if len(d.Actions) == 1 {
		switch d.Actions[0].Intent {
		case catalogue.Undo:
			return a.undo(ctx, q, d, before, rec, w)
		case catalogue.Other:
			return a.other(ctx, q, d, before, rec, w)
		}
	}
	return a.act(ctx, q, d, rec, w)
}

// reason is why a sentence is refused, for the record.
func reason(d intent.Decision) string {
	switch {
	case d.NeedHouse:
		return "the house is not known: no server has told of it"
	case d.Heard != "":
		return d.Reason + ": " + d.Heard
	default:
		return d.Reason
	}
}

// decide matches, after what is said of the turn before, and waits for the house
// only when the house could change the answer: the time is told while the servers
// still start. Asked reports whether a question was waiting.
func (a *Answerer) decide(ctx context.Context, q Question, before *past) (d intent.Decision, asked bool) {
	d, answered, asked := a.answered(q)
	if answered {
		return d, asked
	}
	asked = asked || a.declines(q, before)
	if d, ok := a.amended(q, before, asked); ok {
		return d, asked
	}
	d = a.match.Match(q.Text, q.Area)
	if unsettled(d) {
		d = a.awaited(ctx, q, d)
	}
	if d.Route == intent.Ask {
		a.remember(q, d)
	}
	return d, asked
}

// act plans the calls of a decision and makes them.
func (a *Answerer) act(ctx context.Context, q Question, d intent.Decision, rec *record.Record, w record.Stopwatch) past {
	steps, err := plan.Calls(d, a.match.House(), q.Area)
	if err != nil {
		rec.Outcome, rec.Reply, rec.Error = record.Failed, a.phrases.Apology(err), err.Error()
		return past{}
	}
	return a.carry(ctx, q, d, steps, rec, w)
}

// carry makes the calls of a plan and tells what came of them.
func (a *Answerer) carry(ctx context.Context, q Question, d intent.Decision, steps []plan.Step, rec *record.Record, w record.Stopwatch) past {
	if !a.permitted(q, d, steps, rec) {
		return past{}
	}
	place := a.places.take(devices(steps))
	defer a.places.leave(place)
	q.waits()
	done := a.callAll(ctx, place, steps)
	if !earliest(done.results).IsZero() {
		a.rate.note(q.Source, time.Now())
	}
	stopped := a.rescue(ctx, q, place, steps, &done, rec)
	done.into(rec, w)
	rec.Reply = a.phrases.Told(steps, done.results)
	if stopped != nil {
		rec.Reply = a.stop(*stopped, done.cause(), rec)
	}
	return a.did(q, steps, done)
}

// permitted reports whether a plan may be carried out at once; if not, the record
// says why and what the person hears.
func (a *Answerer) permitted(q Question, d intent.Decision, steps []plan.Step, rec *record.Record) bool {
	fail := func(reply, why string) { rec.Outcome, rec.Reply, rec.Error = record.Failed, reply, why }
	rec.Risk = string(highest(steps))
	if rec.Risk == string(tools.Dangerous) {
		rec.Route = record.RouteRefused
		fail(a.phrases.Denied(steps), "dangerous acts are off (safety.dangerous: deny)")
		return false
	}
	// Several commands in one sentence: all or none (U2).
	if i := slices.IndexFunc(steps, impossible); i >= 0 && len(d.Actions) > 1 {
		fail(a.phrases.Apology(steps[i].Err), steps[i].Err.Error())
		return false
	}
	if q.DryRun {
		rec.Outcome = record.Ignored
		for _, s := range steps {
			if c := s.Planned(); c.Tool != "" {
				rec.Calls = append(rec.Calls, record.CallMade{Tool: c.Tool, Server: c.Server, Args: c.Args})
			}
		}
		return false
	}
	if rec.Risk != string(tools.Read) && a.rate.full(q.Source, time.Now()) {
		rec.Route = record.RouteRefused
		fail(a.phrases.Phrase("too_many_commands", nil), "over 60 commands within a minute from this source")
		return false
	}
	if !d.Confirmed && a.mustAsk(slices.Concat(q.did, steps)) {
		a.remember(q, d)
		rec.Outcome, rec.Reply = record.Asked, a.phrases.Phrase("many_devices", map[string]any{"count": len(q.did) + len(steps)})
		return false
	}
	return true
}

// devices are those the steps change.
func devices(steps []plan.Step) []string {
	var ids []string
	for _, s := range steps {
		if s.Entity != nil && s.Risk != tools.Read {
			ids = append(ids, s.Entity.ID)
		}
	}
	return ids
}

func impossible(s plan.Step) bool { return s.Err != nil }

// calls is what came of the steps of a turn, by their index.
type calls struct {
	results   []tools.Result
	made      []record.CallMade
	problems  []string // why a step is not done; "" where it is
	errs      []error  // why there was no answer; nil where there was
	confirmed []time.Time
}

func newCalls(n int) calls {
	return calls{
		results: make([]tools.Result, n), made: make([]record.CallMade, n), problems: make([]string, n),
		errs: make([]error, n), confirmed: make([]time.Time, n),
	}
}

// note keeps what came of one call. What was only accepted, waits for a sleeping
// device or has no receipt at all is not done (Z4).
func (c calls) note(i int, call tools.Call, res tools.Result, err error, took time.Duration, acts bool) {
	c.problems[i], c.errs[i], c.confirmed[i] = "", err, time.Time{}
	if err != nil {
		c.problems[i] = err.Error()
	}
	c.results[i], c.made[i] = res, made(call, res, took)
	if res.Receipt.Done() {
		c.confirmed[i] = time.Now()
	}
	if c.problems[i] == "" && (res.Failed || acts && c.confirmed[i].IsZero()) {
		c.problems[i] = cmp.Or(res.Text, "the device has not confirmed it")
	}
}

// cause is why the first call without an answer has none.
func (c calls) cause() error {
	for _, err := range c.errs {
		if lost(err) {
			return err
		}
	}
	return nil
}

// callAll makes all calls at once: a room's lamps do not wait for each other.
func (a *Answerer) callAll(ctx context.Context, place *place, steps []plan.Step) calls {
	c := newCalls(len(steps))
	all := make([]int, len(steps))
	for i := range steps {
		all[i] = i
	}
	a.callSome(ctx, place, steps, all, c)
	return c
}

// callSome makes the calls of some steps, each as soon as its own server is there.
func (a *Answerer) callSome(ctx context.Context, place *place, steps []plan.Step, which []int, c calls) {
	var wg sync.WaitGroup
	for _, i := range which {
		wg.Go(func() {
			s := &steps[i]
			ctx, done, err := a.ready(ctx, place, s.Call.Server)
			defer done()
			began := time.Now()
			var res tools.Result
			if err == nil {
				res, err = s.Do(ctx, a.caller.Call)
			}
			if err != nil {
				res = tools.Result{Failed: true, Text: a.phrases.Apology(err)}
			}
			c.note(i, s.Call, res, err, time.Since(began), s.Entity != nil && s.Risk != tools.Read)
		})
	}
	wg.Wait()
}

// into puts the calls into the record of the turn. A step that needed no tool
// is no call.
func (c calls) into(rec *record.Record, w record.Stopwatch) {
	rec.Outcome = record.Done
	for i, m := range c.made {
		if m.Tool != "" {
			rec.Calls = append(rec.Calls, m)
		}
		if c.problems[i] != "" && rec.Outcome == record.Done {
			rec.Outcome, rec.Error = record.Failed, c.problems[i]
		}
	}
	rec.Timings.FirstPublish = w.At(earliest(c.results))
	rec.Timings.Confirmed = w.At(latest(c.confirmed))
}

func highest(steps []plan.Step) tools.Risk {
	order := map[tools.Risk]int{tools.Read: 1, tools.Reversible: 2, tools.Costly: 3, tools.Dangerous: 4}
	worst := tools.Read
	for _, s := range steps {
		risk := s.Risk
		if order[risk] == 0 {
			risk = tools.Dangerous
		}
		if order[risk] > order[worst] {
			worst = risk
		}
	}
	return worst
}

func earliest(results []tools.Result) time.Time {
	var first time.Time
	for _, r := range results {
		if !r.PublishedAt.IsZero() && (first.IsZero() || r.PublishedAt.Before(first)) {
			first = r.PublishedAt
		}
	}
	return first
}

func latest(times []time.Time) time.Time {
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}
