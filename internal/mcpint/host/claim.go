package host

import (
	"encoding/json"
	"strings"

	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// answered is the part of an answer of Home Assistant's own MCP server that tells what it
// did.
type answered struct {
	Type string `json:"response_type"`
	Data struct {
		Success []target `json:"success"`
		Failed  []target `json:"failed"`
	} `json:"data"`
}

type target struct {
	Name string `json:"name"`
	Type string `json:"type"` // entity, area or floor
}

// asClaim makes of an answer of Home Assistant's own MCP server what it is: a claim. Its
// success means that a thing was found and that nothing complained for a fifth of a second,
// also for one without power (docs/hosts.md). So no call is confirmed; one whose
// success names a room and no thing has switched nothing, and has failed, as has one that
// calls itself an error.
func asClaim(tool string, r tools.Result) tools.Result {
	if r.Failed {
		r.Receipt = nil
		return r
	}
	var a answered
	_ = json.Unmarshal([]byte(r.Text), &a) // what is no such answer names no things
	things := namesOfThings(a.Data.Success)
	if a.Type == "error" || len(things) == 0 && len(a.Data.Success)+len(a.Data.Failed) > 0 {
		r.Failed, r.Receipt = true, nil
		return r
	}
	device := tool
	if len(things) > 0 {
		device = client.Secrets(nil).RedactLine(strings.Join(things, ", "), maxPinned)
	}
	r.Receipt = &tools.Receipt{Device: device, Outcome: tools.Accepted, Reason: tools.Unconfirmed, Message: "Home Assistant took the call, but has not shown that anything changed."}
	return r
}

func namesOfThings(all []target) (names []string) {
	for _, t := range all {
		if t.Type == "entity" {
			names = append(names, t.Name)
		}
	}
	return names
}
