package sim

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"voicegateway/internal/zwave/wire"
)

// components are the colour components of the recorded lamp: property keys, and
// names in whole colours.
var components = []struct{ key, name string }{{"0", "warmWhite"}, {"2", "red"}, {"3", "green"}, {"4", "blue"}}

// writeColour takes hexColor, targetColor as an object, or one component, and
// publishes what the recorded lamp did: after a whole colour all values that
// follow from it, without a read-back; after one component stale whole colours,
// and then a read-back.
func writeColour(a *air, c command) {
	n, at := c.node, c.value.id
	parts := c.colour()
	if len(parts) == 0 {
		c.done(outcome{status: statusInvalid, message: fmt.Sprintf("Color Switch: %q is not a supported property (ZW0322)", at.Property)})
		return
	}
	before, _ := n.find(at.With("currentColor", "")).believed.(map[string]any)
	current, target := mergeColours(before, nil), mergeColours(nil, n.find(at.With("targetColor", "")).believed)
	level := map[string]float64{}
	var changed []*value
	for _, part := range components {
		v := n.find(at.With("currentColor", part.key))
		if v == nil {
			continue
		}
		to, given := parts[part.name]
		if given {
			if c.obeyed {
				v.fact = to
				if t := n.target(v); t != nil {
					t.fact = to
				}
			}
			a.mqtt.claim(n, v, to)
			changed = append(changed, v)
		}
		level[part.name], _ = v.believed.(float64)
	}
	single := at.Key != ""
	if !single {
		for name, to := range parts {
			if _, has := level[name]; has {
				current[name], target[name] = to, to
			}
		}
	}
	whole := n.find(at.With("currentColor", ""))
	if c.obeyed {
		whole.fact = n.wholeColour(at)
	}
	a.mqtt.claim(n, whole, current)
	wanted := n.find(at.With("targetColor", ""))
	if len(target) > 0 {
		wanted.fact = target
		a.mqtt.claim(n, wanted, target)
	}
	hex := n.find(at.With("hexColor", ""))
	hexed := fmt.Sprintf("%02x%02x%02x", byte(level["red"]), byte(level["green"]), byte(level["blue"]))
	if c.obeyed {
		hex.fact = hexed
	}
	a.mqtt.claim(n, hex, hexed)
	if n.spec.Liar {
		c.done(outcome{status: statusDone})
		return
	}
	c.done(outcome{status: statusSent})
	if single {
		a.readBack(n, c.value, switchReadBack, append(n.colourTargets(c.value.id), append(changed, whole, hex)...)...)
	}
}

// colourTargets returns what the full report of a component carries in addition to the
// component: its target, that of the whole colour, and the duration.
func (n *node) colourTargets(target wire.ValueID) []*value {
	if !n.full() {
		return nil
	}
	return []*value{n.find(target.With("duration", "")), n.find(target), n.find(target.With("targetColor", ""))}
}

// wholeColour returns the whole colour that the device has.
func (n *node) wholeColour(at wire.ValueID) map[string]any {
	out := map[string]any{}
	for _, part := range components {
		if v := n.find(at.With("currentColor", part.key)); v != nil {
			out[part.name] = v.fact
		}
	}
	return out
}

// mergeColours returns a copy of a colour with the components of another put over it.
func mergeColours(a map[string]any, b any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, a)
	more, _ := b.(map[string]any)
	maps.Copy(out, more)
	return out
}

// colour returns what a write says about each component; empty if it is no
// colour.
func (c command) colour() map[string]float64 {
	out := map[string]float64{}
	switch to := c.goal.(type) {
	case string:
		bits, err := strconv.ParseUint(strings.TrimPrefix(to, "#"), 16, 32)
		if err == nil && c.value.id.Property == "hexColor" {
			out["red"], out["green"], out["blue"] = float64(bits>>16&255), float64(bits>>8&255), float64(bits&255)
		}
	case map[string]any:
		for name, level := range to {
			if n, ok := level.(float64); ok && c.value.id.Key == "" {
				out[name] = min(max(n, 0), 255)
			}
		}
	case float64:
		for _, part := range components {
			if part.key == c.value.id.Key {
				out[part.name] = min(max(to, 0), 255)
			}
		}
	}
	return out
}
