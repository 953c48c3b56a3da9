package hass

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/hass/socket"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// firstLook is how long a question waits for the house to be known at all.
const firstLook = 2 * time.Second

// ready returns how the link stands as soon as the house is known.
func (h *House) ready(ctx context.Context) (standing, error) {
	ctx, cancel := context.WithTimeout(ctx, firstLook)
	defer cancel()
	s, ok := h.link.await(ctx, func(s standing) bool { return !s.house.empty })
	if !ok {
		return s, refuseAway(s)
	}
	return s, nil
}

// trust is how far a state can be relied on.
type trust struct {
	age       int64
	stale     bool
	reachable bool
	reason    tools.Reason
}

// trusts says how far the state of a thing can be relied on. The mirror is up to date while
// there is a connection, however long ago the last change was.
func (s standing) trusts(now *status) trust {
	t := trust{age: -1, reachable: true}
	if now != nil {
		t.age = form.Age(now.updated)
	}
	switch {
	case s.conn == nil:
		t.stale, t.reachable = true, false
		t.reason, _ = explainAway(s)
	case now.away() && s.starts:
		t.reachable, t.reason = false, tools.HomeAssistantStarting
	case now.restored():
		t.reachable, t.reason = false, tools.NotReady
	case now.away():
		t.reachable, t.reason = false, tools.Dead
	case now.assumed():
		t.reason = tools.Unconfirmed
	}
	return t
}

// qualify says with a sentence about a state how far it can be relied on.
func (t trust) qualify(name, text string, known bool) string {
	switch {
	case !t.reachable && !known:
		return name + " cannot be reached now, and has told nothing yet."
	case !t.reachable:
		text = name + " cannot be reached now. Last reported: " + text
	case !known:
		return name + " has not reported anything yet."
	case t.reason == tools.Unconfirmed:
		text += " Home Assistant assumes that; the device cannot tell."
	}
	if t.stale && t.age >= 60 {
		text = fmt.Sprintf("%s That was %s ago.", text, form.SayAge(t.age))
	}
	return text
}

// List returns all things that pass the filters.
func (h *House) List(ctx context.Context, a form.ListArgs) ([]form.Listed, error) {
	s, err := h.ready(ctx)
	if err != nil {
		return nil, err
	}
	area, domain, err := s.house.names.Filters(a, Domains())
	if err != nil {
		return nil, err
	}
	all := []form.Listed{}
	for _, e := range s.house.entities {
		if area != "" && area != e.Area || domain != "" && domain != e.Domain {
			continue
		}
		now := h.mirror.read(e.ID)
		t := s.trusts(now)
		all = append(all, form.Listed{
			Name: e.Name, ID: e.ID, Area: e.Area, Type: e.Domain, Abilities: e.Abilities, State: e.say(now), Values: e.values(now),
			Age: t.age, Stale: t.stale, Reachable: t.reachable, Reason: t.reason,
		})
	}
	return all, nil
}

// Verify says whether there is a thing of a name.
func (h *House) Verify(ctx context.Context, name string) (string, form.Verified, error) {
	s, err := h.ready(ctx)
	if err != nil {
		return "", form.Verified{}, err
	}
	e, near, err := s.house.find(name)
	if err != nil {
		return err.Error(), form.Verified{Suggestions: append([]string{}, near...)}, nil
	}
	found := form.Verified{Exists: true, Name: e.Name, ID: e.ID, Area: e.Area, Type: e.Domain, Suggestions: []string{}}
	return form.SayFound(found), found, nil
}

// State returns what a thing last reported.
func (h *House) State(ctx context.Context, name string) (string, form.State, error) {
	s, err := h.ready(ctx)
	if err != nil {
		return "", form.State{}, err
	}
	e, _, err := s.house.find(name)
	if err != nil {
		return "", form.State{}, err
	}
	now := h.mirror.read(e.ID)
	t := s.trusts(now)
	out := form.State{
		Device: e.Name, Entity: e.ID, Domain: e.Domain, Area: e.Area, State: e.say(now), Values: e.values(now),
		Age: t.age, Stale: t.stale, Reachable: t.reachable, Reason: t.reason,
	}
	text := form.Is(e.Name, form.SayState(out.State, e.unit()))
	if items, ok := h.itemsOf(ctx, s, e); ok {
		out.Values["items"] = items
		text = sayItems(e.Name, items)
	}
	return t.qualify(e.Name, text, out.State != nil), out, nil
}

// itemsOf returns what stands on a list; ok is false for what is no list, and where nobody
// tells.
func (h *House) itemsOf(ctx context.Context, s standing, e *entity) (items []string, ok bool) {
	if !e.Can(home.List) || s.conn == nil || h.mirror.read(e.ID).away() {
		return nil, false
	}
	ctx, cancel := form.Bound(ctx, firstLook)
	defer cancel()
	all, err := readItems(ctx, s.conn, e.ID)
	return summaries(all), err == nil
}

// sayItems says what stands on a list.
func sayItems(name string, items []string) string {
	if len(items) == 0 {
		return name + " is empty."
	}
	return name + ": " + form.AndList(items) + "."
}

// measure is one measured value of a thing.
type measure struct {
	kind string // the ability, else the class
	of   *entity
	from string // the attribute that has it; "": it is the state
	unit string
}

// measures returns what a thing measures, its own first, then what other things of the same
// device do.
func (m *model) measures(e *entity) (own, siblings []measure) {
	add := func(x *entity) (all []measure) {
		switch x.Domain {
		case "sensor", "binary_sensor":
			kind := cmp.Or(x.DeviceClass(), "value")
			if len(x.Abilities) > 0 {
				kind = string(x.Abilities[0])
			}
			all = append(all, measure{kind: kind, of: x, unit: x.unit()})
		case "climate", "water_heater":
			if x.Can(home.Temperature) {
				all = append(all, measure{string(home.Temperature), x, "current_temperature", x.scale})
			}
			if x.Can(home.Humidity) {
				all = append(all, measure{string(home.Humidity), x, "current_humidity", "%"})
			}
		}
		return all
	}
	own = add(e)
	for _, x := range m.entities {
		if x != e && e.device != "" && x.device == e.device {
			siblings = append(siblings, add(x)...)
		}
	}
	return own, siblings
}

// lowBattery is the percentage up to which a battery is low.
const lowBattery = 20

// Sensor returns one measured value.
func (h *House) Sensor(ctx context.Context, name, sensor string) (string, form.Reading, error) {
	s, err := h.ready(ctx)
	if err != nil {
		return "", form.Reading{}, err
	}
	e, _, err := s.house.find(name)
	if err != nil {
		return "", form.Reading{}, err
	}
	what, err := s.house.measureFor(e, sensor)
	if err != nil {
		return "", form.Reading{}, err
	}
	now := h.mirror.read(what.of.ID)
	t := s.trusts(now)
	out := form.Reading{
		Device: e.Name, Sensor: what.kind, Value: what.read(now), Unit: what.unit,
		Age: t.age, Stale: t.stale, Source: "report", Reachable: t.reachable, Reason: t.reason,
	}
	if out.Value == nil {
		out.Source = ""
	}
	if charge, ok := out.Value.(float64); what.kind == string(home.Battery) && ok {
		out.Low = charge <= lowBattery
	}
	said := what.of.Name
	if what.from != "" {
		said = form.JoinWord(e.Name, what.kind)
	}
	return t.qualify(said, form.Is(said, form.SayState(out.Value, out.Unit)), out.Value != nil), out, nil
}

// read returns the value of a measure; nil if it is not known.
func (m measure) read(s *status) any {
	if m.from == "" {
		return m.of.say(s)
	}
	if n, ok := s.number(m.from); ok {
		return n
	}
	return nil
}

// measureFor picks what is asked for, by kind; if that is empty, the only one of the thing.
func (m *model) measureFor(e *entity, sensor string) (measure, error) {
	own, siblings := m.measures(e)
	key := strings.ReplaceAll(form.Fold(sensor), " ", "_")
	all := slices.Concat(own, siblings)
	switch {
	case len(all) == 0:
		return measure{}, form.Refuse("%s has no sensors.", e.Name)
	case key == "" && len(own) == 1:
		return own[0], nil
	case key == "" && len(own) == 0 && len(siblings) == 1:
		return siblings[0], nil
	}
	for _, x := range all {
		if x.kind == key || x.of.DeviceClass() == key && key != "" {
			return x, nil
		}
	}
	var have []string
	for _, x := range all {
		if !slices.Contains(have, x.kind) {
			have = append(have, x.kind)
		}
	}
	if key == "" {
		return measure{}, form.Refuse("%s measures %s. Say which one.", e.Name, strings.Join(have, ", "))
	}
	return measure{}, form.Refuse("%s does not measure %s. It measures %s.", e.Name, strings.ReplaceAll(key, "_", " "), strings.Join(have, ", "))
}

// health is what the tool for the health of the house answers.
type health struct {
	form.Health

	Version string `json:"version"`
	Hidden  int    `json:"hidden"` // things that Home Assistant does not show to assistants
}

// Health says whether Home Assistant answers, and which things it cannot reach. No thing is asked.
func (h *House) Health(ctx context.Context, _ form.HealthArgs) (string, any, error) {
	s := h.link.now()
	out := health{
		Health:  form.Health{Devices: len(s.house.entities), Dead: []string{}, Asleep: []string{}, LowBattery: []string{}, WaitingFor: s.awaitedAt()},
		Version: s.version, Hidden: s.house.left,
	}
	if s.conn != nil {
		ctx, cancel := context.WithTimeout(ctx, firstLook)
		defer cancel()
		_, err := s.conn.Call(ctx, socket.Command{"type": "ping"})
		out.Answers = err == nil
	}
	h.census(s.house, &out.Health)
	out.Message = out.say(s)
	out.Healthy = out.Answers && out.WaitingFor == "" && len(out.Dead) == 0 && out.Devices > 0
	return out.Message, out, nil
}

// census lists what cannot be reached, and what has a low battery.
func (h *House) census(m *model, out *form.Health) {
	for _, e := range m.entities {
		now := h.mirror.read(e.ID)
		if now.away() && e.Control != nil {
			out.Dead = append(out.Dead, m.distinct(e))
		}
		if charge, ok := e.say(now).(float64); e.Can(home.Battery) && ok && charge <= lowBattery {
			out.LowBattery = append(out.LowBattery, m.distinct(e))
		}
	}
}

// say says the health of the house in words.
func (out *health) say(s standing) string {
	_, text := explainAway(s)
	switch {
	case !out.Answers, out.WaitingFor != "":
	case out.Devices == 0:
		text = fmt.Sprintf("Home Assistant shows none of its %d things to assistants. Choose them there under Settings, Voice assistants, Expose.", out.Hidden)
	case len(out.Dead) > 0:
		text = "Home Assistant works, but it cannot reach these: " + strings.Join(out.Dead, ", ") + "."
	case len(out.LowBattery) > 0:
		text = "Home Assistant works. Low battery: " + strings.Join(out.LowBattery, ", ") + "."
	default:
		text = fmt.Sprintf("Home Assistant works; all %d devices are well.", out.Devices)
	}
	if out.Answers && !s.house.admin {
		text += " The token's user is no administrator, so things without an entry in the entity registry are left out."
	}
	return text
}

// refreshable is how long a refresh waits for the service that asks the device.
const refreshable = 3 * time.Second

// Refresh has Home Assistant ask a device for its state. It does nothing for those that
// report by themselves, so what is told is the state that is known afterwards.
func (h *House) Refresh(ctx context.Context, name string) (string, form.Refreshed, error) {
	ctx, cancel := form.Bound(ctx, h.cfg.Patience)
	defer cancel()
	s, err := h.ready(ctx)
	if err != nil {
		return "", form.Refreshed{}, err
	}
	e, _, err := s.house.find(name)
	if err != nil {
		return "", form.Refreshed{}, err
	}
	out := form.Refreshed{Device: e.Name, Outcome: tools.NoAnswer}
	if s.conn == nil {
		var text string
		out.Reason, text = explainAway(s)
		return text, out, nil
	}
	asking, done := context.WithTimeout(ctx, refreshable)
	defer done()
	_, err = s.conn.Call(asking, socket.Command{
		"type": "call_service", "domain": "homeassistant", "service": "update_entity",
		"service_data": map[string]any{"entity_id": []string{e.ID}},
	})
	now := h.mirror.read(e.ID)
	t := s.trusts(now)
	switch {
	case !t.reachable:
		out.Reason = t.reason
		return h.commander.endAway(tools.Receipt{}, e, now).Message, out, nil
	case err != nil:
		out.Outcome, out.Reason, out.State = tools.Accepted, tools.OnItsWay, e.say(now)
		return e.Name + " is still reporting everything.", out, nil
	}
	out.Outcome, out.State = tools.Confirmed, e.say(now)
	return t.qualify(e.Name, form.Is(e.Name, form.SayState(out.State, e.unit())), out.State != nil), out, nil
}
