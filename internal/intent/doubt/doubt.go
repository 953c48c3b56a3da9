// Package doubt asks about a sentence of which only the beginning was heard, or which has
// another reading, and makes a whole sentence of it and the answer (REQUIREMENTS H11). It
// exists so that nothing is completed for the speaker: words, sentences and the house
// alone decide what is asked and what an answer makes of it, and the result is understood
// like any other sentence. A new question is a phrase in the files of replies and a line
// in missing or differing.
package doubt

import (
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/tools"
)

// Reader reads doubtful sentences in one house and from one room.
type Reader struct {
	Match   func(text string) intent.Decision // a sentence by itself
	Means   func(text string) intent.Decision // the same, or a short sentence about the one before
	House   *home.House
	Area    string
	Words   *choosing.Words
	Phrases *reply.Phrases
}

// steps plans what a decision asks for; nil if it plans nothing.
func (r *Reader) steps(d intent.Decision) []plan.Step {
	steps, err := plan.Calls(d, r.House, r.Area)
	if err != nil {
		return nil
	}
	return steps
}

// Acts reports whether a decision changes something. An intent of a foreign pack may.
func (r *Reader) Acts(d intent.Decision) bool {
	return d.Foreign || slices.ContainsFunc(r.steps(d), func(s plan.Step) bool { return s.Risk != tools.Read })
}

// Same reports whether two decisions come to the same: the same acts on the same
// things with the same numbers, however they were said.
func (r *Reader) Same(a, b intent.Decision) bool { return slices.Equal(r.meaning(a), r.meaning(b)) }

// meaning tells what a decision comes to, a text for each of its acts.
func (r *Reader) meaning(d intent.Decision) []string {
	var out []string
	for _, s := range r.steps(d) {
		out = append(out, act(&s)+" "+thing(&s))
	}
	if d.Foreign {
		for _, a := range d.Actions {
			out = append(out, fmt.Sprint(a.Intent, a.Slots)) // a map is written in the order of its keys
		}
	}
	slices.Sort(out)
	return out
}

// thing is the id of the thing that a step is about, "" if there is none.
func thing(s *plan.Step) string {
	if s.Entity == nil {
		return ""
	}
	return s.Entity.ID
}

// act tells what a step does, whatever its thing is.
func act(s *plan.Step) string {
	text := s.Action.Intent
	if catalogue.Of(text).Plan == catalogue.Switch {
		if s.Entity != nil {
			text += " " + s.Entity.Domain
		}
		return text
	}
	for _, slot := range []string{"brightness", "color", "position", "percentage", "temperature", "mode", "delta", "direction", "volume_level", "volume_step", "state", "device_class"} {
		if v := s.Action.Slots[slot]; v != nil {
			text += fmt.Sprint(" ", slot, "=", v)
		}
	}
	return text
}

// things are the entities of some steps, each once.
func things(steps []plan.Step) []*home.Entity {
	var out []*home.Entity
	for _, s := range steps {
		if s.Entity != nil && !slices.Contains(out, s.Entity) {
			out = append(out, s.Entity)
		}
	}
	return out
}

// countWords counts the words of a text.
func countWords(text string) int { return len(strings.Fields(text)) }
