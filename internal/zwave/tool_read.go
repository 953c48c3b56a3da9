package zwave

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

func (i *inspector) state(ctx context.Context, name string) (string, form.State, error) {
	m, e, _, err := i.directory.resolve(ctx, name)
	if err != nil {
		return "", form.State{}, err
	}
	f := i.devices.ask(ctx, m, e, e.main)
	if e.Domain == "climate" && f.reason == "" {
		i.devices.ask(ctx, m, e, e.setpoint(f.value))
		if e.between(f.value) {
			i.devices.ask(ctx, m, e, e.parts[partCool])
		}
	}
	out := form.State{
		Device: e.Name, Entity: e.ID, Domain: e.Domain, Area: e.node.area(), State: i.devices.state(m, e, f.value),
		Values: m.values(e, i.devices.told(f)), Age: age(f.reading), Stale: f.stale, Reachable: f.reachable, Reason: f.reason,
	}
	text := form.Is(e.Name, form.SayState(out.State, m.value(e.main).Unit))
	if e.several() && f.reason != form.SharedTopics {
		out.State, text = nil, m.tellAll(e, i.devices.told(f))
	}
	return i.devices.qualify(m, e, e.main, f, text), out, nil
}

func (i *inspector) sensor(ctx context.Context, name, what string) (string, form.Reading, error) {
	m, e, _, err := i.directory.resolve(ctx, name)
	if err != nil {
		return "", form.Reading{}, err
	}
	if e.unread {
		return "", form.Reading{}, form.Refusal(e.unknown(i.devices.reachable(e.node)))
	}
	s, err := e.sensorFor(what)
	if err != nil {
		return "", form.Reading{}, err
	}
	f := i.devices.ask(ctx, m, e, s.id)
	out := form.Reading{
		Device: e.Name, Sensor: string(s.kind), Value: m.sayReading(s, f.value, i.ledger.read), Unit: m.value(s.id).Unit,
		Age: age(f.reading), Stale: f.stale, Source: f.source, Reachable: f.reachable, Reason: f.reason,
	}
	out.Low = s.kind == home.Battery && isLow(out.Value, nil)
	if out.Value == lowCharge {
		out.Unit = ""
	}
	if !f.known && f.reason == "" { // a button that was never pressed: the device itself is in order
		return fmt.Sprintf("%s has not reported its %s yet.", e.Name, strings.ToLower(s.word)), out, nil
	}
	called := form.JoinWord(e.Name, s.word)
	if isSensor(e) && s.id == e.main && !e.several() {
		called = e.Name
	}
	return i.devices.qualify(m, e, s.id, f, form.Is(called, form.SayState(out.Value, out.Unit))), out, nil
}

// qualify says with a sentence about a reading how far it can be relied on.
func (d *devices) qualify(m *model, e *entity, id wire.ValueID, f finding, text string) string {
	switch {
	case f.reason == form.SharedTopics:
		return d.cannotTellApart(m, e, id)
	case f.reason == tools.NotReady && !f.known:
		return e.unknown(f.reachable)
	case !f.reachable:
		text = e.Name + " cannot be reached now. Last reported: " + text
	case f.reason != "" && !f.known:
		return e.Name + " has not answered just now, and what it last reported may have changed since."
	case f.reason != "":
		text = e.Name + " has not answered just now. Last reported: " + text
	}
	if seconds := age(f.reading); f.stale && seconds >= 60 {
		text = fmt.Sprintf("%s That was %s ago.", text, form.SayAge(seconds))
	}
	return text
}

// cannotTellApart says that a device's topic is another one's as well.
func (d *devices) cannotTellApart(m *model, e *entity, id wire.ValueID) string {
	topic := m.topics.topic(id)
	var others []string
	for _, node := range m.topics.contested[topic] {
		if node != id.Node {
			others = append(others, m.nodes[node].display())
		}
	}
	if len(others) == 0 {
		others = []string{"a device of another gateway"}
	}
	return fmt.Sprintf("I cannot tell %s from %s: both publish on %s. Give one of them another name in zwave-js-ui.", e.Name, strings.Join(others, " and "), topic)
}

// several reports whether an entity is a sensor of several equally important
// things.
func (e *entity) several() bool {
	return isSensor(e) && len(e.sensors) > 1 && rank(e.sensors[1]) == 0
}

// tellAll says everything a sensor measures.
func (m *model) tellAll(e *entity, read func(wire.ValueID) reading) string {
	var parts []string
	for _, s := range e.sensors {
		parts = append(parts, strings.ToLower(s.word)+" "+form.SayState(m.sayReading(s, read(s.id).value, read), m.value(s.id).Unit))
	}
	return e.Name + ": " + strings.Join(parts, ", ") + "."
}

// called reports whether a folded word asks for a sensor: by its kind, by its word, or by
// what all temperatures are.
func (s sensor) called(key string) bool {
	names := []string{form.Fold(string(s.kind)), form.Fold(s.word), form.Fold(s.class)}
	return slices.Contains(names, key) || key == string(home.Temperature) && strings.HasSuffix(form.Fold(s.word), " "+key)
}

// sensorFor picks the requested sensor, by kind or by word; if what is empty, the only or
// the main one.
func (e *entity) sensorFor(what string) (sensor, error) {
	if len(e.sensors) == 0 {
		return sensor{}, form.Refuse("%s has no sensors.", e.Name)
	}
	key := form.Fold(strings.ReplaceAll(what, "_", " "))
	if key == "" && (isSensor(e) || len(e.sensors) == 1) {
		return e.sensors[0], nil
	}
	// What one device measures belongs together, whichever of its things is named.
	for _, s := range slices.Concat(e.sensors, e.node.sensors()) {
		if key != "" && s.called(key) {
			return s, nil
		}
	}
	have := strings.Join(kindsOf(e.sensors), ", ")
	if key == "" {
		return sensor{}, form.Refuse("%s measures %s. Say which one.", e.Name, have)
	}
	return sensor{}, form.Refuse("%s does not measure %s. It measures %s.", e.Name, key, have)
}

// age is how many seconds ago a value was reported; -1: not known.
func age(r reading) int64 {
	if !r.known {
		return -1
	}
	return form.Age(r.at)
}
