package hass

import (
	"encoding/json"
	"strings"

	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// Tools returns the tools of the house, in the order of the list.
func (h *House) Tools() []tools.Tool { return form.Tools(h, h.Offer()) }

// Offer is how the tools of the house are called, and what is its own in them.
func (h *House) Offer() form.Offer {
	return form.Offer{
		Kind: "Home Assistant", Prefix: Prefix, Network: "Home Assistant", Domains: Domains(), Actions: Actions(), AllowDangerous: h.cfg.AllowDangerous, HasCostly: true,
		HealthText: "Whether Home Assistant answers, which devices it cannot reach and whose battery is low.",
		HealthOutput: json.RawMessage(`{"type":"object","properties":{"healthy":{"type":"boolean"},"version":{"type":"string"},
"answers":{"type":"boolean"},"devices":{"type":"integer"},"dead":{"type":"array","items":{"type":"string"}},
"asleep":{"type":"array","items":{"type":"string"}},"low_battery":{"type":"array","items":{"type":"string"}},
"hidden":{"type":"integer","description":"how many things Home Assistant does not show to assistants; they are not part of the house"},
"waiting_for":{"type":"string","enum":["","` + strings.Join(Waiting(), `","`) + `"]},"message":{"type":"string"}},
"required":["healthy","version","answers","devices","dead","asleep","low_battery","hidden","waiting_for","message"]}`),
	}
}
