package plan

import (
	"encoding/json"
	"slices"
	"time"

	"voicegateway/internal/tools"
)

// Absent is an MCP server that is not connected.
type Absent struct {
	ID          string     `json:"id"`
	Status      string     `json:"status"`
	LastSuccess *time.Time `json:"lastSuccess"` // when it answered last; nil: never
}

// ReadAbsent reads from the answer about the servers which are not connected.
func ReadAbsent(r tools.Result) []Absent {
	var list struct {
		Servers []Absent `json:"servers"`
	}
	if r.Failed || json.Unmarshal(r.Data, &list) != nil {
		return nil
	}
	return slices.DeleteFunc(list.Servers, func(s Absent) bool { return s.Status == "connected" })
}

// Troubles reads from the answer about the servers what else is wrong with the gateway.
func Troubles(r tools.Result) []string {
	var told struct {
		Trouble []string `json:"trouble"`
	}
	if r.Failed || json.Unmarshal(r.Data, &told) != nil {
		return nil
	}
	return told.Trouble
}
