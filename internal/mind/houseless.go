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
	"voicegateway/internal/intent/mood"
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

// Gateway is what the gateway knows of itself.
type Gateway interface {
	// Broker says why there is no connection to the MQTT broker: broker, password, or "" where
	// there is one.
	Broker() string
	// Troubles are sentences about what is wrong with the gateway, the worst first.
	Troubles() []string
}

// noHouse says why no house is known, as far as the servers or the gateway know, and what to
// do about it. A question about the whole house is also answered with what is wrong with the
// gateway itself.
func (m *Mind) noHouse(ctx context.Context, d intent.Decision) string {
	ctx, cancel := context.WithTimeout(ctx, healthBudget)
	defer cancel()
	var health struct {
		WaitingFor string `json:"waiting_for"`
	}
	r, err := m.calls.Caller.Call(ctx, tools.Call{Tool: healthTool, Args: json.RawMessage(`{}`)})
	if err != nil || json.Unmarshal(r.Data, &health) != nil {
		health.WaitingFor = ""
		if m.Gateway != nil {
			health.WaitingFor = m.Gateway.Broker()
		}
	}
	said := m.sayOthers(ctx)
	if len(said) == 0 || m.Houses.Expects() {
		said = append([]string{cmp.Or(m.phrases.NoHouse(health.WaitingFor), m.noServer(), m.phrases.Phrase("no_house", nil))}, said...)
	}
	if m.Gateway != nil && d.Act == mood.Question && d.Reason == intent.NoDevice {
		said = append(said, m.Gateway.Troubles()...)
	}
	return strings.Join(said, " ")
}

// noServer says why our own Z-Wave server is not connected; "" if it is.
func (m *Mind) noServer() string {
	if m.Houses == nil {
		return ""
	}
	h, connected := m.Houses.OwnServer()
	if connected {
		return ""
	}
	return cmp.Or(m.phrases.NoServer(h.Fault, h.Name), m.phrases.Phrase("no_server", nil))
}
