package zwave

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
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
	firstPoll  = 300 * time.Millisecond
	laterPolls = time.Second
	pollWait   = 3 * time.Second // for the answer to a poll, which may be lost
	longestWay = time.Minute     // every commanded device has finished by then
	silence    = time.Second     // a write is answered sooner, unless something is wrong
)

// write sends one step and follows it to the fact. The place before it is given back as
// soon as the command is filed among the device's commands, which keep the order from
// then on.
func (c *commander) write(ctx context.Context, place *order.Place, e *entity, s step) tools.Receipt {
	before, r := c.from(e, s, tools.Receipt{Device: e.Name, Property: s.property})
	c.devices.recheckStick(ctx)
	if gateway, driver := c.link.available(); !gateway || !driver {
		c.directory.askRefresh() // the refresh finds out whether that is still true
		_, err := c.link.gateway()
		why, text := c.link.diagnose(cmp.Or(err, errNoAnswer))
		return form.End(r, tools.NoAnswer, why, text)
	}
	f := &follower{commander: c, entity: e, step: s, command: c.commands.enter(s), guards: e.guards(), asks: !c.readBacks.trusts(e)}
	defer c.commands.leave(f.command)
	place.Pass()
	if promised, kept := c.readBacks.settle(ctx, s.check); promised {
		f.asks = f.asks || !kept
		before, r = c.from(e, s, r)
	}
	status := c.ledger.node(e.node.ID)
	if e.node.sleeper() && status.asleep() {
		return f.queue(ctx, r)
	}
	if status.dead() {
		if q := c.inquire(ctx, e.node, true); !q.answers() {
			return c.silent(e, r, q)
		}
	}
	changed, stop := c.ledger.watch(s.check, s.duration)
	defer stop()
	f.changed, f.before, f.motion.state = changed, before, before.value
	r = f.run(ctx, r)
	if r.Outcome != tools.Confirmed && !r.PublishedAt.IsZero() {
		c.ledger.moves(s.check, f.remaining()+longestWay, s.done) // it may do so yet, and its report may get lost
		if f.supervises && r.Outcome == tools.Accepted && r.Reason == tools.OnItsWay {
			c.readBacks.underWay(e, s, f.remaining())
		}
	}
	return r
}

// from puts into a receipt what the device is before a step.
func (c *commander) from(e *entity, s step, r tools.Receipt) (before reading, _ tools.Receipt) {
	before = s.state(c.ledger.read)
	if before.known {
		r.Before, r.BeforeLevel = s.say(before.value), e.percent(s, before.value)
	}
	return before, r
}

// percent returns the level that belongs to a step's raw state; nil if the device
// has none.
func (e *entity) percent(s step, raw any) any {
	if _, ok := e.level(); ok && s.check == e.main {
		return percentOf(raw)
	}
	return nil
}

// run publishes the write in its turn, reads the gateway's answer and follows the
// device.
func (f *follower) run(ctx context.Context, r tools.Receipt) tools.Receipt {
	if !f.command.awaitTurn(ctx) {
		return f.overtaken(r)
	}
	f.after, f.reconnected = f.commander.ledger.now(), f.commander.link.whenReconnected()
	f.sent = f.after
	got, drop, at, err := f.commander.sendWrite(ctx, f.entity, f.step)
	f.command.release()
	if err != nil {
		why, text := f.commander.link.diagnose(err)
		return form.End(r, tools.NoAnswer, why, text)
	}
	release := drop
	defer func() { release() }()
	r.PublishedAt, f.motion.began = at, at
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	var polled <-chan error
	for answered := false; !answered; {
		select {
		case a := <-got:
			if a.err != nil {
				return f.commander.explainSilence(f.entity, r, a.err)
			}
			if refused := f.begin(ctx, a, r); refused != nil {
				return *refused
			}
			f.slow = time.Since(at) > silence
			answered = true
		case <-f.reconnected: // the answer is lost; only the device knows whether it got the command
			f.after, f.askNow, f.answerLost, f.reconnected = f.commander.ledger.now(), true, true, f.commander.link.whenReconnected()
			f.sent = f.after
			answered = true
		case <-f.command.overtaken:
			release = func() { time.AfterFunc(apiWait, drop) } // its answer still ends the doubt about the node's reports
			return f.overtaken(r)
		case <-quiet.C:
			if f.inquiry == nil {
				f.inquiry = f.commander.inquire(ctx, f.entity.node, false)
			}
			polled = f.pollUnlessAlone(ctx)
		case err := <-polled:
			polled = nil
			fact, done := f.polledDone(err)
			if done {
				return f.confirm(ctx, r, fact)
			}
			if f.step.besides(fact) {
				quiet.Reset(silence) // it may still be on its way
			}
		case <-ctx.Done():
			return f.neverAnswered(r)
		}
	}
	f.giveUpAt = time.Now().Add(settle)
	return f.follow(ctx, r)
}

// overtaken ends the receipt of a command that a newer one has replaced.
func (f *follower) overtaken(r tools.Receipt) tools.Receipt {
	select {
	case <-f.command.overtaken:
	default: // the command before it cannot be published
		why, text := f.commander.link.diagnose(errNoAnswer)
		return form.End(r, tools.NoAnswer, why, text)
	}
	if r.PublishedAt.IsZero() {
		return form.End(r, tools.Refused, tools.Overtaken, "A newer command for "+f.entity.Name+" came first, so this one was not sent.")
	}
	return form.End(r, tools.Accepted, tools.Overtaken, "A newer command for "+f.entity.Name+" has overtaken this one.")
}

// sendWrite publishes a write; until it is answered, the node's reports count as
// claims. How long the device may take is counted from the answer.
func (c *commander) sendWrite(ctx context.Context, e *entity, s step) (got <-chan answer, drop func(), at time.Time, err error) {
	level, err := c.link.gateway()
	if err != nil {
		return nil, nil, at, err
	}
	node := s.target.Node
	return c.link.requestTo(ctx, level, outgoing{
		api: "writeValue", args: []any{s.target, s.value},
		begun: func(id string) {
			c.ledger.writing(node, id, apiWait)
			c.ledger.told.noteOrder(s, orderFor)
		},
		settled: func(id string) { c.ledger.wrote(node, id); c.ledger.told.noteTaken(s, home.TimeToAct(e.Domain)) },
	})
}

// begin reads the gateway's answer to the write: from when on reports are facts,
// and whether the device is still moving. It returns a receipt only when the
// write was refused.
func (f *follower) begin(ctx context.Context, a answer, r tools.Receipt) *tools.Receipt {
	var result struct {
		Status    int    `json:"status"`
		Message   string `json:"message"`
		Remaining any    `json:"remainingDuration"`
	}
	if err := json.Unmarshal(a.result, &result); err != nil {
		result.Status = statusSent // an answer of unknown shape: the device is asked
	}
	switch result.Status {
	case statusSent:
		f.believeNone(a.seq)
	case statusWorking:
		remaining, _ := wire.Seconds(result.Remaining)
		f.noteRemaining(remaining)
		f.supervises = true
	case statusDone:
		f.takeSupervision(a.seq)
	default:
		f.commander.log.Info("a Z-Wave write was refused", "node", f.entity.node.ID, "status", result.Status, "reason", result.Message)
		f.commander.ledger.told.withdrawn(f.step)
		f.commander.directory.askRefresh() // the node may have been removed or changed
		refused := f.commander.explainRejection(ctx, f.entity, r, result.Status)
		return &refused
	}
	return nil
}

// believeNone has the device asked at once: everything reported about it up to seq is a
// claim of the gateway.
func (f *follower) believeNone(seq uint64) {
	f.after, f.askNow = seq, true
	if !f.step.stops && f.step.done(f.step.value) {
		f.commander.ledger.expect(f.step.check, f.step.value)
	}
}

// takeSupervision takes the device's own word that it did the write. That proves nothing: the
// controller writes the state itself, and a garage door that has just begun to close, or
// a plug that does nothing, would be reported as done. So the device is asked first; only
// a lamp is reported at once, and asked afterwards.
func (f *follower) takeSupervision(seq uint64) {
	f.supervises = true
	if !f.asks && !f.step.stops {
		f.word = f.step.state(f.commander.ledger.claim)
		if f.word.known && f.step.done(f.word.value) && !f.step.besides(f.word) {
			return
		}
		f.word = reading{}
	}
	f.commander.ledger.doubt(f.entity.node.ID, doubtAfterWrite)
	f.believeNone(seq)
}

// queue sends a write to a sleeping device and does not wait, because the answer
// may take hours.
func (f *follower) queue(ctx context.Context, r tools.Receipt) tools.Receipt {
	if !f.command.awaitTurn(ctx) {
		return f.overtaken(r)
	}
	c, e, s := f.commander, f.entity, f.step
	at := time.Now()
	c.ledger.told.noteOrder(s, orderKept)
	if err := c.link.send(ctx, "writeValue", s.target, s.value); err != nil {
		why, text := c.link.diagnose(err)
		return form.End(r, tools.NoAnswer, why, text)
	}
	r.PublishedAt = at
	return form.End(r, tools.Queued, tools.Asleep, e.Name+" is asleep to save its battery. It will do this when it wakes up"+c.devices.wakesWithin(e)+".")
}
