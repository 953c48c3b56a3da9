package errand

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// Reader reads the calls of a model.
type Reader struct {
	House *home.House
	Words []*choosing.Words // of the languages in which a model may name things
	// Done returns the sentence about an act on a device that this turn has already done; ok
	// is false if there was none.
	Done func(device, key string) (told string, ok bool)
}

// Round reads the calls of a round back into acts, each once.
func (r *Reader) Round(asked []dialogue.Call) *Round {
	round := &Round{}
	keys := map[string]int{}
	for _, call := range asked {
		c := Call{Call: call}
		var steps []plan.Step
		steps, c.Complaint = r.readBack(call)
		for _, s := range steps {
			key := Key(&s)
			i, again := keys[key]
			if !again {
				i = len(round.Errands)
				keys[key] = i
				round.Errands = append(round.Errands, r.errand(s, key))
			}
			c.Errands = append(c.Errands, i)
		}
		round.Calls = append(round.Calls, c)
	}
	return round
}

// errand makes an errand of a step, unless this turn has done the same already.
func (r *Reader) errand(s plan.Step, key string) Errand {
	e := Errand{Step: s}
	if s.Entity == nil {
		return e
	}
	if told, done := r.Done(s.Entity.ID, key); done {
		e.Before, e.Refusal = true, "Done already in this turn: "+told
	}
	return e
}

// readBack translates a call into the acts it asks for, or says why it cannot. A
// dangerous call is translated even if the tool's schema forbids it, because the user
// hears that it is refused.
func (r *Reader) readBack(call dialogue.Call) (steps []plan.Step, complaint string) {
	c := InServer(call)
	if call.Result.Failed {
		complaint = call.Result.Text
	}
	things := thingsOfTool(r.House, c)
	switch {
	case len(things) == 0 && complaint != "":
		return nil, complaint
	case len(things) == 0 && r.unknownYet(call):
		return nil, "Not done: the devices of this tool are not known yet. Try again in a minute."
	case len(things) == 0:
		act := intent.Action{Devices: []string{c.Tool + string(plainJSON(c.Args))}}
		c.Args = plainJSON(c.Args)
		return []plan.Step{{Action: act, Call: c, Risk: call.Spec.Risk, Once: !call.Spec.Idempotent}}, ""
	}
	w, ok := plan.ReadWish(c.Args)
	if !ok {
		return nil, cmp.Or(complaint, fmt.Sprintf("The arguments of %s are wrong: device_name and action are needed.", call.Tool))
	}
	steps, why := r.planWish(w, things)
	if complaint != "" && !slices.ContainsFunc(steps, func(s plan.Step) bool { return s.Risk == tools.Dangerous }) {
		return nil, complaint
	}
	return steps, why
}

// planWish plans a wish for the devices it names. Of a group, those that cannot do it
// are left out.
func (r *Reader) planWish(w plan.Wish, things []*home.Entity) (steps []plan.Step, complaint string) {
	meant, complaint := r.findMeant(w.Device, things)
	for _, e := range meant {
		s, err := w.On(e)
		if err != nil && s.Risk != tools.Dangerous {
			complaint = cmp.Or(complaint, "Not done: "+err.Error())
			continue
		}
		s.Err = nil
		steps = append(steps, s)
	}
	if len(steps) > 0 {
		complaint = ""
	}
	return steps, complaint
}

// InServer is a call under the name that the tool has on its server.
func InServer(call dialogue.Call) tools.Call {
	c := call.Call
	if c.Server = call.Spec.Server; c.Server != "" {
		c.Tool = cmp.Or(call.Spec.Remote, call.Spec.Name, c.Tool)
	}
	return c
}

// plainJSON writes arguments without blanks and with sorted keys.
func plainJSON(args json.RawMessage) json.RawMessage {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(args))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return args
	}
	plain, err := json.Marshal(value)
	if err != nil {
		return args
	}
	return plain
}

// Unknown reports whether a call seems to be about a device, and no device is known
// that its tool controls: its server may be about to tell of them.
func (r *Reader) Unknown(asked []dialogue.Call) bool { return slices.ContainsFunc(asked, r.unknownYet) }

func (r *Reader) unknownYet(call dialogue.Call) bool {
	c := InServer(call)
	_, wish := plan.ReadWish(c.Args)
	return c.Server != "" && wish && len(thingsOfTool(r.House, c)) == 0
}

// thingsOfTool lists the entities that a tool controls.
func thingsOfTool(h *home.House, c tools.Call) []*home.Entity {
	var things []*home.Entity
	if h == nil || c.Server == "" {
		return nil
	}
	for i := range h.Entities {
		if e := &h.Entities[i]; e.Server == c.Server && e.Control != nil && e.Control.Tool == c.Tool {
			things = append(things, e)
		}
	}
	return things
}

// findMeant finds the devices of a tool that a model means by a name: the tool's own id, the
// name of the device, or room and kind. If it finds none, or several without a clear
// choice, it returns a complaint for the model.
func (r *Reader) findMeant(name string, things []*home.Entity) (found []*home.Entity, complaint string) {
	for _, e := range things {
		if e.Control.ID == name && !strings.EqualFold(e.Name, name) {
			return []*home.Entity{e}, ""
		}
		own := append([]string{e.Control.ID, e.Name}, e.Aliases...)
		if slices.ContainsFunc(own, func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), name) }) {
			found = append(found, e)
		}
	}
	several := false
	for _, words := range r.Words {
		if len(found) == 0 {
			found, several = words.Called(name, things)
		}
	}
	switch {
	case len(found) == 0:
		return r.findListed(name, things)
	case len(found) > 1 && !several:
		return nil, fmt.Sprintf("Not done: several devices may be called %q: %s. Name one of them as it stands here, or ask the user which one is meant.", name, listNames(found))
	}
	return found, ""
}

// findListed finds the devices of a list of names: "left lamp, right lamp".
func (r *Reader) findListed(name string, things []*home.Entity) (found []*home.Entity, complaint string) {
	parts := strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune(",;&+", c) })
	if len(parts) < 2 {
		return nil, r.unknown(name, things)
	}
	for _, part := range parts {
		more, complaint := r.findMeant(strings.TrimSpace(part), things)
		if complaint != "" {
			return nil, complaint
		}
		found = append(found, more...)
	}
	return found, ""
}

// mostListed is how many devices a complaint names.
const mostListed = 24

// unknown complains about a name that no device of a tool has.
func (r *Reader) unknown(name string, things []*home.Entity) string {
	for i := range r.House.Entities {
		e := &r.House.Entities[i]
		switch {
		case !strings.EqualFold(e.Name, name):
		case e.Control == nil:
			return fmt.Sprintf("Not done: %q can only be read.", e.Name)
		default:
			return fmt.Sprintf("Not done: %q is not a device of this tool; %q reaches it.", e.Name, e.Control.Tool)
		}
	}
	return fmt.Sprintf("Not done: there is no device %q. The devices of this tool are: %s.", name, listNames(things))
}

// listNames names devices as their tool calls them.
func listNames(things []*home.Entity) string {
	var names []string
	for _, e := range things[:min(len(things), mostListed)] {
		text := fmt.Sprintf("%q", e.Control.ID)
		if e.Area != "" {
			text += fmt.Sprintf(" (%s)", e.Area)
		}
		names = append(names, text)
	}
	return strings.Join(names, ", ")
}
