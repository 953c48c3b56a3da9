package mind

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/plan"
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
func (m *Mind) Offer(server string) string {
	if m.recovery.Tasks == nil {
		return ""
	}
	task, ok := m.recovery.Tasks.Offer(server)
	if !ok {
		return ""
	}
	m.memory.offer(task.ID)
	return m.phrases.Phrase("offer_resume", map[string]any{"asked": task.Asked})
}

// offer keeps an offer, until it is answered.
func (m *memories) offer(task string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.offered = offered{task, time.Now()}
}

// settle forgets an offer that was answered, unless another one was made since.
func (m *memories) settle(answered offered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.offered == answered {
		m.offered = offered{}
	}
}

// fresh reports whether an offer can still be answered.
func (o *offered) fresh() bool { return o.id != "" && time.Since(o.at) < resumeTime }

// resumed is the step for a task that was stopped before: "resume", which is about the
// newest task, or a yes to an offer.
func (u *understanding) resumed(x Exchange, m Memory, _ *home.House) (Order, bool) {
	d := x.Alone
	if !u.tasks || d.Route != intent.Local || len(d.Actions) != 1 {
		return Order{}, false
	}
	o := Order{Meant: d, Manner: Resuming}
	switch name := d.Actions[0].Intent; {
	case name == catalogue.Resume:
	case name == catalogue.Yes && m.Offered.id != "":
		o.Task, o.Settles = m.Offered.id, m.Offered
	default:
		return Order{}, false
	}
	o.Meant.Confirmed = true
	return o, true
}

// declines recognises a "no" to an offer, unless something was done after the offer.
func (u *understanding) declines(x Exchange, m Memory) bool {
	return u.choosing.Amendment(x.Text) == choosing.Not && m.Offered.id != "" && (m.Before == nil || !m.Offered.at.Before(m.Before.at))
}

// takeTask takes the stopped task that an order resumes, and puts its open calls into the
// order. A dry run only records them.
func (m *Mind) takeTask(x *Exchange, o *Order, t *turn) (task record.Task, ok bool) {
	if x.DryRun {
		t.rec.Outcome = record.Ignored
		for _, t := range m.recovery.Tasks.Open() {
			if o.Task != "" && t.ID != o.Task {
				continue
			}
			task = t
			break
		}
		for _, s := range task.Open {
			t.rec.Calls = append(t.rec.Calls, record.CallMade{Tool: s.Tool, Server: s.Server, Args: s.Args})
		}
		return task, false
	}
	if task, ok = m.recovery.Tasks.Take(o.Task); !ok {
		t.rec.Outcome, t.rec.Reply = record.Done, m.phrases.Phrase("nothing_to_resume", nil)
		return task, false
	}
	o.Do = past.OpenSteps(m.match.House(), task.Open)
	return task, true
}

// tellTask says what came of the open calls of a task. Confirmed calls are then done; the
// others stay open.
func (m *Mind) tellTask(task record.Task, steps []plan.Step, done calling.Made, t *turn) {
	if t.rec.Outcome == record.Done {
		t.rec.Reply = m.phrases.Phrase("task_resumed", nil)
	} else {
		keepDoubt(m.phrases, task.Open, done)
		t.rec.Reply = m.phrases.SayResults(steps, done.Results, done.Errs...)
	}
	m.keepOpen(task, done)
}

// keepDoubt keeps the doubt about calls that were sent before the task was
// stopped: that they could not be sent again does not mean that nothing was done.
func keepDoubt(p *reply.Phrases, open []record.TaskStep, done calling.Made) {
	for i, s := range open {
		if s.Sent && calling.Lost(done.Errs[i]) {
			done.Errs[i] = fmt.Errorf("%w: %w", tools.ErrNoAnswer, done.Errs[i])
			done.Results[i].Text = p.Apology(done.Errs[i])
		}
	}
}

// keepOpen keeps the steps of a task that are still open.
func (m *Mind) keepOpen(task record.Task, done calling.Made) {
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
	if err := m.recovery.Tasks.Keep(task); err != nil {
		m.log.Warn("the task could not be kept", "part", "turn", "task", task.ID, "err", err)
	}
}

// stop ends a task: it keeps the open steps and returns the sentence that says so,
// and whether there were any to keep. Steps that were sent and must not be carried
// out twice are not kept.
func (m *Mind) stop(task record.Task, cause error, rec *record.Record) (said string, kept bool) {
	task.Time = time.Now()
	if cause != nil {
		task.Reason = cause.Error()
	}
	task.Open = past.Repeatable(task.Open)
	rec.Outcome, rec.Error = record.Failed, "stop_task: "+task.Reason
	if len(task.Open) == 0 {
		return m.phrases.Phrase("task_given_up", map[string]any{"server": m.callServer(task.Server)}), false
	}
	if err := m.recovery.Tasks.Keep(task); err != nil {
		m.log.Error("the task could not be kept", "part", "turn", "task", task.ID, "err", err)
		return m.phrases.Phrase("task_given_up", map[string]any{"server": m.callServer(task.Server)}), false
	}
	return m.phrases.Phrase("task_stopped", map[string]any{"server": m.callServer(task.Server), "open": len(task.Open), "all": len(task.Open) + len(task.Done)}), true
}

// callServer is what people call a server: by the house that it tells, if it is one of several.
func (m *Mind) callServer(id string) string {
	house := m.match.House()
	if house == nil || len(house.Tellers) < 2 {
		return id
	}
	return cmp.Or(house.Teller(id).Name, id)
}
