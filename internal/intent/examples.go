package intent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// WantedExamples is how many sentences are shown.
const WantedExamples = 3

// FindExamples returns three sentences that the matcher of a pack understands in a house,
// those about things of an area first. Dangerous things are in none of them. If no thing
// is suitable, the sentences are about none. answers may refuse a thing by the question
// for its state; nil refuses none.
//
// They show a newcomer what to say here and not what could be said elsewhere. The wordings
// of a language are with its other words.
func FindExamples(pack *Pack, house *home.House, area string, answers func(question string) bool) ([]string, error) {
	matcher, err := New(pack, house)
	if err != nil {
		return nil, fmt.Errorf("looking for sentences: %w", err)
	}
	return FindExamplesWith(matcher, pack.Language, house, area, answers), nil
}

// FindExamplesWith does what FindExamples does, with a matcher of the house that is there already.
func FindExamplesWith(matcher *Matcher, language string, house *home.House, area string, answers func(question string) bool) []string {
	if answers == nil {
		answers = func(string) bool { return true }
	}
	t := exampleTrial{matcher, sentences.WordsOf(language).Examples, area}
	var all []string
	for _, e := range harmlessThings(house, area) {
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
		if len(all) < WantedExamples && matcher.Match(s, area).Route == Local {
			all = append(all, s)
		}
	}
	return all
}

// exampleTrial tries sentences of one language, said in one area.
type exampleTrial struct {
	matcher *Matcher
	sentences.Examples
	area string
}

// about is the first wording that means a thing and nothing else, "" where none does.
func (t exampleTrial) about(wordings []string, e home.Entity, name string) string {
	for _, w := range wordings {
		s := strings.ReplaceAll(w, "{}", name)
		d := t.matcher.Match(s, t.area)
		if d.Route == Local && !d.Foreign && len(d.Actions) == 1 && slices.Equal(d.Actions[0].Devices, []string{e.ID}) {
			return s
		}
	}
	return ""
}

// warmest is a question for the temperature of a room, nil where no thing measures one.
func (t exampleTrial) warmest(house *home.House, answers func(string) bool) []string {
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

// harmlessThings are things that can be switched without harm: those of the area first,
// lights before others.
func harmlessThings(house *home.House, area string) []home.Entity {
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
