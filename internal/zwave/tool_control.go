package zwave

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// controlArgs are the arguments of both control tools. Device is the identifier
// from zwave://home or any name of the device.
type controlArgs struct {
	Device string `json:"device_name"`
	Action string `json:"action"`
	Value  any    `json:"value"`
}

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

func (c *commander) controlTool() tools.Tool {
	return tool[controlArgs]{tools.Spec{
		Name:  toolControl,
		Title: "Control a Z-Wave device",
		Description: "Switches, dims, moves, locks or sets one device and waits for its own report; only the outcome confirmed means that it is done. " +
			"level and position take 0 to 100 percent, setpoint degrees, mode a word such as heat, colour a name or #rrggbb; the others take no value. " +
			"device_name may also be a room with a type, such as kitchen lights; then each device reports. " +
			"It never unlocks and opens no garage, door or valve.",
		Input:      controlSchema(safeActions()),
		Output:     json.RawMessage(receiptOut),
		Risk:       tools.Reversible,
		Idempotent: false, // toggle is not
	}, func(ctx context.Context, a controlArgs) (tools.Result, error) { return c.control(ctx, a, false) }}
}

func (c *commander) dangerousTool() tools.Tool {
	return tool[controlArgs]{tools.Spec{
		Name:        toolDangerous,
		Title:       "Unlock or open",
		Description: "Unlocks doors and opens garages, gates and valves, or starts a siren. Only on an explicit and confirmed wish.",
		Input:       controlSchema(append(safeActions(), "unlock")),
		Output:      json.RawMessage(receiptOut),
		Risk:        tools.Dangerous,
	}, func(ctx context.Context, a controlArgs) (tools.Result, error) { return c.control(ctx, a, true) }}
}

func safeActions() []string {
	out := make([]string, 0, len(actions))
	for _, a := range actions {
		out = append(out, a.name)
	}
	return out
}

func controlSchema(actions []string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + nameArg + `,
"action":{"type":"string","enum":["` + strings.Join(actions, `","`) + `"]},
"value":{"type":["number","string"],"description":"only for level and position (percent), setpoint (degrees of the device's own scale; heat 20 or cool 24 where two count), mode (a word) and colour (a name or #rrggbb)"}},
"required":["device_name","action"],"additionalProperties":false}`)
}

// control runs one command; it always ends with a receipt.
func (c *commander) control(ctx context.Context, a controlArgs, mayBeDangerous bool) (tools.Result, error) {
	r, err := c.command(ctx, a, mayBeDangerous)
	if err != nil {
		return tools.Result{}, err
	}
	out, err := result(r.Message, r)
	out.Failed = r.Outcome == tools.Refused || r.Outcome == tools.NoAnswer
	out.Receipt, out.PublishedAt = &r, r.PublishedAt
	return out, err
}

// command finds the device or devices that are meant, and commands them. It answers
// before its caller gives up.
//
// It gives up the place in which the command was read as soon as the command has a place
// in the queue of its device, so that a slow step does not hold up commands for other
// devices.
func (c *commander) command(ctx context.Context, a controlArgs, mayBeDangerous bool) (tools.Receipt, error) {
	ctx, cancel := c.cfg.bound(ctx)
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
func (c *commander) commandNamed(ctx context.Context, known *model, a controlArgs, mayBeDangerous bool) (tools.Receipt, error) {
	line := "named " + fold(a.Device)
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
	if _, unknown := errors.AsType[refusal](err); unknown && m != nil && len(m.exact(a.Device)) == 0 {
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
	no, ok := errors.AsType[refusal](err)
	if !ok {
		return r, err
	}
	outcome, why := c.explainUnresolved(m, a.Device, err)
	return endReceipt(r, outcome, why, no.Error()), nil
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
	whole := m.wholeNodes[fold(name)]
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
	return endReceipt(r, tools.NoAnswer, why, text)
}

// commandOne runs one command for one device when its turn has come. Its place is given
// back as soon as the command is filed among the device's commands, or has ended.
func (c *commander) commandOne(ctx context.Context, place *order.Place, m *model, e *entity, a controlArgs, mayBeDangerous bool) (tools.Receipt, error) {
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
	if no, ok := errors.AsType[refusal](err); ok {
		why, outcome := reasonOf(err, tools.RefusedAction), tools.Refused
		if why == tools.Silent {
			outcome = tools.NoAnswer
		}
		r.Limits = limitsOf(err)
		return endReceipt(r, outcome, why, no.Error()), nil
	}
	if err != nil {
		return r, err
	}
	return c.write(ctx, place, e, s), nil
}

// planFor checks whether a command is allowed and makes a write of it.
func (c *commander) planFor(m *model, e *entity, a controlArgs, mayBeDangerous bool) (step, error) {
	switch {
	case isSensor(e):
		return step{}, refuse("%s is a sensor; it can only be read.", e.Name)
	case !mayBeDangerous && (a.Action == "unlock" || dangerous(e, a.Action, a.Value)):
		if c.cfg.AllowDangerous {
			return step{}, refuseFor(tools.RefusedDangerous, "To %s could let somebody in or do harm; only %s does that.", act(a.Action, e.Name), toolDangerous)
		}
		return step{}, refuseFor(tools.RefusedDangerous, "I may not %s: that could let somebody in or do harm. It has to be allowed in the settings first.", act(a.Action, e.Name))
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

// act says in words what would be done to a device.
func act(action, name string) string {
	switch action {
	case "on", "off":
		return "switch " + name + " " + action
	case "level", "position":
		return "move " + name
	case "setpoint", "mode", "colour":
		return "set " + name
	default:
		return action + " " + name
	}
}
