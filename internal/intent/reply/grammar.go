package reply

import (
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/naming"
	"voicegateway/internal/intent/plan"
)

// grammar is how a language speaks of the things of a house: by their names, their
// kinds and their number.
type grammar struct {
	names  naming.Names
	things map[string][]string // by domain or class: one and many
	words  map[string]string
	agree  agreement
}

func (g *grammar) article(word string) string {
	switch {
	case word != "" && strings.ContainsRune(g.names.Vowels, rune(word[0])):
		return g.words["an"]
	case g.names.Several(word):
		return "" // I don't know christmas lights here
	}
	return g.words["a"]
}

// spoken is the name of a thing inside a sentence: "the kitchen light".
func (g *grammar) spoken(e *home.Entity) string { return g.names.Inside(e) }

// about fills the places that depend on the device's name.
func (g *grammar) about(s *plan.Step) map[string]any {
	name := g.spoken(s.Entity)
	args := map[string]any{"name": name, "Name": capital(name)}
	if g.names.Several(name) {
		args["is"], args["has"], args["it"], args["they"] = g.words["are"], g.words["have"], g.words["them"], g.words["they"]
		args["reports"], args["its"] = g.words["report"], g.words["their"]
		return args
	}
	args["is"], args["has"], args["it"], args["they"] = g.words["is"], g.words["has"], g.words["it"], g.words["it"]
	args["reports"], args["its"] = g.words["reports"], g.words["its"]
	return args
}

// named fills the places that depend on the names of some of the steps' things,
// or on their number if there are too many names to listen to.
func (g *grammar) named(steps []plan.Step, some []int) map[string]any {
	const most = 4
	if len(some) == 1 {
		return g.about(&steps[some[0]])
	}
	var names []string
	var these []plan.Step
	for _, i := range some {
		names, these = append(names, g.spoken(steps[i].Entity)), append(these, steps[i])
	}
	name := g.list(names)
	if len(some) > most {
		name = fmt.Sprintf("%d %s", len(some), g.thing(these, len(some)))
	}
	return map[string]any{"name": name, "Name": capital(name), "is": g.words["are"], "reports": g.words["report"]}
}

// list joins names: "a, b and c". A name may end with the comma of its apposition.
func (g *grammar) list(names []string) string { return g.joined(names, "and") }

func (g *grammar) joined(names []string, word string) string {
	if n := len(names); n > 1 {
		return strings.ReplaceAll(strings.Join(names[:n-1], ", "), ",,", ",") + " " + g.words[word] + " " + names[n-1]
	}
	return strings.Join(names, "")
}

// thing returns the word for what the steps are about: lights, doors, devices.
func (g *grammar) thing(steps []plan.Step, n int) string {
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
	forms := g.things[word]
	if forms == nil {
		forms = g.things["device"]
	}
	if len(forms) < 2 {
		return ""
	}
	if n == 1 {
		return forms[0]
	}
	return forms[1]
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

// among is a name of one of several things that none of the others has: its own, or
// with its room, or with its server; "" if nothing tells it apart.
func (g *grammar) among(e *home.Entity, things []*home.Entity) string {
	inRoom := func(e *home.Entity) string {
		there := *e
		there.Namesakes = true
		return g.spoken(&there)
	}
	ofServer := func(e *home.Entity) string {
		return strings.NewReplacer("{name}", inRoom(e), "{server}", home.Spoken(e.Server)).Replace(g.names.OfServer)
	}
	for _, form := range []func(*home.Entity) string{g.spoken, inRoom, ofServer} {
		if name := form(e); !slices.ContainsFunc(things, func(o *home.Entity) bool { return o != e && form(o) == name }) {
			return name
		}
	}
	return ""
}
