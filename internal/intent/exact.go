package intent

import (
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/language/template"
)

// edges says whether a sentence begins or ends with free text, which must keep
// its skip words.
type edges struct{ start, end bool }

// edges looks at the first and the last part of a template.
func (c *compiler) edges(n *template.Node) edges {
	return edges{start: c.wildAt(n, true), end: c.wildAt(n, false)}
}

func (c *compiler) wildAt(n *template.Node, first bool) bool {
	switch n.Kind {
	case template.List:
		_, op, err := c.findList(n.Name)
		return err == nil && op == opWild
	case template.Rule:
		body, err := c.rule(n.Name)
		return err == nil && c.wildAt(body, first)
	case template.Sequence:
		if first {
			return c.wildAt(n.Items[0], first)
		}
		return c.wildAt(n.Items[len(n.Items)-1], first)
	case template.Choice:
		return slices.ContainsFunc(n.Items, func(item *template.Node) bool { return c.wildAt(item, first) })
	case template.Text, template.Range, template.Shuffle:
	}
	return false
}

// exact matches a sentence as the template language defines it and adds nothing.
func (m *Matcher) exact(raw, area string) Decision {
	if m.pack.IgnoreSpace {
		raw = strings.ReplaceAll(raw, " ", "")
	}
	if raw == "" {
		return Decision{Route: Reject, Reason: Empty}
	}
	steps := maxSteps
	x := exactRun{run: m.newRun(fold(raw), area, &steps, false), whole: raw}
	x.search()
	switch {
	case x.found():
		return foreign(x.decide(&x.best[0]))
	case steps < 0:
		return Decision{Route: Model, Reason: TooComplex}
	}
	return Decision{Route: Model, Reason: NoSentence, NeedHouse: m.house.Empty()}
}

// foreign marks a decision whose intent is not in the gateway's table, and writes its
// values as text: only the author of the pack knows what they mean.
func foreign(d Decision) Decision {
	for i, a := range d.Actions {
		if catalogue.Of(a.Intent).Plan != catalogue.Unknown {
			continue
		}
		d.Foreign = true
		for slot, value := range a.Slots {
			d.Actions[i].Slots[slot] = fmt.Sprint(value)
		}
	}
	return d
}

// exactRun is a search that tries every sentence with its skip words first and
// then without.
type exactRun struct {
	*run
	whole    string           // as written, without punctuation
	variants map[edges]string // the text without skip words, as written
}

func (x *exactRun) search() {
	tokens := strings.Fields(fold(x.dropSkipWords(edges{})))
	for s := range x.candidates() {
		if !x.possible(s) || x.unfit(s.block, tokens) {
			continue
		}
		if !x.attempt(s, x.whole) {
			if text := x.dropSkipWords(s.strip); text != x.whole && text != "" {
				x.attempt(s, text)
			}
		}
		if *x.steps < 0 {
			return
		}
	}
}

// unfit reports whether a block can be left out before matching, because of its
// keywords or of what is known of the context.
func (x *exactRun) unfit(b *block, tokens []string) bool {
	if len(b.Keywords) > 0 && !slices.ContainsFunc(b.Keywords, func(w string) bool { return slices.Contains(tokens, w) }) {
		return true
	}
	for i := range b.Context {
		if c := &b.Context[i]; c.Key == "area" && x.area != "" && !c.holds(x.area) {
			return true
		}
	}
	return false
}

// attempt matches one sentence with one text and reports whether it fits.
func (x *exactRun) attempt(s *sentence, raw string) bool {
	if x.raw != raw {
		x.set(fold(raw), raw)
	}
	before := x.fits
	x.try(s)
	return x.fits > before
}

// dropSkipWords is the text without skip words, except where free text keeps them.
func (x *exactRun) dropSkipWords(keep edges) string {
	text, ok := x.variants[keep]
	if !ok {
		if x.variants == nil {
			x.variants = make(map[edges]string, 2)
		}
		text = x.m.skipper.strip(x.whole, !keep.start, !keep.end)
		x.variants[keep] = text
	}
	return text
}

// decide turns the best parse into an action with the devices it is about.
func (x *exactRun) decide(p *parse) Decision {
	a := Action{Intent: p.block.Intent, Slots: make(map[string]any, p.n+len(p.block.Slots))}
	said := make(map[string]bool, p.n)
	var named []int32
	for i := range p.n {
		c := &p.captures[i]
		if c.at.op == opName {
			named = c.items
		}
		if c.at.slot != "" {
			a.Slots[c.at.slot] = x.m.slotValue(p, c)
			said[c.at.slot] = true
		}
	}
	for key, value := range p.block.Slots {
		if !said[key] {
			a.Slots[key] = value
		}
	}
	for i := range p.block.Context {
		c := &p.block.Context[i]
		if c.Slot == "" || c.Exclude || said[c.Slot] {
			continue
		}
		if value, ok := x.actual(p, c.Key); ok {
			a.Slots[c.Slot] = value
		}
	}
	a.Devices = x.m.targets(p.block, named, a.Slots)
	return Decision{Route: Local, Reason: BySentence, Actions: []Action{a}}
}

// slotValue is what a list value puts into its slot.
func (m *Matcher) slotValue(p *parse, c *capture) any {
	switch c.at.op {
	case opName:
		for _, e := range c.items {
			if m.allowed[p.block.order][e] {
				return m.house.Entities[e].Name
			}
		}
	case opArea:
		return m.areas[c.value]
	case opFloor:
		return m.house.Floors[c.value].Name
	case opValue:
		if v := c.at.list.values[c.value].Out; v != nil {
			return v
		}
	case opNumber:
		return number(c.number)
	case opWild, opEnd, opText, opChoice:
	}
	return p.raw[c.start:min(c.end, len(p.raw))]
}

// targets lists the entities the slots are about: those with the name, else those
// of the kind, in the area and on the floor. A thing whose area is not known may
// be in any area.
func (m *Matcher) targets(b *block, named []int32, slots map[string]any) []string {
	area, _ := slots["area"].(string)
	floor, _ := slots["floor"].(string)
	domain, class := slots["domain"], slots["device_class"]
	if named == nil && domain == nil && class == nil {
		return nil
	}
	var out []string
	for i := range m.house.Entities {
		e := &m.house.Entities[i]
		lost := e.Area == "" && named != nil
		switch {
		case named != nil && (!m.allowed[b.order][i] || !slices.Contains(named, int32(i))),
			!oneOf(domain, e.Domain), !oneOf(class, e.DeviceClass()),
			area != "" && !lost && !e.In(area),
			floor != "" && !lost && !m.house.OnFloor(e.Area, floor):
			continue
		}
		out = append(out, e.ID)
	}
	return out
}

// oneOf reports whether a filled slot is, or holds, a text. An empty slot is no
// obstacle.
func oneOf(slot any, text string) bool {
	switch v := slot.(type) {
	case nil:
		return true
	case []any:
		return slices.Contains(v, any(text))
	}
	return slot == text
}
