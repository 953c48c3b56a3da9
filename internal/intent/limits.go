package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/numbers"
)

// Limits are the numbers that a command takes.
type Limits struct{ From, To float64 }

// substitutes are numbers that commands take where they take any: percent and
// degrees, and degrees of colour.
var substitutes = []string{"20", "3000"}

// beyond refuses a command whose number is outside of what such a command takes,
// and says what it takes: a light has no 150 percent.
func (m *Matcher) beyond(text, area string, steps *int) (Decision, bool) {
	lang, ok := numbers.For(m.pack.Language)
	if !ok {
		return Decision{}, false
	}
	var room [8]numbers.Reading
	for at := 0; at < len(text); at = nextWord(text, at) {
		readings := lang.Read(room[:0], text[at:], numbers.Range{From: -1000, To: 100_000})
		if len(readings) == 0 {
			continue
		}
		said := slices.MaxFunc(readings, func(a, b numbers.Reading) int { return a.Length - b.Length })
		for _, number := range substitutes {
			r := m.newRun(text[:at]+number+text[at+said.Length:], area, steps, false)
			if !r.search() || r.best[0].block.Meta.Reject != "" || r.best[0].block.Meta.Question {
				continue
			}
			return overLimit(&r.best[0], at, said.Value)
		}
	}
	return Decision{}, false
}

func nextWord(text string, at int) int {
	if n := strings.IndexByte(text[at:], ' '); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// overLimit makes the refusal of a number that stands at a place of a parse; ok is
// false if the number is not the trouble.
func overLimit(p *parse, at int, value float64) (Decision, bool) {
	for i := range p.n {
		c := &p.captures[i]
		if c.at.op != opNumber || c.start != at || c.at.list.span.Holds(value) {
			continue
		}
		unit, limits := limitsOf(p.block.Intent, c)
		if unit == "" || value >= limits.From && value <= limits.To {
			return Decision{}, false
		}
		return Decision{Route: Reject, Reason: "out_of_range_" + unit, Heard: p.span(opName), Limits: &limits}, true
	}
	return Decision{}, false
}

// limitsOf returns what the number in a slot is measured in, and between which
// numbers it may be; "" for a slot that says nothing of the kind.
func limitsOf(intent string, c *capture) (unit string, limits Limits) {
	span := c.at.list.span
	limits = Limits{float64(span.From), float64(span.To)}
	switch c.at.slot {
	case "brightness", "position", "percentage", "volume_level":
		return "percent", Limits{0, 100}
	case "temperature":
		if intent == catalogue.LightSet {
			return "kelvin", limits
		}
		return "degrees", Limits{5, 35}
	case "delta":
		if intent == catalogue.ClimateAdjust {
			return "degrees", limits
		}
		return "percent", limits
	}
	return "", limits
}
