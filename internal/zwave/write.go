package zwave

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
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
	statusSent           = 254 // acknowledged by the radio, unknown if executed
	statusDone           = 255 // the device itself says so: its answer under Supervision to this very command
)

// Waits while following a write.
const (
	settle     = 2500 * time.Millisecond // a device that does not move reports within this
	lateness   = time.Second             // devices tell whole seconds; a report may be that late
	margin     = 200 * time.Millisecond  // kept of the caller's deadline for the way back
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
func (h *House) write(ctx context.Context, e *entity, s step) tools.Receipt {
	ctx, cancel := h.patience(ctx)
	defer cancel()
	r := tools.Receipt{Device: e.Name, Property: s.property}
	if before := h.ledger.read(s.check); before.known {
		r.Before = s.say(before.value)
		if _, ok := e.level(); ok && s.check == e.main {
			r.BeforeLevel = percentOf(before.value)
		}
	}
	if gateway, driver := h.link.available(); !gateway || !driver {
		h.askRefresh() // which finds out whether that is still true
		_, err := h.link.gateway()
		return ended(r, tools.NoAnswer, h.trouble(cmp.Or(err, errNoAnswer)))
	}
	status := h.ledger.node(e.node.ID)
	if e.node.sleeper() && status.asleep() {
		return h.queue(ctx, e, s, r)
	}
	if status.dead() && !h.ping(ctx, e.node.ID) {
		return ended(r, tools.NoAnswer, e.Name+" does not answer. Check that it has power, then try again.")
	}
	changed, stop := h.ledger.watch(s.check, s.duration)
	defer stop()
	f := &follower{house: h, entity: e, step: s, changed: changed, command: h.commands.enter(s)}
	defer h.commands.leave(f.command)
	f.motion.state = h.ledger.read(s.check).value
	return f.run(ctx, r)
}

// run publishes the write in its turn, reads the gateway's answer and follows the
// device.
func (f *follower) run(ctx context.Context, r tools.Receipt) tools.Receipt {
	if !f.command.awaitTurn(ctx) {
		return f.overtaken(r)
	}
	f.after, f.reconnected = f.house.ledger.now(), f.house.link.whenReconnected()
	got, drop, at, err := f.house.sendWrite(ctx, f.step)
	f.command.published()
	if err != nil {
		return ended(r, tools.NoAnswer, f.house.trouble(err))
	}
	release := drop
	defer func() { release() }()
	r.PublishedAt = at
	select {
	case a := <-got:
		if a.err != nil {
			return f.house.unanswered(f.entity, r, a.err)
		}
		if refused := f.begin(a, r); refused != nil {
			return *refused
		}
	case <-f.reconnected: // the answer went astray; only the device knows what became of it
		f.after, f.unsure, f.answerLost, f.reconnected = f.house.ledger.now(), true, true, f.house.link.whenReconnected()
	case <-f.command.overtaken:
		release = func() { time.AfterFunc(apiWait, drop) } // its answer still ends the doubt about the node's reports
		return f.overtaken(r)
	case <-ctx.Done():
		return f.house.unanswered(f.entity, r, errNoAnswer)
	}
	f.giveUpAt = time.Now().Add(settle)
	return f.follow(ctx, r)
}

// overtaken ends a command that somebody has replaced by another one.
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

// sendWrite publishes a write; until it is answered, the node's reports are taken
// for claims.
func (h *House) sendWrite(ctx context.Context, s step) (got <-chan answer, drop func(), at time.Time, err error) {
	level, err := h.link.gateway()
	if err != nil {
		return nil, nil, at, err
	}
	node := s.target.Node
	return h.link.requestTo(ctx, level, outgoing{
		api: "writeValue", args: []any{s.target, s.value},
		begun:   func(id string) { h.ledger.writing(node, id, apiWait) },
		settled: func(id string) { h.ledger.wrote(node, id) },
	})
}

// begin reads the gateway's answer to the write: from where on reports are facts,
// and whether the device is still moving. The receipt is that of a refusal.
func (f *follower) begin(a answer, r tools.Receipt) *tools.Receipt {
	var result struct {
		Status    int    `json:"status"`
		Message   string `json:"message"`
		Remaining any    `json:"remainingDuration"`
	}
	if err := json.Unmarshal(a.result, &result); err != nil {
		result.Status = statusSent // an answer of a shape nobody knows: the device is asked
	}
	switch result.Status {
	case statusSent: // what came so far is the gateway's claim; the device is asked for the fact
		f.after = a.seq
		f.unsure = true
	case statusWorking:
		remaining, _ := wire.Seconds(result.Remaining)
		f.noteRemaining(remaining)
	case statusDone:
	default:
		f.house.log.Info("a Z-Wave write was refused", "node", f.entity.node.ID, "status", result.Status, "reason", result.Message)
		f.house.askRefresh() // the node may have left, or changed
		refused := f.house.rejected(f.entity, r, result.Status)
		return &refused
	}
	return nil
}

// patience bounds a control call by the caller's deadline and our own.
func (h *House) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	until := time.Now().Add(h.cfg.Patience)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-margin).Before(until) {
		until = deadline.Add(-margin)
	}
	return context.WithDeadline(ctx, until)
}

// queue sends to a sleeping device, whose answer may take hours: nobody waits.
func (h *House) queue(ctx context.Context, e *entity, s step, r tools.Receipt) tools.Receipt {
	at := time.Now()
	if err := h.link.send(ctx, "writeValue", s.target, s.value); err != nil {
		return ended(r, tools.NoAnswer, h.trouble(err))
	}
	r.PublishedAt = at
	return ended(r, tools.Queued, e.Name+" is asleep to save its battery. It will do this when it wakes up"+h.wakesWithin(e)+".")
}

// wakesWithin says how long a sleeping device sleeps at most, if that is known.
func (h *House) wakesWithin(e *entity) string {
	seconds, ok := number(h.ledger.read(wire.ValueID{Node: e.node.ID, Class: wire.WakeUp, Property: "wakeUpInterval"}).value)
	switch {
	case !ok || seconds < 60:
		return ""
	case seconds < 2*60*60:
		return fmt.Sprintf(", within %.0f minutes", math.Ceil(seconds/60))
	default:
		return fmt.Sprintf(", within %.0f hours", math.Ceil(seconds/3600))
	}
}

func (h *House) ping(ctx context.Context, node int) bool {
	a, err := h.link.call(ctx, "pingNode", node)
	return err == nil && string(a.result) == "true"
}

// unanswered explains a write without an answer from the gateway.
func (h *House) unanswered(e *entity, r tools.Receipt, err error) tools.Receipt {
	status := h.ledger.node(e.node.ID)
	gateway, driver := h.link.available()
	var api *apiError
	switch {
	case errors.As(err, &api):
		return ended(r, tools.Refused, h.trouble(err))
	case !gateway, !driver:
		return ended(r, tools.NoAnswer, h.trouble(err)+" I do not know whether "+e.Name+" got the command.")
	case status.dead():
		return ended(r, tools.NoAnswer, e.Name+" does not answer. Check that it has power, then try again.")
	case status.asleep() && e.node.sleeper():
		return ended(r, tools.Queued, e.Name+" has fallen asleep. It will do this when it wakes up.")
	default:
		return ended(r, tools.NoAnswer, e.Name+" has not answered. It may be out of reach; check that it has power.")
	}
}

func (h *House) rejected(e *entity, r tools.Receipt, status int) tools.Receipt {
	switch {
	case h.ledger.node(e.node.ID).dead():
		return ended(r, tools.NoAnswer, e.Name+" does not answer. Check that it has power, then try again.")
	case status == statusInvalid:
		return ended(r, tools.Refused, e.Name+" does not accept that value.")
	case status == statusNotSupported, status == statusNoEndpoint, status == statusNotImplemented:
		return ended(r, tools.Refused, e.Name+" cannot do that.")
	default: // statusFailed and what may come
		return ended(r, tools.Refused, e.Name+" did not carry out the command. Try again, and look at the device if it happens again.")
	}
}

// trouble says why the gateway cannot be used, and what to do.
func (h *House) trouble(err error) string {
	var api *apiError
	var several *severalError
	gateway, driver := h.link.available()
	switch {
	case !h.link.connected():
		return "I cannot reach the MQTT broker. Check that it is running."
	case errors.As(err, &several):
		return "There are several Z-Wave gateways on the broker: " + orList(several.names) + ". Set zwave_gateway_name (ZWAVE_GATEWAY_NAME) to the one I should use."
	case errors.Is(err, errNoGateway):
		return "I have not found the Z-Wave gateway on the broker yet. Check that zwave-js-ui is running, that its MQTT gateway is on " +
			"and that zwave_mqtt_topic is its prefix; where it does not retain messages, set zwave_gateway_name."
	case !gateway:
		return "The Z-Wave gateway is offline. Check that zwave-js-ui is running."
	case !driver, errors.As(err, &api) && strings.Contains(api.message, "not connected"):
		return "The Z-Wave controller is not ready yet. Try again in a moment; if that lasts, check the USB stick."
	case errors.Is(err, errNoAnswer), errors.Is(err, context.DeadlineExceeded):
		return "The Z-Wave gateway does not answer. Check that zwave-js-ui is running."
	case errors.As(err, &api):
		return "The Z-Wave gateway could not do that. Its own log says why."
	default: // the broker did not take the request
		return "I could not send that to the Z-Wave gateway. Try again in a moment."
	}
}
