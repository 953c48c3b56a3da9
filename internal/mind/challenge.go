package mind

import (
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/guard"
)

// challenged is the step for speech that answers a challenge. The speech counts as
// nothing else. The act is planned once more, because the house may have changed.
func (u *understanding) challenged(x Exchange, m Memory, h *home.House) (Order, bool) {
	if x.Challenge == "" {
		return Order{}, false
	}
	if m.Refused != nil {
		return refuse(Order{}, m.Refused), true
	}
	o := u.order(x, m, h, m.Passed.Decision)
	if o.Meant.Route != intent.Local {
		return o, true
	}
	o = Order{Meant: o.Meant, Manner: Passed}
	steps, no := u.rules.Plan(m.Passed, h)
	if no != nil {
		return refuse(o, no), true
	}
	o.Do = steps
	return o, true
}

// refuse is an order that the guard does not let through.
func refuse(o Order, no *guard.Refusal) Order {
	o.Say = &answer{reply: no.Said, end: record.Failed, why: no.Why, route: record.RouteRefused}
	return o
}
