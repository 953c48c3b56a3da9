package mind

import (
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/followup"
	"voicegateway/internal/mind/past"
)

// followed is the step for a short sentence that is about the sentence before:
// "turn it off", "a bit more", "and the bedroom". What it comes to is planned,
// permitted and answered like any other decision.
func (u *understanding) followed(x Exchange, m Memory, h *home.House) (Order, bool) {
	meant, ok := u.after(x, m, h, x.Text, x.Alone)
	if !ok {
		return Order{}, false
	}
	d := meant.Decision
	f := following{Order: u.order(x, m, h, d)}
	if m.Subject != nil {
		f.did, f.started = m.Subject.did, m.Subject.started
		f.back, f.rest = past.Apart(f.did, meant.Back)
	}
	if f.Meant.Route == intent.Local {
		u.goOn(&f, x, h, meant.Instead)
	}
	if d.Route == intent.Ask && d.Would != nil && (len(d.Options) > 0 || d.Reason == intent.When) {
		f.Ask = &question{decision: d, text: x.Text}
	}
	if f.Less = meant.Less; meant.Next != nil {
		f.Subject = &subject{Subject: *meant.Next, did: f.rest}
	}
	return f.Order, true
}

// after understands a text together with the sentence before it; ok is false if it is
// no such text.
func (u *understanding) after(x Exchange, m Memory, h *home.House, text string, alone intent.Decision) (meant followup.Meaning, ok bool) {
	words, able := u.match.(followup.Words)
	if !able || x.FollowUp { // a television says "more", too
		return meant, false
	}
	s := followup.Sentence{Text: text, Area: x.Area, Alone: alone, Model: x.Ready, Asked: m.Asked, House: h, Words: words, Match: u.match.Match, Choose: u.choosing.Choose, Phrases: u.phrases}
	if m.Subject != nil {
		s.Subject = &m.Subject.Subject
	}
	return s.Understand()
}

// following is the order of a short sentence, with what the sentence before did.
type following struct {
	Order

	did        []past.Deed
	back, rest []past.Deed // of those: what is taken back first, and what stays
	started    []string    // the ids of the timers, alarms and reminders that it set
}

// goOn adds to the order what the sentence before has to do with it. With instead, what
// is set takes the place of what that one set, once it is set.
func (u *understanding) goOn(f *following, x Exchange, h *home.House, instead bool) {
	o := &f.Order
	switch act := o.Meant.Actions[0]; {
	case instead:
		o.Then = planCancel(h, f.started)
	case act.Intent == catalogue.Except:
		o.Say = nil
		if o.Do, o.Denied = past.PlanUndo(h, f.back); len(o.Do) == 0 {
			o.Do, o.Denied = o.Denied, nil // the guard refuses them and says why
		}
		if len(o.Do) == 0 {
			*o = o.say(u.phrases.Phrase("nothing_changed", nil), record.Done, "")
		}
	case act.Intent == catalogue.Until && o.Meant.Reason == intent.OfBefore && len(f.did) > 0 && len(o.Do) > 0:
		o.Last = f.did
	case len(f.back) > 0 && o.Say == nil:
		steps, denied := past.PlanUndo(h, f.back)
		o.Do, o.Denied = slices.Concat(steps, o.Do), denied
		var devices []string
		for _, b := range f.back {
			devices = append(devices, b.Device)
		}
		o.Leaves = func(did past.Turn) past.Turn {
			_, did.Deeds = past.Apart(did.Deeds, devices)
			return did.As(x.Text)
		}
	}
}
