package reply

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// acts are the replies to commands.
type acts struct{ *Phrases }

// asked is what a control call asked for.
type asked struct {
	Action string `json:"action"`
	Value  any    `json:"value"`
}

// deed is a step that acts on a thing, with its result.
type deed struct {
	step    *plan.Step
	want    asked
	receipt tools.Receipt // empty where the call has none
	result  tools.Result
	err     error // why the call got no answer
}

// saying is a phrase that one thing or several things fill with their names.
type saying struct {
	key   string
	value string // fills {value}
	text  string // said unchanged; "" if the phrase applies
}

// sayActs says what the things of one command did: how many have the requested state, which
// are still moving, and which were left out. What is true of several things is one
// sentence.
func (p acts) sayActs(steps []plan.Step, results []tools.Result, errs []error) string {
	deeds := make([]deed, len(steps))
	about := map[saying][]int{}
	done, order := []int(nil), []saying(nil)
	for i := range steps {
		deeds[i] = deedOf(&steps[i], results[i], errs[i])
		if deeds[i].receipt.Done() {
			done = append(done, i)
			continue
		}
		s := p.sayingOf(&deeds[i])
		if about[s] == nil {
			order = append(order, s)
		}
		about[s] = append(about[s], i)
	}
	if changed := slices.DeleteFunc(slices.Clone(done), func(i int) bool { return deeds[i].stayedOff() }); len(changed) > 0 {
		done = changed // of a lamp that was off already nothing is said
	}
	if nobodyAnswered(len(steps), about) {
		return p.count("all_failed", len(steps), steps)
	}
	var said []string
	switch {
	case len(done) == 1:
		said = append(said, p.sayConfirmed(&deeds[done[0]]))
	case len(done) > mostNamed && slices.ContainsFunc(done, func(i int) bool { return deeds[i].offAnyway() }):
		said = append(said, p.many(deeds, done, pick(steps, done)))
		off := slices.DeleteFunc(slices.Clone(done), func(i int) bool { return !deeds[i].offAnyway() })
		said = append(said, p.tell(saying{key: "done_off"}, pick(steps, off)))
	case len(done) > 1 && slices.ContainsFunc(done, func(i int) bool { return deeds[i].offAnyway() }):
		for _, i := range done {
			said = append(said, p.sayConfirmed(&deeds[i]))
		}
	case len(done) > 1:
		said = append(said, p.many(deeds, done, pick(steps, done)))
	}
	if len(steps) > 1 {
		order, about = shortenGroup(order, about)
	}
	slices.SortStableFunc(order, func(a, b saying) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, s := range order[:min(len(order), 3)] {
		said = append(said, p.tell(s, pick(steps, about[s])))
	}
	return strings.Join(said, " ")
}

// deedOf gathers what came of a step.
func deedOf(s *plan.Step, r tools.Result, err error) deed {
	e := deed{step: s, result: r, err: err}
	if r.Receipt != nil {
		e.receipt = *r.Receipt
	}
	_ = json.Unmarshal(s.Call.Args, &e.want) // the plan has written them
	return e
}

func pick(steps []plan.Step, which []int) []plan.Step {
	out := make([]plan.Step, len(which))
	for i, n := range which {
		out[i] = steps[n]
	}
	return out
}

// why is the key of the sentence for a reason, without an action.
func why(r tools.Reason) string { return "why_" + string(r) }

// unreachable are the sayings of a thing that itself does not answer.
var unreachable = []string{why(tools.Dead), why(tools.Silent), "no_answer"}

// nobodyAnswered reports whether at least three things got a command and none of them
// answered.
func nobodyAnswered(n int, about map[saying][]int) bool {
	silent := 0
	for s, which := range about {
		if slices.Contains(unreachable, s.key) {
			silent += len(which)
		}
	}
	return n > 2 && silent == n
}

// shortenGroup joins the things of a group that do not answer: it is enough to name
// them.
func shortenGroup(order []saying, about map[saying][]int) ([]saying, map[saying][]int) {
	short := saying{key: "left_out"}
	var out []saying
	for _, s := range order {
		if !slices.Contains(unreachable, s.key) {
			out = append(out, s)
			continue
		}
		if about[short] == nil {
			out = append(out, short)
		}
		about[short] = append(about[short], about[s]...)
	}
	return out, about
}

// rank puts what is under way before what went wrong.
func (s saying) rank() int {
	if strings.HasPrefix(s.key, why(tools.OnItsWay)) || s.key == why(tools.Asleep) || strings.HasPrefix(s.key, why(tools.WhenOn)) {
		return 0
	}
	return 1
}

// tell fills a saying with the names of things.
func (p acts) tell(s saying, steps []plan.Step) string {
	if s.text != "" {
		return s.text
	}
	args := p.grammar.these(steps)
	args["value"] = s.value
	return capital(p.Phrase(s.key, args))
}

// sayingOf chooses the sentence about a thing that has not confirmed its command.
func (p acts) sayingOf(e *deed) saying {
	switch {
	case e.step.Err != nil:
		return saying{text: p.Apology(e.step.Err)}
	case e.err != nil:
		return p.sayLost(e.err)
	case e.receipt.Outcome != "":
		return p.because(e)
	case e.result.Failed && e.result.Text != "" && p.english():
		return saying{text: e.result.Text}
	case e.result.Failed:
		return saying{text: p.Phrase("failed", nil)}
	}
	return saying{key: why(tools.Unconfirmed)} // only a receipt says that something is done
}

// sayLost chooses what is said of a call that got no answer.
func (p acts) sayLost(err error) saying {
	switch {
	case errors.Is(err, tools.ErrNoAnswer):
		return saying{key: "fate_unknown_of"}
	case errors.Is(err, tools.ErrNotConnected):
		return saying{key: "not_sent_to"}
	case errors.Is(err, context.DeadlineExceeded):
		return saying{key: "too_late_for"}
	}
	return saying{text: p.Apology(err)}
}

// because chooses the sentence for a receipt's outcome and reason. A tool's own
// text is said only in English, and only where the reason is not known.
func (p acts) because(e *deed) saying {
	value := p.wantedValue(e.want)
	if text := p.limits(e); text != "" {
		return saying{text: text}
	}
	for _, key := range []string{why(e.receipt.Reason) + "_" + e.want.Action, why(e.receipt.Reason)} {
		text := p.phrases[key]
		switch {
		case text == "":
		case strings.Contains(text, "{value}") && value == "":
			if e.receipt.Reason == tools.RefusedValue {
				return saying{key: why(tools.RefusedAction)}
			}
		case strings.Contains(text, "{value}"):
			return saying{key: key, value: value}
		default:
			return saying{key: key}
		}
	}
	switch e.receipt.Outcome {
	case tools.Queued:
		return saying{key: why(tools.Asleep)}
	case tools.Refused:
		if e.receipt.Message != "" && p.english() {
			return saying{text: e.receipt.Message}
		}
	case tools.Confirmed, tools.Accepted, tools.NoAnswer:
	}
	return saying{key: string(e.receipt.Outcome)}
}

// limits says what numbers a device takes, of one that it refused.
func (p acts) limits(e *deed) string {
	unit := map[string]string{"setpoint": "degrees", "level": "percent", "position": "percent", "humidity": "percent"}[e.want.Action]
	if len(e.receipt.Limits) != 2 || unit == "" || e.receipt.Limits[0] >= e.receipt.Limits[1] {
		return ""
	}
	return p.Phrase("out_of_range_"+unit, map[string]any{
		"from": sayValue(e.receipt.Limits[0]), "to": sayValue(e.receipt.Limits[1]), "degrees": p.readings.degreesOf(e.step),
	})
}

// wantedValue is the requested value as it is spoken; "" for a colour without a name.
func (p acts) wantedValue(want asked) string {
	value := sayValue(want.Value)
	if name := p.colours[value]; name != "" && (want.Action == "colour" || want.Action == "mode") {
		return name
	}
	if strings.HasPrefix(value, "#") {
		return ""
	}
	return value
}

// sayConfirmed says that one thing has the requested state and, if that has no effect
// because the thing is off, says so.
func (p acts) sayConfirmed(e *deed) string {
	text := p.asAsked(e)
	if e.offAnyway() {
		return p.butOff(text)
	}
	return text
}

// action returns the part of a phrase's key for what was done; of two set points that
// count at once, the one that was set.
func (e *deed) action() string {
	if a := home.Ability(e.receipt.Property); a == home.HeatsTo || a == home.CoolsTo {
		return string(a)
	}
	return e.want.Action
}

// offAnyway reports whether a thermostat was set that is off.
func (e *deed) offAnyway() bool {
	return e.want.Action == "setpoint" && e.receipt.Reason == tools.WhenOn
}

// asAsked says that one thing has the requested state.
func (p acts) asAsked(e *deed) string {
	args := p.grammar.about(e.step)
	value := e.receipt.Value // what the device reports, not what was asked for
	if value == nil || slices.Contains([]string{"colour", "add", "complete", "remove"}, e.want.Action) {
		value = e.want.Value // a colour is reported in numbers, which are not spoken, and a list by how much is on it
	}
	args["value"] = sayValue(value)
	if e.want.Action == "colour" || e.want.Action == "mode" {
		args["value"] = cmp.Or(p.colours[sayValue(value)], sayValue(value))
	}
	args["degrees"] = p.readings.degreesOf(e.step)
	action := e.action()
	if action == "mode" && value == "off" {
		action = "off"
	}
	key := e.doneKey(action)
	if e.want.Action == "toggle" {
		args["value"] = p.readings.state(&home.Entity{}, onOff(e.receipt.Value))
	}
	if text := p.Phrase("again_"+action, args); e.step.Again && text != "" {
		return text
	}
	if text := p.Phrase(key, args); text != "" {
		return capital(text)
	}
	return p.Phrase("done", nil)
}

// doneKey is the phrase for what was done to one thing.
func (e *deed) doneKey(action string) string {
	before, was := e.receipt.Before.(float64)
	target, is := e.want.Value.(float64)
	switch {
	case e.stayedOff():
		return "already_off"
	case action == "on" && e.step.Entity != nil && (e.step.Entity.Domain == "script" || e.step.Entity.Domain == "button"):
		return "done_start" // it is over at once
	case action == "level" && was && is && target < before && e.dims():
		return "done_dimmed"
	}
	return "done_" + action
}

// dims reports whether a lower level makes a thing darker: a fan only turns more slowly.
func (e *deed) dims() bool { return e.step.Entity == nil || e.step.Entity.Domain == "light" }

// stayedOff reports whether a thing that was off was to be off or darker.
func (e *deed) stayedOff() bool {
	target, is := e.want.Value.(float64)
	return e.want.Action == "level" && is && target == 0 && e.receipt.Before != nil && onOff(e.receipt.Before) == "off"
}

func onOff(v any) any {
	switch n := v.(type) {
	case bool:
		if n {
			return "on"
		}
		return "off"
	case float64:
		if n > 0 {
			return "on"
		}
		return "off"
	}
	return v
}

// many says how many things of a group are done, with the number that all of them
// report.
func (p acts) many(deeds []deed, done []int, steps []plan.Step) string {
	args := p.grammar.countPlaces(steps)
	args["count"], args["things"] = len(done), p.grammar.thing(steps, len(done))
	args["value"], args["degrees"] = sayValue(deeds[done[0]].receipt.Value), p.readings.degreesOf(deeds[done[0]].step)
	return p.Phrase(p.manyKey(deeds, done), args)
}

// manyKey is the phrase that counts the things of a group that are done.
func (p acts) manyKey(deeds []deed, done []int) string {
	first := &deeds[done[0]]
	key := "many_" + first.want.Action
	switch {
	case first.step.Again:
		return "many_again"
	case slices.ContainsFunc(done, func(i int) bool { return deeds[i].want.Action != first.want.Action }):
		return "many_other"
	case first.stayedOff():
		return "many_already_off"
	case first.want.Action == "mode" && !slices.ContainsFunc(done, func(i int) bool { return sayValue(deeds[i].receipt.Value) != "off" }):
		return "many_off"
	case p.phrases[key] == "" || strings.Contains(p.phrases[key], "{value}") && !sameValue(deeds, done):
		return "many_other"
	}
	return key
}

// sameValue reports whether the things of a group all report the same number.
func sameValue(deeds []deed, done []int) bool {
	first, ok := deeds[done[0]].receipt.Value.(float64)
	return ok && !slices.ContainsFunc(done, func(i int) bool { return deeds[i].receipt.Value != first })
}

func (p *Phrases) count(key string, n int, steps []plan.Step) string {
	args := p.grammar.countPlaces(steps)
	args["count"], args["things"] = n, p.grammar.thing(steps, n)
	return p.Phrase(key, args)
}

// mostNamed is how many things are called by their names; of more, only the number
// is said.
const mostNamed = 3

// these fills the places that depend on the names of things.
func (g *grammar) these(steps []plan.Step) map[string]any {
	if len(steps) == 1 {
		args := g.about(&steps[0])
		args["plain"] = g.names.Plain(steps[0].Entity)
		return args
	}
	var plain []string
	for i := range steps {
		plain = append(plain, g.names.Plain(steps[i].Entity))
	}
	args := g.namely(steps)
	if len(steps) > mostNamed {
		args = g.countPlaces(steps)
	}
	args["plain"] = g.list(plain)
	return args
}
