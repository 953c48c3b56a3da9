package zwave

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// More generic device classes, from the Z-Wave device class list. They tell what a
// device is while its values are not known.
const (
	genericThermostat  = 8
	genericMeter       = 49
	genericLock        = 64
	specificBarrier    = 7
	genericNotifier    = 7
	genericBinarySense = 32
	genericLevelSense  = 33
	genericAlarm       = 161
)

// unreadEntities makes an entity of a node that has a name and no values: one that
// was dead when the gateway started, or that is still being asked what it can do.
// Its kind is a guess, so that it is found, and missed, where people expect it.
func (n *node) unreadEntities() []*entity {
	if n.Ready || strings.TrimSpace(n.Name) == "" {
		return nil
	}
	e := &entity{Name: n.display(), node: n, unread: true, main: wire.ValueID{Node: n.ID}, parts: map[part]wire.ValueID{}}
	e.Domain, e.Class, e.abilities = n.likelyKind()
	return []*entity{e}
}

// likelyKind guesses what a node is: by its device class, where the gateway knows
// that, else by its name.
func (n *node) likelyKind() (domain, class string, abilities []home.Ability) {
	name := n.display()
	switch generic := n.Class.Generic; {
	case generic == 0:
		return n.kindByName()
	case generic == genericLock && n.Class.Specific == specificBarrier:
		return "cover", "garage", []home.Ability{home.OpenClose}
	case generic == genericLock:
		return "lock", "", []home.Ability{home.Lock}
	case generic == genericThermostat:
		return "climate", "", []home.Ability{home.Setpoint}
	case generic == genericLevelSense, generic == genericMeter:
		return "sensor", likelySensor(name), nil
	case slices.Contains([]int{genericNotifier, genericBinarySense, genericAlarm}, generic):
		return "binary_sensor", likelySensor(name), nil
	case generic != genericMultilevel:
		return n.kindOfSwitch()
	case motor(n.Class), n.namesCover():
		return "cover", n.coverClass(), []home.Ability{home.OpenClose}
	case n.Class.Specific == specificFan, hasWord(name, products().fans):
		return "fan", "", []home.Ability{home.OnOff}
	default:
		return "light", "", []home.Ability{home.OnOff, home.Brightness}
	}
}

// kindByName guesses the kind of a node of which only the name is known.
func (n *node) kindByName() (domain, class string, abilities []home.Ability) {
	name := n.display()
	switch sensor := likelySensor(name); {
	case hasWord(name, lockWords):
		return "lock", "", []home.Ability{home.Lock}
	case n.namesCover():
		return "cover", n.coverClass(), []home.Ability{home.OpenClose}
	case hasWord(name, []string{"thermostat", "radiator"}):
		return "climate", "", []home.Ability{home.Setpoint}
	case sensor != "" && !n.namesLight():
		return "binary_sensor", sensor, nil
	default:
		return n.kindOfSwitch()
	}
}

// kindOfSwitch guesses by its name what a switch switches.
func (n *node) kindOfSwitch() (domain, class string, abilities []home.Ability) {
	name, hazard := n.display(), home.NamesHazard(n.area(), n.display())
	switch {
	case hazard&home.Wet != 0:
		return "valve", "valve", []home.Ability{home.OpenClose}
	case hazard == 0 && hasWord(name, products().fans):
		return "fan", "", []home.Ability{home.OnOff}
	case hazard == 0 && n.namesLight():
		return "light", "", []home.Ability{home.OnOff}
	default:
		return "switch", "", []home.Ability{home.OnOff}
	}
}

var lockWords = []string{"lock", "locks", "deadbolt", "bolt", "latch"}

// likelySensor guesses from a name what a sensor watches; empty where it does not
// tell.
func likelySensor(name string) string {
	for _, guess := range []struct {
		class string
		words []string
	}{
		{"motion", []string{"motion", "presence", "occupancy"}},
		{"moisture", []string{"leak", "water", "flood"}},
		{"smoke", []string{"smoke", "fire"}},
		{"carbon_monoxide", []string{"monoxide", "co"}},
		{"window", []string{"window", "windows"}},
		{"door", []string{"door", "doors", "hatch"}},
		{"temperature", []string{"temperature", "thermometer"}},
		{"humidity", []string{"humidity"}},
	} {
		if hasWord(name, guess.words) {
			return guess.class
		}
	}
	return ""
}

// unknown says why the state of a thing is not known.
func (e *entity) unknown(reachable bool) string {
	if reachable {
		return beingAsked(e.Name)
	}
	return e.Name + " does not answer, and nothing is known of it yet. Check that it has power."
}

// wakeLook is the pause between two looks at the gateway's list while it reads a
// node.
const wakeLook = 500 * time.Millisecond

// revive calls a node without values and, when it answers, waits until the gateway
// has read it. The receipt says why there is nothing to command.
func (c *commander) revive(ctx context.Context, e *entity, r tools.Receipt) (*model, *entity, *tools.Receipt) {
	c.devices.recheckStick(ctx)
	if gateway, driver := c.link.available(); !gateway || !driver {
		_, err := c.link.gateway()
		why, text := c.link.diagnose(cmp.Or(err, errNoAnswer))
		no := form.End(r, tools.NoAnswer, why, text)
		return nil, nil, &no
	}
	if q := c.inquire(ctx, e.node, true); !q.answers() {
		no := c.silent(e, r, q)
		return nil, nil, &no
	}
	for {
		m, _ := c.directory.renewed(ctx)
		for _, now := range m.entities {
			if now.node.ID == e.node.ID && !now.unread && (now.Domain == e.Domain || !isSensor(now)) {
				return m, now, nil
			}
		}
		if !sleep(ctx, wakeLook) {
			no := form.End(r, tools.NoAnswer, tools.NotReady, e.Name+" is back, and still tells the gateway what it can do. Say it again in a moment.")
			return nil, nil, &no
		}
	}
}
