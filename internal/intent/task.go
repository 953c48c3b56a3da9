package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/names"
)

// slotTask is the slot of a sentence that wants something done without naming the thing
// that does it: words that are in the names of such things.
const slotTask = "task"

// task asks about the thing that a task is for: who wants a coffee may mean the coffee
// machine, and a plug by that name only heats it. A house without such a thing leaves the
// sentence to a language model.
func (x *meaning) task(said string) Decision {
	words := strings.Fields(said)
	items := x.m.every(func(e *home.Entity) bool {
		return (slices.Contains(switched, e.Domain) && e.Domain != "light" || e.Domain == "outlet" || e.Domain == "vacuum") && calledByOne(e, words)
	})
	if len(items) == 0 {
		return Decision{Route: Model, Reason: NoSentence, NeedHouse: x.m.house.Empty()}
	}
	delete(x.action.Slots, slotTask)
	if x.m.house.Entities[items[0]].Domain == "vacuum" {
		x.action.Intent = catalogue.VacuumStart
	}
	return x.ask(items)
}

// calledByOne reports whether a name of a thing has one of some words in it, also as a part
// of a longer word: Kaffee in Kaffeemaschine.
func calledByOne(e *home.Entity, words []string) bool {
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		padded := " " + strings.Join(names.Normalise(name), " ") + " "
		for _, w := range words {
			plain := strings.Join(names.Normalise(w), " ")
			if strings.Contains(padded, " "+plain+" ") || len(plain) >= wordInside && strings.Contains(padded, plain) {
				return true
			}
		}
	}
	return false
}
