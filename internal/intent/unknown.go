package intent

import (
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/names"
)

// unknown matches sentences in which one name or area is not written as the house has it.
// The name is taken for the nearest one, asked about, or refused.
func (m *Matcher) unknown(text, area string, steps *int) (Decision, bool) {
	return m.newRun(text, area, steps, true).unknown()
}

// unknown does the same in a search that was prepared.
func (r *run) unknown() (Decision, bool) {
	if !r.search() {
		return Decision{}, false
	}
	slices.SortStableFunc(r.best, func(p, q parse) int {
		switch {
		case p.better(&q):
			return -1
		case q.better(&p):
			return 1
		}
		return 0
	})
	var asked, refused Decision
	for i := range r.best {
		d, similar := r.m.guess(&r.best[i], r.area)
		d.fixed = r.best[i].fixedWords()
		switch {
		case similar && d.Route == Local:
			return d, true
		case similar && asked.Route == "":
			asked = d
		case !similar && (refused.Route == "" || refused.Route == Model):
			refused = d
		}
	}
	if asked.Route != "" {
		return asked, true
	}
	return refused, true
}

// sameGuess reports whether two parses leave the same words unknown for the same
// kinds of things, so that one answer serves both.
func (p *parse) sameGuess(q *parse) bool {
	return domainKey(p.block.Context) == domainKey(q.block.Context) && p.names() == q.names() &&
		p.block.Intent == q.block.Intent
}

// guess decides what the unknown words of a parse mean. The second result is
// false when nothing in the house is similar.
func (m *Matcher) guess(p *parse, area string) (Decision, bool) {
	for i := range p.n {
		c := &p.captures[i]
		switch {
		case !c.unknown:
		case c.at.op == opArea:
			return m.guessArea(p, c, area)
		default:
			return m.guessName(p, c, area)
		}
	}
	return m.resolve(p, area), true
}

// placeOf returns the area that a parse names, or "".
func (m *Matcher) placeOf(p *parse) string {
	for i := range p.n {
		if c := &p.captures[i]; c.at.op == opArea && !c.unknown {
			return m.areas[c.value]
		}
	}
	return ""
}

// refuse answers an unknown name. Two kinds of text go to the model instead: a question
// about something that is not a household word, because it is hardly about this house,
// and words that say when instead of where.
func (m *Matcher) refuse(p *parse, reason Reason, heard string) Decision {
	d := Decision{Route: Reject, Reason: reason, Heard: heard, Would: p.would(m), NeedHouse: m.house.Empty()}
	if p.block.Meta.Shy || m.saysWhen(heard) {
		return Decision{Route: Model, Reason: NoSentence, NeedHouse: m.house.Empty()}
	}
	if p.block.Meta.Question && !m.decoys[strings.Join(names.Normalise(heard), " ")] {
		d.Route = Model
	}
	return d
}

// would is what a parse asks for, without the place and the thing that the house
// does not have.
func (p *parse) would(m *Matcher) *Action {
	x := meaning{m: m, p: p, action: Action{Intent: p.block.Intent, Slots: make(map[string]any, p.n+len(p.block.Slots))}}
	x.fill()
	delete(x.action.Slots, "area")
	x.action.source = &source{p.block, maps.Clone(x.action.Slots), x.named}
	return &x.action
}

func (m *Matcher) dangerous(d Decision) bool {
	for _, a := range d.Actions {
		for _, id := range a.Devices {
			if Dangerous(a, m.house.Entity(id)) {
				return true
			}
		}
	}
	return false
}

// placesOf lists what the area of a thing is called.
func placesOf(h *home.House, area string) []string {
	if area == "" {
		return nil
	}
	if a := h.Area(area); a != nil {
		return append([]string{a.Name}, a.Aliases...)
	}
	return []string{area}
}
