package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/language/numbers"
)

// Limits are the numbers that a command takes.
type Limits struct {
	From, To float64
	Scale    home.Scale // of degrees; "" for anything else
	Named    bool       // the scale is to be said, because another one was
}

// substitutes are numbers that commands take where they take any: percent and
// degrees, and degrees of colour.
func (m *Matcher) substitutes() []string {
	if m.house.Degrees() == home.Fahrenheit {
		return []string{"70", "20", "3000"}
	}
	return []string{"20", "3000"}
}

// beyond refuses a command with a number outside of the allowed range, and says what the
// range is: a light has no 150 percent.
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
		for _, number := range m.substitutes() {
			r := m.newRun(text[:at]+number+text[at+said.Length:], area, steps, false)
			if !r.search() || r.best[0].block.Meta.Reject != "" || r.best[0].block.Meta.Question {
				continue
			}
			return m.overLimit(&r.best[0], at, said.Value, area)
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
func (m *Matcher) overLimit(p *parse, at int, value float64, area string) (Decision, bool) {
	for i := range p.n {
		c := &p.captures[i]
		if c.at.op != opNumber || c.start != at || m.spanOf(c.at.list).Holds(value) {
			continue
		}
		why, limits := m.limitsOf(p, c, area)
		if why == "" || value >= limits.From && value <= limits.To {
			return Decision{}, false
		}
		return Decision{Route: Reject, Reason: why, Heard: p.span(opName), Limits: &limits}, true
	}
	return Decision{}, false
}

// limitsOf returns the range of the number in a slot and the refusal of another number; ""
// for a slot without limits.
func (m *Matcher) limitsOf(p *parse, c *capture, area string) (why Reason, limits Limits) {
	span := m.spanOf(c.at.list)
	limits = Limits{From: float64(span.From), To: float64(span.To)}
	switch c.at.slot {
	case "brightness", "position", "percentage", "volume_level":
		return PercentOutOfRange, Limits{From: 0, To: 100}
	case temperature:
		if p.block.Intent == catalogue.LightSet {
			return KelvinOutOfRange, limits
		}
		return DegreesOutOfRange, m.takes(m.resolve(p, area))
	case "delta":
		if p.block.Intent == catalogue.ClimateAdjust {
			limits.Scale = m.house.Degrees()
			return DegreesOutOfRange, limits
		}
		return PercentOutOfRange, limits
	}
	return "", limits
}
