package examples

import (
	"cmp"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/text"
)

// kinds are what a language says of each kind of thing, and without a thing; each list
// is tried in its order. {} stands for a name, # for a temperature.
type kinds struct {
	cover, climate, lock []string
	timer, undo          []string
}

var wordingsByKind = map[string]kinds{
	"en": {
		cover: []string{"close the {}", "close {}"}, climate: []string{"set the {} to # degrees", "set {} to # degrees"}, lock: []string{"lock the {}", "lock {}"},
		timer: []string{"set a timer for five minutes"}, undo: []string{"undo that"},
	},
	"de": {
		cover: []string{"schließe {}", "mach {} zu"}, climate: []string{"stell {} auf # Grad", "stell die {} auf # Grad", "stell das {} auf # Grad"},
		lock: []string{"schließ {} ab", "schließ die {} ab"}, timer: []string{"stelle einen Timer auf fünf Minuten"}, undo: []string{"rückgängig", "mach das rückgängig"},
	},
	"fr": {
		cover: []string{"ferme {}", "ferme le {}", "ferme la {}"}, climate: []string{"mets {} à # degrés", "mets le {} à # degrés", "règle {} à # degrés"},
		lock: []string{"verrouille {}", "verrouille la {}"}, timer: []string{"mets un minuteur de cinq minutes"}, undo: []string{"annule ça", "annule"},
	},
	"es": {
		cover: []string{"cierra {}", "cierra la {}", "cierra el {}"}, climate: []string{"pon {} a # grados", "pon la {} a # grados", "pon el {} a # grados"},
		lock: []string{"cierra con llave {}", "cierra con llave la {}", "bloquea {}"}, timer: []string{"pon un temporizador de cinco minutos"}, undo: []string{"deshazlo", "deshaz eso"},
	},
}

// mostThings is how many sentences of a tour are about a thing that is moved or switched.
const mostThings = 3

// Tour are sentences that the matcher understands in a house, one for each kind of what
// can be said there: a light, a blind, the heating or a lock, those of an area first, a
// question, a timer and taking back. What a house does not have is left out.
func Tour(matcher *intent.Matcher, language string, house *home.House, area string) []string {
	t, k := trial{matcher, wordings[language], area}, wordingsByKind[language]
	if house == nil {
		house = &home.House{}
	}
	var all []string
	add := func(sentence string) {
		if sentence != "" && len(all) < mostThings {
			all = append(all, sentence)
		}
	}
	add(t.first(candidates(house, area), t.on))
	add(t.first(ofDomain(house, area, "cover"), k.cover))
	add(t.first(ofDomain(house, area, "climate"), atDegrees(k.climate, house)))
	if undo := t.known(k.undo); len(all) > 0 && undo != "" { // the first sentence can be taken back
		all = slices.Insert(all, 1, undo)
	}
	add(t.first(ofDomain(house, area, "lock"), k.lock))
	question := t.first(candidates(house, area), t.state)
	if asked := t.warmest(house, func(string) bool { return true }); len(asked) > 0 {
		question = asked[0]
	}
	if question != "" {
		all = append(all, question)
	}
	if timer := t.known(k.timer); timer != "" {
		all = append(all, timer)
	}
	return all
}

// known returns the first sentence that is understood, or "".
func (t trial) known(said []string) string {
	i := slices.IndexFunc(said, func(s string) bool { return t.matcher.Match(s, t.area).Route == intent.Local })
	if i < 0 {
		return ""
	}
	return said[i]
}

// first returns the first sentence about one of some things that is understood, or "".
func (t trial) first(things []home.Entity, said []string) string {
	for _, e := range things {
		if s := t.about(said, e, e.Name); s != "" {
			return s
		}
	}
	return ""
}

// ofDomain returns the things of a domain that can be controlled and do not guard the
// house, those of the area first. Locks guard it and are included, because locking is
// harmless.
func ofDomain(house *home.House, area, domain string) []home.Entity {
	var all []home.Entity
	for _, e := range house.Entities {
		if e.Domain == domain && e.Control != nil && e.Name != "" && (domain == "lock" || e.Hazards() == 0) {
			all = append(all, e)
		}
	}
	away := func(e home.Entity) int {
		if text.Folded(e.Area) == text.Folded(area) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b home.Entity) int { return cmp.Compare(away(a), away(b)) })
	return all[:min(len(all), mostTried)]
}

// atDegrees are sentences with a temperature that is comfortable in the house's scale.
func atDegrees(said []string, house *home.House) []string {
	value := "20"
	if house.Degrees() == home.Fahrenheit {
		value = "68"
	}
	out := make([]string, len(said))
	for i, s := range said {
		out[i] = strings.ReplaceAll(s, "#", value)
	}
	return out
}
