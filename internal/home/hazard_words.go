package home

import (
	"regexp"
	"sync"

	"voicegateway/internal/language/sentences"
)

// gateClasses are the device classes of covers that keep people out.
var gateClasses = []string{"garage", "garage_door", "gate", "door"}

// harmlessDomains are the domains of things that only report, play or drive around.
var harmlessDomains = []string{
	"sensor", "binary_sensor", "media_player", "camera", "vacuum", "lawn_mower", "weather", "person", "todo", "calendar", "timer",
}

// What stands for a sign in a name. A joint counts as a conjunction, a remark as a
// preposition.
const (
	joint  = "+" // &, +, a comma
	remark = "(" // a bracket: the words in it do not say what the thing is
)

// hazardWords are the words of all our languages together, because families name
// things in several. They are plain (see phrase): ä is ae, é is e.
type hazardWords struct {
	alone, tails, together, begins map[string]Hazard
	none                           map[string]bool
	drives                         []string
	openers, rooms, appliances     map[string]bool
	lights, shades, harmless       aboutWords
	beforeRoom, carriers           map[string]bool
	prepositions, conjunctions     map[string]bool
	articles                       map[string]bool
	gates                          []*regexp.Regexp // what a word for a gate looks like; the group is its singular
}

// aboutWords are the words that show what kind of thing a name is about.
type aboutWords struct {
	last, first, never map[string]bool
	tails              []string
}

// known returns the words, which are read when a name is first looked at.
var known = sync.OnceValue(func() *hazardWords {
	k := &hazardWords{
		alone: map[string]Hazard{}, tails: map[string]Hazard{}, together: map[string]Hazard{}, begins: map[string]Hazard{},
	}
	for _, w := range sentences.EveryWords() {
		h := &w.Hazards
		byHazard(k.alone, h.Words)
		byHazard(k.tails, h.Tails)
		byHazard(k.together, h.Together)
		byHazard(k.begins, h.Begins)
		k.drives = append(k.drives, h.Drives...)
		k.lights.add(h.Lights, h.NotLights)
		k.shades.add(h.Shades, nil)
		k.harmless.add(h.Harmless, nil)
		for set, list := range map[*map[string]bool]sentences.List{
			&k.none: h.None, &k.openers: h.Openers, &k.rooms: h.Rooms, &k.appliances: h.Appliances, &k.beforeRoom: h.BeforeRoom,
			&k.carriers: h.Carriers, &k.prepositions: h.Prepositions, &k.conjunctions: h.Conjunctions, &k.articles: h.Articles,
		} {
			join(set, list)
		}
		for _, form := range h.Gates {
			k.gates = append(k.gates, regexp.MustCompile("^(?:"+form+")$")) // a test reads the files
		}
	}
	k.conjunctions[joint], k.prepositions[remark] = true, true
	return k
})

func byHazard(into map[string]Hazard, words sentences.ByHazard) {
	for h, list := range map[Hazard]sentences.List{Gate: words.Gate, Hot: words.Hot, Wet: words.Wet, Loud: words.Loud} {
		for _, w := range list {
			into[w] |= h
		}
	}
}

func (a *aboutWords) add(words sentences.About, never sentences.List) {
	join(&a.last, words.Last)
	join(&a.first, words.First)
	join(&a.never, never)
	a.tails = append(a.tails, words.Tails...)
}

func join(set *map[string]bool, list sentences.List) {
	if *set == nil {
		*set = make(map[string]bool)
	}
	for _, w := range list {
		(*set)[w] = true
	}
}
