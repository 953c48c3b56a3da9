package home

import (
	"slices"
	"strings"
	"unicode"

	"voicegateway/internal/language/text"
)

// Hazard says what a misheard word may do by opening or switching on a thing
// (REQUIREMENTS S1); several can be true at once.
type Hazard uint8

// The hazards. Zero means harmless.
const (
	Gate Hazard = 1 << iota // it lets people in: a gate, a door, a garage
	Hot                     // it cooks or heats what can burn
	Wet                     // it lets out water or gas
	Loud                    // it is a siren or an alarm
)

// Hazards says what opening or switching on a thing may do. It looks at all names
// of the thing, in any of our languages, because families name a relay as they like
// and its class says nothing: one dangerous name of several is enough. A lamp, a
// blind and the like at a dangerous place are harmless, but only if the name is
// about the lamp ("garage light", not "light gate"). The area completes short
// names: an opener in the garage opens the garage.
func (e *Entity) Hazards() Hazard {
	if slices.Contains(harmlessDomains, e.Domain) {
		return 0
	}
	names := append([]string{e.Name}, e.Aliases...)
	var h Hazard
	if e.dims() {
		h = NamesHazard(e.Area, names...)
	} else {
		h = LikelyHazard(e.Area, names...)
	}
	switch {
	case e.Domain == "climate":
		h &= Hot // a thermostat is called after its room, its valve opens a radiator
	case e.Domain == "valve":
		h |= Wet
	case e.Domain == "water_heater":
		h |= Hot
	case e.Domain == "siren":
		h |= Loud
	case e.Domain == "cover":
		if slices.Contains(gateClasses, e.DeviceClass()) || letsIn(e.Area) && !aboutHarmless(splitName(e.Name)) {
			h |= Gate
		}
	case e.DeviceClass() == "siren":
		h |= Loud
	}
	return h
}

// dims reports whether a thing is a lamp with more to it than a relay has.
func (e *Entity) dims() bool {
	return e.Domain == "light" && (len(e.Abilities) == 0 || e.Can(Brightness) || e.Can(Colour))
}

// NamesHazard returns the hazards that the names of a thing tell of, whatever kind
// of thing it is.
func NamesHazard(area string, names ...string) Hazard {
	var h Hazard
	place := splitName(area)
	for _, name := range names {
		h |= nameHazard(place, splitName(name))
	}
	return h
}

// IsShade reports whether a name is about something that keeps the sun out.
func IsShade(name string) bool { return splitName(name).about(&known().shades) }

// IsLight reports whether a name is about something that gives light.
func IsLight(name string) bool { return splitName(name).about(&known().lights) }

// IsHarmless reports whether a name is about something that is harmless wherever it
// stands: a lamp, a blind, a fan, a bell.
func IsHarmless(name string) bool { return aboutHarmless(splitName(name)) }

func nameHazard(place, name phrase) Hazard {
	h := name.hazard() | slices.Concat(place, name).compoundHazard()
	if place.hazard()&Gate != 0 && slices.ContainsFunc(name, func(w string) bool { return known().openers[w] }) {
		h |= Gate
	}
	if h == 0 || !aboutHarmless(name) {
		if h == Gate && name.onlyRoom() {
			return 0
		}
		return h
	}
	if slices.ContainsFunc(name, func(w string) bool { return known().conjunctions[w] }) && !name.onlyRoom() {
		return h // "gate and light" is a gate as well
	}
	return 0
}

// phrase is a name as plain words: lower case, accents folded, umlauts spelt out.
type phrase []string

// splitName cuts a name wherever people put words together: blanks, hyphens,
// underscores, digits, inner capitals.
func splitName(name string) phrase {
	var out phrase
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	var last rune
	for _, r := range lookOf(name) {
		switch {
		case unicode.Is(unicode.Cf, r): // an invisible character that joins words
			continue
		case r == '\u0308' && strings.ContainsRune("aouAOU", last):
			word.WriteByte('e')
		case unicode.IsMark(r):
			continue
		case strings.ContainsRune("&+/,;", r):
			end()
			out = append(out, joint)
		case strings.ContainsRune("([{", r):
			end()
			out = append(out, remark)
		case !unicode.IsLetter(r):
			end()
		default:
			if unicode.IsUpper(r) && unicode.IsLower(last) {
				end()
			}
			word.WriteString(text.SpeltOut(string(unicode.ToLower(r))))
		}
		last = r
	}
	end()
	for len(out) > 0 && known().conjunctions[out[len(out)-1]] { // "Shade+"
		out = out[:len(out)-1]
	}
	return out
}

// hazard is the hazard of the words of a name, one by one and together.
func (p phrase) hazard() Hazard {
	h := p.compoundHazard()
	for _, w := range p {
		h |= wordHazard(w)
	}
	if i := slices.IndexFunc(p, func(w string) bool { return !known().articles[w] }); i >= 0 {
		h |= known().begins[p[i]] // French "four" is a number in English
	}
	return h
}

// compoundHazard is the hazard that words have only together.
func (p phrase) compoundHazard() Hazard {
	var h Hazard
	text := " " + strings.Join(p, " ") + " "
	for words, hazard := range known().together {
		if strings.Contains(text, " "+words+" ") {
			h |= hazard
		}
	}
	return h
}

func wordHazard(w string) Hazard {
	k := known()
	for _, tail := range k.drives { // "hoftorantrieb" moves a "hoftor"
		if base, ok := strings.CutSuffix(w, tail); ok && base != "" {
			if h := wordHazard(base); h != 0 {
				return h
			}
		}
	}
	if h := k.alone[w] | k.alone[strings.TrimSuffix(w, "s")]; h != 0 {
		return h
	}
	for tail, h := range k.tails {
		if strings.HasSuffix(w, tail) && !k.none[w] {
			return h
		}
	}
	for _, form := range k.gates {
		if m := form.FindStringSubmatch(w); m != nil && !k.none[m[len(m)-1]] {
			return Gate
		}
	}
	return 0
}

// onlyRoom reports whether everything that sounds dangerous in a name is the garage
// as the room of an appliance: a garage freezer, a plug in the garage.
func (p phrase) onlyRoom() bool {
	k := known()
	appliance := aboutHarmless(p)
	for _, w := range p {
		if k.rooms[w] {
			continue
		}
		if wordHazard(w) != 0 || k.openers[w] {
			return false
		}
		appliance = appliance || k.appliances[w]
	}
	return appliance || len(p) > 1 && k.beforeRoom[p[0]]
}

func aboutHarmless(p phrase) bool {
	k := known()
	return p.about(&k.lights) || p.about(&k.shades) || p.about(&k.harmless)
}

// about reports whether a name is about one of some things. English and German put
// the thing last, French and Spanish first; the words after a preposition only say
// where it is.
func (p phrase) about(a *aboutWords) bool {
	p = p.core()
	if len(p) == 0 {
		return false
	}
	last := p[len(p)-1]
	return a.last[last] || a.first[p[0]] ||
		slices.ContainsFunc(a.tails, func(tail string) bool { return strings.HasSuffix(last, tail) && !a.never[last] })
}

// core is a name without the articles in front, without the words from a
// preposition on, and without the words at the end that only number or switch the
// thing.
func (p phrase) core() phrase {
	k := known()
	for len(p) > 0 && k.articles[p[0]] {
		p = p[1:]
	}
	if i := slices.IndexFunc(p, func(w string) bool { return k.prepositions[w] }); i > 0 {
		p = p[:i]
	}
	for len(p) > 0 && (len(p[len(p)-1]) == 1 || k.carriers[p[len(p)-1]]) {
		p = p[:len(p)-1]
	}
	return p
}
