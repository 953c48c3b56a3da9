package zwave

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// step is one write with everything needed to follow it to the fact.
type step struct {
	target   wire.ValueID
	value    any
	check    wire.ValueID    // where the device reports the outcome
	polls    []wire.ValueID  // the values to ask the device for, if not check itself
	duration wire.ValueID    // the value that says how long the device still moves; zero if there is none
	done     func(any) bool  // reports whether a report shows what was asked
	assemble func([]any) any // makes the state out of the polled values, where check itself cannot be polled
	rounds   bool            // done takes a level beside the asked one as well
	stops    bool            // a stop: done when nothing moves any more
	say      func(any) any   // the report in people's units
	property string          // what changed, as an ability: on_off, brightness …
	unit     string
}

// actions is how every action of form.Actions becomes a write.
var actions = []struct {
	name string
	plan func(request) (step, error)
}{
	{"on", planOn},
	{"off", planOff},
	{"toggle", planToggle},
	{"level", planLevel},
	{"open", planOpen},
	{"close", planClose},
	{"stop", planStop},
	{"position", planPosition},
	{"lock", planLock},
	{"setpoint", planSetpoint},
	{"mode", planMode},
	{"colour", planColour},
}

// request is one command for one entity.
type request struct {
	model  *model
	entity *entity
	value  any
	read   func(wire.ValueID) reading
}

// plan makes a write of an action, or returns a refusal.
func plan(action string, r request) (step, error) {
	if action == "unlock" {
		return planUnlock(r)
	}
	for _, a := range actions {
		if a.name == action {
			return a.plan(r)
		}
	}
	return step{}, form.Refuse("I do not know how to %q a device.", action)
}

// thing is an entity as its names and its class tell what it is.
func (e *entity) thing() *home.Entity {
	called := slices.Clone(e.Aliases)
	for _, ep := range e.node.Endpoints {
		if ep.Index == e.main.Endpoint { // the label is part of the name only if several things have to be told apart
			called = append(called, ep.Label)
		}
	}
	return &home.Entity{
		Name: e.Name, Aliases: called, Domain: e.Domain, Area: e.node.area(),
		Attributes: map[string]any{"device_class": e.Class},
	}
}

// able returns a refusal with the sentence cannot when the entity lacks an
// ability.
func (r request) able(a home.Ability, cannot string) error {
	if r.entity.has(a) {
		return nil
	}
	return form.Refuse("%s cannot %s.", r.entity.Name, cannot)
}

// begin makes a step that writes the entity's target and checks its state.
func (r request) begin(value any, property home.Ability, done func(any) bool) step {
	e := r.entity
	return step{
		target: e.parts[partTarget], value: value, check: e.main, duration: e.parts[partDuration],
		done: done, say: func(raw any) any { return r.model.state(e, raw) }, property: string(property),
	}
}

func equals(want any) func(any) bool { return func(got any) bool { return got == want } }

// near accepts a value that differs from want by a device's rounding; off and
// full must be exact.
func near(want, by float64) func(any) bool {
	return func(got any) bool {
		n, ok := number(got)
		return ok && (n == want || want > 0 && want < full && n > 0 && math.Abs(n-want) <= by)
	}
}

// besides reports whether a reading is a level that done takes only because devices round.
func (s step) besides(r reading) bool {
	return s.rounds && r.known && s.done(r.value) && !same(r.value, s.value)
}

// reportsBeside reports whether a device has said such a level by itself, so that it has to be
// asked whether it stays there.
func (s step) reportsBeside(r reading) bool { return r.source == sourceReport && s.besides(r) }

func planOn(r request) (step, error)  { return r.switched(true) }
func planOff(r request) (step, error) { return r.switched(false) }

// switched makes a step that switches on or off; a thermostat changes its mode
// for that, and a valve opens or closes.
func (r request) switched(on bool) (step, error) {
	e := r.entity
	switch {
	case e.Domain == "climate" && on:
		return planModeWord(r, "heat", "auto", "cool")
	case e.Domain == "climate":
		return planModeWord(r, "off")
	case e.Domain == "valve":
		return r.begin(on, home.OpenClose, equals(on)), nil
	}
	if err := r.able(home.OnOff, "be switched "+either(on, "on", "off")); err != nil {
		return step{}, err
	}
	switch {
	case e.main.Class == wire.BinarySwitch:
		return r.begin(on, home.OnOff, equals(on)), nil
	case on: // 255 asks the device for its last level; any level above zero confirms "on"
		return r.begin(float64(255), home.OnOff, func(got any) bool { n, ok := number(got); return ok && n > 0 }), nil
	default:
		return r.begin(float64(0), home.OnOff, equals(float64(0))), nil
	}
}

func planToggle(r request) (step, error) {
	if err := r.able(home.OnOff, "be switched on and off"); err != nil {
		return step{}, err
	}
	now := r.read(r.entity.main)
	if !now.known {
		return step{}, form.RefuseFor(tools.Silent, "I do not know whether %s %s on, so I cannot toggle it. Say on or off.", r.entity.Name, form.Verb(r.entity.Name))
	}
	if r.model.state(r.entity, now.value) == "on" {
		return planOff(r)
	}
	return planOn(r)
}

func planLevel(r request) (step, error) {
	switch r.entity.Domain {
	case "cover":
		return planPosition(r)
	case "fan":
		return r.atPercent(home.Speed, "be dimmed, only switched on and off")
	default:
		return r.atPercent(home.Brightness, "be dimmed, only switched on and off")
	}
}

func planPosition(r request) (step, error) {
	return r.atPercent(home.Position, "be moved to a position")
}

// atPercent makes a step that sets an ability in percent.
func (r request) atPercent(a home.Ability, cannot string) (step, error) {
	p, ok := form.Number(r.value, "%", "percent")
	if !ok || p < 0 || p > 100 {
		return step{}, form.RefuseBeyond(0, 100, "%s needs a value from 0 to 100 percent.", r.entity.Name)
	}
	if err := r.able(a, cannot); err != nil {
		return step{}, err
	}
	s := r.begin(fromPercent(p), a, near(fromPercent(p), 1))
	s.rounds, s.say, s.unit = true, percentOf, "%"
	return s, nil
}

func percentOf(raw any) any {
	if n, ok := number(raw); ok {
		return toPercent(n)
	}
	return nil
}

func planOpen(r request) (step, error)  { return openOrClose(r, true) }
func planClose(r request) (step, error) { return openOrClose(r, false) }

func openOrClose(r request, open bool) (step, error) {
	e := r.entity
	if err := r.able(home.OpenClose, either(open, "be opened", "be closed")); err != nil {
		return step{}, err
	}
	level, barrier := float64(0), float64(barrierClosed)
	if open {
		level, barrier = full, barrierOpen
	}
	switch {
	case e.Domain == "valve":
		return r.begin(open, home.OpenClose, equals(open)), nil
	case e.main.Class == wire.BarrierOperator:
		return r.begin(barrier, home.OpenClose, equals(barrier)), nil
	default:
		return r.begin(level, home.OpenClose, equals(level)), nil
	}
}

func planStop(r request) (step, error) {
	if err := r.able(home.Stop, "be stopped"); err != nil {
		return step{}, err
	}
	s := r.begin(false, home.Position, func(any) bool { return true })
	var ok bool
	if s.target, ok = r.entity.parts[partUp]; !ok {
		if s.target, ok = r.entity.parts[partDown]; !ok {
			return step{}, form.Refuse("%s cannot be stopped.", r.entity.Name)
		}
	}
	s.stops, s.say, s.unit = true, percentOf, "%"
	return s, nil
}

func planLock(r request) (step, error)   { return r.locked(true) }
func planUnlock(r request) (step, error) { return r.locked(false) }

// locked makes a step that locks or unlocks. There are several ways of being
// unlocked, and one of being neither.
func (r request) locked(locked bool) (step, error) {
	if err := r.able(home.Lock, either(locked, "be locked", "be unlocked")); err != nil {
		return step{}, err
	}
	switch {
	case r.entity.main.Class == wire.Lock:
		return r.begin(locked, home.Lock, equals(locked)), nil
	case locked:
		return r.begin(float64(255), home.Lock, equals(float64(255))), nil
	default:
		return r.begin(float64(0), home.Lock, func(got any) bool { return r.model.state(r.entity, got) == "unlocked" }), nil
	}
}

func planColour(r request) (step, error) {
	if err := r.able(home.Colour, "change colour"); err != nil {
		return step{}, err
	}
	hex, err := form.Colour(r.value)
	if err != nil {
		return step{}, err
	}
	id := r.entity.parts[partColour]
	return step{
		target: id, polls: colourParts(id), assemble: hexOf, value: hex, check: id, done: equals(hex), property: string(home.Colour),
		say: func(raw any) any { return "#" + fmt.Sprint(raw) },
	}, nil
}

// colourParts lists what makes a colour: the device reports its components only.
// The gateway makes hexColor of them and cannot poll it.
func colourParts(id wire.ValueID) []wire.ValueID {
	return []wire.ValueID{id.With("currentColor", "2"), id.With("currentColor", "3"), id.With("currentColor", "4")}
}

// colour returns the last known colour of a lamp whose colour is the value id.
func colour(id wire.ValueID, read func(wire.ValueID) reading) reading {
	return step{check: id, polls: colourParts(id), assemble: hexOf}.state(read)
}

// hexOf spells red, green and blue as the gateway does; nil if one of them is not a
// number.
func hexOf(components []any) any {
	hex, ok := form.Hex(components)
	if !ok {
		return nil
	}
	return hex
}

// assembleReading makes a reading of the polled values, if each of them is a fact.
func (s step) assembleReading(fact func(wire.ValueID) reading) reading {
	if s.assemble == nil {
		return reading{}
	}
	var parts []any
	var last reading
	for _, id := range s.polls {
		r := fact(id)
		if !r.known {
			return reading{}
		}
		parts = append(parts, r.value)
		if r.seq > last.seq {
			last = r
		}
	}
	last.value = s.assemble(parts)
	last.known = last.value != nil
	return last
}

// state returns the last reading of what a step changes.
func (s step) state(read func(wire.ValueID) reading) reading {
	if made := s.assembleReading(read); made.known {
		return made
	}
	return read(s.check)
}

// valid checks a write against the value's metadata, because the gateway sends
// numbers out of range as they are.
func (r request) valid(s step) error {
	v := r.model.value(s.target)
	if !r.model.known(s.target) || !v.Writeable {
		return form.Refuse("%s cannot be changed from here.", r.entity.Name)
	}
	n, isNumber := number(s.value)
	_, isBool := s.value.(bool)
	switch {
	case v.Type == "number" && !isNumber, v.Type == "boolean" && !isBool:
		return form.RefuseFor(tools.RefusedValue, "%s does not take that value.", r.entity.Name)
	case !isNumber, n == 255 && s.target.Class == wire.MultilevelSwitch: // 255 means the last level, although it is above the range
		return nil
	case s.target.Class == wire.ThermostatSetpoint: // planSetpoint knows which range is the device's own
		return nil
	case !v.inRange(n):
		return form.RefuseFor(tools.RefusedValue, "%s does not go to %s.", r.entity.Name, form.SayState(n, ""))
	case !v.offers(n):
		return form.RefuseFor(tools.RefusedValue, "%s does not offer that; it knows %s.", r.entity.Name, strings.Join(stateWords(v.States), ", "))
	default:
		return nil
	}
}

func (v *value) inRange(n float64) bool {
	return (v.Min == nil || n >= *v.Min) && (v.Max == nil || n <= *v.Max)
}

// offers reports whether a number is one of the value's states. It is true as
// well where the value has no states, or states that only name parts of its
// range.
func (v *value) offers(n float64) bool {
	if len(v.States) == 0 || v.FreeStates || v.Address.Class == wire.MultilevelSwitch || v.Address.Class == wire.WindowCovering {
		return true
	}
	return slices.ContainsFunc(v.States, func(s choice) bool { return s.Value == n })
}
