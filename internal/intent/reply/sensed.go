package reply

import (
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// sense is what one sensor of two states tells.
type sense struct {
	truth   string // on, off; "" is not known
	told    string // in the family's language: "smoke", "no smoke", "open"
	alarm   bool   // its alarm has a word of its own, such as smoke
	opens   bool   // it is a contact: neither open nor closed is the normal state
	away    bool   // it cannot be reached, so the state is its last known one
	reading observation
}

// senseOf says what one sensor with two states reports. An unknown state is never said as
// a no. An alarm that is on is never answered with "no": the reply to the question
// whether all is well is the state itself.
func (p *Phrases) senseOf(s *plan.Step, got sense) string {
	args := p.grammar.about(s)
	args["value"] = got.told
	if got.truth == "" {
		return p.Phrase("unknown_state", args)
	}
	if text := p.sayCause(s, &got.reading, args); text != "" && got.truth != "on" {
		return text
	}
	if got.away {
		return p.Phrase("unreachable", args)
	}
	return p.addAge(p.Phrase(p.sensing(got, truthAsked(s)), args), &got.reading)
}

// sensing is the key of the sentence that answers a yes-or-no question, in a language
// that has another form for what a sensor does not report.
func (p *Phrases) sensing(got sense, asked string) string {
	key := got.phrase(asked)
	if none := strings.Replace(key, "senses", "senses_none", 1); got.truth == "off" && p.phrases[none] != "" {
		return none
	}
	return key
}

// truthAsked returns whether a question asks if something is there (on) or not
// (off); "" if it asks for the state.
func truthAsked(s *plan.Step) string {
	asked, _ := s.Action.Slots["state"].(string)
	return truths[asked]
}

// phrase returns the key of the sentence that answers a question for a truth.
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

// several says the reports of several sensors at once: those in the requested state, or
// that none is in it, and those whose state is unknown.
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
	case len(in) > 0 && !slices.ContainsFunc(in, func(i int) bool { return isAskedFor(&steps[i]) }):
		own := slices.DeleteFunc(slices.Clone(out), func(i int) bool { return !isAskedFor(&steps[i]) })
		said = append(p.alike(steps, senses, in, ""), p.alike(steps, senses, own, "")...)
	case len(in) > 0:
		said = p.alike(steps, senses, in, asked)
	case alarm && len(unknown) > 0: // with a sensor of unknown state, "no" cannot be said for all
		said = p.alike(steps, senses, out, "")
	case alarm:
		said = p.alike(steps, senses, out, asked)
	case len(unknown) == 0:
		value := p.readings.sense(steps[0].Entity.DeviceClass(), want)
		said = []string{p.Phrase("none_are", map[string]any{"things": p.grammar.thing(steps, 2), "value": value})}
	}
	return strings.Join(append(said, p.unheard(steps, senses, unknown)...), " ")
}

// unheard says which sensors report nothing: those that cannot be reached, and those
// whose state is not known.
func (p *Phrases) unheard(steps []plan.Step, senses []sense, which []int) []string {
	var away, silent []int
	for _, i := range which {
		if senses[i].away {
			away = append(away, i)
		} else {
			silent = append(silent, i)
		}
	}
	var said []string
	if len(away) > 0 {
		said = append(said, p.Phrase("cannot_reach", map[string]any{"names": p.grammar.namePlaces(steps, away)["name"]}))
	}
	if len(silent) > 0 {
		said = append(said, p.Phrase("unknown_state", p.grammar.namePlaces(steps, silent)))
	}
	return said
}

// alike reports some of the sensors, with one sentence for all that report the
// same. The first sentence begins with yes or no where it may.
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
		args := p.grammar.namePlaces(steps, same)
		args["value"] = first.told
		said, some = append(said, p.Phrase(p.sensing(first, asked), args)), rest
	}
	return said
}

// alikeOnly are the classes for which sensors of other classes are asked as well because
// their alarm matters as much, while their silence says nothing: a carbon monoxide alarm
// does not smell gas.
var alikeOnly = []string{"gas", "intrusion"}

// isAskedFor reports whether an alarm of a step's sensor is a yes to the question: who
// asks for gas is also told of carbon monoxide, but that is another danger.
func isAskedFor(s *plan.Step) bool {
	classes, _ := s.Action.Slots["device_class"].([]any)
	return len(classes) == 0 || classes[0] != "gas" || s.Entity.DeviceClass() == "gas"
}

// insteadOf answers a question about a class of which the house has no sensor while those
// of another class are no answer to it: that there is none, and what these report. It is
// "" for any other question.
func (p *Phrases) insteadOf(steps []plan.Step, results []tools.Result) string {
	classes, _ := steps[0].Action.Slots["device_class"].([]any)
	if len(classes) == 0 || !slices.Contains(alikeOnly, fmt.Sprint(classes[0])) {
		return ""
	}
	senses, ok := p.readings.sensedAll(steps, results)
	if !ok {
		return ""
	}
	var quiet, unknown []int
	for i, got := range senses {
		switch {
		case steps[i].Entity.DeviceClass() == classes[0] || got.truth == "on" && isAskedFor(&steps[i]):
			return ""
		case got.truth == "" || got.away:
			unknown = append(unknown, i)
		default:
			quiet = append(quiet, i)
		}
	}
	said := append([]string{p.Phrase("no_sensor", nil)}, p.alike(steps, senses, quiet, "")...)
	return strings.Join(append(said, p.unheard(steps, senses, unknown)...), " ")
}
