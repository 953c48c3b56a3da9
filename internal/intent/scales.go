package intent

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"voicegateway/internal/home"
	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
)

// slotScale is the slot for the scale of a temperature, if it differs from the scale of
// the house.
const slotScale = "scale"

// temperature is the type of ranges that hold set points.
const temperature = "temperature"

// SpanIn returns the range in a house for a pack's definition: set points are in the
// scale of the house, and their range is that of its thermostats.
func SpanIn(d RangeDef, h *home.House) numbers.Range {
	span := Span(d)
	if d.Type != temperature || h == nil {
		return span
	}
	scale := h.Degrees()
	if scale == home.Fahrenheit {
		low, high := scale.Usual()
		span.From, span.To = int(low), int(high)
	}
	usual, _ := scale.Usual()
	for i := range h.Entities {
		low, high, ok := h.Entities[i].Takes(scale)
		if !ok {
			continue
		}
		if float64(span.From) <= usual { // a range that begins higher keeps clear of times of day
			span.From = min(span.From, int(math.Ceil(low)))
		}
		span.To = max(span.To, int(math.Floor(high)))
	}
	return span
}

// spanOf is the range of a list of numbers in the matcher's house.
func (m *Matcher) spanOf(l *list) numbers.Range {
	if !l.degrees || m.pack.Exact {
		return l.span
	}
	return m.degrees[l.span]
}

// measureDegrees works out the ranges of the set points, each once.
func (m *Matcher) measureDegrees(all []*list) {
	m.degrees = make(map[numbers.Range]numbers.Range)
	for _, l := range all {
		if l != nil && l.degrees {
			m.degrees[l.span] = SpanIn(RangeDef{From: l.span.From, To: l.span.To, Step: l.span.Step, Type: temperature, Fractions: fractionsOf(l.span)}, m.house)
		}
	}
}

func fractionsOf(span numbers.Range) string {
	switch {
	case span.Tenths:
		return "tenths"
	case span.Halves:
		return "halves"
	}
	return ""
}

// takes is the range of set points that the things of a decision have in common, in the
// scale of the house; the usual one where they tell none.
func (m *Matcher) takes(d Decision) Limits {
	scale := m.house.Degrees()
	low, high := math.Inf(-1), math.Inf(1)
	for _, a := range d.Actions {
		for _, id := range a.Devices {
			if e := m.house.Entity(id); e != nil {
				if from, to, ok := e.Takes(scale); ok {
					low, high = max(low, from), min(high, to)
				}
			}
		}
	}
	if math.IsInf(low, 0) || low >= high {
		low, high = scale.Usual()
	}
	return Limits{From: low, To: high, Scale: scale}
}

// inScale decides about a text with a temperature and its scale. It matches the text with
// the number converted to the scale of the house, and without the word for the scale.
func (m *Matcher) inScale(text, area string) (Decision, bool) {
	if m.pack.Exact || m.numbers == nil {
		return Decision{}, false
	}
	said, ok := m.scaleIn(text)
	if !ok {
		return Decision{}, false
	}
	scale := m.house.Degrees()
	here := said.as(said.scale.Setting(said.value, scale))
	d := m.decidePlain(here, here, area)
	if said.scale == scale {
		return d, true
	}
	if d.Route != Local {
		d = m.difference(d, &said, scale, area)
	}
	for i := range d.Actions {
		said.note(d.Actions[i].Slots, scale)
	}
	if d.Limits != nil {
		d.Limits.Named = true
	}
	return d, true
}

// difference reads a temperature with its scale as a number of degrees warmer or colder,
// if such a sentence fits; else it returns d.
func (m *Matcher) difference(d Decision, said *scaled, scale home.Scale, area string) Decision {
	ratio := map[home.Scale]float64{home.Celsius: 1 / 1.8, home.Fahrenheit: 1.8}[scale]
	by := said.as(max(math.Round(said.value*ratio*2)/2, 0.5))
	other := m.decidePlain(by, by, area)
	if other.Route == Local && slices.ContainsFunc(other.Actions, func(a Action) bool { return a.Slots["delta"] != nil }) {
		return other
	}
	return d
}

// note writes the scale of a temperature into the slots of an action. A question about a
// measurement compares the exact number.
func (s *scaled) note(slots map[string]any, scale home.Scale) {
	for _, slot := range []string{"above", "below"} {
		if slots[slot] != nil {
			slots[slot] = number(s.scale.Reading(s.value, scale))
		}
	}
	for _, slot := range []string{temperature, "above", "below", "delta"} {
		if slots[slot] != nil {
			slots[slotScale] = string(s.scale)
		}
	}
}

// scaled is a temperature that was said with its scale.
type scaled struct {
	before, degrees, after string // the text around it, and its word for degrees
	value                  float64
	scale                  home.Scale
}

// as is the text with another number in its place, in degrees without a scale.
func (s *scaled) as(value float64) string {
	return strings.Join(strings.Fields(s.before+" "+strconv.FormatFloat(value, 'f', -1, 64)+" "+s.degrees+" "+s.after), " ")
}

// scaleIn finds the first temperature in a text that is said with its scale.
func (m *Matcher) scaleIn(text string) (scaled, bool) {
	words := sentences.WordsOf(m.pack.Language).Warmth
	named := func(name string) bool { return utf8.RuneCountInString(name) > 1 && strings.Contains(text, name) }
	if !strings.ContainsAny(text, "0123456789") && !slices.ContainsFunc(slices.Concat(words.Celsius, words.Fahrenheit), named) {
		return scaled{}, false
	}
	var room [8]numbers.Reading
	for at := 0; at < len(text); at = nextWord(text, at) {
		readings := m.numbers.Read(room[:0], text[at:], numbers.Range{From: -500, To: 1000, Tenths: true})
		if len(readings) == 0 {
			continue
		}
		number := slices.MaxFunc(readings, func(a, b numbers.Reading) int { return a.Length - b.Length })
		end := at + number.Length
		degrees, n := degreesAt(text[end:], words.Degrees)
		if scale, after := scaleAt(text[end+n:], words, isDigit(text[end-1])); scale != "" {
			return scaled{before: text[:at], degrees: degrees, after: after, value: number.Value, scale: scale}, true
		}
	}
	return scaled{}, false
}

// scaleAt reads the word for a scale at the beginning of a text; "" if there is none. A
// single letter counts only after digits.
func scaleAt(text string, words sentences.Warmth, digits bool) (scale home.Scale, after string) {
	text = strings.TrimLeft(text, " ")
	for scale, names := range map[home.Scale]sentences.List{home.Celsius: words.Celsius, home.Fahrenheit: words.Fahrenheit} {
		for _, name := range names {
			rest, ok := strings.CutPrefix(text, name)
			letter := utf8.RuneCountInString(name) == 1
			if ok && (rest == "" || rest[0] == ' ') && (digits || !letter) {
				return scale, rest
			}
		}
	}
	return "", ""
}

// degreesAt reads the word for degrees at the beginning of a text. It returns the word in
// the form after a number, and how many bytes were read.
func degreesAt(text string, words sentences.List) (usual string, length int) {
	rest := strings.TrimLeft(text, " ")
	for _, w := range words {
		if utf8.RuneCountInString(w) > 1 && len(w) > len(usual) && !strings.HasPrefix(w, "°") {
			usual = w
		}
	}
	for _, w := range words {
		if letter := utf8.RuneCountInString(w) == 1 && w != "°"; !letter && !strings.HasPrefix(w, "°c") && strings.HasPrefix(rest, w) {
			length = max(length, len(text)-len(rest)+len(w))
		}
	}
	if strings.HasPrefix(rest, "°") {
		length = max(length, len(text)-len(rest)+len("°"))
	}
	return usual, length
}
