package reply

import (
	"encoding/json"
	"strings"

	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// own are the replies to questions that the gateway's own tools answer.
type own struct{ *Phrases }

// sayAnswer says the answer of such a tool; "" if the tool's own words are to be said.
func (p own) sayAnswer(s *plan.Step, key string, r tools.Result) string {
	zone, _ := s.Action.Slots["zone"].(string)
	from, _ := s.Action.Slots["from"].(string)
	switch {
	case r.Failed && (zone != "" || from != ""):
		// The tool names the place that it could not find.
		if zone == "" || from != "" && strings.Contains(strings.ToLower(r.Text), strings.ToLower(from)) {
			zone = from
		}
		return p.Phrase("unknown_place", map[string]any{"place": capital(zone)})
	case r.Failed && key == "date":
		return p.Phrase("no_such_day", nil)
	case key == "volume" && !r.Failed:
		return p.volume(r)
	case key == "houses_reached":
		return p.houses(r)
	}
	return p.Clock(key, r)
}

// volume tells how loud the speaker is.
func (p own) volume(r tools.Result) string {
	var data struct {
		Level int  `json:"level"`
		Muted bool `json:"muted"`
	}
	if json.Unmarshal(r.Data, &data) != nil {
		return ""
	}
	if data.Muted {
		return p.Phrase("volume_muted", nil)
	}
	return p.Phrase("volume", map[string]any{"value": data.Level})
}
