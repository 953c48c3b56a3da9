package reply

import (
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// Arrived says that things which were under way, or asleep, are as they were asked
// to be. Their own later reports count as the confirmation.
func (p *Phrases) Arrived(steps []plan.Step) string {
	results := make([]tools.Result, len(steps))
	for i := range results {
		results[i].Receipt = &tools.Receipt{Device: steps[i].Entity.Name, Outcome: tools.Confirmed}
	}
	return p.Told(steps, results)
}

// Stuck says of a thing that was under way how far it has come; a thing that has
// not reported since is to be looked at.
func (p *Phrases) Stuck(s *plan.Step, seen plan.Sight) string {
	args := p.grammar.these([]plan.Step{*s})
	word := ""
	if seen.State != nil {
		word = p.readings.state(s.Entity, seen.State)
	}
	switch level := said(seen.Level); {
	case !seen.Known:
		return p.Phrase("fate_unknown_of", args)
	case level != "" && level != "0" && level != "100":
		args["value"] = level
		return p.Phrase("stuck_level", args)
	case word != "":
		args["value"] = word
		return p.Phrase("stuck_state", args)
	}
	return p.Phrase("fate_unknown_of", args)
}
