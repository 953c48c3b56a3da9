package zwave

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// The states of writeValue's answer, from zwave-js.
const (
	statusNotSupported   = 0
	statusWorking        = 1
	statusFailed         = 2
	statusNoEndpoint     = 3
	statusNotImplemented = 4
	statusInvalid        = 5
	statusSent           = 254 // acknowledged by the radio; unknown whether it was carried out
	statusDone           = 255 // done according to the device itself: its answer under Supervision to this very command
)

// Waits while following a write.
const (
	settle     = 2500 * time.Millisecond // a device that does not move reports within this
	lateness   = time.Second             // devices report whole seconds, so a report may be this late
	margin     = 200 * time.Millisecond  // kept back from the caller's deadline for the way back
	firstPoll  = 300 * time.Millisecond
	laterPolls = time.Second
	pollWait   = 3 * time.Second // for the answer to a poll, which may be lost
)

// ended closes a receipt.
func ended(r tools.Receipt, o tools.Outcome, message string) tools.Receipt {
	r.Outcome, r.Message = o, message
	if !r.PublishedAt.IsZero() {
		r.MS = float64(time.Since(r.PublishedAt).Milliseconds())
	}
	return r
}

// write sends one step and follows it to the fact.
func (c *commander) write(ctx context.Context, e *entity, s step) tools.Receipt {
	ctx, cancel := c.patience(ctx)
	defer cancel()
	r := tools.Receipt{Device: e.Name, Property: s.property}
	if before := c.ledger.read(s.check); before.known {
		r.Before = s.say(before.value)
		if _, ok := e.level(); ok && s.check == e.main {
			r.BeforeLevel = percentOf(before.value)
		}
	}
	if gateway, driver := c.link.available(); !gateway || !driver {
		c.directory.askRefresh() // the refresh finds out whether that is still true
		_, err := c.link.gateway()
		return ended(r, tools.NoAnswer, c.link.trouble(cmp.Or(err, errNoAnswer)))
	}
	status := c.ledger.node(e.node.ID)
	if e.node.sleeper() && status.asleep() {
		return c.queue(ctx, e, s, r)
	}
	if status.dead() && !c.link.ping(ctx, e.node.ID) {
		return ended(r, tools.NoAnswer, e.Name+" does not answer. Check that it has power, then try again.")
	}
	changed, stop := c.ledger.watch(s.check, s.duration)
	defer stop()
	f := &follower{commander: c, entity: e, step: s, changed: changed, command: c.commands.enter(s)}
	defer c.commands.leave(f.command)
	f.motion.state = c.ledger.read(s.check).value
	return f.run(ctx, r)
}

// run publishes the write in its turn, reads the gateway's answer and follows the
// device.
func (f *follower) run(ctx context.Context, r tools.Receipt) tools.Receipt {
	if !f.command.awaitTurn(ctx) {
		return f.overtaken(r)
	}
	f.after, f.reconnected = f.commander.ledger.now(), f.commander.link.whenReconnected()
	got, drop, at, err := f.commander.sendWrite(ctx, f.step)
	f.command.published()
	if err != nil {
		return ended(r, tools.NoAnswer, f.commander.link.trouble(err))
	}
	release := drop
	defer func() { release() }()
	r.PublishedAt = at
	select {
	case a := <-got:
		if a.err != nil {
			return f.commander.devices.unanswered(f.entity, r, a.err)
		}
		if refused := f.begin(a, r); refused != nil {
			return *refused
		}
	case <-f.reconnected: // the answer is lost; only the device knows whether it got the command
		f.after, f.unsure, f.answerLost, f.reconnected = f.commander.ledger.now(), true, true, f.commander.link.whenReconnected()
	case <-f.command.overtaken:
		release = func() { time.AfterFunc(apiWait, drop) } // its answer still ends the doubt about the node's reports
		return f.overtaken(r)
	case <-ctx.Done():
		return f.commander.devices.unanswered(f.entity, r, errNoAnswer)
	}
	f.giveUpAt = time.Now().Add(settle)
	return f.follow(ctx, r)
}

// overtaken ends the receipt of a command that a newer one has replaced.
func (f *follower) overtaken(r tools.Receipt) tools.Receipt {
	select {
	case <-f.command.overtaken:
	default:
		return ended(r, tools.NoAnswer, f.entity.Name+" is still busy with another command. Please say it again.")
	}
	if r.PublishedAt.IsZero() {
		return ended(r, tools.Refused, "A newer command for "+f.entity.Name+" came first, so this one was not sent.")
	}
	return ended(r, tools.Accepted, "A newer command for "+f.entity.Name+" has overtaken this one.")
}

// sendWrite publishes a write; until it is answered, the node's reports count as
// claims.
func (c *commander) sendWrite(ctx context.Context, s step) (got <-chan answer, drop func(), at time.Time, err error) {
	level, err := c.link.gateway()
	if err != nil {
		return nil, nil, at, err
	}
	node := s.target.Node
	return c.link.requestTo(ctx, level, outgoing{
		api: "writeValue", args: []any{s.target, s.value},
		begun:   func(id string) { c.ledger.writing(node, id, apiWait) },
		settled: func(id string) { c.ledger.wrote(node, id) },
	})
}

// begin reads the gateway's answer to the write: from when on reports are facts,
// and whether the device is still moving. It returns a receipt only when the
// write was refused.
func (f *follower) begin(a answer, r tools.Receipt) *tools.Receipt {
	var result struct {
		Status    int    `json:"status"`
		Message   string `json:"message"`
		Remaining any    `json:"remainingDuration"`
	}
	if err := json.Unmarshal(a.result, &result); err != nil {
		result.Status = statusSent // an answer of unknown shape: the device is asked
	}
	switch result.Status {
	case statusSent: // reports so far are claims of the gateway; the device is asked for the fact
		f.after = a.seq
		f.unsure = true
	case statusWorking:
		remaining, _ := wire.Seconds(result.Remaining)
		f.noteRemaining(remaining)
	case statusDone:
	default:
		f.commander.log.Info("a Z-Wave write was refused", "node", f.entity.node.ID, "status", result.Status, "reason", result.Message)
		f.commander.directory.askRefresh() // the node may have been removed or changed
		refused := f.commander.devices.rejected(f.entity, r, result.Status)
		return &refused
	}
	return nil
}

// patience bounds a control call by the caller's deadline and our own.
func (c *commander) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	until := time.Now().Add(c.cfg.Patience)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-margin).Before(until) {
		until = deadline.Add(-margin)
	}
	return context.WithDeadline(ctx, until)
}

// queue sends a write to a sleeping device and does not wait, because the answer
// may take hours.
func (c *commander) queue(ctx context.Context, e *entity, s step, r tools.Receipt) tools.Receipt {
	at := time.Now()
	if err := c.link.send(ctx, "writeValue", s.target, s.value); err != nil {
		return ended(r, tools.NoAnswer, c.link.trouble(err))
	}
	r.PublishedAt = at
	return ended(r, tools.Queued, e.Name+" is asleep to save its battery. It will do this when it wakes up"+c.devices.wakesWithin(e)+".")
}
