package reply

import (
	"maps"
	"math"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// comparison answers which of several rooms is the warmest, or has the most of
// what is measured.
type comparison struct{ *Phrases }

// measure is what was read in one room.
type measure struct {
	room  string
	value float64
	unit  string
	known bool
	read  observation
}

// sayRoom says which room it is. For a room without a reading it says so, and never claims
// that it is less warm than another.
func (c *comparison) sayRoom(steps []plan.Step, results []tools.Result) string {
	slots := steps[0].Action.Slots
	named, _ := slots["areas"].([]string)
	rooms := c.measures(steps, results, named)
	known := slices.DeleteFunc(slices.Clone(rooms), func(m measure) bool { return !m.known })
	var missing []home.Called
	for _, m := range rooms {
		if !m.known {
			missing = append(missing, c.room(m.room))
		}
	}
	best := c.best(known, slots["compare"] == "most")
	var said []string
	switch {
	case len(known) == 0:
	case len(named) > 0 && len(known) == 1:
		said = append(said, capital(c.at("room_at", best, nil)))
	case len(named) > 0:
		said = append(said, c.ofTwo(slots, known, best, named[0]))
	default:
		said = append(said, capital(c.at(c.word(slots, true), best, nil)))
	}
	if len(missing) > 0 {
		said = append(said, c.Phrase("no_reading_in", map[string]any{"names": c.grammar.join(missing, "and")}))
	}
	for _, m := range known {
		if m.read.old() {
			return c.addAge(strings.Join(said, " "), &m.read)
		}
	}
	return strings.Join(said, " ")
}

// ofTwo answers a question about two rooms: which it is, or whether it is the first.
func (c *comparison) ofTwo(slots map[string]any, known, best []measure, first string) string {
	other := known[0]
	if other.room == best[0].room {
		other = known[1]
	}
	text := c.at(c.word(slots, false), best, map[string]any{"least": sayValue(other.value)})
	if len(best) > 1 {
		text = c.at("both_at", best, nil)
	}
	switch {
	case slots["ask"] != "than":
		return capital(text)
	case len(best) == 1 && best[0].room == first:
		return c.Phrase("answer_yes", map[string]any{"text": text})
	}
	return c.Phrase("answer_no", map[string]any{"text": text})
}

// at fills a phrase with the rooms of the same value.
func (c *comparison) at(key string, rooms []measure, more map[string]any) string {
	var places []home.Called
	for _, m := range rooms {
		places = append(places, c.room(m.room))
	}
	args := map[string]any{"place": c.grammar.join(places, "and"), "value": sayValue(rooms[0].value), "unit": rooms[0].unit, "is": c.grammar.words["is"]}
	if len(rooms) > 1 {
		args["is"] = c.grammar.words["are"]
	}
	maps.Copy(args, more)
	return c.Phrase(key, args)
}

// word is the key for what is compared: warmer, or coldest.
func (c *comparison) word(slots map[string]any, superlative bool) string {
	words := map[any][2]string{"most": {"warmer", "warmest"}, "least": {"colder", "coldest"}}
	if slots["device_class"] == "humidity" {
		words = map[any][2]string{"most": {"damper", "dampest"}, "least": {"drier", "driest"}}
	}
	if superlative {
		return words[slots["compare"]][1]
	}
	return words[slots["compare"]][0]
}

// measures gathers one reading for each room: the first that is known.
func (c *comparison) measures(steps []plan.Step, results []tools.Result, named []string) []measure {
	var rooms []measure
	for _, name := range named {
		rooms = append(rooms, measure{room: name})
	}
	for i := range steps {
		room := steps[i].Entity.Area
		at := slices.IndexFunc(rooms, func(m measure) bool { return strings.EqualFold(m.room, room) })
		if at < 0 {
			at, rooms = len(rooms), append(rooms, measure{room: room})
		}
		if !rooms[at].known {
			c.read(&rooms[at], &steps[i], results[i])
		}
	}
	return rooms
}

// read takes a number that a device reports now.
func (c *comparison) read(m *measure, s *plan.Step, r tools.Result) {
	o, ok := observe(s, r)
	if !ok || o.Reachable != nil && !*o.Reachable {
		return
	}
	class, _ := s.Action.Slots["device_class"].(string)
	number, isNumber := o.State.(float64)
	if v, ok := o.Values[class].(float64); ok {
		number, isNumber = v, true
	}
	_, m.unit = c.readings.value(s, o)
	m.value, m.known, m.read = math.Round(number*10)/10, isNumber, o
}

// best are the rooms of the highest value, or of the lowest.
func (c *comparison) best(known []measure, most bool) []measure {
	var out []measure
	for _, m := range known {
		switch {
		case len(out) == 0 || m.value == out[0].value:
			out = append(out, m)
		case (m.value > out[0].value) == most:
			out = []measure{m}
		}
	}
	return out
}

// room is the name of a room inside a sentence: "the office".
func (c *comparison) room(name string) home.Called { return c.grammar.names.CallRoom(name) }
