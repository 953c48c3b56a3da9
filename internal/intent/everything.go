package intent

import (
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/sentences"
)

// lasting are the words, of all our languages, for things that stay on when
// everything is switched off.
var lasting = sync.OnceValue(func() []string {
	var all []string
	for _, w := range sentences.EveryWords() {
		for _, text := range w.Lasting {
			all = append(all, strings.Join(names.Normalise(text), " "))
		}
	}
	return all
})

// wordInside is from how many letters on a word is looked for inside of longer
// ones, too, such as a compound.
const wordInside = 5

// staysOn reports whether a thing by its name must not lose its power because a
// family says "everything": the fridge, the router, what charges over night.
func staysOn(e *home.Entity) bool {
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		words := names.Normalise(name)
		padded := " " + strings.Join(words, " ") + " "
		for _, w := range lasting() {
			if strings.Contains(padded, " "+w+" ") || len(w) >= wordInside && strings.Contains(padded, w) {
				return true
			}
		}
	}
	return false
}

// sweeps reports whether "everything off" is about a thing: what gives light, sound
// or wind, and plugs. Locks, covers, heating, alarms and valves never are, nor what
// opens something.
func sweeps(e *home.Entity) bool {
	return (slices.Contains(switched, e.Domain) || e.Domain == "outlet") && e.DeviceClass() != "siren" && e.Opening() == 0 && !staysOn(e)
}

// everything finds what a command for everything is about, in the place that the
// sentence names.
func (x *meaning) everything() Decision {
	items := x.m.every(sweeps)
	switch {
	case x.area != "" || x.floor != "":
		items = x.place(items)
	case x.p.block.Meta.Scope == "house":
	case x.mic == "":
		return Decision{Route: Ask, Reason: WhichArea, Question: x.m.pack.Texts["which_area"]}
	default:
		items = x.in(items, x.mic)
	}
	if len(items) == 0 {
		if x.m.house.Empty() {
			return x.reject(NoDevice, "")
		}
		return x.reject(NothingToSwitch, "")
	}
	return x.finish(items)
}
