package mind

import (
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
)

// withVerb completes a name that was said alone with the answer that says what to do:
// "on", "turn it off", "50 percent". The answer must be about the thing with that name,
// so that a new command is not taken for an answer.
func (a *Answerer) withVerb(q record.Request, p pending) (intent.Decision, bool) {
	house := a.match.House()
	called := func(e *home.Entity) bool { return len(a.choosing.Choose(p.decision.Heard, []*home.Entity{e})) > 0 }
	var own []string
	for i := range house.Entities {
		if e := &house.Entities[i]; called(e) {
			own = append(own, e.ID)
		}
	}
	for _, text := range a.choosing.About(q.Text, p.decision.Heard) {
		d := a.match.Match(text, q.Area)
		if d.Route == intent.Local && len(d.Actions) == 1 && len(d.Actions[0].Devices) > 0 &&
			!slices.ContainsFunc(d.Actions[0].Devices, func(id string) bool { return !slices.Contains(own, id) }) {
			return d, true
		}
	}
	return p.decision, false
}
