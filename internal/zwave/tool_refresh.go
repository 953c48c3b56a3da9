package zwave

import (
	"context"
	"encoding/json"
	"errors"

	"voicegateway/internal/tools"
)

// refreshAnswer is what refresh_device answers.
type refreshAnswer struct {
	Device  string        `json:"device"`
	Outcome tools.Outcome `json:"outcome"`
	Reason  tools.Reason  `json:"reason,omitempty"`
	State   any           `json:"state"` // nil for a device that does not answer
}

func (c *commander) refreshTool() tools.Tool {
	return tool[nameArgs]{tools.Spec{
		Name:        toolRefresh,
		Title:       "Ask a device again",
		Description: "Makes a device report all its values now. Takes up to some seconds; sleeping devices report when they wake up.",
		Input:       json.RawMessage(nameOnly),
		Output: json.RawMessage(`{"type":"object","properties":{"device":{"type":"string"},
"outcome":{"enum":["confirmed","accepted","queued","no_answer"]},"reason":{"type":"string"},"state":` + anyScalar + `},"required":["device","outcome","state"]}`),
		Risk:       tools.Read,
		Idempotent: true,
	}, c.refreshDevice}
}

func (c *commander) refreshDevice(ctx context.Context, a nameArgs) (tools.Result, error) {
	ctx, cancel := c.cfg.bound(ctx)
	defer cancel()
	m, e, _, err := c.directory.resolve(ctx, a.Device)
	if e == nil && m != nil {
		e = m.wholeNode(a.Device)
	}
	if e == nil {
		return tools.Result{}, err
	}
	r, err := c.refresh(ctx, e)
	if err != nil {
		return tools.Result{}, err
	}
	out := refreshAnswer{Device: e.Name, Outcome: r.Outcome, Reason: r.Reason}
	if r.Outcome != tools.NoAnswer {
		out.State = m.state(e, c.ledger.read(e.main).value)
	}
	if r.Outcome == tools.Confirmed && out.State != nil {
		r.Message = is(e.Name, sayState(out.State, m.value(e.main).Unit))
	}
	res, err := result(r.Message, out)
	res.Failed = r.Outcome == tools.NoAnswer
	return res, err
}

// refresh makes a device report everything. The gateway answers well for a
// device without power, so the device is asked whether it is there.
func (c *commander) refresh(ctx context.Context, e *entity) (tools.Receipt, error) {
	r := tools.Receipt{Device: e.Name}
	if _, err := c.link.gateway(); err != nil {
		return r, refusal(c.link.trouble(err))
	}
	if e.node.sleeper() && c.ledger.node(e.node.ID).asleep() {
		if err := c.link.send(ctx, "refreshValues", e.node.ID); err != nil {
			return r, refusal(c.link.trouble(err))
		}
		return endReceipt(r, tools.Queued, tools.Asleep, e.Name+" is asleep. It will report when it wakes up."), nil
	}
	if q := c.inquire(ctx, e.node, true); !q.answers() {
		return c.silent(e, r, q), nil
	}
	_, err := c.link.call(ctx, "refreshValues", e.node.ID)
	switch _, refused := errors.AsType[*apiError](err); {
	case err == nil:
		return endReceipt(r, tools.Confirmed, "", e.Name+" has been asked to report everything."), nil
	case errors.Is(err, errNoAnswer) && !refused:
		return endReceipt(r, tools.Accepted, tools.OnItsWay, e.Name+" is still reporting everything."), nil
	default:
		return r, refusal(c.link.trouble(err))
	}
}
