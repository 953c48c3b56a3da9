package mind

import (
	"errors"
	"fmt"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
)

// ErrNoThing means that the house has no thing of an id or a name.
var ErrNoThing = errors.New("the house has no such thing")

// ErrNoHouse means that no server has told its house yet.
var ErrNoHouse = errors.New("the house is not known yet; GET /readyz and voice-gateway servers say what is missing")

// Controls makes an act without words on the thing that has an id, or alone has a name. The
// error is ErrNoThing or ErrNoHouse, or says what the thing can do and which value it takes.
func (m *Mind) Controls(thing, do string, value any) (record.Control, error) {
	h := m.match.House()
	e := h.Entity(thing)
	if e == nil {
		var named []*home.Entity
		for i := range h.Entities {
			if strings.EqualFold(h.Entities[i].Name, thing) {
				named = append(named, &h.Entities[i])
			}
		}
		switch len(named) {
		case 0:
			if h.Empty() {
				return record.Control{}, ErrNoHouse
			}
			return record.Control{}, fmt.Errorf("%w: %q is neither the id nor the name of one", ErrNoThing, thing)
		case 1:
			e = named[0]
		default:
			return record.Control{}, fmt.Errorf("%d things are called %q; give the id of one", len(named), thing)
		}
	}
	if err := (plan.Wish{Action: do, Value: value}).Fits(e); err != nil {
		return record.Control{}, fmt.Errorf("%w; %s", err, plan.Explain(e))
	}
	return record.Control{Thing: e.ID, Name: e.Name, Do: do, Value: value}, nil
}

// controlled is the step for an act that was ordered without words, such as a tap on the
// page. It is planned as if a sentence had asked for it, so the same rules hold for both.
func (u *understanding) controlled(x Exchange, _ Memory, h *home.House) (Order, bool) {
	c := x.Control
	if c == nil {
		return Order{}, false
	}
	o := Order{Meant: intent.Decision{Route: intent.Local}}
	e := h.Entity(c.Thing)
	if e == nil {
		gone := &plan.Error{Text: "That device is gone.", Key: "cannot_gone"}
		return o.say(u.phrases.Apology(gone), record.Failed, gone.Text), true
	}
	s, err := plan.Wish{Action: c.Do, Value: c.Value}.On(e)
	if s.Action.Intent == "" { // the words of the order fit nothing
		cannot := &plan.Error{Key: "cannot_do", Entity: e}
		return o.say(u.phrases.Apology(cannot), record.Failed, err.Error()), true
	}
	o.Meant.Actions = []intent.Action{s.Action}
	return u.plan(o, x, h), true
}
