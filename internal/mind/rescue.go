package mind

import (
	"context"
	"errors"
	"fmt"
	"time"

	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/tools"
)

// maxReconnects is how often one task may reconnect to a server. More attempts would keep
// a user waiting who has heard nothing yet.
const maxReconnects = 1

// DecideByRule is the decision when no model makes one. A first reconnect is worth its seconds
// as long as a step is open; a second one is not. If a call found no server, it has
// already tried to connect.
func DecideByRule(t dialogue.Trouble) record.Choice {
	switch {
	case len(t.Open) == 0:
		return record.Continue
	case t.Reconnects < maxReconnects && !t.Unreached:
		return record.RetryConnection
	default:
		return record.StopTask
	}
}

type (
	// Arbiter makes the choice, for example a language model. If it returns an error,
	// the rule decides.
	Arbiter interface {
		Arbitrate(ctx context.Context, t dialogue.Trouble) (record.Choice, string, error) // the choice and why
	}
	// Servers tells a turn about the servers behind the tools.
	Servers interface {
		Trouble(server string) dialogue.Trouble // fills in what is known of the server
		Reconnect(ctx context.Context, server string) error
	}
)

// Recovery holds what a turn needs when a server is lost in the middle of a task.
// With a nil Arbiter the rule decides.
type Recovery struct {
	Arbiter Arbiter
	Servers Servers
	Tasks   Tasks
}

// Limits of a judgement: three seconds for the arbiter and four for the connection,
// so that a person hears a sentence within a dozen seconds, the call included.
const (
	arbiterBudget   = 3 * time.Second
	reconnectBudget = 4 * time.Second
)

// judge chooses how the task continues and records why. The rule replaces the choice of
// an arbiter that fails, is too slow or asks for more reconnects than allowed.
func (r *rescue) judge(ctx context.Context, t dialogue.Trouble) record.Choice {
	made := record.Judgement{Server: t.Server, Choice: DecideByRule(t), By: "rule", Reason: t.Reason}
	if r.a.recovery.Arbiter != nil {
		ask, cancel := context.WithTimeout(ctx, arbiterBudget)
		choice, why, err := r.a.recovery.Arbiter.Arbitrate(ask, t)
		cancel()
		switch {
		case errors.Is(err, dialogue.ErrNoModel): // the rule decides, and its reason stands
		case err != nil:
			made.Reason = fmt.Sprintf("the arbiter gave no choice (%v); the rule decided", err)
		case choice == record.RetryConnection && t.Reconnects >= maxReconnects:
			made.Reason = "the arbiter wants one more connection than a task gets; the rule decided"
		default:
			made.Choice, made.By, made.Reason = choice, "model", why
		}
	}
	r.a.log.Warn("a server was lost in the middle of a task", "part", "turn", "server", t.Server,
		"choice", made.Choice, "by", made.By, "reason", made.Reason)
	r.rec.Judgements = append(r.rec.Judgements, made)
	return made.Choice
}

// trouble collects what is known of the lost server and the task.
func (r *rescue) trouble(task record.Task, cause error) dialogue.Trouble {
	t := r.a.recovery.Servers.Trouble(task.Server)
	t.Server, t.Asked, t.Reconnects = task.Server, task.Asked, r.reconnects
	t.Unreached = errors.Is(cause, tools.ErrNotConnected)
	if cause != nil {
		t.Reason = cause.Error()
	}
	for _, s := range task.Done {
		t.Done = append(t.Done, s.Text())
	}
	for _, s := range task.Open {
		t.Open = append(t.Open, s.Text())
	}
	return t
}

// reconnect makes a new connection to a server within reconnectBudget.
func (r *rescue) reconnect(ctx context.Context, server string) error {
	ctx, cancel := context.WithTimeout(ctx, reconnectBudget)
	defer cancel()
	return r.a.recovery.Servers.Reconnect(ctx, server)
}

// rescue decides how one task continues after its server was lost.
type rescue struct {
	a          *Mind
	rec        *record.Record
	reconnects int // reconnects made for this task so far
}

// choose returns the choice. RetryConnection means that the connection is there
// again; if it could not be made, the choice is made once more.
func (r *rescue) choose(ctx context.Context, task record.Task, cause error) record.Choice {
	for {
		choice := r.judge(ctx, r.trouble(task, cause))
		if choice != record.RetryConnection {
			return choice
		}
		r.reconnects++
		err := r.reconnect(ctx, task.Server)
		if err == nil {
			return choice
		}
		r.a.log.Warn("the connection was not made anew", "part", "answer", "server", task.Server, "err", err)
	}
}

// possible reports whether everything a rescue needs was given.
func (r Recovery) possible() bool { return r.Servers != nil && r.Tasks != nil }

// save rescues a turn of several steps after a server was lost. It returns the task if
// the task is stopped, nil otherwise. A turn of a single step is reported at once,
// because it has no further step. Steps of earlier rounds count.
func (m *Mind) save(ctx context.Context, x *Exchange, t *turn, p *calling.Place, steps []plan.Step, c *calling.Made) *record.Task {
	if !m.recovery.possible() || len(steps)+len(x.Made)+len(t.made) < 2 {
		return nil
	}
	r := rescue{a: m, rec: t.rec, reconnects: t.reconnects}
	defer func() { t.reconnects = r.reconnects }()
	for {
		cause := c.Cause()
		if cause == nil || ctx.Err() != nil {
			return nil
		}
		task := taskOf(x, t, steps, *c)
		switch r.choose(ctx, task, cause) {
		case record.StopTask:
			return &task
		case record.RetryConnection:
			again := unsent(*c)
			if len(again) == 0 {
				return nil // sent commands are not sent twice; the reply says that their outcome is unknown
			}
			m.calls.Some(ctx, p, steps, again, *c)
			if len(unsent(*c)) == 0 {
				return nil
			}
		case record.Continue:
			return nil
		}
	}
}

// unsent lists the indexes of the steps whose call never reached its server.
func unsent(c calling.Made) []int {
	var which []int
	for i, err := range c.Errs {
		if errors.Is(err, tools.ErrNotConnected) {
			which = append(which, i)
		}
	}
	return which
}

// taskOf describes the turn as a task: confirmed steps are done, the others are
// open. Questions are left out; the person asks them again.
func taskOf(x *Exchange, t *turn, steps []plan.Step, c calling.Made) record.Task {
	task := record.Task{ID: x.Turn, Asked: x.Text, Done: []record.TaskStep{}, Open: []record.TaskStep{}}
	for _, s := range t.made {
		task.Done = append(task.Done, past.TaskStep(s))
	}
	for i, s := range steps {
		if calling.Lost(c.Errs[i]) && task.Server == "" {
			task.Server = s.Call.Server
		}
		if s.Call.Tool == "" || s.Risk == tools.Read {
			continue
		}
		step := past.TaskStep(s)
		if c.Problems[i] == "" {
			task.Done = append(task.Done, step)
			continue
		}
		step.Sent = errors.Is(c.Errs[i], tools.ErrNoAnswer)
		task.Open = append(task.Open, step)
	}
	return task
}
