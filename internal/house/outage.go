package house

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"voicegateway/internal/tools"
)

// healthTool is the tool in which a server says whether its devices can be reached
// at all (REQUIREMENTS Z1). A server without it is taken to be well.
const healthTool = "check_zwave_health"

// Bounds of asking for it: an answer serves everybody for a while, because it may
// cost the house some airtime.
const (
	outagePatience = 1500 * time.Millisecond
	outageHolds    = 3 * time.Second
)

// Outages knows what keeps servers from their devices: a stick, a gateway or a
// driver that is away.
type Outages struct {
	caller Caller

	mu   sync.Mutex
	text string
	at   time.Time
}

// NewOutages makes the knowledge about servers reached through c.
func NewOutages(c Caller) *Outages { return &Outages{caller: c} }

// Of says what keeps the given servers from their devices, "" if nothing does. A
// server that does not answer in time is not judged.
func (o *Outages) Of(ctx context.Context, servers []string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.at.IsZero() && time.Since(o.at) < outageHolds {
		return o.text
	}
	ctx, cancel := context.WithTimeout(ctx, outagePatience)
	defer cancel()
	o.text = ""
	for _, server := range servers {
		result, err := o.caller.Call(ctx, tools.Call{Server: server, Tool: healthTool, Args: json.RawMessage(`{}`)})
		var answer struct {
			WaitingFor string `json:"waiting_for"`
			Message    string `json:"message"`
		}
		if err == nil && json.Unmarshal(result.Data, &answer) == nil && answer.WaitingFor != "" {
			o.text = answer.Message
			break
		}
	}
	o.at = time.Now()
	return o.text
}
