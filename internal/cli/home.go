package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/doors/console"
	"voicegateway/internal/home"
)

// tellHome prints a line for each device, area by area.
func tellHome(out io.Writer, paint console.Paint, house home.Snapshot) {
	if len(house.Entities) == 0 {
		fmt.Fprintln(out, "No device is known yet; voice-gateway servers shows whether the servers that know them are connected.")
		return
	}
	slices.SortStableFunc(house.Entities, func(x, y home.EntityState) int {
		return cmp.Or(strings.Compare(x.Area, y.Area), strings.Compare(x.Name, y.Name))
	})
	var rows [][]string
	for _, e := range house.Entities {
		rows = append(rows, []string{cmp.Or(e.Area, "-"), e.Name, e.Domain, stateOf(e), reach(e), cmp.Or(e.Server, "-")})
	}
	console.Table(out, paint, []string{"area", "device", "kind", "state", "reachable", "server"}, rows)
}

// reach says whether a device can be reached: yes, no, or ? if that is not known.
func reach(e home.EntityState) string {
	switch {
	case e.Reachable == nil:
		return "?"
	case *e.Reachable:
		return "yes"
	default:
		return "no"
	}
}

// stateOf is the state of a device, with its unit where it is a number.
func stateOf(e home.EntityState) string {
	text := stateText(e.State)
	unit, _ := e.Attributes["unit"].(string)
	if _, err := strconv.ParseFloat(text, 64); err != nil || unit == "" {
		return text
	}
	return text + " " + unit
}

// stateText is a state as a word; a state of several values is shown as JSON.
func stateText(state any) string {
	switch s := state.(type) {
	case nil:
		return "?"
	case string:
		return s
	case bool, float64:
		return fmt.Sprint(s)
	default:
		text, err := json.Marshal(s)
		if err != nil {
			return "?"
		}
		return string(text)
	}
}
