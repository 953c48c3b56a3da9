package sim

import (
	"fmt"
	"strconv"
	"strings"

	"voicegateway/internal/zwave/wire"
)

// writeColour takes hexColor, targetColor as an object, or one component, and
// publishes all of them as the recorded lamp does.
func writeColour(s *Sim, c command) {
	n, at := c.node, c.value.id
	rgb := map[string]float64{}
	for _, part := range components {
		rgb[part.name], _ = n.find(at.With("currentColor", part.key)).fact.(float64)
	}
	if !mix(rgb, c) {
		c.done(outcome{status: statusInvalid, message: "Color Switch: not a colour"})
		return
	}
	var changed []*value
	all := map[string]any{}
	for _, part := range components {
		v := n.find(at.With("currentColor", part.key))
		if !n.spec.Deaf {
			v.fact = rgb[part.name]
		}
		all[part.name] = rgb[part.name]
		s.claim(n, v, rgb[part.name])
		changed = append(changed, v)
	}
	hex := fmt.Sprintf("%02x%02x%02x", int(rgb["red"]), int(rgb["green"]), int(rgb["blue"]))
	for name, to := range map[string]any{"currentColor": all, "targetColor": all, "hexColor": hex} {
		v := n.find(at.With(name, ""))
		if !n.spec.Deaf {
			v.fact = to
		}
		s.claim(n, v, to)
	}
	c.done(outcome{status: statusSent})
	s.readBack(n, switchReadBack, append(changed, n.find(at.With("currentColor", "")), n.find(at.With("hexColor", "")))...)
}

// mix puts a write's colour into rgb; false if it is none.
func mix(rgb map[string]float64, c command) bool {
	switch to := c.to.(type) {
	case string:
		bits, err := strconv.ParseUint(strings.TrimPrefix(to, "#"), 16, 32)
		if err != nil || c.value.id.Property != "hexColor" {
			return false
		}
		rgb["red"], rgb["green"], rgb["blue"] = float64(bits>>16&255), float64(bits>>8&255), float64(bits&255)
	case map[string]any:
		for name, level := range to {
			if n, ok := level.(float64); ok {
				rgb[name] = n
			}
		}
	case float64:
		for _, part := range components {
			if part.key == c.value.id.Key {
				rgb[part.name] = to
			}
		}
	default:
		return false
	}
	return c.value.id.Class == wire.ColorSwitch
}
