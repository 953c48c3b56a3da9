package reply

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
)

// grammar is how a language speaks of the things of a house: by their names, their
// kinds and their number.
type grammar struct {
	names  home.Names
	things map[string][]string // by domain or class: one and many
	words  map[string]string
	agree  agreement
}

func (g *grammar) article(word string) string {
	if gender, _ := g.names.Noun(word); g.names.Indefinite != nil {
		return g.names.Indefinite[gender]
	}
	switch {
	case word != "" && strings.ContainsRune(g.names.Vowels, rune(word[0])):
		return g.words["an"]
	case g.names.Several(word), g.names.Within != "" && g.names.Several(strings.SplitN(word, g.names.Within, 2)[0]):
		return "" // I can't find christmas lights
	}
	return g.words["a"]
}

// callThing is the name of a thing inside a sentence: "the kitchen light".
func (g *grammar) callThing(e *home.Entity) home.Called { return g.names.Call(e) }

// about fills the places that depend on the device's name.
func (g *grammar) about(s *plan.Step) map[string]any {
	name := g.callThing(s.Entity)
	return g.agreeing(name, agreeing{feminine: g.feminine(s.Entity, ""), many: name.Many})
}

// agreeing fills the places for a name, and those for the words that agree with it:
// verbs, pronouns, and endings.
func (g *grammar) agreeing(name home.Called, of agreeing) map[string]any {
	args := map[string]any{"name": name, "Name": name.Each(capital)}
	for place, words := range map[string][2]string{
		"is": {"is", "are"}, "has": {"has", "have"}, "it": {"it", "them"}, "they": {"it", "they"}, "reports": {"reports", "report"},
		"its": {"its", "their"}, "stands": {"stands", "stand"}, "goes": {"goes", "go"},
	} {
		args[place] = g.words[words[0]]
		if of.many {
			args[place] = g.words[words[1]]
		}
	}
	for place, verb := range g.agree.Verbs {
		args[place] = verb[0]
		if of.many {
			args[place] = verb[1]
		}
	}
	for place, forms := range g.agree.Endings {
		args[place] = of.form(forms)
	}
	return args
}

// namePlaces fills the places that depend on the names of some of the steps' things,
// or on their number if there are too many names to listen to.
func (g *grammar) namePlaces(steps []plan.Step, some []int) map[string]any {
	const most = 4
	these := pick(steps, some)
	if len(some) > most {
		return g.countPlaces(these)
	}
	return g.namely(these)
}

// namely fills the places for the names of all the steps' things.
func (g *grammar) namely(steps []plan.Step) map[string]any {
	if len(steps) == 1 {
		return g.about(&steps[0])
	}
	var names []home.Called
	of := agreeing{feminine: true, many: true}
	for i := range steps {
		names = append(names, g.callThing(steps[i].Entity))
		of.feminine = of.feminine && g.feminine(steps[i].Entity, "")
	}
	return g.agreeing(g.join(names, "and"), of)
}

// countPlaces fills the places for the number of the steps' things.
func (g *grammar) countPlaces(steps []plan.Step) map[string]any {
	word, of := g.thing(steps, len(steps)), g.ofKind(steps)
	return g.agreeing(g.names.Bare(fmt.Sprintf("%d %s", len(steps), word)), of)
}

// ofKind is what words agree with that are said of several things by their kind.
func (g *grammar) ofKind(steps []plan.Step) agreeing {
	return agreeing{feminine: slices.Contains(g.agree.Feminine, g.kind(steps)), many: len(steps) > 1}
}

// join lists names: "a, b and c".
func (g *grammar) join(names []home.Called, word string) home.Called {
	return home.Join(names, g.words[word])
}

// list joins names: "a, b and c". A name may end with the comma of its apposition.
func (g *grammar) list(names []string) string { return g.joinNames(names, "and") }

func (g *grammar) joinNames(names []string, word string) string {
	if n := len(names); n > 1 {
		return strings.ReplaceAll(strings.Join(names[:n-1], ", "), ",,", ",") + " " + g.words[word] + " " + names[n-1]
	}
	return strings.Join(names, "")
}

// thing returns the word for what the steps are about: lights, doors, devices.
func (g *grammar) thing(steps []plan.Step, n int) string {
	forms := g.things[g.kind(steps)]
	if len(forms) < 2 {
		return ""
	}
	if n == 1 {
		return forms[0]
	}
	return forms[1]
}

// kind is the key of table things that all of the steps' things are of.
func (g *grammar) kind(steps []plan.Step) string {
	word := ""
	for _, s := range steps {
		kind := s.Entity.Domain
		if c := s.Entity.DeviceClass(); g.things[c] != nil {
			kind = c
		}
		if word == "" {
			word = kind
		}
		if word != kind {
			word = "device"
		}
	}
	if g.things[word] == nil {
		return "device"
	}
	return word
}

// ago writes an age in its largest unit.
func (g *grammar) ago(seconds int64) string {
	n, word := seconds, "second"
	switch {
	case seconds >= 48*3600:
		n, word = seconds/86400, "day"
	case seconds >= 2*3600:
		n, word = seconds/3600, "hour"
	case seconds >= 60:
		n, word = seconds/60, "minute"
	}
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, g.words[word])
}

// among returns a name of one of several things that none of the others has: its own, or
// with its room, or with its server; empty if nothing tells it apart.
func (g *grammar) among(e *home.Entity, things []*home.Entity) home.Called {
	inRoom := func(e *home.Entity) home.Called {
		there := *e
		there.Namesakes = true
		return g.callThing(&there)
	}
	ofServer := func(e *home.Entity) home.Called {
		return inRoom(e).Each(func(name string) string {
			return strings.NewReplacer("{name}", name, "{server}", home.SpokenName(cmp.Or(e.House, e.Server))).Replace(g.names.OfServer)
		})
	}
	for _, form := range []func(*home.Entity) home.Called{g.callThing, inRoom, ofServer} {
		name := form(e)
		if !slices.ContainsFunc(things, func(o *home.Entity) bool { return o != e && form(o).String() == name.String() }) {
			return name
		}
	}
	return home.Called{}
}
