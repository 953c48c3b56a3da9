package reply

import (
	"cmp"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// Limits of a sentence about several things.
const (
	mostNames  = 3         // more exceptions at once are too many to listen to
	mostListed = 8         // more names are too many, even where a list was asked for
	oldAfter   = 24 * 3600 // seconds from which the age of a reading is said
	lowBattery = 20        // percent, up to which a battery counts as low
)

// finding is what one step of a question found out.
type finding struct {
	step  *plan.Step
	state string // a key of table conditions, or "alarm"; "" is not known
	told  string // an alarm in the family's language: "smoke"
	level string // a battery's charge in percent
	away  bool   // the thing cannot be reached
	blame string // the phrase that says what keeps every device from being reached
	house string // the one of several houses that cannot be reached; "": not known, or the only one
	stale bool   // the age of the reading is said
	age   int64  // seconds

	besides bool // the question covers it only in addition: see isBeside
}

// isOpen reports whether an additional thing is not as it should be.
func (f *finding) isOpen() bool {
	return !f.away && !slices.Contains([]string{"", "closed", "locked", "shut"}, f.state)
}

// question is what is asked of several things.
type question struct {
	kind string // a key of table things
	ask  string // all, any, which, count, none
	want string // the state that is asked for

	there bool // only what is at one place is meant
}

// questionOf reads the question of an action.
func questionOf(a *intent.Action) question {
	slot := func(name string) string { s, _ := a.Slots[name].(string); return s }
	q := question{kind: slot("kind"), ask: slot("ask"), want: slot("state"), there: slot("area") != "" || slot("floor") != ""}
	if q.kind == "" {
		q.kind = slot("domain")
		if class := slot("device_class"); class != "" {
			q.kind = class
		}
	}
	if slices.Contains(openings, q.kind) || slices.Contains(covering, q.kind) {
		q.want = cmp.Or(opened[q.want], q.want)
	}
	if q.kind == "battery" && q.want == "ok" {
		q.want = "full"
	}
	if q.ask == "" {
		q.ask = "any"
		if opposite[q.want] != "" && slices.Contains(resting, q.want) {
			q.ask = "all"
		}
	}
	return q
}

// opened are the words for the two states of what can be open.
var opened = map[string]string{"on": "open", "off": "closed", "open": "open", "closed": "closed"}

// covering are the kinds of things, beside openings, that are open or closed.
var covering = []string{"blind", "curtain", "shutter", "shade", "awning", "cover", "valve"}

// opposite maps the two states of each question to each other.
var opposite = map[string]string{
	"locked": "unlocked", "unlocked": "locked", "open": "closed", "closed": "open", "on": "off", "off": "on",
	"low": "full", "full": "low", "reachable": "unreachable", "unreachable": "reachable", "ok": "broken",
	"broken": "ok", "shut": "ajar", "ajar": "shut",
}

// resting are the states in which nothing needs care.
var resting = []string{"locked", "closed", "off", "full", "ok", "reachable", "shut"}

// is reports whether a state is the one in the question. A thing that moves or is jammed
// is neither closed nor locked.
func is(state, want string) bool {
	switch want {
	case "unlocked", "open", "broken", "ajar":
		return state != opposite[want]
	}
	return state == want
}

// census answers questions about several things.
type census struct {
	*Phrases
	q question
}

// census answers a question about several things: yes, or the exceptions and
// nothing else, and what cannot be known.
func (p *Phrases) census(q question, steps []plan.Step, results []tools.Result) string {
	return (&census{p, q}).of(steps, results)
}

// of makes the answer.
func (c *census) of(steps []plan.Step, results []tools.Result) string {
	var found []finding
	for i := range steps {
		if f, counts := c.find(&steps[i], results[i]); counts {
			found = append(found, f)
		}
	}
	return c.answer(mergeFindings(found))
}

// mergeFindings joins the findings about one thing: a low battery is more important than that
// the rest is in order.
func mergeFindings(found []finding) []finding {
	var out []finding
	for _, f := range found {
		i := slices.IndexFunc(out, func(o finding) bool { return o.step.Entity == f.step.Entity })
		switch {
		case i < 0:
			out = append(out, f)
		case out[i].state == "ok" && f.state != "" && !f.away:
			out[i] = f
		}
	}
	return out
}

// find reads the result of a step; counts is false if it has no state.
func (c *census) find(s *plan.Step, r tools.Result) (f finding, counts bool) {
	o, known := observe(s, r)
	f = finding{step: s, away: o.Reachable != nil && !*o.Reachable, age: o.Age, stale: o.old(), besides: c.isBeside(s.Entity) || c.unseen(s.Entity)}
	if f.away && slices.Contains(others, o.Reason) {
		f.blame = "why_" + string(o.Reason)
		f.house = houseAway(s, &o)
	}
	switch {
	case c.q.want == "reachable" || c.q.want == "unreachable":
		f.findReach(&o)
	case s.About == plan.Battery || c.q.want == "low" || c.q.want == "full":
		f.state, f.level = charge(s, &o)
		return f, f.state == "low" || c.q.want != "ok"
	case c.q.want == "ok":
		c.findTrouble(&f, s, r, &o, known)
	default:
		f.state = c.stateFound(&f, s, r, &o)
		bad := c.q.sides().bad
		return f, !f.besides || bad == "open" || bad == "unlocked"
	}
	return f, true
}

// findReach reads whether a thing is reached.
func (f *finding) findReach(o *observation) {
	switch {
	case o.Reason == lostReading, o.Reason == serverAway:
	case f.away:
		f.state, f.away = "unreachable", false
	case o.Reachable != nil:
		f.state = "reachable"
	}
	f.stale = false
}

// findTrouble reads whether a thing is well: it is reached, it has reported, and no
// alarm of its own is on.
func (c *census) findTrouble(f *finding, s *plan.Step, r tools.Result, o *observation, known bool) {
	if got, ok := c.readings.sensed(s, r); ok && got.alarm {
		f.state = map[string]string{"on": "alarm", "off": "ok"}[got.truth]
		f.told = got.told
		return
	}
	if f.away && f.blame == "" && o.Reason != lostReading && c.q.kind == "device" {
		f.state, f.away = "unreachable", false // a device that does not answer does not work
		return
	}
	if known || o.Reachable != nil && *o.Reachable && s.Entity.Domain != "lock" && s.Entity.Domain != "binary_sensor" {
		f.state = "ok" // a button that was never pressed works, too
	}
	if o.State == "jammed" {
		f.state = "jammed"
	}
}

// stateFound returns the state that a thing is in, as far as the question asks for
// it.
func (c *census) stateFound(f *finding, s *plan.Step, r tools.Result, o *observation) string {
	if got, ok := c.readings.sensed(s, r); ok && got.alarm {
		f.told = got.told
		return map[string]string{"on": "alarm", "off": "off"}[got.truth]
	}
	want := c.q.want
	switch {
	case c.unseen(s.Entity):
		return c.stateOf(s.Entity, o, "locked")
	case f.besides:
		return c.stateOf(s.Entity, o, "closed")
	}
	if want == "shut" || want == "ajar" {
		want = "closed"
		if s.Entity.Domain == "lock" {
			want = "locked"
		}
	}
	state := c.stateOf(s.Entity, o, want)
	if state == want && want != c.q.want {
		return "shut"
	}
	return state
}

// stateOf returns the state of a thing by the question for a state: a key of table
// conditions; "" if it tells none.
func (c *census) stateOf(e *home.Entity, o *observation, want string) string {
	word := strings.ToLower(sayValue(o.State))
	switch want {
	case "open", "closed":
		if e.Domain == "lock" {
			word = strings.ToLower(sayValue(o.Values[string(home.Contact)]))
		}
		if at, ok := o.Values[string(home.Position)].(float64); ok && word == "" {
			word = map[bool]string{true: "open", false: "closed"}[at > 0]
		}
		if truth := truths[word]; truth != "" {
			return opened[truth]
		}
	case "on", "off":
		if e.Domain == "climate" && word != "" && word != "off" {
			return "on"
		}
		return truths[word]
	}
	if _, ok := c.readings.conditions[word]; ok {
		return word
	}
	return ""
}

// charge reads a battery: low or full, and the percentage if it reports one. A level that
// is not a percentage, such as 255, is the code for a low battery.
func charge(s *plan.Step, o *observation) (state, level string) {
	value := o.State
	if v, ok := o.Values[string(home.Battery)]; ok && s.Entity.DeviceClass() != "battery" {
		value = v
	} else if s.Entity.Domain != "sensor" && s.Entity.Domain != "binary_sensor" && o.Sensor == "" {
		value = nil
	}
	switch v := value.(type) {
	case float64:
		if v < 0 || v > 100 {
			return "low", ""
		}
		if v <= lowBattery || o.Low {
			return "low", sayValue(v)
		}
		return "full", sayValue(v)
	case string:
		if v == "low" || o.Low {
			return "low", ""
		}
	case bool:
		return map[bool]string{true: "low", false: "full"}[v], ""
	}
	return "", ""
}
