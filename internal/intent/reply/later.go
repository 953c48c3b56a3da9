package reply

import (
	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// SayArrived says that things which were moving, or asleep, now have the requested state.
// Their own later reports count as the confirmation.
func (p *Phrases) SayArrived(steps []plan.Step) string {
	results := make([]tools.Result, len(steps))
	for i := range results {
		results[i].Receipt = &tools.Receipt{Device: steps[i].Entity.Name, Outcome: tools.Confirmed}
	}
	return p.SayResults(steps, results)
}

// SayStuck says of a thing that was under way how far it has come; a thing that has
// not reported since is to be looked at.
func (p *Phrases) SayStuck(s *plan.Step, seen plan.Sight) string {
	args := p.grammar.these([]plan.Step{*s})
	word := ""
	if seen.State != nil {
		word = p.readings.state(s.Entity, seen.State)
	}
	switch level := sayValue(seen.Level); {
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

// Belied says of a thing that it is not what it was told as, in the words of a receipt,
// and where that is worth a word, what it is. Of one that may have been so for a moment,
// unsure, only what it is is said.
func (p *Phrases) Belied(e *home.Entity, property string, told, is any, unsure bool) string {
	args := p.grammar.about(&plan.Step{Entity: e})
	asked, level := sayValue(told), sayValue(is)
	if unsure {
		return p.isNow(e, is, args)
	}
	key := "belied"
	switch home.Ability(property) { //nolint:exhaustive // of the others it is said that they did not do it
	case home.OnOff:
		key = map[bool]string{true: "belied_on", false: "belied_off"}[asked == "on"]
	case home.Brightness, home.Speed:
		switch {
		case asked == "0":
			key = "belied_off"
		case level == "0" || level == "":
			key = "belied_on"
		default:
			key, args["asked"], args["value"] = "belied_level", asked, level
		}
	case home.Colour:
		key = "belied_colour"
	}
	return p.Phrase(key, args)
}

// isNow says what a thing is: a word, or a level in percent.
func (p *Phrases) isNow(e *home.Entity, is any, args map[string]any) string {
	switch level, isNumber := is.(float64); {
	case isNumber && level == 0:
		return p.Phrase("done_off", args)
	case isNumber:
		args["value"] = sayValue(is)
		return p.Phrase("done_position", args)
	}
	args["value"] = p.readings.state(e, is)
	return p.Phrase("state", args)
}
