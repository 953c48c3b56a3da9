package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"voicegateway/internal/home"
)

// Bounds of what a server may tell: events at once, and bytes of a name.
const (
	mostEvents = 1024
	longest    = 200
)

// Presses are what may happen to a button, in the words of configuration and MQTT.
func Presses() []string {
	return []string{"pressed", "double", "triple", "quadruple", "quintuple", "held", "released"}
}

// report is the body of a server's resource of events.
type report struct {
	Boot   string
	Next   uint64
	Events []home.Event // in order, none twice
}

// decode reads a report of any server. Events that make no sense are left out and
// counted; so are those beyond the bounds, the oldest first.
func decode(body []byte) (told report, dropped int, err error) {
	var in struct {
		Boot   string            `json:"boot"`
		Next   uint64            `json:"next"`
		Events []json.RawMessage `json:"events"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return report{}, 0, fmt.Errorf("reading the events of a house: %w", err)
	}
	if in.Boot == "" || len(in.Boot) > longest || in.Next == 0 {
		return report{}, 0, errors.New(`reading the events of a house: expected {"boot": "a word for each start", "next": number of the event to come, "events": […]}`)
	}
	told = report{Boot: in.Boot, Next: in.Next}
	if over := len(in.Events) - mostEvents; over > 0 {
		in.Events, dropped = in.Events[over:], over
	}
	last := uint64(0)
	for _, raw := range in.Events {
		var e home.Event
		if json.Unmarshal(raw, &e) != nil || e.Seq <= last || e.Seq >= in.Next || !sensible(&e) {
			dropped++
			continue
		}
		last = e.Seq
		told.Events = append(told.Events, e)
	}
	return told, dropped, nil
}

// sensible reports whether an event says something, and takes the signs out of its
// names that would end a line, or do worse, where a name is shown.
func sensible(e *home.Event) bool {
	for _, name := range []*string{&e.Thing, &e.Area, &e.Class, &e.Property} {
		if len(*name) > longest {
			return false
		}
		*name = onOneLine(*name)
	}
	if e.Thing == "" || len(e.Entity) > longest || e.Time.IsZero() {
		return false
	}
	switch e.Kind {
	case home.Pressed:
		e.State, e.Before, e.First, e.Ours, e.Unsure = nil, nil, false, false, false
		return slices.Contains(Presses(), e.Press)
	case home.Belied:
		e.First = false
		return tellsState(e) && e.Property != "" && e.Before != nil
	case home.Reported:
		e.Unsure = false
		return tellsState(e)
	default:
		return false
	}
}

// tellsState reports whether an event tells a state of a thing.
func tellsState(e *home.Event) bool {
	e.Press = ""
	return e.Entity != "" && scalar(e.State) && (e.Before == nil || scalar(e.Before))
}

func scalar(v any) bool {
	switch v := v.(type) {
	case bool, float64:
		return true
	case string:
		return v != "" && len(v) <= longest && onOneLine(v) == v
	default:
		return false
	}
}

func onOneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) && r != unicode.ReplacementChar {
			return r
		}
		return ' '
	}, text))
}
