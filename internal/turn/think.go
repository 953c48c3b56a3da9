package turn

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/record"
	"voicegateway/internal/speech"
	"voicegateway/internal/tools"
)

// think asks the language model, where there is one that answers.
func (a *Answerer) think(ctx context.Context, q Question, rec *record.Record, w record.Stopwatch, say func(string)) past {
	rec.Route = record.RouteModel
	if q.DryRun {
		if !a.model.Ready() {
			rec.Route = record.RouteNone
		}
		rec.Outcome = record.Ignored // what a model would do is not known before it has done it
		return past{}
	}
	q.waits()
	q.MayAct = !a.isQuestion(q.Text)
	th := &thought{a: a, rec: rec, w: w, task: record.Task{ID: rec.ID, Asked: q.Text, Done: []record.TaskStep{}, Open: []record.TaskStep{}}}
	if a.recovery.Servers != nil && a.recovery.Tasks != nil {
		q.Lost = th.lost
	}
	var said []string
	tell := func(sentence string) {
		if sentence = speech.Speakable(sentence); sentence != "" {
			said = append(said, sentence)
			say(sentence)
		}
	}
	rec.Outcome = record.Done
	for part, err := range a.model.Reply(ctx, q) {
		switch {
		case errors.Is(err, ErrNoModel):
			rec.Route, rec.Outcome, rec.Error = record.RouteNone, record.Failed, "no sentence fits, and "+err.Error()
			tell(a.phrases.Phrase("no_model", nil))
		case err != nil:
			rec.Outcome, rec.Error = record.Failed, err.Error()
			tell(a.phrases.Apology(err))
		case part.Call != nil:
			th.note(part)
		default:
			tell(part.Sentence)
		}
	}
	if th.stopped != "" {
		rec.Outcome, rec.Error = record.Failed, th.stopped
	}
	rec.Reply = strings.Join(said, " ")
	return th.did.as(q.Text)
}

// isQuestion asks the matcher, who knows the language, where it can tell.
func (a *Answerer) isQuestion(text string) bool {
	if m, ok := a.match.(interface{ IsQuestion(text string) bool }); ok {
		return m.IsQuestion(text)
	}
	return intent.IsQuestion(text)
}

// thought is one turn of a model as a task: what it has done so far.
type thought struct {
	a          *Answerer
	rec        *record.Record
	w          record.Stopwatch
	task       record.Task
	did        past
	reconnects int
	stopped    string // the record's error, if the task was stopped
}

// note puts a call the model made into the record. A device that did not do
// what it was told fails the turn, whatever the model says of it.
func (t *thought) note(part Part) {
	c := *part.Call
	c.Server = part.Spec.Server
	m := made(c, part.Result, part.Took)
	if part.Err != nil {
		m.OK = false
	}
	why := part.Result.Text
	if part.Err != nil {
		why = part.Err.Error()
	}
	t.rec.Calls = append(t.rec.Calls, m)
	t.did.note(t.a.match.House(), c, part)
	if t.rec.Timings.FirstPublish == nil {
		t.rec.Timings.FirstPublish = t.w.At(part.Result.PublishedAt)
	}
	// A device's word is its receipt; other tools have only their result.
	answered := part.Err == nil && !part.Result.Failed && m.Receipt == nil && !aboutDevice(m.Args)
	switch {
	case m.Receipt.Done():
		t.rec.Timings.Confirmed = t.w.Now()
		t.finished(c, m)
	case part.Spec.Risk == tools.Read:
	case answered:
		t.finished(c, m)
	default:
		t.rec.Outcome, t.rec.Error = record.Failed, cmp.Or(why, "the tool gave no receipt")
	}
}

// finished notes a step of the task that is done.
func (t *thought) finished(c tools.Call, m record.CallMade) {
	t.task.Done = append(t.task.Done, record.TaskStep{Tool: c.Tool, Server: c.Server, Args: m.Args})
}

// lost decides what becomes of the turn when a call got no answer because of its
// server: that call and the model's further plans are what is open.
func (t *thought) lost(ctx context.Context, l Lost) Ruling {
	task := t.task
	task.Server = l.Spec.Server
	task.Open = []record.TaskStep{{
		Tool: l.Call.Tool, Server: l.Spec.Server, Args: l.Call.Args, Sent: errors.Is(l.Err, tools.ErrNoAnswer),
		Once: !l.Spec.Idempotent && !aboutDevice(l.Call.Args),
	}}
	for _, c := range l.Rest {
		task.Open = append(task.Open, record.TaskStep{Tool: c.Tool, Server: c.Server, Args: c.Args})
	}
	if l.Spec.Risk == tools.Read {
		task.Open = task.Open[1:] // what was only asked is asked again by whoever wants to know
	}
	if len(task.Open) == 0 {
		return Ruling{}
	}
	for {
		switch t.a.judge(ctx, t.a.trouble(task, l.Err, t.reconnects), t.rec) {
		case record.Continue:
			return Ruling{}
		case record.StopTask:
			said := t.a.stop(task, l.Err, t.rec)
			t.stopped = t.rec.Error
			return Ruling{Stop: true, Say: said}
		case record.RetryConnection:
			t.reconnects++
			if err := t.a.reconnect(ctx, task.Server); err != nil {
				t.a.log.Warn("the connection was not made anew", "part", "turn", "server", task.Server, "err", err)
				continue
			}
			return Ruling{Again: errors.Is(l.Err, tools.ErrNotConnected)}
		}
	}
}

// made is the record's account of a call.
func made(c tools.Call, r tools.Result, took time.Duration) record.CallMade {
	args := c.Args
	if len(bytes.TrimSpace(args)) == 0 || !json.Valid(args) {
		args = json.RawMessage("{}")
	}
	return record.CallMade{Tool: c.Tool, Server: c.Server, Args: args, OK: !r.Failed, MS: record.Millis(took), Receipt: (*record.Receipt)(r.Receipt)}
}

// mustAsk: many devices at once and whole floors are asked about first, except
// for turning lights off, which harms nobody (S3). Questions act on nothing.
func (a *Answerer) mustAsk(steps []plan.Step) bool {
	acting, floor := 0, false
	for _, s := range steps {
		off := s.Action.Intent == catalogue.TurnOff && s.Entity != nil && s.Entity.Domain == "light"
		if s.Risk != tools.Read && !off {
			acting++
			floor = floor || s.Action.Slots["floor"] != nil
		}
	}
	return a.safety.FanOutLimit > 0 && (acting > a.safety.FanOutLimit || floor && acting > 1)
}

// waits tells whoever wants to know that the turn waits for something slow.
func (q Question) waits() {
	if q.Waiting != nil {
		q.Waiting()
	}
}

func asker(q Question) string { return string(q.Source) + "/" + q.Area }
