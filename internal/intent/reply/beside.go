package reply

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
)

// isBeside reports whether a question covers a thing only in addition to its main
// subject: "is anything open" is about doors and windows first, but the user also means
// curtains and valves; and "are the doors locked" must not be a comfort while a door
// without a lock stands open. In a question for the opposite state ("what is closed")
// all things count alike.
func (c *census) isBeside(e *home.Entity) bool {
	switch c.q.sides().bad {
	case "open":
		return c.q.kind == "everything" && e.Opening() == 0 && e.Domain != "lock"
	case "unlocked", "locked":
		return e.Domain != "lock"
	}
	return false
}

// unseen reports whether a thing is a lock that cannot tell whether its door is open,
// in a question for that.
func (c *census) unseen(e *home.Entity) bool {
	return (c.q.want == "open" || c.q.want == "closed") && e.Domain == "lock" && !e.Can(home.Contact) && c.q.kind != "lock"
}

// tellBeside says which of the additional things are not as they should be. If there is
// nothing else to report, the good news of the others comes first, so that the reply is
// not a yes or no for all.
func (c *census) tellBeside(good, beside []finding) []string {
	var told []string
	for i, group := range groupByState(beside) {
		text := c.sayByName(group[0].state, group)
		if i == 0 && len(good) > 0 {
			text = c.both(c.sayLooked(good), text)
		}
		told = append(told, capital(text))
	}
	return append(told, c.sayHidden(beside)...)
}

// besidesThese reports the additional things after a finding among the others. It reports
// nothing if one thing is enough for an answer, or in a list of what is unlocked, and it
// never mentions a door that no sensor sees.
func (c *census) besidesThese(beside []finding) []string {
	if c.q.ask == "any" || c.lists() && c.q.sides().bad != "open" {
		return nil
	}
	return c.tellBeside(nil, c.dropUnseen(beside))
}

// lists reports whether a question wants a list or a number of things.
func (c *census) lists() bool { return c.q.ask == "which" || c.q.ask == "count" }

// dropUnseen leaves out the locks of doors that nothing sees.
func (c *census) dropUnseen(found []finding) []finding {
	return slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return c.unseen(f.step.Entity) })
}

// onlyBeside answers if all findings are additional things.
func (c *census) onlyBeside(all *sorted) []string {
	if seen := c.dropUnseen(all.beside); c.lists() && c.q.sides().bad == "open" && len(seen) > 0 {
		return append(c.tellBeside(nil, seen), c.notKnown(all.unknown)...)
	}
	switch {
	case len(all.unknown) > 0:
		return append(c.tellBeside(nil, all.beside), c.notKnown(all.unknown)...)
	case len(all.out) == 0:
		return append(c.tell(c.q.sides().found, all.beside), c.sayHidden(all.beside)...)
	}
	told := c.tellBeside(all.out, all.beside)
	if c.lists() && c.q.sides().bad == "open" && slices.ContainsFunc(all.out, func(f finding) bool { return !f.besides }) {
		told[0] = c.beginWith("none_seen", told[0])
	}
	return told
}

// both joins two sentences, because the first alone would not be the whole truth.
func (c *census) both(first, second string) string {
	return c.Phrase("asked_both", map[string]any{"first": strings.TrimRight(first, " ."), "second": second})
}

// sayHidden says of unlocked doors that no sensor shows whether they are open.
func (c *census) sayHidden(found []finding) []string {
	var doors []finding
	for _, f := range found {
		if c.unseen(f.step.Entity) {
			doors = append(doors, f)
		}
	}
	switch len(doors) {
	case 0:
		return nil
	case 1:
		return []string{c.Phrase("door_unseen", nil)}
	}
	return []string{c.Phrase("doors_unseen", nil)}
}

// sayHiddenAlone is hidden for a question for open things that could look only at locks.
func (c *census) sayHiddenAlone(all []finding) []string {
	if slices.ContainsFunc(all, func(f finding) bool { return !c.unseen(f.step.Entity) }) {
		return nil
	}
	return c.sayHidden(all)
}

// sayLooked says the state of all the things that a question covers, by their kinds: "the
// doors and windows, the curtains and the water valve are closed". If there are locks and
// other things, it names them separately.
func (c *census) sayLooked(found []finding) string {
	of := map[string][]finding{}
	for _, f := range found {
		state := c.resting(f)
		of[state] = append(of[state], f)
	}
	var sentences []string
	for _, state := range []string{"locked", "closed", "off"} {
		if len(of[state]) > 0 {
			sentences = append(sentences, c.kindsAre(state, of[state], state == "closed" && len(of["locked"]) > 0))
		}
	}
	if len(sentences) == 2 {
		return c.both(sentences[0], sentences[1])
	}
	return strings.Join(sentences, " ")
}

// resting is the state of a thing that is in order.
func (c *census) resting(f finding) string {
	switch {
	case c.q.sides().good == "off":
		return "off"
	case f.step.Entity.Domain == "lock" && (f.state == "locked" || f.state == "shut"):
		return "locked"
	}
	return "closed"
}

// category returns the key of table things for a thing; "" if it has no word there.
func (c *census) category(e *home.Entity) string {
	kind := e.Domain
	switch {
	case e.Domain == "lock":
		return ""
	case e.Opening()&home.Window != 0 && e.Opening()&home.Door == 0:
		kind = "window"
	case e.Opening() != 0:
		kind = "door"
	case e.Domain == "cover" || e.DeviceClass() == "siren":
		kind = e.DeviceClass()
	}
	if c.grammar.things[kind] == nil {
		return ""
	}
	return kind
}

// kindsAre says that things are in a state, with the words for their kinds, and with the
// name of a thing that is the only one of its kind. locks says that doors with locks are
// mentioned as well.
func (c *census) kindsAre(state string, found []finding, locks bool) string {
	kinds, of := c.byKind(found, locks)
	agreed := agreeing{feminine: true, many: len(found) > 1}
	var names []string
	for _, kind := range kinds {
		if kind != "" && len(of[kind]) > 1 {
			word, these := c.grammar.those(kind)
			key := map[bool]string{true: "the_other_things", false: "the_things"}[locks && kind == "door"]
			names = append(names, c.Phrase(key+genderKey(these), map[string]any{"things": word}))
			agreed.feminine = agreed.feminine && these.feminine
			continue
		}
		for _, f := range of[kind] {
			names = append(names, c.grammar.callThing(f.step.Entity).String())
			agreed.feminine = agreed.feminine && c.grammar.feminine(f.step.Entity, c.q.kind)
		}
	}
	if len(names) > mostListed {
		names = append(names[:mostListed:mostListed], c.more(len(names)-mostListed).String())
	}
	verb := "stands"
	if agreed.many || c.grammar.callThing(found[0].step.Entity).Many {
		verb = "stand"
	}
	return c.Phrase("asked_names", map[string]any{"name": c.grammar.list(names), "is": c.grammar.words[verb], "value": c.readings.condition(state, agreed)})
}

// byKind sorts findings by their kinds, and returns these in the order of speaking. Doors
// and windows are one kind unless locks are mentioned as well.
func (c *census) byKind(found []finding, locks bool) (kinds []string, of map[string][]finding) {
	of = map[string][]finding{}
	for _, f := range found {
		kind := c.category(f.step.Entity)
		if of[kind] == nil {
			kinds = append(kinds, kind)
		}
		of[kind] = append(of[kind], f)
	}
	if !locks && len(of["door"]) > 1 && len(of["window"]) > 1 {
		at := slices.Index(kinds, "door")
		kinds[at], of["opening"] = "opening", slices.Concat(of["door"], of["window"])
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "window" })
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return order(a) - order(b) })
	return kinds, of
}

// order puts doors and windows before what hangs there, and things without a word of
// their kind last.
func order(kind string) int {
	at := slices.Index([]string{"opening", "door", "window", "light", "switch"}, kind)
	switch {
	case at >= 0:
		return at - 10
	case kind == "":
		return 1
	}
	return 0
}

// namesLooked reports whether good news names what the question looked at, because "all"
// or "everything" would claim more.
func (c *census) namesLooked(good string, all []finding) bool {
	switch good {
	case "locked", "shut":
		return c.q.kind == "everything" || c.q.kind == "door" && slices.ContainsFunc(all, func(f finding) bool { return f.besides })
	case "closed":
		return c.q.kind == "everything" || len(c.sayHiddenAlone(all)) > 0
	case "off":
		return c.q.kind == "everything" || c.q.kind == "device"
	}
	return false
}
