package reply

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
)

// sides are the state that a question looks for (bad), the state if it finds none (good),
// and the yes or no for either case.
type sides struct{ bad, good, found, none string }

func (q question) sides() sides {
	s := sides{q.want, opposite[q.want], "yes", "no"}
	switch q.ask {
	case "all":
		return sides{s.good, s.bad, "no", "yes"}
	case "none":
		s.found, s.none = "no", "yes"
	case "which", "count":
		s.found, s.none = "", "none"
	}
	return s
}

// counts reports whether a finding is what a question looks for.
func (s sides) counts(f finding) bool {
	if f.state == "alarm" && (s.bad == "on" || s.bad == "broken") {
		return true // also of a sensor that cannot be reached any more
	}
	return f.state != "" && !f.away && is(f.state, s.bad)
}

// sorted are the findings of a census by what they mean for its answer.
type sorted struct {
	in, out, unknown []finding
	beside           []finding // not as it should be, and only in addition
}

// sort sorts the findings.
func (c *census) sort(found []finding) sorted {
	var all sorted
	s := c.q.sides()
	for _, f := range found {
		switch {
		case f.besides && f.isOpen():
			all.beside = append(all.beside, f)
		case !f.besides && s.counts(f):
			if c.q.ask == "count" && slices.Contains([]string{"locked", "unlocked", "open", "closed"}, s.bad) {
				f.state = s.bad // a half-open thing counts as open
			}
			all.in = append(all.in, f)
		case f.state == "" || f.away:
			all.unknown = append(all.unknown, f)
		default:
			all.out = append(all.out, f)
		}
	}
	return all
}

// answer makes the sentences of a census.
func (c *census) answer(found []finding) string {
	all := c.sort(found)
	var told []string
	switch s := c.q.sides(); {
	case len(all.in) > 0:
		told = append(c.tell(s.found, all.in), c.besidesThese(all.beside)...)
		told = append(told, c.notKnown(all.unknown)...)
	case len(all.beside) > 0:
		told = c.onlyBeside(&all)
	case !slices.ContainsFunc(all.out, func(f finding) bool { return !f.besides || c.unseen(f.step.Entity) }):
		told = c.notKnown(all.unknown)
	case len(all.unknown) == 0:
		told = []string{c.allGood(s.none, s.good, all.out)}
	case slices.ContainsFunc(all.out, func(f finding) bool { return f.besides }):
		told = c.others(map[bool]string{true: "closed", false: "shut"}[s.good == "closed"], all.unknown)
	default:
		told = c.others(s.good, all.unknown)
	}
	if text := c.ages(slices.Concat(all.in, all.beside, all.out)); text != "" && c.q.kind != "battery" {
		told = append(told, text)
	}
	return strings.Join(told, " ")
}

// allGood says that all things are in one state, and that it is those of one place
// where only they were asked about.
func (c *census) allGood(prefix, good string, all []finding) string {
	if good == "off" && slices.ContainsFunc(all, func(f finding) bool { return f.told != "" }) {
		good = "quiet"
	}
	if c.namesLooked(good, all) {
		hidden := c.sayHiddenAlone(all)
		if len(hidden) > 0 {
			prefix = "" // what nothing sees is no yes and no no
		}
		return strings.Join(append([]string{c.beginWith(prefix, c.sayLooked(all))}, hidden...), " ")
	}
	if len(all) == 1 && c.q.kind != "everything" {
		return c.beginWith(prefix, c.sayByName(good, all))
	}
	there := map[bool]string{true: "_there"}[c.q.there]
	if c.q.kind == "everything" {
		return c.beginWith(prefix, c.Phrase("asked_everything"+there, map[string]any{"value": c.readings.condition(good, agreeing{})}))
	}
	word, of := c.grammar.those(c.q.kind)
	return c.beginWith(prefix, c.Phrase("asked_all"+there+genderKey(of), map[string]any{"things": word, "value": c.readings.condition(good, of)}))
}

// beginWith begins a sentence with a yes, a no or neither.
func (c *census) beginWith(prefix, sentence string) string {
	if prefix == "" || prefix == "none" && c.q.kind == "everything" {
		return capital(sentence)
	}
	key := "answer_" + prefix
	if prefix == "none" || prefix == "none_seen" {
		_, of := c.grammar.those(c.q.kind)
		key += genderKey(of)
	}
	return c.Phrase(key, map[string]any{"text": sentence})
}

func genderKey(of agreeing) string {
	if of.feminine {
		return "_f"
	}
	return "_m"
}

// others says that all things are in one state, except those whose state is not known.
func (c *census) others(good string, unknown []finding) []string {
	_, of := c.grammar.those(c.q.kind)
	if good == "off" && c.q.kind != "light" && alarmKinds[c.q.kind] {
		good = "quiet"
	}
	away := slices.ContainsFunc(unknown, func(f finding) bool { return f.away })
	key, first, rest := "others_unknown", unknown, []finding(nil)
	if away {
		key, first, rest = "others_away", nil, nil
		for _, f := range unknown {
			if f.away {
				first = append(first, f)
			} else {
				rest = append(rest, f)
			}
		}
	}
	return append([]string{c.Phrase(key+genderKey(of), map[string]any{"value": c.readings.condition(good, of), "names": c.nameList(first)})}, c.notKnown(rest)...)
}

// alarmKinds are the kinds that are quiet where others are off.
var alarmKinds = map[string]bool{"smoke": true, "carbon_monoxide": true, "gas": true, "heat": true, "moisture": true, "alarm": true}

// notKnown says what cannot be reached, and of what nothing is known.
func (c *census) notKnown(unknown []finding) []string {
	var away, silent []finding
	for _, f := range unknown {
		if f.away {
			away = append(away, f)
		} else {
			silent = append(silent, f)
		}
	}
	var told []string
	if len(away) > 0 {
		told = append(told, c.sayUnreached(away))
	}
	if len(silent) > 0 {
		told = append(told, c.Phrase("unknown_state", map[string]any{"name": c.nameList(silent)}))
	}
	return told
}

// sayUnreached says which things cannot be reached, and what to check if the cause is not
// one of them. Of several houses, those that are away are named instead of their things.
func (c *census) sayUnreached(away []finding) string {
	var houses, said []string
	var rest []finding
	for _, f := range away {
		switch {
		case f.house == "":
			rest = append(rest, f)
		case !slices.Contains(houses, f.house):
			houses = append(houses, f.house)
			said = append(said, c.Phrase(phraseHouseAway, map[string]any{"house": f.house}))
		}
	}
	if len(rest) > 0 {
		said = append(said, c.sayCausedBy(rest))
	}
	return strings.Join(said, " ")
}

// sayCausedBy says which things of one house cannot be reached.
func (c *census) sayCausedBy(away []finding) string {
	names := c.nameList(away)
	if away[0].blame != "" {
		return c.Phrase(away[0].blame, c.grammar.agreeing(names, c.ofAll(away)))
	}
	return c.Phrase("cannot_reach", map[string]any{"names": names})
}

// tell says which things are in which state, with one sentence for all in the same state.
// An alarm that is on is never said after a no.
func (c *census) tell(prefix string, found []finding) []string {
	var sentences []string
	for _, group := range groupByState(found) {
		first := group[0]
		if first.state == "unreachable" {
			group = topmost(group) // a device and its battery are one
		}
		switch {
		case first.state == "alarm":
			sentences = append(sentences, c.alarming(prefix, group))
		case first.state == "low":
			sentences = append(sentences, c.batteries(prefix, group))
		case first.blame != "":
			sentences = append(sentences, c.sayUnreached(group))
		case first.state == "unreachable" && c.q.ask != "count":
			sentences = append(sentences, c.beginWith(prefix, c.Phrase("asked_unreached", map[string]any{"names": c.nameList(group)})))
		case c.q.ask == "count" && len(group) == 1:
			_, of := c.grammar.those(c.q.kind)
			sentences = append(sentences, c.Phrase("asked_one"+genderKey(of), map[string]any{"names": c.nameList(group)}))
		case c.q.ask == "count":
			word, of := c.grammar.those(c.q.kind)
			sentences = append(sentences, c.Phrase("asked_count", map[string]any{
				"count": len(group), "things": word, "value": c.readings.condition(first.state, of), "names": c.nameList(group),
			}))
		case prefix == "yes" && slices.Contains(moving, first.state):
			sentences = append(sentences, c.beginWith("", c.sayByName(first.state, group)))
		default:
			sentences = append(sentences, c.beginWith(prefix, c.sayByName(first.state, group)))
		}
		prefix = ""
	}
	return sentences
}

// alarming tells the alarm of things that report the same one.
func (c *census) alarming(prefix string, group []finding) string {
	key := "senses"
	if prefix == "yes" && isAskedFor(group[0].step) {
		key = "senses_yes"
	}
	args := c.together(group)
	args["value"] = group[0].told
	return c.Phrase(key, args)
}

// moving are states between two, to which neither yes nor no is true.
var moving = []string{"opening", "closing", "jammed"}

// together fills the places for the names of things that report the same.
func (c *census) together(group []finding) map[string]any {
	if len(group) == 1 {
		return c.grammar.about(group[0].step)
	}
	return c.grammar.agreeing(c.nameList(group), c.ofAll(group))
}

// groupByState puts together what is in the same state, alarms first.
func groupByState(found []finding) [][]finding {
	var out [][]finding
	for _, f := range found {
		i := slices.IndexFunc(out, func(g []finding) bool { return g[0].state == f.state && g[0].told == f.told })
		if i < 0 {
			out, i = append(out, nil), len(out)
		}
		out[i] = append(out[i], f)
	}
	slices.SortStableFunc(out, func(a, b []finding) int { return urgency(a[0]) - urgency(b[0]) })
	return out
}

func urgency(f finding) int {
	return map[string]int{"alarm": 0, "low": 2, "unreachable": 2}[f.state] + map[bool]int{true: 0, false: 1}[f.state == "alarm" || f.state == "low"]
}

// sayByName says the states of things, by their names.
func (c *census) sayByName(state string, group []finding) string {
	of := c.ofAll(group)
	args := c.grammar.agreeing(c.nameList(group), of)
	args["is"], args["value"] = args["stands"], c.readings.condition(state, of)
	return c.Phrase("asked_names", args)
}

// ofAll is what words agree with that are said of all that was found.
func (c *census) ofAll(group []finding) agreeing {
	of := agreeing{feminine: true, many: len(group) > 1 || c.grammar.callThing(group[0].step.Entity).Many}
	for _, f := range group {
		of.feminine = of.feminine && c.grammar.feminine(f.step.Entity, c.q.kind)
	}
	return of
}

// nameList names up to three things and counts the rest.
func (c *census) nameList(group []finding) home.Called {
	var names []home.Called
	for _, f := range topmost(group) {
		name := c.grammar.callThing(poweredThing(f.step.Entity))
		if !slices.ContainsFunc(names, func(n home.Called) bool { return n.String() == name.String() }) {
			names = append(names, name)
		}
	}
	most := mostNames
	if c.q.ask == "which" || c.q.ask == "count" {
		most = mostListed
	}
	if len(names) <= most {
		return c.grammar.join(names, "and")
	}
	return c.grammar.join(append(names[:most:most], c.more(len(names)-most)), "and")
}

// more counts the things that are not named.
func (c *census) more(n int) home.Called {
	key := "more"
	if n == 1 {
		key = "more_one"
	}
	return c.grammar.names.Bare(c.Phrase(key, map[string]any{"count": n}))
}

// poweredThing is the thing that a battery or a button is in; any other thing is itself.
func poweredThing(e *home.Entity) *home.Entity {
	of := *e
	switch e.DeviceClass() {
	case "battery":
		of.Name = cutSuffixFold(e.Name, " battery")
	case "button":
		of.Name = cutSuffixFold(strings.TrimRight(e.Name, "0123456789 "), " button")
	default:
		return e
	}
	return &of
}

// batteries says which batteries are low.
func (c *census) batteries(prefix string, group []finding) string {
	var names []home.Called
	for _, f := range group {
		name := c.grammar.callThing(poweredThing(f.step.Entity))
		if f.level != "" {
			name = name.Each(func(name string) string {
				return c.Phrase("at_percent", map[string]any{"name": name, "value": f.level})
			})
		}
		names = append(names, name)
	}
	if len(names) > mostNames {
		names = append(names[:mostNames:mostNames], c.more(len(names)-mostNames))
	}
	key := "asked_battery"
	if len(group) > 1 {
		key = "asked_batteries"
	}
	return c.beginWith(prefix, c.Phrase(key, map[string]any{"names": c.grammar.join(names, "and")}))
}

// ages says for which things the reading is old.
func (c *census) ages(found []finding) string {
	var old []finding
	youngest := int64(0)
	for _, f := range found {
		if f.state == "" || f.away || f.age < oldAfter || !f.stale {
			continue
		}
		if len(old) == 0 || f.age < youngest {
			youngest = f.age
		}
		old = append(old, f)
	}
	switch len(old) {
	case 0:
		return ""
	case 1:
		args := c.together(old)
		args["ago"] = c.grammar.ago(youngest)
		return c.Phrase("last_report", args)
	}
	args := c.together(old)
	args["ago"] = c.grammar.ago(youngest)
	return c.Phrase("last_reports", args)
}
