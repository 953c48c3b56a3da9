package zwave

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"voicegateway/internal/tools"
)

// controlArgs are the arguments of both control tools. Device is the identifier
// from zwave://home or any name of the device.
type controlArgs struct {
	Device string `json:"device_name"`
	Action string `json:"action"`
	Value  any    `json:"value"`
}

func (h *House) controlTool() tools.Tool {
	return tool[controlArgs]{tools.Spec{
		Name:  toolControl,
		Title: "Control a Z-Wave device",
		Description: "Switches, dims, moves, locks or sets one device and waits for its own report. " +
			"level and position take 0 to 100 percent, setpoint degrees, mode a word such as heat, colour a name or #rrggbb. " +
			"It never unlocks and opens no garage, door or valve.",
		Input:      controlSchema(safeActions()),
		Output:     json.RawMessage(receiptOut),
		Risk:       tools.Reversible,
		Idempotent: false, // toggle is not
	}, func(ctx context.Context, a controlArgs) (tools.Result, error) { return h.control(ctx, a, false) }}
}

func (h *House) dangerousTool() tools.Tool {
	return tool[controlArgs]{tools.Spec{
		Name:        toolDangerous,
		Title:       "Unlock or open",
		Description: "Unlocks doors and opens garages, gates and valves, or starts a siren. Only on an explicit and confirmed wish.",
		Input:       controlSchema(append(safeActions(), "unlock")),
		Output:      json.RawMessage(receiptOut),
		Risk:        tools.Dangerous,
	}, func(ctx context.Context, a controlArgs) (tools.Result, error) { return h.control(ctx, a, true) }}
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
"value":{"type":["number","string"],"description":"for level, position, setpoint, mode and colour"}},
"required":["device_name","action"],"additionalProperties":false}`)
}

// control runs one command; every ending is a receipt.
func (h *House) control(ctx context.Context, a controlArgs, mayBeDangerous bool) (tools.Result, error) {
	r, err := h.command(ctx, a, mayBeDangerous)
	if err != nil {
		return tools.Result{}, err
	}
	out, err := result(r.Message, r)
	out.Failed = r.Outcome == Refused || r.Outcome == NoAnswer
	out.PublishedAt = r.publishedAt
	return out, err
}

func (h *House) command(ctx context.Context, a controlArgs, mayBeDangerous bool) (receipt, error) {
	r := receipt{Device: a.Device, Property: a.Action}
	m, e, near, err := h.resolve(ctx, a.Device)
	if e != nil {
		r.Device = e.Name
		switch {
		case isSensor(e):
			err = refuse("%s is a sensor; it can only be read.", e.Name)
		case !mayBeDangerous && (a.Action == "unlock" || dangerous(e, a.Action)):
			err = refuse("I may not %s %s: that could let somebody in or do harm. It has to be allowed in the settings first.", a.Action, e.Name)
		}
	}
	var s step
	if err == nil {
		req := request{model: m, entity: e, value: a.Value, read: h.ledger.read}
		if s, err = plan(a.Action, req); err == nil {
			err = req.valid(s)
		}
	}
	if no, ok := errors.AsType[refusal](err); ok {
		r = r.end(Refused, no.Error())
		if m == nil {
			r.Outcome = NoAnswer
		}
		r.Suggestions = near
		return r, nil
	}
	if err != nil {
		return r, err
	}
	return h.write(ctx, e, s), nil
}
