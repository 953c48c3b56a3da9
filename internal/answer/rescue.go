package answer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"voicegateway/internal/dialogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// maxReconnects is how often one task may connect anew. More would keep a person
// waiting who has heard nothing yet.
const maxReconnects = 1

// Ruled is the written rule: it decides where no model does. One new connection
// is worth its seconds as long as something is open, a second one is not, and a
// call that found no server has tried one by itself.
func Ruled(t dialogue.Trouble) record.Choice {
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
	// Arbiter makes the choice, a language model for one. Its error means that
	// the rule decides.
	Arbiter interface {
		Arbitrate(ctx context.Context, t dialogue.Trouble) (record.Choice, string, error) // the choice and why
	}
	// Servers is what a turn must know of the servers behind the tools.
	Servers interface {
		Trouble(server string) dialogue.Trouble // what concerns the server of it
		Reconnect(ctx context.Context, server string) error
	}
)

// Recovery is what a turn does about a server that is lost in the middle of a
// task. A nil Arbiter leaves it to the rule.
type Recovery struct {
	Arbiter Arbiter
	Servers Servers
	Tasks   Tasks
}

// Limits of a judgement: three seconds for the arbiter, four for the connection,
// so that with the call itself a sentence comes within a dozen.
const (
	arbiterBudget   = 3 * time.Second
	reconnectBudget = 4 * time.Second
)

// lost reports whether a call got no answer because of its server.
func lost(err error) bool {
	return errors.Is(err, tools.ErrNotConnected) || errors.Is(err, tools.ErrNoAnswer)
}

// judge makes the choice and notes it. An arbiter that fails, is slow, or wants
// another connection where there was one, is overruled.
func (r *rescue) judge(ctx context.Context, t dialogue.Trouble) record.Choice {
	made := record.Judgement{Server: t.Server, Choice: Ruled(t), By: "rule", Reason: t.Reason}
	if r.a.recovery.Arbiter != nil {
		ask, cancel := context.WithTimeout(ctx, arbiterBudget)
		choice, why, err := r.a.recovery.Arbiter.Arbitrate(ask, t)
		cancel()
		switch {
		case errors.Is(err, dialogue.ErrNoModel): // so there is nobody to ask
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

// trouble puts together what is known.
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

// reconnect connects anew within its budget.
func (r *rescue) reconnect(ctx context.Context, server string) error {
	ctx, cancel := context.WithTimeout(ctx, reconnectBudget)
	defer cancel()
	return r.a.recovery.Servers.Reconnect(ctx, server)
}

// rescue finds out what becomes of one task whose server was lost. A planned turn
// and a model's go the same way.
type rescue struct {
	a          *Answerer
	rec        *record.Record
	reconnects int // of this task
}

// choose makes the choice. RetryConnection means that there is a connection anew:
// one that is not made is chosen about again.
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

// possible reports whether there is all that a rescue needs.
func (r Recovery) possible() bool { return r.Servers != nil && r.Tasks != nil }

// save rescues a turn of several acts. It returns the task if it is stopped. A
// single act has nothing to go on with: it is reported at once.
func (a *Answerer) save(ctx context.Context, x *exchange, p *place, steps []plan.Step, c *calls) *record.Task {
	if !a.recovery.possible() || len(steps) < 2 {
		return nil
	}
	r := rescue{a: a, rec: x.rec}
	for {
		cause := c.cause()
		if cause == nil || ctx.Err() != nil {
			return nil
		}
		task := taskOf(x, steps, *c)
		switch r.choose(ctx, task, cause) {
		case record.StopTask:
			return &task
		case record.RetryConnection:
			again := unsent(*c)
			if len(again) == 0 {
				return nil // what was sent is not sent twice; the reply says that its fate is not known
			}
			a.calls.some(ctx, p, steps, again, *c)
			if len(unsent(*c)) == 0 {
				return nil
			}
		case record.Continue:
			return nil
		}
	}
}

// unsent are the steps whose call never reached its server.
func unsent(c calls) []int {
	var which []int
	for i, err := range c.errs {
		if errors.Is(err, tools.ErrNotConnected) {
			which = append(which, i)
		}
	}
	return which
}

// taskOf is the turn as a task: what is confirmed is done, what is not is open.
// Questions are asked again by whoever wants to know.
func taskOf(x *exchange, steps []plan.Step, c calls) record.Task {
	t := record.Task{ID: x.rec.ID, Asked: x.Text, Done: []record.TaskStep{}, Open: []record.TaskStep{}}
	for i, s := range steps {
		if lost(c.errs[i]) && t.Server == "" {
			t.Server = s.Call.Server
		}
		if s.Call.Tool == "" || s.Risk == tools.Read {
			continue
		}
		call := s.Planned()
		step := record.TaskStep{Tool: call.Tool, Server: call.Server, Args: call.Args}
		if s.Entity != nil {
			step.Device = s.Entity.ID
		}
		if c.problems[i] == "" {
			t.Done = append(t.Done, step)
			continue
		}
		step.Sent = errors.Is(c.errs[i], tools.ErrNoAnswer)
		t.Open = append(t.Open, step)
	}
	return t
}
