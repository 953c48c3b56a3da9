package zwave

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// commander carries out commands: it finds out which device is meant, whether the
// act is allowed, and what the device did.
type commander struct {
	cfg       Config
	log       *slog.Logger
	link      *link
	ledger    *ledger
	directory *directory
	devices   *devices
	commands  *commandOrder
	readBacks *readBacks
	lines     order.Lines // of the commands that are not filed in commands yet, by device
}

// command finds the device or devices that are meant, and commands them. It answers
// before its caller gives up.
//
// It gives up the place in which the command was read as soon as the command has a place
// in the queue of its device, so that a slow step does not hold up commands for other
// devices.
func (c *commander) command(ctx context.Context, a form.Command, mayBeDangerous bool) (tools.Receipt, error) {
	ctx, cancel := form.Bound(ctx, c.cfg.Patience)
	defer cancel()
	read := order.From(ctx)
	defer read.Pass()
	m, err := c.directory.ready(ctx)
	if err == nil {
		if err := read.Await(ctx); err != nil {
			return tools.Receipt{}, err
		}
		m = c.directory.current()
		if members := m.members(a.Device); len(members) > 0 && !mayBeDangerous {
			places := make([]*order.Place, 0, len(members))
			for _, e := range members {
				places = append(places, c.lines.Take(e.ID))
			}
			read.Pass()
			return c.commandGroup(ctx, m, members, places, a)
		}
	}
	return c.commandNamed(ctx, m, a, mayBeDangerous)
}

// commandNamed runs a command for the one device with a name. Commands for a name that
// no device has, as far as is known, line up by the name: the device may have been
// renamed a moment ago.
func (c *commander) commandNamed(ctx context.Context, known *model, a form.Command, mayBeDangerous bool) (tools.Receipt, error) {
	line := "named " + form.Fold(a.Device)
	if known != nil {
		if found := known.exact(a.Device); len(found) == 1 {
			line = found[0].ID
		}
	}
	place := c.lines.Take(line)
	defer func() { place.Pass() }()
	order.From(ctx).Pass()
	if err := place.Await(ctx); err != nil {
		return c.endHeldUp(tools.Receipt{Device: a.Device, Property: a.Action}), nil
	}
	m, e, near, err := c.directory.resolve(ctx, a.Device)
	if _, unknown := errors.AsType[form.Refusal](err); unknown && m != nil && len(m.exact(a.Device)) == 0 {
		if none := m.emptyGroup(a.Device); none != nil {
			near, err = nil, none
		}
	}
	if err == nil {
		if e.ID != line {
			named := place
			place = c.lines.Take(e.ID)
			named.Pass()
		}
		return c.commandOne(ctx, place, m, e, a, mayBeDangerous)
	}
	r := tools.Receipt{Device: a.Device, Property: a.Action, Suggestions: near}
	no, ok := errors.AsType[form.Refusal](err)
	if !ok {
		return r, err
	}
	outcome, why := c.explainUnresolved(m, a.Device, err)
	return form.End(r, outcome, why, no.Error()), nil
}

// explainUnresolved classifies a name for which there is no device to command.
func (c *commander) explainUnresolved(m *model, name string, err error) (tools.Outcome, tools.Reason) {
	if m == nil {
		_, e := c.link.gateway()
		why, _ := c.link.diagnose(cmp.Or(e, errNoAnswer))
		if gateway, driver := c.link.available(); gateway && driver {
			why = tools.HouseUnknown
		}
		return tools.NoAnswer, why
	}
	whole := m.wholeNodes[form.Fold(name)]
	_, unanswered := errors.AsType[unreachable](err)
	switch {
	case unanswered && len(whole) > 0 && !c.ledger.node(whole[0].ID).dead():
		return tools.NoAnswer, tools.NotReady
	case unanswered:
		return tools.NoAnswer, tools.Dead
	case len(m.exact(name)) > 1, len(whole) > 1, len(whole) > 0 && len(m.controllable(whole[0])) > 0:
		return tools.Refused, tools.AmbiguousDevice
	case len(whole) > 0:
		return tools.Refused, tools.RefusedAction
	default:
		return tools.Refused, tools.UnknownDevice
	}
}

// endHeldUp ends the receipt of a command that has waited for earlier ones to its device
// for as long as it may.
func (c *commander) endHeldUp(r tools.Receipt) tools.Receipt {
	why, text := c.link.diagnose(errNoAnswer)
	return form.End(r, tools.NoAnswer, why, text)
}

// commandOne runs one command for one device when its turn has come. Its place is given
// back as soon as the command is filed among the device's commands, or has ended.
func (c *commander) commandOne(ctx context.Context, place *order.Place, m *model, e *entity, a form.Command, mayBeDangerous bool) (tools.Receipt, error) {
	defer place.Pass()
	r := tools.Receipt{Device: e.Name, Property: a.Action}
	if err := place.Await(ctx); err != nil {
		return c.endHeldUp(r), nil
	}
	if e.unread {
		var no *tools.Receipt
		if m, e, no = c.revive(ctx, e, r); no != nil {
			return *no, nil
		}
	}
	if _, ordered := c.commands.wanted(e.main); a.Action == "toggle" && !ordered { // it depends on the state
		c.devices.ask(ctx, m, e, e.main)
	}
	s, err := c.planFor(m, e, a, mayBeDangerous)
	if no, refused := form.EndRefused(r, err); refused {
		return no, nil
	}
	if err != nil {
		return r, err
	}
	return c.write(ctx, place, e, s), nil
}

// planFor checks whether a command is allowed and makes a write of it.
func (c *commander) planFor(m *model, e *entity, a form.Command, mayBeDangerous bool) (step, error) {
	switch {
	case isSensor(e):
		return step{}, form.Refuse("%s is a sensor; it can only be read.", e.Name)
	case !mayBeDangerous && form.Dangerous(e.thing(), a.Action, a.Value):
		return step{}, form.RefuseDangerous(a.Action, e.Name, c.cfg.AllowDangerous)
	}
	req := request{model: m, entity: e, value: a.Value, read: c.ledger.read}
	if a.Action == "toggle" {
		req.read = c.expectState
	}
	s, err := plan(a.Action, req)
	if err != nil {
		return s, err
	}
	return s, req.valid(s)
}

// expectState is the state that a value will have when the running command is done; without
// one, it is the last reading.
func (c *commander) expectState(id wire.ValueID) reading {
	r := c.ledger.read(id)
	if value, ordered := c.commands.wanted(id); ordered {
		r.value, r.known = value, true
	}
	return r
}
