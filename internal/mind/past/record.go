package past

import (
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
)

// Rehearse puts the calls of a plan into a record without making them.
func Rehearse(rec *record.Record, steps []plan.Step) {
	rec.Outcome = record.Ignored
	for _, s := range steps {
		if c := s.PlannedCall(); c.Tool != "" {
			rec.Calls = append(rec.Calls, record.CallMade{Tool: c.Tool, Server: c.Server, Args: c.Args})
		}
	}
}

// NoteIntents puts what was understood into a record.
func NoteIntents(rec *record.Record, actions []intent.Action) {
	if len(actions) == 0 {
		return
	}
	rec.Intents = Intents(actions)
	rec.Intent = &rec.Intents[0]
	if len(rec.Intents) == 1 {
		rec.Intents = nil
	}
}

// Intents are actions as a record has them.
func Intents(actions []intent.Action) []record.Intent {
	out := make([]record.Intent, len(actions))
	for i, act := range actions {
		out[i] = record.Intent{Name: act.Intent, Slots: act.Slots}
	}
	return out
}

// Reason says for the record why a sentence was refused.
func Reason(d intent.Decision) string {
	switch {
	case d.NeedHouse:
		return "the house is not known: no server has told of it; voice-gateway servers and /readyz say what is missing"
	case d.Heard != "":
		return string(d.Reason) + ": " + d.Heard
	default:
		return string(d.Reason)
	}
}
