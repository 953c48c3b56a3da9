package reply

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// truths are the words in which sensors of two states tell that what they watch
// for is there (on) and that it is not (off). Any other word tells neither.
var truths = map[string]string{
	"on": "on", "true": "on", "detected": "on", "motion": "on", "open": "on",
	"off": "off", "false": "off", "clear": "off", "idle": "off", "closed": "off",
}

// openings are the classes of what can be open; asked for either state they are
// answered with yes or no.
var openings = []string{"window", "door", "garage_door", "opening", "garage"}

// sense is what one sensor of two states tells.
type sense struct {
	truth string // on, off; "" is not known
	told  string // in the family's language: "smoke", "no smoke", "open"
	alarm bool   // it watches for something that is told by a word of its own
	opens bool   // it is a contact: open and closed are as good as each other
	away  bool   // it cannot be reached, so this is how it was
	age   int64
}

// sensed reads what a sensor of two states tells. It is not ok where the step is
// about something else.
func (p *Phrases) sensed(s *plan.Step, r tools.Result) (sense, bool) {
	o, known := observe(s, r)
	class, word, ok := p.subject(s, &o)
	if !ok {
		return sense{}, false
	}
	_, alarm := p.sensors[class]
	out := sense{alarm: alarm, opens: slices.Contains(openings, class), away: o.Reachable != nil && !*o.Reachable, age: o.Age}
	if known {
		out.truth = truths[strings.ToLower(said(word))]
	}
	out.told = p.sense(class, out.truth)
	return out, true
}

// subject is the class of what a reading is about, and the word it tells. A named
// thing that does not watch for what was asked tells nothing about it.
func (p *Phrases) subject(s *plan.Step, o *observation) (class string, word any, ok bool) {
	asked, _ := s.Action.Slots["device_class"].(string)
	_, alarm := p.sensors[asked]
	binary, own := s.Entity.Domain == "binary_sensor", s.Entity.DeviceClass()
	_, isNumber := o.State.(float64)
	switch {
	case alarm && !binary && !isNumber:
		return asked, o.Values[asked], true
	case alarm && (o.Sensor == asked || o.Sensor == "" && own == asked):
		return asked, o.State, true
	case alarm && s.Action.Slots["name"] != nil:
		return asked, nil, true
	case binary && (!isNumber || asked == ""):
		return cmp.Or(own, asked), o.State, true
	}
	return "", nil, false
}

// sense is how a class of sensors tells that what it watches for is there or not.
func (p *Phrases) sense(class, truth string) string {
	if told, ok := p.sensors[class]; ok {
		return told[truth]
	}
	table := p.states["other"]
	if slices.Contains(openings, class) {
		table = p.states["opening"]
	}
	return cmp.Or(table[truth], truth)
}

// senseOf tells of one sensor of two states. What is not known is never told as a
// no, and an alarm that is on is never answered by one: to be asked whether all is
// well is answered by how it is.
func (p *Phrases) senseOf(s *plan.Step, got sense) string {
	args := p.about(s)
	args["value"] = got.told
	if got.truth == "" {
		return p.Phrase("unknown_state", args)
	}
	if got.away {
		return p.Phrase("unreachable", args)
	}
	text := p.Phrase(got.phrase(truthAsked(s)), args)
	if got.age > oldAfter {
		text += " " + p.Phrase("old", map[string]any{"ago": p.ago(got.age)})
	}
	return text
}

// truthAsked is whether a question asks if something is there (on) or not (off);
// "" where it asks how it is.
func truthAsked(s *plan.Step) string {
	asked, _ := s.Action.Slots["state"].(string)
	return truths[asked]
}

// phrase is the key of the sentence that answers a question for a truth.
func (g sense) phrase(asked string) string {
	key := "state"
	if g.alarm {
		key = "senses"
	}
	switch {
	case asked == "", asked == "off" && !g.opens:
		return key
	case asked == g.truth:
		return key + "_yes"
	}
	return key + "_no"
}

// several tells of several sensors at once: which of them are in the asked state,
// or that none is, and of which it is not known.
func (p *Phrases) several(steps []plan.Step, senses []sense) string {
	asked, alarm := truthAsked(&steps[0]), senses[0].alarm
	want := asked
	if alarm {
		want = "on"
	}
	var in, out, unknown []int
	for i, got := range senses {
		switch {
		case got.truth == want:
			in = append(in, i)
		case got.truth == "" || got.away:
			unknown = append(unknown, i)
		default:
			out = append(out, i)
		}
	}
	var said []string
	switch {
	case len(in) > 0:
		said = p.alike(steps, senses, in, asked)
	case alarm && len(unknown) > 0: // one that is silent makes no no
		said = p.alike(steps, senses, out, "")
	case alarm:
		said = p.alike(steps, senses, out, asked)
	case len(unknown) == 0:
		value := p.sense(steps[0].Entity.DeviceClass(), want)
		said = []string{p.Phrase("none_are", map[string]any{"things": p.thing(steps, 2), "value": value})}
	}
	if len(unknown) > 0 {
		said = append(said, p.Phrase("unknown_state", p.named(steps, unknown)))
	}
	return strings.Join(said, " ")
}

// alike tells of some of the sensors, those that tell the same in one sentence.
// The first sentence answers with yes or no where it may.
func (p *Phrases) alike(steps []plan.Step, senses []sense, some []int, asked string) []string {
	var said []string
	for len(some) > 0 {
		first := senses[some[0]]
		var same, rest []int
		for _, i := range some {
			if senses[i].told == first.told {
				same = append(same, i)
			} else {
				rest = append(rest, i)
			}
		}
		if !first.alarm || len(said) > 0 {
			asked = ""
		}
		args := p.named(steps, same)
		args["value"] = first.told
		said, some = append(said, p.Phrase(first.phrase(asked), args)), rest
	}
	return said
}

// named fills the places that depend on the names of some of the steps' things,
// or on their number where nobody would listen to all the names.
func (p *Phrases) named(steps []plan.Step, some []int) map[string]any {
	const most = 4
	if len(some) == 1 {
		return p.about(&steps[some[0]])
	}
	var names []string
	var these []plan.Step
	for _, i := range some {
		names, these = append(names, p.spoken(steps[i].Entity)), append(these, steps[i])
	}
	name := p.list(names)
	if len(some) > most {
		name = fmt.Sprintf("%d %s", len(some), p.thing(these, len(some)))
	}
	return map[string]any{"name": name, "Name": capital(name), "is": p.words["are"], "reports": p.words["report"]}
}
