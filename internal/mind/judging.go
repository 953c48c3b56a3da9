package mind

import (
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/language/speech"
)

// Judge says whether the words so far are a sentence (REQUIREMENTS H6), and whether little is
// lost if their speaker meant more. In which room they are spoken makes no difference: a
// sentence that depends on the room may go on with one.
func (m *Mind) Judge(partial string) speech.Completeness {
	c := m.match.Judge(partial)
	if c == speech.Closed && revocable(m.match.Match(partial, ""), m.match.House()) {
		return speech.Revocable
	}
	return c
}

// revocable reports whether an order only asks, or does what can be put back.
func revocable(d intent.Decision, h *home.House) bool {
	return d.Route == intent.Local && !slices.ContainsFunc(d.Actions, func(a intent.Action) bool {
		return a.Changes() && (len(a.Later) > 0 || len(a.Devices) == 0 || catalogue.Of(a.Intent).Undo != catalogue.Restored ||
			slices.ContainsFunc(a.Devices, func(id string) bool { return !eitherWay(h.Entity(id)) }))
	})
}

// eitherWay reports whether a thing may be set and put back without a question: the way back
// from a locked door is dangerous.
func eitherWay(e *home.Entity) bool {
	return e != nil && !e.Costly && !intent.Dangerous(intent.Action{Intent: catalogue.TurnOn}, e) && !intent.Dangerous(intent.Action{Intent: catalogue.TurnOff}, e)
}
