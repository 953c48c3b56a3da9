package zwave

import (
	"context"
	"encoding/json"
	"strings"

	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// prefix is what the tools of this house have in their names (REQUIREMENTS Z1).
const prefix = "zwave"

// inspector reads the state of the house for the tools that change nothing.
type inspector struct {
	link      *link
	ledger    *ledger
	directory *directory
	devices   *devices
	readBacks *readBacks
}

// domains are the types of devices, in the order in which they are listed. The functions in
// kinds.go find which of them a node has.
func domains() []string {
	return []string{"light", "switch", "fan", "cover", "lock", "climate", "valve", "sensor", "binary_sensor"}
}

// Tools returns the tools of the house, in the order of the list.
func (h *House) Tools() []tools.Tool { return form.Tools(h, h.Offer()) }

// Offer is how the tools of the house are called, and what is its own in them.
func (h *House) Offer() form.Offer {
	return form.Offer{
		Kind: "Z-Wave", Prefix: prefix, Network: "Z-Wave network", Domains: domains(), AllowDangerous: h.cfg.AllowDangerous,
		HealthText: "Whether the gateway answers, which devices do not, which sleep and whose battery is low.",
		HealthOutput: json.RawMessage(`{"type":"object","properties":{"healthy":{"type":"boolean"},"gateway":{"type":"string"},"version":{"type":"string"},
"answers":{"type":"boolean"},"devices":{"type":"integer"},"dead":{"type":"array","items":{"type":"string"}},
"asleep":{"type":"array","items":{"type":"string"}},"low_battery":{"type":"array","items":{"type":"string"}},
"shared_topics":{"type":"array","items":{"type":"string"},"description":"devices that publish on the same topics and cannot be told apart by them"},
"left_out":{"type":"array","items":{"type":"string"},"description":"what the gateway lists beyond what a Z-Wave network can have; it cannot be read or controlled here"},
"waiting_for":{"type":"string","enum":["","` + strings.Join(waitings(), `","`) + `"]},"message":{"type":"string"}},
"required":["healthy","gateway","version","answers","devices","dead","asleep","low_battery","shared_topics","left_out","waiting_for","message"]}`),
	}
}

// waitings are what the house may wait for.
func waitings() []string {
	return []string{"broker", "gateway", "choice of a gateway", "stick", "driver", "list of devices", waitingForList}
}

// List returns the devices that pass the filters.
func (h *House) List(ctx context.Context, a form.ListArgs) ([]form.Listed, error) {
	return h.inspector.list(ctx, a)
}

// Verify says whether there is a device of a name, and suggests similar ones if not.
func (h *House) Verify(ctx context.Context, name string) (string, form.Verified, error) {
	return h.inspector.verify(ctx, name)
}

// Control carries out a command and follows it until the device itself reports.
func (h *House) Control(ctx context.Context, c form.Command, mayBeDangerous bool) (tools.Receipt, error) {
	return h.commander.command(ctx, c, mayBeDangerous)
}

// State is what a device last reported.
func (h *House) State(ctx context.Context, name string) (string, form.State, error) {
	return h.inspector.state(ctx, name)
}

// Sensor is one measured value of a device.
func (h *House) Sensor(ctx context.Context, name, sensor string) (string, form.Reading, error) {
	return h.inspector.sensor(ctx, name, sensor)
}

// Health says whether the gateway answers, and which devices do not.
func (h *House) Health(ctx context.Context, a form.HealthArgs) (string, any, error) {
	out := h.inspector.health(ctx, a.AskDevices == nil || *a.AskDevices)
	return out.Message, out, nil
}

// Refresh makes a device report all its values now.
func (h *House) Refresh(ctx context.Context, name string) (string, form.Refreshed, error) {
	return h.commander.refreshDevice(ctx, name)
}
