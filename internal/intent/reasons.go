package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/mood"
)

// withoutReasons leaves out the parts of a sentence that only tell how it is, where others
// say what to do about it: "crank up the fan, I'm melting". Alone such a part is a wish;
// beside an order it is the reason for it.
func (m *Matcher) withoutReasons(parts []string, area string, steps *int) []string {
	tells := func(part string) bool {
		if !m.mood.Reasons(part, m.called) {
			return false
		}
		d, ok := m.known(part, area, steps)
		a := d.one()
		return !ok || a != nil && catalogue.Of(a.Intent).Plan == catalogue.Adjust && a.Slots["name"] == nil
	}
	orders := slices.DeleteFunc(slices.Clone(parts), tells)
	if len(orders) == 0 || slices.ContainsFunc(orders, func(part string) bool { return !m.mood.Read(part, m.called).MayAct() }) {
		return parts
	}
	return orders
}

// reasoned understands an order with its reason behind it: "turn up the fan because I'm
// melting".
func (m *Matcher) reasoned(text, area string) (Decision, bool) {
	for word := range strings.SplitSeq(m.pack.Texts["because"], "|") {
		if word != "" && !strings.HasSuffix(word, "'") {
			word += " "
		}
		order, reason, found := strings.Cut(text, " "+word)
		if found && word != "" && m.mood.Read(order, m.called).MayAct() && (m.mood.Read(reason, m.called) == mood.Statement || m.mood.Reasons(reason, m.called)) {
			return m.understood(order, area)
		}
	}
	return Decision{}, false
}

// understood matches an order by itself; ok is false if it is not understood.
func (m *Matcher) understood(order, area string) (d Decision, ok bool) {
	d, _ = m.matchHere(order, area)
	return d, d.Route != Model
}
