// Package examples finds sentences that work in a house, so that a newcomer is shown
// what to say here and not what could be said elsewhere. Every sentence is tried by the
// matcher that will hear it. The wordings of a language are with its other words.
package examples

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// Wanted is how many sentences are shown.
const Wanted = 3

// Sentences returns three sentences that the matcher of a pack understands in a house,
// those about things of an area first. Dangerous things are in none of them. If no thing
// is suitable, the sentences are about none. answers may refuse a thing by the question
// for its state; nil refuses none.
func Sentences(pack *intent.Pack, house *home.House, area string, answers func(question string) bool) ([]string, error) {
	matcher, err := intent.New(pack, house)
	if err != nil {
		return nil, fmt.Errorf("looking for sentences: %w", err)
	}
	return Known(matcher, pack.Language, house, area, answers), nil
}

// Known does what Sentences does, with a matcher of the house that is there already.
func Known(matcher *intent.Matcher, language string, house *home.House, area string, answers func(question string) bool) []string {
	if answers == nil {
		answers = func(string) bool { return true }
	}
	t := trial{matcher, sentences.WordsOf(language).Examples, area}
	var all []string
	for _, e := range candidates(house, area) {
		on, state, off := t.about(t.On, e, e.Name), t.about(t.State, e, e.Name), t.about(t.Off, e, e.Name)
		if on != "" && state != "" && off != "" && answers(state) {
			all = []string{on, state, off}
			break
		}
	}
	if len(all) == 0 && house != nil {
		all = t.warmest(house, answers)
	}
	for _, s := range t.Anywhere {
		if len(all) < Wanted && matcher.Match(s, area).Route == intent.Local {
			all = append(all, s)
		}
	}
	return all
}

// trial tries sentences of one language, said in one area.
type trial struct {
	matcher *intent.Matcher
	sentences.Examples
	area string
}

// about is the first wording that means a thing and nothing else, "" where none does.
func (t trial) about(wordings []string, e home.Entity, name string) string {
	for _, w := range wordings {
		s := strings.ReplaceAll(w, "{}", name)
		d := t.matcher.Match(s, t.area)
		if d.Route == intent.Local && !d.Foreign && len(d.Actions) == 1 && slices.Equal(d.Actions[0].Devices, []string{e.ID}) {
			return s
		}
	}
	return ""
}

// warmest is a question for the temperature of a room, nil where no thing measures one.
func (t trial) warmest(house *home.House, answers func(string) bool) []string {
	for _, e := range house.Entities {
		if e.Area == "" || !slices.Contains(e.Abilities, home.Temperature) {
			continue
		}
		if s := t.about(t.Warmth, e, e.Area); s != "" && answers(s) {
			return []string{s}
		}
	}
	return nil
}

// mostTried bounds how many things are looked at in a large house.
const mostTried = 20

// candidates are the things that can be switched without harm: those of the area first,
// lights before others.
func candidates(house *home.House, area string) []home.Entity {
	if house == nil {
		return nil
	}
	var all []home.Entity
	for _, e := range house.Entities {
		if (e.Domain == "light" || e.Domain == "switch") && e.Control != nil && e.Hazards() == 0 && e.Name != "" {
			all = append(all, e)
		}
	}
	rank := func(e home.Entity) int {
		r := 0
		if text.Fold(e.Area) != text.Fold(area) {
			r += 2
		}
		if e.Domain != "light" {
			r++
		}
		return r
	}
	slices.SortStableFunc(all, func(a, b home.Entity) int { return cmp.Compare(rank(a), rank(b)) })
	return all[:min(len(all), mostTried)]
}
