package hass

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// commander carries out commands: it finds out which thing is meant, whether the act is
// allowed, and what came of it.
type commander struct {
	cfg       Config
	log       *slog.Logger
	link      *link
	mirror    *mirror
	chronicle *chronicle
	registry  *freshness
	rewritten chan<- struct{} // the registries have to be read again
	lines     order.Lines     // of the commands that have not been sent yet, by thing

	mu      sync.Mutex
	running map[string]*follower // the newest one of each thing that is followed
}

// command finds the thing or things that are meant, and commands them. It answers before
// its caller gives up.
//
// It gives up the place in which the command was read as soon as the command has a place
// among those of its thing, so that a slow one does not hold up commands for others.
func (c *commander) command(ctx context.Context, a form.Command, mayBeDangerous bool) (tools.Receipt, error) {
	ctx, cancel := form.Bound(ctx, c.cfg.Patience)
	defer cancel()
	read := order.From(ctx)
	defer read.Pass()
	r := tools.Receipt{Device: a.Device, Property: a.Action}
	if err := read.Await(ctx); err != nil {
		return r, err
	}
	s, ok := c.link.await(ctx, standing.connected)
	if !ok {
		why, text := explainAway(s)
		return form.End(r, tools.NoAnswer, why, text), nil
	}
	members := s.house.members(a.Device)
	if len(members) > 0 && !mayBeDangerous {
		return c.commandSeveral(ctx, read, s.house, members, a)
	}
	e, near, err := s.house.find(a.Device)
	if err != nil && s.starts && len(near) == 0 { // its integration may not have come up yet
		s, _ = c.link.await(ctx, func(s standing) bool {
			e, _, err = s.house.find(a.Device)
			return err == nil || !s.starts
		})
		if err != nil && s.starts {
			return form.End(r, tools.NoAnswer, tools.HomeAssistantStarting, stillStarting), nil
		}
		e, near, err = s.house.find(a.Device)
	}
	if err != nil {
		r.Suggestions = near
		return form.End(r, tools.Refused, form.ReasonOf(err, tools.UnknownDevice), err.Error()), nil
	}
	place := c.lines.Take(e.ID)
	read.Pass()
	return c.commandOne(ctx, place, e, a, mayBeDangerous)
}

// commandSeveral runs one command for several things at the same time, each in its place;
// the receipt holds a receipt for each. Dangerous acts are for one thing at a time.
func (c *commander) commandSeveral(ctx context.Context, read *order.Place, m *model, members []*entity, a form.Command) (tools.Receipt, error) {
	r := tools.Receipt{Device: a.Device, Property: a.Action}
	domains := make([]string, len(members))
	for i, e := range members {
		domains[i] = e.Domain
	}
	if form.TooMany(domains, a.Action) {
		return form.EndTooMany(r, m.namesOf(members)), nil
	}
	places := make([]*order.Place, len(members))
	for i, e := range members {
		places[i] = c.lines.Take(e.ID)
	}
	read.Pass()
	r.Devices = make([]tools.Receipt, len(members))
	errs := make([]error, len(members))
	var wg sync.WaitGroup
	for i, e := range members {
		wg.Go(func() { r.Devices[i], errs[i] = c.commandOne(ctx, places[i], e, a, false) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return r, err
		}
	}
	return form.Sum(r), nil
}

// commandOne runs one command for one thing when its turn has come. Its place is given back
// as soon as the command has been sent, or has ended; for a list, only then.
func (c *commander) commandOne(ctx context.Context, place *order.Place, e *entity, a form.Command, mayBeDangerous bool) (tools.Receipt, error) {
	defer place.Pass()
	r := tools.Receipt{Device: e.Name, Property: a.Action}
	if err := place.Await(ctx); err != nil {
		return form.End(r, tools.NoAnswer, tools.Silent, "Earlier commands for "+e.Name+" have taken too long."), nil
	}
	now := c.mirror.read(e.ID)
	s, err := c.planFor(ctx, e, a, now, mayBeDangerous)
	if err != nil {
		ended, refused := form.EndRefused(r, err)
		if !refused {
			return r, err
		}
		return ended, nil
	}
	r.Property = s.property
	if now.away() {
		return c.endAway(r, e, now), nil
	}
	if e.unlisted || c.registry.isStale() {
		if ended := c.checkShown(ctx, e, r); ended != nil {
			return *ended, nil
		}
	}
	return c.carryOut(ctx, place, e, s, now, r), nil
}

// checkShown asks whether a thing is still shown to assistants; if not, or without an answer,
// it ends the receipt.
func (c *commander) checkShown(ctx context.Context, e *entity, r tools.Receipt) *tools.Receipt {
	s := c.link.now()
	shown, err := false, s.err
	if s.conn != nil {
		shown, err = isShown(ctx, s.conn, e)
	}
	switch {
	case err != nil:
		why, text := explainAway(standing{err: err})
		ended := form.End(r, tools.NoAnswer, why, text)
		return &ended
	case !shown:
		poke(c.rewritten)
		ended := form.End(r, tools.Refused, tools.UnknownDevice, e.Name+" is not shown to assistants any more.")
		return &ended
	}
	return nil
}

// planFor checks whether a command is allowed and makes a service call of it.
func (c *commander) planFor(ctx context.Context, e *entity, a form.Command, now *status, mayBeDangerous bool) (step, error) {
	switch {
	case e.Control == nil && e.Domain == "alarm_control_panel":
		return step{}, form.Refuse("%s can only be read; it is armed and disarmed where its code is.", e.Name)
	case e.Control == nil:
		return step{}, form.Refuse("%s is a sensor; it can only be read.", e.Name)
	case e.Costly && !mayBeDangerous && !c.mayStart(a):
		return step{}, c.refuseCostly(e)
	}
	if thing := e.findDanger(a.Action, a.Value); thing != nil && !mayBeDangerous {
		return step{}, form.RefuseDangerous(a.Action, thing.Name, c.cfg.AllowDangerous)
	}
	r := request{entity: e, value: a.Value, now: now}
	if e.Can(home.List) && (a.Action == actionComplete || a.Action == actionRemove) && !now.away() {
		var err error
		if r.item, err = c.findItem(ctx, e, a.Value); err != nil {
			return step{}, err
		}
	}
	return plan(a.Action, r)
}

// mayStart reports whether a costly thing may be commanded so: to stop it needs nothing, and a
// word of agreement counts where the host asks a person for it.
func (c *commander) mayStart(a form.Command) bool {
	return a.Action == "off" || a.Confirmed && c.cfg.HostAsks
}

// refuseCostly says what is needed to start a script.
func (c *commander) refuseCostly(e *entity) error {
	if c.cfg.HostAsks {
		return form.RefuseFor(tools.RefusedDangerous, "%s is a script, which may do anything. Ask the person first, and then say that it is confirmed. It runs without asking when the settings name it: hass_scripts: [%s].", e.Name, e.ID)
	}
	return form.RefuseFor(tools.RefusedDangerous, "%s is a script, which may do anything. It runs when the settings name it: hass_scripts: [%s].", e.Name, e.ID)
}

// endAway ends the receipt of a command for a thing that Home Assistant cannot reach. Its
// service would be called well and do nothing.
func (c *commander) endAway(r tools.Receipt, e *entity, now *status) tools.Receipt {
	switch s := c.link.now(); {
	case s.starts:
		return form.End(r, tools.NoAnswer, tools.HomeAssistantStarting, stillStarting)
	case now.restored():
		return form.End(r, tools.NoAnswer, tools.NotReady, e.Name+" has not come back since Home Assistant was started. Look at its integration there.")
	case now == nil:
		return form.End(r, tools.Refused, tools.UnknownDevice, e.Name+" is not in Home Assistant any more.")
	default:
		return form.End(r, tools.NoAnswer, tools.Dead, "Home Assistant cannot reach "+e.Name+". Check that it has power, then try again.")
	}
}

// carryOut sends a step and follows it to the fact.
func (c *commander) carryOut(ctx context.Context, place *order.Place, e *entity, s step, before *status, r tools.Receipt) tools.Receipt {
	if before.known() {
		r.Before = s.say(before)
		if level, ok := e.level(); ok && string(level) != s.property {
			r.BeforeLevel = e.percentOf(before)
		}
	}
	link := c.link.now()
	if link.conn == nil {
		why, text := explainAway(link)
		return form.End(r, tools.NoAnswer, why, text)
	}
	f := &follower{commander: c, entity: e, step: s, before: before, overtaken: make(chan struct{}), conn: link.conn}
	c.enter(f)
	defer c.leave(f)
	changed, stop := c.mirror.watch(e.ID)
	defer stop()
	f.after = c.mirror.now()
	c.chronicle.noteOrder(e, s)
	reply, err := link.conn.Start(socket.Command{
		"type": "call_service", "domain": s.domain, "service": s.service,
		"target": map[string]any{"entity_id": []string{e.ID}}, "service_data": orEmpty(s.data),
	})
	if s.property != string(home.List) { // how much stands on a list tells of one act only if no other is under way
		place.Pass()
	}
	r.PublishedAt = time.Now()
	if err != nil { // it may have left
		return f.endLost(ctx, r)
	}
	return f.follow(ctx, r, changed, reply)
}

func orEmpty(data map[string]any) map[string]any {
	if data == nil {
		return map[string]any{}
	}
	return data
}

// enter makes a follower the newest of its thing, which an older one for the same property
// is overtaken by.
func (c *commander) enter(f *follower) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.running[f.entity.ID]; old != nil && old.step.property == f.step.property {
		close(old.overtaken)
	}
	c.running[f.entity.ID] = f
}

func (c *commander) leave(f *follower) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[f.entity.ID] == f {
		delete(c.running, f.entity.ID)
	}
}
