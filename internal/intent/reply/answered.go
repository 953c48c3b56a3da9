package reply

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// observation is the structured answer of a reading tool: of a device's state or
// of one sensor.
type observation struct {
	Sensor    string         `json:"sensor"`
	State     any            `json:"state"`
	Values    map[string]any `json:"values"`
	Value     any            `json:"value"`
	Unit      string         `json:"unit"`
	Age       int64          `json:"age_seconds"`
	Reachable *bool          `json:"reachable"`
	Low       bool           `json:"low"`    // a battery that is low whatever it measures
	Reason    tools.Reason   `json:"reason"` // why it may not be so
	Stale     *bool          `json:"stale"`  // whether the age must be said; nil if the tool does not know
}

// old reports whether the reply says a reading's age.
func (o *observation) old() bool {
	if o.Stale != nil {
		return *o.Stale
	}
	return o.Age >= oldAfter
}

// answered replies to a question.
func (p *Phrases) answered(steps []plan.Step, results []tools.Result) string {
	slots := steps[0].Action.Slots
	asked, _ := slots["state"].(string)
	switch {
	case slots["compare"] != nil:
		return (&comparison{Phrases: p}).sayRoom(steps, results)
	case asked == "right":
		return (&census{Phrases: p}).wellbeing(steps, results, slots["ask"] == "which")
	case slots["kind"] != nil, slots["ask"] != nil, slices.Contains([]string{"ok", "reachable", "unreachable"}, asked):
		return p.census(questionOf(&steps[0].Action), steps, results)
	}
	if text := p.insteadOf(steps, results); text != "" {
		return text
	}
	switch {
	case len(steps) == 1:
		return p.one(&steps[0], results[0])
	case asked == "":
		var said []string
		most := mostNames
		if slots["every"] != nil {
			most = mostListed
		}
		for i := range steps[:min(len(steps), most)] {
			said = append(said, p.one(&steps[i], results[i]))
		}
		return strings.Join(said, " ")
	}
	if senses, ok := p.readings.sensedAll(steps, results); ok && truths[asked] != "" {
		return p.several(steps, senses)
	}
	return p.census(questionOf(&steps[0].Action), steps, results)
}

// sensedAll reads sensors that each watch for something; ok is false if a step is
// about another thing.
func (r *readings) sensedAll(steps []plan.Step, results []tools.Result) (senses []sense, ok bool) {
	for i := range steps {
		got, sensed := r.sensed(&steps[i], results[i])
		if !sensed || !got.alarm {
			return nil, false
		}
		senses = append(senses, got)
	}
	return senses, true
}

// silentReasons are the reasons of a reading whose device does not answer.
var silentReasons = []tools.Reason{"dead", "not_polled"}

// observe reads a result; a sensor's value counts as its state. ok is false when
// nothing is known.
func observe(s *plan.Step, r tools.Result) (observation, bool) {
	var o observation
	if s.Err != nil || r.Failed || json.Unmarshal(r.Data, &o) != nil {
		return o, false
	}
	if o.State == nil {
		o.State = o.Value
	}
	if o.State == "unknown" {
		o.State = nil
	}
	if slices.Contains(silentReasons, o.Reason) {
		o.Reachable = new(bool) // what it last said may not be so any more
	}
	return o, o.State != nil || len(o.Values) > 0
}

// one answers about a single device.
func (p *Phrases) one(s *plan.Step, r tools.Result) string {
	args := p.grammar.about(s)
	o, ok := observe(s, r)
	if !ok {
		return p.sayUnknown(s, r, &o)
	}
	if text := p.setTo(s, &o); text != "" {
		return text
	}
	if got, ok := p.readings.sensed(s, r); ok {
		return p.senseOf(s, got)
	}
	if text := cmp.Or(p.doorOf(s, &o), p.halfway(s, &o)); text != "" {
		return text
	}
	value, unit := p.readings.value(s, o)
	args["value"], args["unit"] = value, unit
	if text := cmp.Or(p.sayCause(s, &o, args), p.sayCharge(s, &o)); text != "" {
		return text
	}
	if o.Reachable != nil && !*o.Reachable {
		args["value"] = strings.TrimSpace(value + " " + unit)
		return p.Phrase("unreachable", args)
	}
	if text := cmp.Or(p.sayItems(s, &o, args), p.sayPlaying(s, &o, args)); text != "" {
		return text
	}
	if value == "" {
		return p.Phrase("unknown_state", args)
	}
	return p.addAge(p.sayMeasure(s, &o, args), &o)
}

// sayUnknown says why a thing's state is not known.
func (p *Phrases) sayUnknown(s *plan.Step, r tools.Result, o *observation) string {
	args := p.grammar.about(s)
	switch {
	case s.Err != nil:
		return p.Apology(s.Err)
	case o.Reachable != nil && !*o.Reachable:
		return cmp.Or(p.sayCause(s, o, args), p.Phrase("cannot_reach", map[string]any{"names": args["name"]}))
	case o.Reason == tools.NotReady:
		return p.Phrase("why_not_ready", args)
	case r.Text != "" && p.english():
		return r.Text
	}
	return p.Phrase("unknown_state", args)
}

// sayCause says why a thing cannot be reached, if the cause is not the thing itself.
func (p *Phrases) sayCause(s *plan.Step, o *observation, args map[string]any) string {
	if o.Reachable == nil || *o.Reachable || !slices.Contains(others, o.Reason) {
		return ""
	}
	if house := houseAway(s, o); house != "" {
		return p.Phrase(phraseHouseAway, map[string]any{"house": house})
	}
	return p.Phrase("why_"+string(o.Reason), args)
}

// phraseHouseAway says which of several houses cannot be reached.
const phraseHouseAway = "house_away"

// houseAway is the one of several houses that cannot be reached, as a reading found out; "" if
// there is only one house, or another cause.
func houseAway(s *plan.Step, o *observation) string {
	if o.Reason != serverAway || s.Entity == nil {
		return ""
	}
	return s.Entity.House
}

// others are the reasons that keep every device from being reached.
var others = []tools.Reason{tools.StickGone, tools.ControllerNotReady, tools.GatewayAway, tools.BrokerAway, tools.HomeAssistantAway, tools.HomeAssistantStarting, tools.HomeAssistantToken, serverAway}

// doorOf answers whether the door of a lock is open: by its contact where the lock
// has one, else with what the lock itself knows, which is neither yes nor no.
func (p *Phrases) doorOf(s *plan.Step, o *observation) string {
	asked, _ := s.Action.Slots["state"].(string)
	if s.Entity.Domain != "lock" || opened[asked] == "" || o.Reachable != nil && !*o.Reachable {
		return ""
	}
	c := &census{p, question{kind: "door", want: opened[asked]}}
	f := finding{step: s}
	if home.OpeningOf(s.Entity.Name) == 0 { // a bolt is closed when it is locked
		f.state = c.stateOf(s.Entity, o, "locked")
		c.q.want = map[string]string{"open": "unlocked", "closed": "locked"}[c.q.want]
	} else {
		f.state = c.stateOf(s.Entity, o, "open")
	}
	if f.state != "" {
		prefix := "no"
		if is(f.state, c.q.want) {
			prefix = "yes"
		}
		return c.beginWith(prefix, c.sayByName(f.state, []finding{f}))
	}
	if f.state = c.stateOf(s.Entity, o, "locked"); f.state == "" {
		return p.Phrase("unknown_state", p.grammar.about(s))
	}
	return c.beginWith("", c.sayByName(f.state, []finding{f})) + " " + p.Phrase("door_unseen", nil)
}

// halfway answers whether something is open that is neither open nor closed: what
// stopped on its way is open, what moves is neither.
func (p *Phrases) halfway(s *plan.Step, o *observation) string {
	asked, _ := s.Action.Slots["state"].(string)
	want, state := opened[asked], sayValue(o.State)
	if want == "" || !slices.Contains([]string{"opening", "closing", "stopped"}, state) || o.Reachable != nil && !*o.Reachable {
		return ""
	}
	c := &census{p, question{kind: "door", want: want}}
	prefix := ""
	switch {
	case want == "closed":
		prefix = "no"
	case state == "stopped":
		prefix = "yes"
	}
	return c.beginWith(prefix, c.sayByName(state, []finding{{step: s}}))
}

// addAge adds its age to a reading that is old.
func (p *Phrases) addAge(text string, o *observation) string {
	if !o.old() || o.Age <= 0 {
		return text
	}
	return text + " " + p.Phrase("old", map[string]any{"ago": p.grammar.ago(o.Age)})
}

// sayMeasure says a value: as a measure in the usual form, as yes or no, or as it is.
func (p *Phrases) sayMeasure(s *plan.Step, o *observation, args map[string]any) string {
	value, unit := fmt.Sprint(args["value"]), fmt.Sprint(args["unit"])
	key := p.readings.form(s, value, unit)
	if key != "measured" {
		return p.Phrase(key, args)
	}
	class := cmp.Or(s.Entity.DeviceClass(), o.Sensor)
	if asked := classAsked(s); asked != "" && s.Entity.Domain != "sensor" {
		class = asked
	}
	switch {
	case class == "power" || class == "energy":
		e := *s.Entity
		e.Name = cutSuffixFold(e.Name, " "+class)
		maps.Copy(args, p.grammar.about(&plan.Step{Entity: &e}))
		key = "uses_" + class
		if value == "0" {
			key += "_none"
		}
	case asksWarmth(s):
		return p.sayComparison(s, args)
	case p.grammar.names.Measures(s.Entity.Name):
		// the temperature is, and measures nothing
	case s.Entity.Domain == "climate" || class == "temperature" || s.Entity.Domain == "sensor" && !p.english() && !slices.Contains(levels, class):
		key = "measures"
	case slices.Contains(levels, class):
		key = "stands_at"
	}
	return p.Phrase(key, args)
}

// levels are the classes of values that tell how far something is turned up.
var levels = []string{"brightness", "position", "speed", "battery", "volume"}

// cutSuffixFold takes a suffix off a text whatever its case.
func cutSuffixFold(text, suffix string) string {
	if n := len(text) - len(suffix); n > 0 && strings.EqualFold(text[n:], suffix) {
		return text[:n]
	}
	return text
}
