package reach

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"voicegateway/internal/tools"
)

// House is one of the houses that the gateway knows, or should know.
type House struct {
	Server     string     `json:"server"`
	Name       string     `json:"name"` // what people call it
	Reached    bool       `json:"reached"`
	WaitingFor string     `json:"waiting_for,omitempty"` // what its server waits for: broker, stick …
	Fault      string     `json:"fault,omitempty"`       // why its server is not connected: mcpint.Fault
	Since      *time.Time `json:"since,omitempty"`       // when its server answered last, of one that does not
}

const housesOutput = `{"type":"object","properties":{"houses":{"type":"array","items":{"type":"object","properties":{"server":{"type":"string"},"name":{"type":"string"},
"reached":{"type":"boolean"},"waiting_for":{"type":"string"},"fault":{"type":"string"},"since":{"type":"string"}},"required":["server","name","reached"]}}},"required":["houses"]}`

// NewHouses makes the tool that says which houses can be reached. Nothing in its answer is a
// server's own sentence.
func NewHouses(list func(context.Context) []House) tools.Tool {
	return tools.New(tools.Spec{
		Name: "list_houses", Title: "List the houses", Risk: tools.Read, Idempotent: true,
		Description: "The houses behind this gateway (Z-Wave, Home Assistant …), and which of them can be reached now.",
		Input:       json.RawMessage(noArguments), Output: json.RawMessage(housesOutput),
	}, func(ctx context.Context, _ struct{}) (tools.Result, error) {
		all := append([]House{}, list(ctx)...)
		var lines []string
		for _, h := range all {
			lines = append(lines, h.say())
		}
		body, err := json.Marshal(map[string][]House{"houses": all})
		if err != nil {
			return tools.Result{}, fmt.Errorf("writing the state of the houses: %w", err)
		}
		return tools.Result{Text: strings.Join(lines, "\n"), Data: body}, nil
	})
}

// say says in a sentence whether a house is reached.
func (h House) say() string {
	switch {
	case h.Reached:
		return h.Name + " can be reached."
	case h.WaitingFor != "":
		return h.Name + " cannot be reached: it waits for " + h.WaitingFor + "."
	case h.Fault != "":
		return h.Name + " cannot be reached: the fault of its server is " + h.Fault + "."
	case h.Since != nil:
		return h.Name + " cannot be reached; it answered last at " + h.Since.Format("15:04") + "."
	default:
		return h.Name + " cannot be reached."
	}
}
