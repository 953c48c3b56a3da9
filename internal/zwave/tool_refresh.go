package zwave

import (
	"context"
	"errors"

	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

func (c *commander) refreshDevice(ctx context.Context, name string) (string, form.Refreshed, error) {
	ctx, cancel := form.Bound(ctx, c.cfg.Patience)
	defer cancel()
	m, e, _, err := c.directory.resolve(ctx, name)
	if e == nil && m != nil {
		e = m.wholeNode(name)
	}
	if e == nil {
		return "", form.Refreshed{}, err
	}
	r, err := c.refresh(ctx, e)
	if err != nil {
		return "", form.Refreshed{}, err
	}
	out := form.Refreshed{Device: e.Name, Outcome: r.Outcome, Reason: r.Reason}
	if r.Outcome != tools.NoAnswer {
		out.State = m.state(e, c.ledger.read(e.main).value)
	}
	if r.Outcome == tools.Confirmed && out.State != nil {
		r.Message = form.Is(e.Name, form.SayState(out.State, m.value(e.main).Unit))
	}
	return r.Message, out, nil
}

// refresh makes a device report everything. The gateway answers well for a
// device without power, so the device is asked whether it is there.
func (c *commander) refresh(ctx context.Context, e *entity) (tools.Receipt, error) {
	r := tools.Receipt{Device: e.Name}
	if _, err := c.link.gateway(); err != nil {
		return r, form.Refusal(c.link.trouble(err))
	}
	if e.node.sleeper() && c.ledger.node(e.node.ID).asleep() {
		if err := c.link.send(ctx, "refreshValues", e.node.ID); err != nil {
			return r, form.Refusal(c.link.trouble(err))
		}
		return form.End(r, tools.Queued, tools.Asleep, e.Name+" is asleep. It will report when it wakes up."), nil
	}
	if q := c.inquire(ctx, e.node, true); !q.answers() {
		return c.silent(e, r, q), nil
	}
	_, err := c.link.call(ctx, "refreshValues", e.node.ID)
	switch _, refused := errors.AsType[*apiError](err); {
	case err == nil:
		return form.End(r, tools.Confirmed, "", e.Name+" has been asked to report everything."), nil
	case errors.Is(err, errNoAnswer) && !refused:
		return form.End(r, tools.Accepted, tools.OnItsWay, e.Name+" is still reporting everything."), nil
	default:
		return r, form.Refusal(c.link.trouble(err))
	}
}
