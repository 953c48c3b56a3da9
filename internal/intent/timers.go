package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/intent/catalogue"
)

// timersEach understands a sentence that sets several timers, or several alarms: "set a
// timer for five minutes and one for ten minutes". A part that says no more than its time
// is read as one more of the kind of the first.
func (m *Matcher) timersEach(text, area string, steps *int) (Decision, bool) {
	parts := m.parts(text)
	if len(parts) < 2 {
		return Decision{}, false
	}
	tails := append(m.ends(parts[len(parts)-1]), m.ends(parts[0])...)
	first, ok := m.firstTimer(parts[0], tails, area, steps)
	if !ok {
		return Decision{}, false
	}
	rest := parts[1:]
	for len(rest) > 0 { // "for two hours and five minutes"
		longer, ok := m.longerTimer(parts[0], rest[0], area, steps)
		if !ok {
			break
		}
		first, rest = longer, rest[1:]
	}
	for _, part := range rest {
		if alone, _ := m.known(part, area, steps); alone.otherThanTimer() {
			return Decision{}, false // another command, which is understood by itself
		}
		one, ok := m.oneMore(part, first.Actions[0].Intent, area, steps)
		for i := 0; i < len(tails) && !ok; i++ { // "and one for ten"
			one, ok = m.oneMore(part+" "+tails[i], first.Actions[0].Intent, area, steps)
		}
		if !ok {
			return Decision{}, false
		}
		first.Actions = append(first.Actions, one.Actions...)
	}
	first.Reason = BySentences
	return first, true
}

// firstTimer understands the first part of a sentence that sets several timers, with the
// last words of another part where it lacks them: "a five and a ten minute timer".
func (m *Matcher) firstTimer(part string, tails []string, area string, steps *int) (Decision, bool) {
	first, ok := m.known(part, area, steps)
	if first.otherThanTimer() || !ok && !slices.ContainsFunc(strings.Fields(part), m.isNumber) {
		return Decision{}, false
	}
	for i := 0; i < len(tails) && (!ok || !first.startsOne()); i++ {
		first, ok = m.known(part+" "+tails[i], area, steps)
	}
	return first, ok && first.startsOne()
}

// ends are the last words of a part, which another part may share: "minute timer".
func (m *Matcher) ends(part string) []string {
	const most = 3
	words := strings.Fields(part)
	var out []string
	for n := 1; n <= most && n < len(words) && !m.isNumber(words[len(words)-n]); n++ {
		out = append(out, strings.Join(words[len(words)-n:], " "))
	}
	return out
}

// longerTimer understands two parts as one length.
func (m *Matcher) longerTimer(first, more, area string, steps *int) (Decision, bool) {
	for _, join := range m.join {
		if d, ok := m.known(joinWords(first, strings.Join(join, " "), more), area, steps); ok && d.startsOne() && !m.swallows(&d) {
			return d, true
		}
	}
	return Decision{}, false
}

// oneMore understands a part of a sentence that sets one more of a kind, or says itself
// of what kind: "and an alarm for seven".
func (m *Matcher) oneMore(part, kind, area string, steps *int) (Decision, bool) {
	said := m.pack.Texts["set_timer"]
	if kind == catalogue.SetAlarm {
		said = m.pack.Texts["set_alarm"]
	}
	texts := []string{part, m.pack.Texts["set_one"] + " " + part}
	for one := range strings.SplitSeq(m.pack.Texts["one_more"], "; ") {
		if rest, ok := strings.CutPrefix(part, one+" "); ok && one != "" {
			texts = append(texts, said+" "+rest)
		}
	}
	texts = append(texts, said+" "+part)
	for _, t := range texts {
		if d, ok := m.known(t, area, steps); ok && d.startsOne() && !m.swallows(&d) {
			return d, true
		}
	}
	return Decision{}, false
}

// startsOne reports whether a decision sets one timer or alarm, and nothing else.
func (d *Decision) startsOne() bool {
	return d.Route == Local && len(d.Actions) == 1 && len(d.Actions[0].Later) == 0 &&
		slices.Contains([]string{catalogue.StartTimer, catalogue.SetAlarm}, d.Actions[0].Intent)
}

// otherThanTimer reports whether a decision does something else than to set one timer or
// alarm.
func (d *Decision) otherThanTimer() bool {
	return (d.Route == Local || d.Route == Ask) && !d.startsOne() && d.Reason != HowLong && d.Reason != When
}

// swallows reports whether a sentence may have absorbed another one: it leads to nothing,
// or the name of its timer holds a word that joins commands.
func (m *Matcher) swallows(d *Decision) bool {
	if d.Route == Model || d.Route == Reject {
		return true
	}
	if !d.startsOne() {
		return false
	}
	name, _ := d.Actions[0].Slots["name"].(string)
	return m.parts(name) != nil
}
