package reply

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
)

// isBeside reports whether a thing is asked about only besides: whether anything is open
// is asked of doors and windows first, but a person also means curtains and valves; and
// whether the doors are locked is no comfort while one without a lock stands open. In a
// question for the opposite state ("what is closed") all things count alike.
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

// tellBeside says of things that were asked about only besides which of them are not as
// they should be. Where nothing else was found, the good news of the others comes first,
// so that these are no yes or no for all.
func (c *census) tellBeside(good, beside []finding) []string {
	var told []string
	for i, group := range grouped(beside) {
		text := c.named(group[0].state, group)
		if i == 0 && len(good) > 0 {
			text = c.both(c.looked(good), text)
		}
		told = append(told, capital(text))
	}
	return append(told, c.hidden(beside)...)
}

// besidesThese tells what was asked about besides where something was found: not where one
// thing is enough for an answer, not in a list of what is unlocked, and never that a door
// may be open that nothing sees.
func (c *census) besidesThese(beside []finding) []string {
	if c.q.ask == "any" || c.lists() && c.q.sides().bad != "open" {
		return nil
	}
	return c.tellBeside(nil, c.seen(beside))
}

// lists reports whether a question wants a list or a number of things.
func (c *census) lists() bool { return c.q.ask == "which" || c.q.ask == "count" }

// seen leaves out the locks of doors that nothing sees.
func (c *census) seen(found []finding) []finding {
	return slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return c.unseen(f.step.Entity) })
}

// onlyBeside answers where all that was found was asked about besides.
func (c *census) onlyBeside(all *sorted) []string {
	if seen := c.seen(all.beside); c.lists() && c.q.sides().bad == "open" && len(seen) > 0 {
		return append(c.tellBeside(nil, seen), c.notKnown(all.unknown)...)
	}
	switch {
	case len(all.unknown) > 0:
		return append(c.tellBeside(nil, all.beside), c.notKnown(all.unknown)...)
	case len(all.out) == 0:
		return append(c.tell(c.q.sides().found, all.beside), c.hidden(all.beside)...)
	}
	told := c.tellBeside(all.out, all.beside)
	if c.lists() && c.q.sides().bad == "open" && slices.ContainsFunc(all.out, func(f finding) bool { return !f.besides }) {
		told[0] = c.begun("none_seen", told[0])
	}
	return told
}

// both joins two sentences, the first of which is not the whole truth.
func (c *census) both(first, second string) string {
	return c.Phrase("asked_both", map[string]any{"first": strings.TrimRight(first, " ."), "second": second})
}

// hidden says of doors that are not locked that nothing sees whether they are open.
func (c *census) hidden(found []finding) []string {
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

// hiddenAlone is hidden where all that a question for what is open looked at are locks.
func (c *census) hiddenAlone(all []finding) []string {
	if slices.ContainsFunc(all, func(f finding) bool { return !c.unseen(f.step.Entity) }) {
		return nil
	}
	return c.hidden(all)
}

// looked says what all the things that a question looked at are, by their kinds: "the
// doors and windows, the curtains and the water valve are closed". Locks and the
// others are told apart where both are there.
func (c *census) looked(found []finding) string {
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

// resting is the state in which a thing was found to be well.
func (c *census) resting(f finding) string {
	switch {
	case c.q.sides().good == "off":
		return "off"
	case f.step.Entity.Domain == "lock" && (f.state == "locked" || f.state == "shut"):
		return "locked"
	}
	return "closed"
}

// category is the key of table things for a thing among all others; "" for one that has
// no word there.
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

// kindsAre says that things are in a state, by the words for their kinds, and by the
// name of a thing that is the only one of its kind. There may be doors with locks beside
// these.
func (c *census) kindsAre(state string, found []finding, locks bool) string {
	kinds, of := c.byKind(found, locks)
	agreed := told{feminine: true, many: len(found) > 1}
	var names []string
	for _, kind := range kinds {
		if kind != "" && len(of[kind]) > 1 {
			word, these := c.grammar.those(kind)
			key := map[bool]string{true: "the_other_things", false: "the_things"}[locks && kind == "door"]
			names = append(names, c.Phrase(key+gendered(these), map[string]any{"things": word}))
			agreed.feminine = agreed.feminine && these.feminine
			continue
		}
		for _, f := range of[kind] {
			names = append(names, c.grammar.spoken(f.step.Entity).String())
			agreed.feminine = agreed.feminine && c.grammar.feminine(f.step.Entity, c.q.kind)
		}
	}
	if len(names) > mostListed {
		names = append(names[:mostListed:mostListed], c.more(len(names)-mostListed).String())
	}
	verb := "stands"
	if agreed.many || c.grammar.spoken(found[0].step.Entity).Many {
		verb = "stand"
	}
	return c.Phrase("asked_names", map[string]any{"name": c.grammar.list(names), "is": c.grammar.words[verb], "value": c.readings.condition(state, agreed)})
}

// byKind sorts findings by their kinds, and lists these in the order in which they are
// told. Doors and windows are one kind where no locks are told beside them.
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

// namesLooked reports whether the good news of a question are told by what it looked at,
// because "all" or "everything" would claim more.
func (c *census) namesLooked(good string, all []finding) bool {
	switch good {
	case "locked", "shut":
		return c.q.kind == "everything" || c.q.kind == "door" && slices.ContainsFunc(all, func(f finding) bool { return f.besides })
	case "closed":
		return c.q.kind == "everything" || len(c.hiddenAlone(all)) > 0
	case "off":
		return c.q.kind == "everything" || c.q.kind == "device"
	}
	return false
}
