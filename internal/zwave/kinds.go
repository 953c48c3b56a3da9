package zwave

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/home"
	"voicegateway/internal/language/sentences"
	language "voicegateway/internal/language/text"
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

// motor reports whether a device class is that of a Multilevel Switch that moves
// something.
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

// newEntity makes an entity whose state is the value main; parts that the node
// does not have are left out.
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
		if v = n.find(wire.Lock, ep, "locked", ""); v == nil {
			return nil
		}
		return n.newEntity("lock", v.Address, map[part]wire.ValueID{partTarget: v.Address}, home.Lock)
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

// coveringEntity makes an entity of a Window Covering. Odd keys carry positions,
// except 11 and 23, which are slat angles.
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
		e.Class = n.coverClass()
		return e
	}
	return nil
}

func climateEntity(n *node, ep int) *entity {
	at := func(class int, property string) wire.ValueID {
		return wire.ValueID{Node: n.ID, Class: class, Endpoint: ep, Property: property}
	}
	parts := map[part]wire.ValueID{
		partMode: at(wire.ThermostatMode, "mode"), partActivity: at(wire.ThermostatState, "state"),
		partFanMode: at(wire.ThermostatFanMode, "mode"), partFan: at(wire.ThermostatFanState, "state"),
	}
	var main wire.ValueID
	var abilities []home.Ability
	for _, v := range n.setpoints(ep) {
		parts[setpointPart(v.Address.Key)] = v.Address
		if main == (wire.ValueID{}) {
			main = v.Address
			abilities = append(abilities, home.Setpoint)
		}
	}
	if n.values[parts[partMode]] != nil {
		main = parts[partMode]
		abilities = append(abilities, home.Mode)
	}
	if main == (wire.ValueID{}) {
		return nil
	}
	return n.newEntity("climate", main, parts, abilities...)
}

// setpoints returns a thermostat's setpoints in the order of their types: 1 is
// heating, 2 cooling.
func (n *node) setpoints(ep int) []*value {
	var out []*value
	for id, v := range n.values {
		if id.Class == wire.ThermostatSetpoint && id.Endpoint == ep && id.Property == "setpoint" {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b *value) int {
		return cmp.Or(cmp.Compare(len(a.Address.Key), len(b.Address.Key)), cmp.Compare(a.Address.Key, b.Address.Key))
	})
	return out
}

// setpointPart returns the part of an entity for a setpoint of a type.
func setpointPart(key string) part { return partSetpoint + part(key) }

// levelEntity makes an entity of a Multilevel Switch: a light unless its class or
// name says that it is a cover or a fan.
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
	case motor(n.Class) || e.parts[partUp].Property == "Open" || n.namesCover():
		e.Domain, e.Class = "cover", n.coverClass()
		e.abilities = []home.Ability{home.OpenClose, home.Position, home.Stop}
	case n.Class.Generic == genericMultilevel && n.Class.Specific == specificFan || hasWord(name, products().fans):
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

// switchEntity makes an entity of a Binary Switch. What it switches is guessed
// from the device class, then from the product, then from the name.
func switchEntity(n *node, ep int) *entity {
	v := n.find(wire.BinarySwitch, ep, "currentValue", "")
	if v == nil {
		return nil
	}
	e := n.newEntity("switch", v.Address, map[part]wire.ValueID{
		partTarget: v.Address.With("targetValue", ""), partDuration: v.Address.With("duration", ""),
	}, home.OnOff)
	name := n.display()
	hazard := home.NamesHazard(n.area(), name)
	switch {
	case n.Class.Generic == genericBinary && n.Class.Specific == specificValve || hazard&home.Wet != 0:
		e.Domain, e.Class = "valve", "valve"
		e.abilities = []home.Ability{home.OpenClose}
	case n.Class.Generic == genericBinary && n.Class.Specific == specificSiren || hazard&home.Loud != 0:
		e.Class = "siren"
	case hazard != 0: // whatever the product was sold for, it does not switch a light
	case hasWord(n.Product, products().plugs):
	case hasWord(name, products().fans):
		e.Domain = "fan"
	case n.namesLight():
		e.Domain = "light"
	}
	return e
}

// productWords are the words of all our languages that tell what a thing is. The words for
// what lets people or water in are in package home.
type productWords struct {
	lights, fans, curtains, shades, awnings, shutters, plugs sentences.List
	coverings                                                sentences.List // all that hangs before a window
}

var products = sync.OnceValue(func() *productWords {
	every := func(list func(*sentences.Products) sentences.List) sentences.List {
		return sentences.Every(func(w *sentences.Words) sentences.List { return list(&w.Products) })
	}
	p := &productWords{
		lights:   every(func(p *sentences.Products) sentences.List { return p.Lights }),
		fans:     every(func(p *sentences.Products) sentences.List { return p.Fans }),
		curtains: every(func(p *sentences.Products) sentences.List { return p.Curtains }),
		shades:   every(func(p *sentences.Products) sentences.List { return p.Shades }),
		awnings:  every(func(p *sentences.Products) sentences.List { return p.Awnings }),
		shutters: every(func(p *sentences.Products) sentences.List { return p.Shutters }),
		plugs:    every(func(p *sentences.Products) sentences.List { return p.Plugs }),
	}
	blinds := every(func(p *sentences.Products) sentences.List { return p.Blinds })
	p.coverings = slices.Concat(blinds, p.curtains, p.shades, p.awnings, p.shutters)
	return p
})

// hasWord reports whether a text contains one of the words in a list as a whole
// word, or a word that ends with one that may.
func hasWord(said string, list []string) bool {
	return slices.ContainsFunc(language.Words(said), func(w string) bool {
		return slices.ContainsFunc(list, func(known string) bool {
			tail, ends := strings.CutPrefix(known, "-")
			return w == known || ends && strings.HasSuffix(w, tail)
		})
	})
}

// namesLight reports whether a device has the name of something that gives light,
// or was sold as that.
func (n *node) namesLight() bool {
	return hasWord(n.display(), products().lights) || home.IsLight(n.display()) || hasWord(n.Product, products().lights)
}

// namesGate reports whether a device is called a gate, a door or a garage.
func (n *node) namesGate() bool { return home.NamesHazard(n.area(), n.display())&home.Gate != 0 }

// namesCover reports whether a Multilevel Switch has the name of something that
// moves.
func (n *node) namesCover() bool {
	name := n.display()
	return n.namesGate() || home.IsShade(name) || hasWord(name, products().coverings)
}

// namesWindow reports whether a motor that has the name of a window opens it. What
// has the name of a blind, or was sold as one, hangs before a window, and so does
// everything that is a Window Covering.
func (n *node) namesWindow() bool {
	name := n.display()
	return home.OpeningOf(name)&home.Window != 0 && !home.IsShade(name) && !hasWord(name, products().coverings) && !hasWord(n.Product, products().coverings) &&
		!slices.ContainsFunc(slices.Collect(maps.Keys(n.values)), func(id wire.ValueID) bool { return id.Class == wire.WindowCovering })
}

func (n *node) coverClass() string {
	name := n.display()
	switch {
	case n.namesGate():
		return "garage" // a garage's shade keeps the sun out, not burglars
	case n.namesWindow():
		return "window"
	case hasWord(name, products().curtains):
		return "curtain"
	case hasWord(name, products().awnings):
		return "awning"
	case hasWord(name, products().shades):
		return "shade"
	case hasWord(name, products().shutters):
		return "shutter"
	default:
		return "blind"
	}
}
