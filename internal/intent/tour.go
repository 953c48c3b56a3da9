package intent

import (
	"cmp"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// mostActs is how many sentences of a tour move or switch a thing.
const mostActs = 3

// Tour are sentences that the matcher understands in a house, one for each kind of what
// can be said there: a light, a blind, the heating or a lock, those of an area first, a
// question, a timer and taking back. What a house does not have is left out.
func Tour(matcher *Matcher, language string, house *home.House, area string) []string {
	t := exampleTrial{matcher, sentences.WordsOf(language).Examples, area}
	if house == nil {
		house = &home.House{}
	}
	var all []string
	add := func(sentence string) {
		if sentence != "" && len(all) < mostActs {
			all = append(all, sentence)
		}
	}
	add(t.first(harmlessThings(house, area), t.On))
	add(t.first(ofDomain(house, area, "cover"), t.Cover))
	add(t.first(ofDomain(house, area, "climate"), atDegrees(t.Climate, house)))
	if undo := t.firstUnderstood(t.Undo); len(all) > 0 && undo != "" { // the first sentence can be taken back
		all = slices.Insert(all, 1, undo)
	}
	add(t.first(ofDomain(house, area, "lock"), t.Lock))
	question := t.first(harmlessThings(house, area), t.State)
	if asked := t.warmest(house, func(string) bool { return true }); len(asked) > 0 {
		question = asked[0]
	}
	if question != "" {
		all = append(all, question)
	}
	if timer := t.firstUnderstood(t.Timer); timer != "" {
		all = append(all, timer)
	}
	return all
}

// firstUnderstood returns the first sentence that is understood, or "".
func (t exampleTrial) firstUnderstood(said []string) string {
	i := slices.IndexFunc(said, func(s string) bool { return t.matcher.Match(s, t.area).Route == Local })
	if i < 0 {
		return ""
	}
	return said[i]
}

// first returns the first sentence about one of some things that is understood, or "".
func (t exampleTrial) first(things []home.Entity, said []string) string {
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
		if text.Fold(e.Area) == text.Fold(area) {
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
