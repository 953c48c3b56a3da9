package reply

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"voicegateway/internal/tools"
)

// NoHouse says why a house is not known or not reached, by what its server waits for; "" if
// there is no sentence for that.
func (p *Phrases) NoHouse(waiting string) string {
	if waiting == "" {
		return ""
	}
	return p.Phrase("no_house_"+strings.ToLower(strings.ReplaceAll(waiting, " ", "_")), nil)
}

// NoServer says why the server of a house is not connected, by its fault (mcpint.Fault), and
// what to check; "" if there is no sentence for that.
func (p *Phrases) NoServer(fault, house string) string {
	if fault == "" {
		return ""
	}
	return p.Phrase("no_server_"+fault, map[string]any{"house": house})
}

// houses says which of several houses cannot be reached, since when and why as far as that
// is known, and then which can. The answer is that of the gateway's own tool list_houses.
func (p own) houses(r tools.Result) string {
	var told struct {
		Houses []struct {
			Name       string     `json:"name"`
			Reached    bool       `json:"reached"`
			WaitingFor string     `json:"waiting_for"`
			Fault      string     `json:"fault"`
			Since      *time.Time `json:"since"`
		} `json:"houses"`
	}
	if r.Failed || json.Unmarshal(r.Data, &told) != nil {
		return ""
	}
	if len(told.Houses) == 0 {
		return p.Phrase("houses_none", nil)
	}
	var said, reached []string
	for _, h := range told.Houses {
		why := cmp.Or(p.NoHouse(h.WaitingFor), p.NoServer(h.Fault, h.Name))
		switch {
		case h.Reached:
			reached = append(reached, h.Name)
		case why != "":
			said = append(said, p.Phrase("house_why", map[string]any{"house": h.Name, "why": why}))
		case h.Since != nil && time.Since(*h.Since) < day:
			said = append(said, p.Phrase("server_away_since", map[string]any{"name": h.Name, "time": p.TimeOfDay(h.Since.Local())}))
		default:
			said = append(said, p.Phrase("house_unreached", map[string]any{"house": h.Name}))
		}
	}
	if len(reached) > 0 {
		said = append(said, p.Phrase("houses_reached", map[string]any{"names": p.grammar.list(reached)}))
	}
	return strings.Join(said, " ")
}
