package answer

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"voicegateway/internal/dialogue"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/record"
	"voicegateway/internal/speech"
	"voicegateway/internal/tools"
)

// thought is the step of the language model. After a question of ours, a text
// without a wake word that only a model might understand is ignored: it was probably
// not said to the house. After a question of the model it is the answer.
func (a *Answerer) thought(ctx context.Context, x *exchange) bool {
	if x.FollowUp && x.question == nil {
		x.rec.Outcome = record.Ignored
		return true
	}
	did := a.think(ctx, x)
	a.memory.keep(x.Request, did, x.rec.Reply)
	return true
}

// think asks the language model, if one answers.
func (a *Answerer) think(ctx context.Context, x *exchange) past {
	x.rec.Route = record.RouteModel
	if x.DryRun {
		if ready, _ := a.model.Ready(); !ready {
			x.rec.Route = record.RouteNone
		}
		x.rec.Outcome = record.Ignored // what a model would do cannot be known in advance
		return past{}
	}
	x.waits()
	p := dialogue.Prompt{Text: x.Text, Area: x.Area, Conversation: asker(x.Request), House: a.match.House(), MayAct: mayAct(x, a.match, a.phrases)}
	m := &modelTask{exchange: x, rescue: rescue{a: a, rec: x.rec}, task: record.Task{ID: x.rec.ID, Asked: x.Text, Done: []record.TaskStep{}, Open: []record.TaskStep{}}}
	if a.recovery.possible() {
		p.Lost = m.lost
	}
	wait := newMoment(x.say, a.phrases.Phrase("one_moment", nil))
	defer wait.end()
	x.say = wait.pass
	var said, own []string
	tell := func(sentence string) {
		if sentence = speech.Speakable(sentence); sentence != "" {
			said = append(said, sentence)
			x.say(sentence)
		}
	}
	x.rec.Outcome = record.Done
	for part, err := range a.model.Reply(ctx, p) {
		switch {
		case err != nil:
			x.rec.Outcome, x.rec.Error = record.Failed, err.Error()
			if none(err) && len(x.rec.Calls) == 0 && len(said) == 0 {
				x.rec.Route, x.rec.Error = record.RouteNone, "no sentence fits, and "+err.Error()
			}
			tell(modelFailed(a.phrases, err, len(said) > 0))
		case part.Call != nil:
			m.note(*part.Call)
		default:
			tell(part.Sentence)
			if !part.Receipt {
				own = append(own, part.Sentence)
			}
		}
	}
	if m.stopped != "" {
		x.rec.Outcome, x.rec.Error = record.Failed, m.stopped
	}
	x.rec.Reply = strings.Join(said, " ")
	a.memory.askedBack(x, p.MayAct, len(m.did.deeds) > 0 || m.did.rest, own)
	return m.did.as(x.Text)
}

// none reports whether nobody answers where a model should be.
func none(err error) bool {
	failed, ok := errors.AsType[*dialogue.ModelError](err)
	return errors.Is(err, dialogue.ErrNoModel) || ok && failed.Failure == dialogue.Unreachable
}

// modelFailed says what became of an answer. Where some of it was said, the family
// only needs to know that there is no more.
func modelFailed(p *reply.Phrases, err error, begun bool) string {
	failed, ok := errors.AsType[*dialogue.ModelError](err)
	switch {
	case errors.Is(err, dialogue.ErrNoModel):
		return p.Phrase("no_model", nil)
	case ok && begun:
		return p.Phrase("model_rest", nil)
	case ok:
		if text := p.Phrase("model_"+string(failed.Failure), nil); text != "" {
			return text
		}
	}
	return p.Apology(err)
}

// act is what the text does, as the matcher has decided. A matcher that decides
// nothing about it is helped by the words of English.
func (x *exchange) act(match Matcher) intent.SpeechAct {
	if x.local.Act == "" {
		x.local.Act = intent.English().SpeechAct(x.Text)
		if m, ok := match.(interface {
			SpeechAct(text string) intent.SpeechAct
		}); ok {
			x.local.Act = m.SpeechAct(x.Text)
		}
	}
	x.rec.SpeechAct = string(x.local.Act)
	return x.local.Act
}

// modelTask is one turn of a model seen as a task, with what it has done so far.
type modelTask struct {
	*exchange
	rescue  rescue
	task    record.Task
	did     past
	stopped string // the record's error, if the task was stopped
}

// note puts a call of the model into the record. If a device did not do what it was
// told, the turn fails, whatever the model says; if it is still under way, the turn
// is accepted.
func (t *modelTask) note(call dialogue.Call) {
	c := call.Call
	c.Server = call.Spec.Server
	m, why := made(c, call.Result, call.Took), call.Result.Text
	if call.Err != nil {
		m.OK, why = false, call.Err.Error()
	}
	t.rec.Calls = append(t.rec.Calls, m)
	if call.Err == nil && call.Spec.Risk != tools.Read {
		t.did.add(t.rescue.a.match.House(), c, call.Result, nil)
	}
	if t.rec.Timings.FirstPublish == nil {
		t.rec.Timings.FirstPublish = t.watch.At(call.Result.PublishedAt)
	}
	// Devices confirm with a receipt; other tools have only their result.
	answered := call.Err == nil && !call.Result.Failed && m.Receipt == nil && !aboutDevice(m.Args)
	switch {
	case m.Receipt.Done():
		t.rec.Timings.Confirmed = t.watch.Now()
		t.finished(c, m)
	case call.Spec.Risk == tools.Read:
	case call.Err == nil && call.Result.Receipt.Pending():
		t.pending()
		t.finished(c, m)
	case answered:
		t.finished(c, m)
	default:
		t.rec.Outcome, t.rec.Error = record.Failed, cmp.Or(why, "the tool gave no receipt")
	}
}

// pending marks the turn as accepted, unless it has failed.
func (t *modelTask) pending() {
	if t.rec.Outcome == record.Done {
		t.rec.Outcome = record.Accepted
	}
}

// finished adds a completed step to the task.
func (t *modelTask) finished(c tools.Call, m record.CallMade) {
	t.task.Done = append(t.task.Done, record.TaskStep{Tool: c.Tool, Server: c.Server, Args: m.Args})
}

// lost decides how the turn goes on when a call got no answer because of its
// server. That call and the calls the model had planned after it are the open
// steps.
func (t *modelTask) lost(ctx context.Context, l dialogue.LostCall) dialogue.Ruling {
	task := t.task
	task.Server = l.Spec.Server
	task.Open = []record.TaskStep{{
		Tool: l.Tool, Server: l.Spec.Server, Args: l.Args, Sent: errors.Is(l.Err, tools.ErrNoAnswer),
		Once: !l.Spec.Idempotent && !aboutDevice(l.Args),
	}}
	for _, c := range l.Rest {
		task.Open = append(task.Open, record.TaskStep{Tool: c.Tool, Server: c.Server, Args: c.Args})
	}
	if l.Spec.Risk == tools.Read {
		task.Open = task.Open[1:] // a lost question is simply asked again by the person who wants to know
	}
	if len(task.Open) == 0 {
		return dialogue.Ruling{}
	}
	switch t.rescue.choose(ctx, task, l.Err) {
	case record.StopTask:
		said, _ := t.rescue.a.stop(task, l.Err, t.rec)
		t.stopped = t.rec.Error
		return dialogue.Ruling{Stop: true, Say: said}
	case record.RetryConnection:
		return dialogue.Ruling{Again: errors.Is(l.Err, tools.ErrNotConnected)}
	case record.Continue:
	}
	return dialogue.Ruling{}
}
