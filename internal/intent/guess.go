package intent

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
)

// bareDegrees are the temperatures that a bare number for a room can mean.
func bareDegrees(s home.Scale) (coolest, warmest float64) {
	if s == home.Fahrenheit {
		return 50, 86
	}
	return 5, 30
}

// warmth are the words, of all our languages, that tell whether a number said of
// a room is a temperature.
var warmth = sync.OnceValue(func() sentences.Warmth {
	var all sentences.Warmth
	for _, w := range sentences.EveryWords() {
		all.Not, all.Degrees = append(all.Not, w.Warmth.Not...), append(all.Degrees, w.Warmth.Degrees...)
	}
	return all
})

// guessArea takes words for the area that they resemble. If they may just as well mean
// another area, it asks for the room, because an act in the wrong room disturbs the
// people there.
func (m *Matcher) guessArea(p *parse, c *capture, area string) (Decision, bool) {
	heard := p.text[c.start:c.end]
	r := m.areaIndex.Resolve(heard, nil)
	strays := r.Verdict == names.Fuzzy && m.areaIndex.Strays(heard, r.Items[0])
	switch {
	case r.Verdict == names.Fuzzy && r.Rivals && !strays:
		return Decision{Route: Ask, Reason: WhichArea, Question: m.pack.Texts["which_area"], Heard: heard}, true
	case r.Verdict == names.Exact || r.Verdict == names.Fuzzy && !strays:
		c.value, c.unknown = int32(r.Items[0]), false
		if d := m.resolve(p, area); !m.dangerous(d) {
			return d, true
		}
	}
	return m.refuse(p, UnknownArea, heard), false
}

// guessName takes words for the thing whose name they resemble, or of whose name they are
// a part.
func (m *Matcher) guessName(p *parse, c *capture, area string) (Decision, bool) {
	heard := p.text[c.start:c.end]
	place := m.placeOf(p)
	if domain := m.kinds[m.index.Plain(heard)]; domain != "" {
		return m.onlyOne(p, c, domain, area)
	}
	room := m.roomCalled(heard)
	if place == "" && room != "" {
		if d, ok := m.warmRoom(p, room); ok {
			return d, true
		}
	}
	r := m.index.ResolveNear(heard, func(i int) bool {
		return m.allowed[p.block.order][i] && (place == "" || m.house.Entities[i].In(place))
	}, func(i int) bool { return m.house.Entities[i].In(area) })
	if r.Verdict == names.None {
		if d, ok := m.kindHere(p, c, cmp.Or(place, area), area); ok {
			return d, true
		}
		return m.nothing(p, heard, place, area), false
	}
	m.keepDangerous(heard, p, &r)
	if len(r.Items) == 0 {
		return m.refuse(p, UnknownName, heard), false
	}
	c.unknown = false
	c.items = nil
	for _, i := range r.Items {
		c.items = append(c.items, int32(i))
	}
	return m.settle(p, c, &r, room, area), true
}

// keepDangerous narrows a result if the words may order something dangerous. Such words
// never mean a harmless thing with a similar name: "turn on the stove" in a house that has
// a stone. If they may mean a lamp or a blind whose name was misheard, the user is asked:
// "turn on the garage lied".
func (m *Matcher) keepDangerous(heard string, p *parse, r *names.Result) {
	if r.Verdict != names.Fuzzy && r.Verdict != names.Unsure {
		return
	}
	starts := catalogue.Of(p.block.Intent).Starts
	if starts == nil || home.LikelyHazard("", heard) == 0 {
		return
	}
	act := p.would(m)
	if !starts(act.Slots) {
		return
	}
	var meant []int
	for _, i := range r.Items {
		e := &m.house.Entities[i]
		switch {
		case Dangerous(*act, e), e.Domain == "lock": // to switch a lock on is to lock it
			meant = append(meant, i)
		case home.IsHarmless(e.Name):
			meant, r.Verdict = append(meant, i), names.Unsure
		}
	}
	r.Items = meant
}

// settle decides whether the act on a guessed name is done or asked about.
func (m *Matcher) settle(p *parse, c *capture, r *names.Result, room, area string) Decision {
	d := m.resolve(p, area)
	if d.Route != Local {
		return d
	}
	heard := p.text[c.start:c.end]
	x := meaning{m: m, p: p, mic: area, action: d.Actions[0]}
	switch {
	case m.isCommon(heard) && m.entrances(d):
		items := m.doors(c.items, area)
		if near := x.in(items, area); len(near) == 1 && near[0] == c.items[0] && !m.dangerous(d) {
			return d
		}
		return x.ask(items)
	case room != "" && !r.Whole && x.onlyLight():
		return x.lightsOf(room)
	case m.sure(heard, room, r, d):
		return d
	}
	return x.ask(c.items)
}

// onlyOne takes the name of a kind ("the light") for the only thing of this kind: in the
// room of the sentence, in the room of the microphone, or in the house. Among several
// things it never takes the one that happens to have the name of the kind.
func (m *Matcher) onlyOne(p *parse, c *capture, domain, area string) (Decision, bool) {
	x := meaning{m: m, p: p, mic: area, area: m.placeOf(p)}
	var all []int32
	for i := range m.house.Entities {
		if m.house.Entities[i].Domain == domain && m.allowed[p.block.order][i] {
			all = append(all, int32(i))
		}
	}
	all = x.place(all)
	if near := x.in(all, area); len(near) > 0 && area != "" {
		all = near
	}
	switch {
	case len(all) > 1 && p.block.Meta.Question:
		y := meaning{m: m, p: p, mic: area, action: Action{Intent: p.block.Intent, Slots: make(map[string]any, p.n+len(p.block.Slots))}}
		y.fill()
		x.action = y.action
		return x.ask(all), true
	case len(all) != 1:
		return Decision{Route: Model, Reason: NoSentence, NeedHouse: m.house.Empty()}, false
	}
	c.unknown, c.items = false, all
	return m.resolve(p, area), true
}

// nothing answers a name that resembles nothing. If the house has such a thing,
// but the pack has no such sentence for it, the model may know what to do.
func (m *Matcher) nothing(p *parse, heard, place, area string) Decision {
	if d, ok := m.reported(p, heard, place, area); ok {
		return d
	}
	if !p.block.Meta.Question && changes(p.block.Intent) && m.isWhole(heard, place) {
		return Decision{Route: Reject, Reason: WrongKind, Heard: heard}
	}
	if place != "" || p.block.Meta.Shy {
		return m.refuse(p, UnknownName, heard)
	}
	r := m.index.ResolveLiteral(heard, nil)
	if r.Verdict != names.Exact && r.Verdict != names.Many {
		return m.refuse(p, UnknownName, heard)
	}
	for _, i := range r.Items {
		if m.pack.commands(p.block.Intent, m.house.Entities[i].Domain) {
			return Decision{Route: Reject, Reason: WrongKind, Heard: heard}
		}
	}
	return Decision{Route: Model, Reason: NoSentence}
}

// isWhole reports whether words are the whole name of a thing that our sentences can
// control, so that it exists even if it cannot do what is asked.
func (m *Matcher) isWhole(heard, place string) bool {
	r := m.index.ResolveLiteral(heard, func(i int) bool {
		e := &m.house.Entities[i]
		return (place == "" || e.In(place)) && slices.Contains([]string{"light", "switch", "outlet", "fan", "cover", "valve", "lock", "climate"}, e.Domain)
	})
	return r.Whole && (r.Verdict == names.Exact || r.Verdict == names.Many)
}

// commands reports whether a pack has sentences of the intent for things of the
// domain.
func (p *Pack) commands(intent, domain string) bool {
	return slices.ContainsFunc(p.Blocks, func(b Block) bool {
		return b.Intent == intent && (slices.Contains(b.Domains, domain) || b.Slots["domain"] == domain)
	})
}

// sure reports whether the act on a guessed name may be done at once. Words that
// are part of a thing's name but also the name of a room mean the room.
func (m *Matcher) sure(heard, room string, r *names.Result, d Decision) bool {
	if r.Verdict == names.Unsure || r.Verdict == names.Fuzzy && m.dangerous(d) {
		return false
	}
	return room == "" || r.Whole || m.entrances(d) && !holdsNumber(d) &&
		keepsOut(&home.Entity{Domain: "cover", Name: heard}) // "open the garage"
}

func holdsNumber(d Decision) bool {
	for _, key := range []string{"position", "brightness", "percentage", "temperature"} {
		if d.Actions[0].Slots[key] != nil {
			return true
		}
	}
	return false
}

// keepsOut reports whether a thing is a cover that keeps people out.
func keepsOut(e *home.Entity) bool {
	return e.Domain == "cover" && Dangerous(Action{Intent: catalogue.TurnOn}, e)
}

// entrances reports whether a decision moves a cover that keeps people out, or
// does anything else that is dangerous.
func (m *Matcher) entrances(d Decision) bool {
	for _, a := range d.Actions {
		for _, id := range a.Devices {
			if e := m.house.Entity(id); e != nil && (keepsOut(e) || Dangerous(a, e)) {
				return true
			}
		}
	}
	return false
}

// isCommon reports whether the words are only ones that many things have in their names.
func (m *Matcher) isCommon(heard string) bool {
	return !slices.ContainsFunc(strings.Fields(m.index.Plain(heard)), func(w string) bool { return !m.common[w] })
}

// doors adds the locks to the things that "the door" may mean, the near ones
// first. Locks are not added to a valve.
func (m *Matcher) doors(items []int32, area string) []int32 {
	if !keepsOut(&m.house.Entities[items[0]]) {
		return items
	}
	items = slices.Clone(items)
	for i := range m.house.Entities {
		if m.house.Entities[i].Domain == "lock" {
			items = append(items, int32(i))
		}
	}
	slices.SortStableFunc(items, func(a, b int32) int {
		switch near, other := m.house.Entities[a].In(area), m.house.Entities[b].In(area); {
		case near == other || area == "":
			return 0
		case near:
			return -1
		}
		return 1
	})
	return items
}

// roomCalled returns the area whose name is the words as a whole, or "".
func (m *Matcher) roomCalled(heard string) string {
	if r := m.areaIndex.ResolveLiteral(heard, nil); r.Verdict == names.Exact && r.Whole {
		return m.areas[r.Items[0]]
	}
	return ""
}

// warmRoom takes a number that is said of a room, without a unit or in degrees,
// for the room's temperature if the room has a thermostat.
func (m *Matcher) warmRoom(p *parse, room string) (Decision, bool) {
	value, ok := p.bareNumber()
	coolest, warmest := bareDegrees(m.house.Degrees())
	if !ok || value < coolest || value > warmest || p.block.Meta.Question {
		return Decision{}, false
	}
	x := meaning{m: m, p: p, area: room, action: Action{
		Intent: catalogue.ClimateSetTemperature, Slots: map[string]any{"domain": "climate", "area": room, "temperature": number(value)},
	}}
	var items []int32
	for i := range m.house.Entities {
		if e := &m.house.Entities[i]; e.Domain == "climate" && e.In(room) {
			items = append(items, int32(i))
		}
	}
	switch len(items) {
	case 0:
		return Decision{}, false
	case 1:
		return x.finish(items), true
	}
	return x.ask(items), true
}

// onlyLight reports whether only a lamp can do what is asked: show a colour.
func (x *meaning) onlyLight() bool {
	return x.action.Intent == catalogue.LightSet && (x.action.Slots["color"] != nil || x.action.Slots["temperature"] != nil)
}

// lightsOf does what is asked to all lights of a room.
func (x *meaning) lightsOf(room string) Decision {
	delete(x.action.Slots, "name")
	x.action.Slots["area"], x.action.Slots["domain"], x.action.Devices = room, "light", nil
	var items []int32
	for i := range x.m.house.Entities {
		if e := &x.m.house.Entities[i]; e.Domain == "light" && e.In(room) {
			items = append(items, int32(i))
		}
	}
	return x.several(items)
}

// movesRoom reports whether a number is said of a kind of thing that has the name
// of a room: "set the garage to 21" need not be about its door.
func (x *meaning) movesRoom() bool {
	if _, bare := x.p.bareNumber(); !bare || x.action.Intent != catalogue.SetPosition || x.m.areaIndex == nil {
		return false
	}
	for i := range x.p.n {
		if c := &x.p.captures[i]; c.at.op == opValue && x.m.roomCalled(x.p.text[c.start:c.end]) != "" {
			return true
		}
	}
	return false
}

// bareNumber returns the number of a parse if it has no unit, or the unit of a
// temperature, and no word says that it is about light or a position.
func (p *parse) bareNumber() (float64, bool) {
	said := warmth()
	for w := range strings.FieldsSeq(p.text) {
		if slices.ContainsFunc(said.Not, func(begin string) bool { return strings.HasPrefix(w, begin) }) {
			return 0, false
		}
	}
	for i := range p.n {
		c := &p.captures[i]
		if c.at.op != opNumber {
			continue
		}
		rest := strings.Fields(p.text[c.end:])
		return c.number, len(rest) == 0 || slices.Contains(said.Degrees, rest[0])
	}
	return 0, false
}

// saysWhen reports whether words say at what time or on which condition an act should
// happen, so that they name neither a place nor a thing.
func (m *Matcher) saysWhen(heard string) bool {
	if last := heard[strings.LastIndexByte(heard, ' ')+1:]; m.kinds[last] != "" && last != heard {
		return false // "night light"
	}
	if lang, ok := numbers.For(m.pack.Language); ok {
		var room [4]numbers.Reading
		for _, n := range lang.Read(room[:0], heard, numbers.Range{From: 0, To: 100}) {
			whole := n.Length == len(heard)
			if whole || n.Value != 1 && heard[n.Length] == ' ' { // "une" is an article too
				return true
			}
		}
	}
	padded := " " + heard + " "
	for _, moment := range m.pack.Moments {
		if strings.Contains(padded, " "+moment+" ") || strings.HasSuffix(moment, "'") && strings.Contains(padded, " "+moment) {
			return true
		}
	}
	return false
}
