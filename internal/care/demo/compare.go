package demo

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"voicegateway/internal/doors/console"
)

// compare prints the house before and after, as the devices reported it.
func (d *demonstration) compare(before, after []seenNode) {
	was := map[string]seenNode{}
	for _, n := range before {
		was[n.Name] = n
	}
	var rows [][]string
	for _, n := range after {
		b, a := summary(was[n.Name]), summary(n)
		mark := ""
		if a != b {
			mark = "◀ changed"
		}
		rows = append(rows, []string{n.Loc, n.Name, b, a, mark})
	}
	fmt.Fprintln(d.Out, "\n"+d.Paint.Bold("The house before and after, as its devices report it:"))
	console.Table(d.Out, d.Paint, []string{"area", "device", "before", "after", ""}, rows)
}

// shown lists the values that show a device's state; the first that a device has is
// used. The unit is that of a value which tells none.
var shown = []struct{ key, unit string }{
	{"37-0-currentValue", ""},
	{"38-0-currentValue", " %"},
	{"106-0-currentValue-13", " %"},
	{"98-0-currentMode", ""},
	{"102-0-currentState", ""},
	{"67-0-setpoint-1", ""},
}

func summary(n seenNode) string {
	for _, s := range shown {
		v, ok := n.Values[s.key]
		if !ok {
			continue
		}
		return sayValue(s.key, s.unit, v)
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(n.Values)) {
		if v := n.Values[key]; v.Value != nil && v.Readable && (v.CommandClass == 49 || v.CommandClass == 48 || v.CommandClass == 113) {
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("%v %s", v.Value, v.Unit)))
		}
	}
	return strings.Join(parts, ", ")
}

// sayValue is a value in words.
func sayValue(key, unit string, v seenValue) string {
	if v.Unit != "" {
		unit = " " + v.Unit
	}
	switch {
	case v.Value == true:
		return "on"
	case v.Value == false:
		return "off"
	case strings.HasPrefix(key, "98-") && number(v.Value) == 255:
		return "locked"
	case strings.HasPrefix(key, "98-"):
		return "unlocked"
	}
	return fmt.Sprintf("%v%s", v.Value, unit)
}

// number reads a device's value as a number: true is 1.
func number(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case bool:
		if v {
			return 1
		}
		return 0
	default:
		return math.NaN()
	}
}
