package mind

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/tools"
)

// healthTool is the tool with which a house's server says what it waits for.
const healthTool = "check_zwave_health"

// healthBudget bounds the call of that tool: a user does not wait long for this answer.
const healthBudget = 1500 * time.Millisecond

// lacksHouse reports whether a decision is what it is because nothing is known of a house.
func lacksHouse(d intent.Decision, h *home.House) bool {
	if d.Route == intent.Local {
		return h.Empty() && len(d.Actions) == 1 && d.Actions[0].Intent == catalogue.ListDevices
	}
	return d.NeedHouse && (d.Route == intent.Reject || d.Route == intent.Model)
}

// noHouse says why no house is known, as far as its server knows, and what to do about it.
func (a *Mind) noHouse(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, healthBudget)
	defer cancel()
	var health struct {
		WaitingFor string `json:"waiting_for"`
	}
	r, err := a.calls.Caller.Call(ctx, tools.Call{Tool: healthTool, Args: json.RawMessage(`{}`)})
	if err == nil && json.Unmarshal(r.Data, &health) != nil {
		health.WaitingFor = ""
	}
	key := "no_house_" + strings.ReplaceAll(health.WaitingFor, " ", "_")
	return cmp.Or(a.phrases.Phrase(key, nil), a.phrases.Phrase("no_house", nil))
}
