package zwave

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"voicegateway/internal/home"
	"voicegateway/internal/zwave/wire"
)

// Generic and specific device classes that decide what a thing is, from the
// Z-Wave device class list.
const (
	genericBinary     = 16
	specificSiren     = 5
	specificValve     = 6
	genericMultilevel = 17
	specificFan       = 8
)

// motors are the specific classes of a Multilevel Switch that moves something.
func motor(c deviceClass) bool {
	return c.Generic == genericMultilevel && (c.Specific == 3 || c.Specific >= 5 && c.Specific <= 7)
}

// entities returns what people can name in a node: the function of each
// endpoint, then its sensors.
func (n *node) entities() []*entity {
	var mains []*entity
	for _, ep := range n.endpoints() {
		for _, build := range []func(*node, int) *entity{
			lockEntity, barrierEntity, coveringEntity, climateEntity, levelEntity, switchEntity,
		} {
			if e := build(n, ep); e != nil {
				mains = append(mains, e)
				break
			}
		}
	}
	n.nameMains(mains)
	return append(mains, n.sensorEntities(mains)...)
}

func (n *node) endpoints() []int {
	set := map[int]bool{}
	for id := range n.values {
		set[id.Endpoint] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// newEntity starts an entity at the value that is its state; parts the node does
// not have are left out.
func (n *node) newEntity(domain string, main wire.ValueID, parts map[part]wire.ValueID, abilities ...home.Ability) *entity {
	e := &entity{Domain: domain, node: n, main: main, parts: map[part]wire.ValueID{}, abilities: abilities}
	for p, id := range parts {
		if n.values[id] != nil {
			e.parts[p] = id
		}
	}
	return e
}

func lockEntity(n *node, ep int) *entity {
	v := n.find(wire.DoorLock, ep, "currentMode", "")
	if v == nil {
		return nil
	}
	at := v.Address
	return n.newEntity("lock", at, map[part]wire.ValueID{
		partTarget: at.With("targetMode", ""), partDuration: at.With("duration", ""),
	}, home.Lock)
}

func barrierEntity(n *node, ep int) *entity {
	v := n.find(wire.BarrierOperator, ep, "currentState", "")
	if v == nil {
		return nil
	}
	e := n.newEntity("cover", v.Address, map[part]wire.ValueID{partTarget: v.Address.With("targetState", "")}, home.OpenClose)
	e.Class = "garage"
	return e
}

// coveringEntity is a Window Covering. Odd keys carry positions; 11 and 23 are
// slat angles, which are no position.
func coveringEntity(n *node, ep int) *entity {
	for _, key := range []string{"13", "1", "3", "5", "7", "9", "15", "17", "19", "21"} {
		v := n.find(wire.WindowCovering, ep, "currentValue", key)
		if v == nil {
			continue
		}
		at := v.Address
		e := n.newEntity("cover", at, map[part]wire.ValueID{
			partTarget: at.With("targetValue", key), partDuration: at.With("duration", key),
			partUp: at.With("levelChangeUp", key), partDown: at.With("levelChangeDown", key),
		}, home.OpenClose, home.Position, home.Stop)
		e.Class = coverClass(n.display())
		return e
	}
	return nil
}

func climateEntity(n *node, ep int) *entity {
	mode := n.find(wire.ThermostatMode, ep, "mode", "")
	heat := n.find(wire.ThermostatSetpoint, ep, "setpoint", "1")
	cool := n.find(wire.ThermostatSetpoint, ep, "setpoint", "2")
	var main wire.ValueID
	var abilities []home.Ability
	if heat != nil || cool != nil {
		abilities = append(abilities, home.Setpoint)
	}
	switch {
	case mode != nil:
		main = mode.Address
		abilities = append(abilities, home.Mode)
	case heat != nil:
		main = heat.Address
	case cool != nil:
		main = cool.Address
	default:
		return nil
	}
	at := func(class int, property, key string) wire.ValueID {
		return wire.ValueID{Node: n.ID, Class: class, Endpoint: ep, Property: property, Key: key}
	}
	return n.newEntity("climate", main, map[part]wire.ValueID{
		partMode: at(wire.ThermostatMode, "mode", ""), partActivity: at(wire.ThermostatState, "state", ""),
		partHeat: at(wire.ThermostatSetpoint, "setpoint", "1"), partCool: at(wire.ThermostatSetpoint, "setpoint", "2"),
	}, abilities...)
}

// levelEntity is a Multilevel Switch: a light unless its class or name says that
// it is a cover or a fan.
func levelEntity(n *node, ep int) *entity {
	v := n.find(wire.MultilevelSwitch, ep, "currentValue", "")
	if v == nil {
		return nil
	}
	at := v.Address
	e := n.newEntity("light", at, map[part]wire.ValueID{
		partTarget: at.With("targetValue", ""), partDuration: at.With("duration", ""),
	})
	for p, names := range map[part][]string{partUp: {"Open", "Up"}, partDown: {"Close", "Down"}} {
		for _, name := range names {
			if id := at.With(name, ""); n.values[id] != nil && e.parts[p] == (wire.ValueID{}) {
				e.parts[p] = id
			}
		}
	}
	name := n.display()
	switch {
	case motor(n.Class) || e.parts[partUp].Property == "Open" || hasWord(name, coverWords):
		e.Domain, e.Class = "cover", coverClass(name)
		e.abilities = []home.Ability{home.OpenClose, home.Position, home.Stop}
	case n.Class.Generic == genericMultilevel && n.Class.Specific == specificFan || hasWord(name, fanWords):
		e.Domain = "fan"
		e.abilities = []home.Ability{home.OnOff, home.Speed}
	default:
		e.abilities = []home.Ability{home.OnOff, home.Brightness}
		if colour := n.find(wire.ColorSwitch, ep, "hexColor", ""); colour != nil {
			e.parts[partColour] = colour.Address
			e.abilities = append(e.abilities, home.Colour)
		}
	}
	return e
}

// switchEntity is a Binary Switch. What hangs on it is guessed from the device
// class, then from the product, then from the name.
func switchEntity(n *node, ep int) *entity {
	v := n.find(wire.BinarySwitch, ep, "currentValue", "")
	if v == nil {
		return nil
	}
	e := n.newEntity("switch", v.Address, map[part]wire.ValueID{
		partTarget: v.Address.With("targetValue", ""), partDuration: v.Address.With("duration", ""),
	}, home.OnOff)
	name := n.display()
	switch {
	case n.Class.Generic == genericBinary && n.Class.Specific == specificValve || hasWord(name, valveWords):
		e.Domain, e.Class = "valve", "valve"
		e.abilities = []home.Ability{home.OpenClose}
	case n.Class.Generic == genericBinary && n.Class.Specific == specificSiren || hasWord(name, sirenWords):
		e.Class = "siren"
	case hasWord(n.Product, plugWords):
	case hasWord(name, fanWords):
		e.Domain = "fan"
	case hasWord(name, lightWords) || hasWord(n.Product, lightWords):
		e.Domain = "light"
	}
	return e
}

// Words in names and product descriptions that tell what a thing is.
var (
	lightWords = []string{"light", "lights", "lamp", "lamps", "chandelier", "bulb", "spot", "spots", "spotlight", "sconce", "lantern", "lighting", "downlights", "led"}
	fanWords   = []string{"fan", "fans", "ventilator"}
	coverWords = []string{"blind", "blinds", "shade", "shades", "curtain", "curtains", "shutter", "shutters", "awning", "garage"}
	valveWords = []string{"valve", "sprinkler", "sprinklers", "irrigation"}
	sirenWords = []string{"siren", "alarm"}
	plugWords  = []string{"plug", "plug-in", "outlet", "socket"}
	gateWords  = []string{"gate", "door", "garage"}
)

func hasWord(text string, list []string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
}

func coverClass(name string) string {
	switch {
	case hasWord(name, gateWords):
		return "garage"
	case hasWord(name, []string{"curtain", "curtains", "drapes"}):
		return "curtain"
	case hasWord(name, []string{"shade", "shades", "awning"}):
		return "shade"
	case hasWord(name, []string{"shutter", "shutters"}):
		return "shutter"
	default:
		return "blind"
	}
}
