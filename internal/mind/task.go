package mind

import (
	"context"
	"errors"
	"fmt"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/tools"
)

// Tasks keeps stopped tasks across restarts.
type Tasks interface {
	Keep(t record.Task) error // replaces a task of the same id
	Open() []record.Task      // newest first
	// Take removes and returns a task, the newest one for the id "", so that no task
	// is resumed twice. Steps that stay open are kept again.
	Take(id string) (record.Task, bool)
	// Offer returns the newest task that waits for a server and was not offered yet.
	// All tasks of that server count as offered then.
	Offer(server string) (record.Task, bool)
}

// resumeTime is how long a "yes" or a "no" answers the offer to resume a task. The
// gateway makes the offer unasked, so a person may need a moment to understand it.
const resumeTime = 30 * time.Second

// offered is the last offer: the id of its task and when it was made.
type offered struct {
	id string
	at time.Time
}

// Offer returns the sentence that offers to resume a task when its server is back;
// "" if no task waits for the server or the offer was already made.
func (a *Answerer) Offer(server string) string {
	if a.recovery.Tasks == nil {
		return ""
	}
	task, ok := a.recovery.Tasks.Offer(server)
	if !ok {
		return ""
	}
	a.memory.mu.Lock()
	a.memory.offered = offered{task.ID, time.Now()}
	a.memory.mu.Unlock()
	return a.phrases.Phrase("offer_resume", map[string]any{"asked": task.Asked})
}

// resumes recognises "resume", which is about the newest task, and a yes to an
// offer.
func (a *Answerer) resumes(q record.Request, d intent.Decision) (id string, ok bool) {
	if a.recovery.Tasks == nil || d.Route != intent.Local || len(d.Actions) != 1 {
		return "", false
	}
	switch d.Actions[0].Intent {
	case catalogue.Resume:
		return "", true
	case catalogue.Yes:
		return a.memory.accept(q, time.Time{})
	}
	return "", false
}

// declines recognises a "no" to an offer, unless something was done after the
// offer.
func (a *Answerer) declines(q record.Request, before *remembered) bool {
	if a.choosing.Amendment(q.Text) != choosing.Not {
		return false
	}
	var did time.Time
	if before != nil {
		did = before.at
	}
	_, ok := a.memory.accept(q, did)
	return ok
}

// accept removes and returns the last offer if it is younger than resumeTime and
// was not made before the time after.
func (m *memory) accept(q record.Request, after time.Time) (id string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.offered
	if last.id == "" || time.Since(last.at) >= resumeTime || last.at.Before(after) {
		return "", false
	}
	if !q.DryRun {
		m.offered = offered{}
	}
	return last.id, true
}

// resumed is the step for a task that was stopped before.
func (a *Answerer) resumed(ctx context.Context, x *exchange) bool {
	d := a.decide(x)
	id, ok := a.resumes(x.Request, d)
	if ok {
		a.perform(x, d, func() past.Turn { return a.resume(ctx, id, x) })
	}
	return ok
}

// resume makes the open calls of a task. Confirmed calls are then done; the others
// stay open.
func (a *Answerer) resume(ctx context.Context, id string, x *exchange) past.Turn {
	if x.DryRun {
		x.rec.Outcome = record.Ignored
		for _, t := range a.recovery.Tasks.Open() {
			if id != "" && t.ID != id {
				continue
			}
			for _, s := range t.Open {
				x.rec.Calls = append(x.rec.Calls, record.CallMade{Tool: s.Tool, Server: s.Server, Args: s.Args})
			}
			break
		}
		return past.Turn{}
	}
	task, ok := a.recovery.Tasks.Take(id)
	if !ok {
		x.rec.Outcome, x.rec.Reply = record.Done, a.phrases.Phrase("nothing_to_resume", nil)
		return past.Turn{}
	}
	steps := past.OpenSteps(a.match.House(), task.Open)
	place := a.calls.Take(steps)
	defer place.Leave()
	x.waits()
	if !a.permitted(x, intent.Decision{Confirmed: true}, steps) {
		return past.Turn{}
	}
	done := a.calls.All(ctx, place, steps)
	done.Into(x.rec, x.watch)
	if x.rec.Outcome == record.Done {
		x.rec.Reply = a.phrases.Phrase("task_resumed", nil)
	} else {
		sentBefore(a.phrases, task.Open, done)
		x.rec.Reply = a.phrases.Told(steps, done.Results, done.Errs...)
	}
	a.settle(task, done)
	return past.Resumed(a.match.House(), task, done.Results)
}

// sentBefore keeps the doubt about calls that were sent before the task was
// stopped: that they could not be sent again does not mean that nothing was done.
func sentBefore(p *reply.Phrases, open []record.TaskStep, done calling.Made) {
	for i, s := range open {
		if s.Sent && calling.Lost(done.Errs[i]) {
			done.Errs[i] = fmt.Errorf("%w: %w", tools.ErrNoAnswer, done.Errs[i])
			done.Results[i].Text = p.Apology(done.Errs[i])
		}
	}
}

// settle keeps the steps of a task that are still open.
func (a *Answerer) settle(task record.Task, done calling.Made) {
	var open []record.TaskStep
	for i, s := range task.Open {
		if done.Problems[i] == "" {
			s.Sent = false
			task.Done = append(task.Done, s)
			continue
		}
		s.Sent = s.Sent || errors.Is(done.Errs[i], tools.ErrNoAnswer)
		open = append(open, s)
	}
	if task.Open = past.Repeatable(open); len(task.Open) == 0 {
		return
	}
	if err := a.recovery.Tasks.Keep(task); err != nil {
		a.log.Warn("the task could not be kept", "part", "turn", "task", task.ID, "err", err)
	}
}

// stop ends a task: it keeps the open steps and returns the sentence that says so,
// and whether there were any to keep. Steps that were sent and must not be carried
// out twice are not kept.
func (a *Answerer) stop(task record.Task, cause error, rec *record.Record) (said string, kept bool) {
	task.Time = time.Now()
	if cause != nil {
		task.Reason = cause.Error()
	}
	task.Open = past.Repeatable(task.Open)
	rec.Outcome, rec.Error = record.Failed, "stop_task: "+task.Reason
	if len(task.Open) == 0 {
		return a.phrases.Phrase("task_given_up", map[string]any{"server": task.Server}), false
	}
	if err := a.recovery.Tasks.Keep(task); err != nil {
		a.log.Error("the task could not be kept", "part", "turn", "task", task.ID, "err", err)
		return a.phrases.Phrase("task_given_up", map[string]any{"server": task.Server}), false
	}
	return a.phrases.Phrase("task_stopped", map[string]any{"server": task.Server, "open": len(task.Open), "all": len(task.Open) + len(task.Done)}), true
}
