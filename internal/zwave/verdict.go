package zwave

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// confirm ends a receipt with the fact that was asked for.
func (f *follower) confirm(ctx context.Context, r tools.Receipt, fact reading) tools.Receipt {
	r = f.addFact(r, fact)
	if f.keptForLater(ctx) {
		return form.End(r, tools.Accepted, tools.WhenOn, form.Is(f.entity.Name, "off")+" It will show the colour when it is switched on.")
	}
	if isSetPoint(f.step.property) && f.isOff() {
		return form.End(r, tools.Confirmed, tools.WhenOn, strings.TrimSuffix(f.sentence(r.Value), ".")+", but it is off.")
	}
	return form.End(r, tools.Confirmed, "", f.sentence(r.Value))
}

// isSetPoint reports whether a property is a temperature that is set.
func isSetPoint(property string) bool {
	switch home.Ability(property) { //nolint:exhaustive // the others are none
	case home.Setpoint, home.HeatsTo, home.CoolsTo:
		return true
	}
	return false
}

// isOff reports whether a thermostat is known to be off, so that what it is set to has
// no effect.
func (f *follower) isOff() bool {
	id, ok := f.entity.parts[partMode]
	mode := f.commander.ledger.read(id)
	return ok && mode.known && same(mode.value, float64(modeOff))
}

// addFact puts a fact into a receipt. A level on the way to another one is left out.
func (f *follower) addFact(r tools.Receipt, fact reading) tools.Receipt {
	if !fact.known {
		return r
	}
	r.Value = f.step.say(fact.value)
	f.readDuration()
	if level, ok := f.entity.level(); ok && string(level) != f.step.property && f.remaining() == 0 {
		r.ValueLevel = f.entity.percent(f.step, fact.value)
	}
	return r
}

// keptForLater reports whether a lamp has taken a colour that cannot be seen before it is
// switched on. Some lamps switch themselves on for a colour, so the lamp is asked.
func (f *follower) keptForLater(ctx context.Context) bool {
	if home.Ability(f.step.property) != home.Colour {
		return false
	}
	e := f.entity
	off := func() bool { r := f.commander.ledger.read(e.main); return r.known && same(r.value, float64(0)) }
	if !off() && f.commander.ledger.read(e.main).known {
		return false
	}
	if err := f.commander.devices.poll(ctx, e.main); err != nil {
		f.commander.log.Debug("asking a device for a value", "node", e.node.ID, "err", err)
	}
	return off()
}

// sentence says a confirmed change in words.
func (f *follower) sentence(v any) string {
	name, what := f.entity.Name, form.SayState(v, f.step.unit)
	if f.step.stops {
		return name + " stopped at " + what + "."
	}
	return form.SayDone(name, home.Ability(f.step.property), what)
}

// giveUp ends the receipt with what is known when the fact did not come in time.
func (f *follower) giveUp(r tools.Receipt, fact reading) tools.Receipt {
	r = f.addFact(r, fact)
	name := f.entity.Name
	switch lost := f.endIfLost(r, fact); {
	case lost != nil:
		return *lost
	case f.underWay(fact):
		return form.End(r, tools.Accepted, tools.OnItsWay, form.Is(name, either(f.entity.Domain == "lock", "still turning", "on the way")))
	case f.answersLater(fact):
		return form.End(r, tools.Accepted, tools.OnItsWay, name+" takes long, and has not answered yet.")
	case r.Value == nil: // it has said nothing, or that it does not know
		return form.End(r, tools.Accepted, tools.Unconfirmed, name+" took the command but has not confirmed it yet.")
	case f.before.known && same(fact.value, f.before.value):
		return form.End(r, tools.Accepted, tools.Unchanged, name+" took the command but still "+f.sayReport(r)+".")
	default:
		return form.End(r, tools.Accepted, tools.Unconfirmed, name+" took the command but "+f.sayReport(r)+".")
	}
}

// sayReport says in words what a device reports.
func (f *follower) sayReport(r tools.Receipt) string {
	return reports(f.entity.Name) + " " + form.SayState(r.Value, f.step.unit)
}

// endIfLost ends the receipt where the connection, the stick or the device itself has
// gone since the command; nil if none has.
func (f *follower) endIfLost(r tools.Receipt, fact reading) *tools.Receipt {
	name := f.entity.Name
	gateway, driver := f.commander.link.available()
	why := tools.Interrupted
	var text string
	switch {
	case f.answerLost && fact.known && !f.underWay(fact):
		text = "The connection was interrupted, and " + name + " " + f.sayReport(r) + ". Please say it again."
	case f.answerLost && !fact.known:
		text = "The connection was interrupted." + form.GotIt + name + " got the command."
	case !gateway || !driver:
		text = f.commander.link.trouble(errNoAnswer) + form.GotIt + name + " has done it."
	case !fact.known && f.inquiry.blamesOthers():
		why, text = f.inquiry.verdict(f.commander.link, name)
		text += form.GotIt + name + " has done it."
	case f.commander.ledger.node(f.entity.node.ID).dead(), !fact.known && f.inquiry.foundDead():
		why, text = tools.Dead, form.SayDead(name)
	default:
		return nil
	}
	out := form.End(r, tools.NoAnswer, why, text)
	return &out
}

// neverAnswered ends the receipt of a write without an answer in time.
func (f *follower) neverAnswered(r tools.Receipt) tools.Receipt {
	if f.inquiry.blamesOthers() {
		return f.commander.silent(f.entity, r, f.inquiry)
	}
	return f.commander.explainSilence(f.entity, r, errNoAnswer)
}

func notAnswered(name string) string {
	return name + " has not answered. It may be out of reach; check that it has power."
}

// silent ends the receipt of a command for a device that does not answer, or that cannot
// be reached for another reason than its own.
func (c *commander) silent(e *entity, r tools.Receipt, q *inquiry) tools.Receipt {
	why, text := q.verdict(c.link, e.Name)
	if c.interviewed(e.node) && (why == tools.Dead || why == tools.Silent) {
		return form.End(r, tools.NoAnswer, tools.NotReady, beingAsked(e.Name))
	}
	if q.blamesOthers() && !r.PublishedAt.IsZero() {
		text += form.GotIt + e.Name + " got the command."
	}
	if why == tools.Dead {
		c.ledger.judge(e.node.ID, false)
	}
	return form.End(r, tools.NoAnswer, why, text)
}

// interviewed reports whether the gateway still interviews a node, which may then
// answer nothing else.
func (c *commander) interviewed(n *node) bool { return !n.Ready && !c.ledger.node(n.ID).dead() }

// beingAsked says that a device is not ready yet.
func beingAsked(name string) string {
	return name + " is still telling the gateway what it can do. Try again in a moment."
}

// explainSilence explains a write without an answer from the gateway.
func (c *commander) explainSilence(e *entity, r tools.Receipt, err error) tools.Receipt {
	status := c.ledger.node(e.node.ID)
	gateway, driver := c.link.available()
	_, api := errors.AsType[*apiError](err)
	why, text := c.link.diagnose(err)
	switch {
	case api && why == tools.RefusedAction:
		return form.End(r, tools.Refused, why, text)
	case api:
		return form.End(r, tools.NoAnswer, why, text)
	case !gateway, !driver:
		return form.End(r, tools.NoAnswer, tools.Interrupted, text+form.GotIt+e.Name+" got the command.")
	case status.dead():
		return form.End(r, tools.NoAnswer, tools.Dead, form.SayDead(e.Name))
	case c.interviewed(e.node):
		return form.End(r, tools.NoAnswer, tools.NotReady, beingAsked(e.Name))
	case status.asleep() && e.node.sleeper():
		return form.End(r, tools.Queued, tools.Asleep, e.Name+" has fallen asleep. It will do this when it wakes up.")
	default:
		return form.End(r, tools.NoAnswer, tools.Silent, notAnswered(e.Name))
	}
}

// explainRejection explains a write that the gateway answered with a failure. A failure
// of no stated kind may be the device's own answer, or mean that nothing reached
// it, so everybody is asked.
func (c *commander) explainRejection(ctx context.Context, e *entity, r tools.Receipt, status int) tools.Receipt {
	switch status {
	case statusInvalid:
		return form.End(r, tools.Refused, tools.RefusedValue, e.Name+" does not accept that value.")
	case statusNotSupported, statusNoEndpoint, statusNotImplemented:
		return form.End(r, tools.Refused, tools.RefusedAction, e.Name+" cannot do that.")
	}
	known := c.ledger.node(e.node.ID).dead()
	if q := c.inquire(ctx, e.node, !known); known && !q.waits().blamesOthers() {
		return form.End(r, tools.NoAnswer, tools.Dead, form.SayDead(e.Name))
	} else if !q.answers() {
		return c.silent(e, r, q)
	}
	return form.End(r, tools.Refused, tools.RefusedByDevice, e.Name+" did not carry out the command. Try again, and look at the device if it happens again.")
}

// wakesWithin says how long a sleeping device sleeps at most, if that is known.
func (d *devices) wakesWithin(e *entity) string {
	seconds, ok := number(d.ledger.read(wire.ValueID{Node: e.node.ID, Class: wire.WakeUp, Property: "wakeUpInterval"}).value)
	switch {
	case !ok || seconds < 60:
		return ""
	case seconds < 2*60*60:
		return fmt.Sprintf(", within %.0f minutes", math.Ceil(seconds/60))
	default:
		return fmt.Sprintf(", within %.0f hours", math.Ceil(seconds/3600))
	}
}
