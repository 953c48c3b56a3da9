package house

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"voicegateway/internal/tools"
)

// healthTool is the name of the tool with which a server says whether its devices can be
// reached (REQUIREMENTS Z1). A server without it counts as healthy.
const healthTool = "check_zwave_health"

// Bounds of asking for it: an answer serves everybody for a while, because it may
// cost the house some airtime.
const (
	outagePatience = 1500 * time.Millisecond
	outageHolds    = 3 * time.Second
)

// Tools are what servers offer, by what they say of it, and a way to call it.
type Tools interface {
	Caller
	Lookup(c tools.Call) (tools.Spec, bool)
}

// Outages knows what keeps servers from their devices: a stick, a gateway or a
// driver that is away.
type Outages struct {
	tools Tools

	mu   sync.Mutex
	last Outage
	at   time.Time
}

// Outage is what keeps a server from its devices; the zero value is no outage.
type Outage struct {
	Waiting string // for what the server waits, such as stick; "" for nothing
	Text    string // a sentence that says what is wrong and what to do about it
}

// NewOutages makes the knowledge about the servers that offer these tools.
func NewOutages(t Tools) *Outages { return &Outages{tools: t} }

// Of says why the given servers cannot reach their devices; the zero value if they can. A
// server that does not answer in time is not judged. If a tool of that name does more than
// read, it is not called.
func (o *Outages) Of(ctx context.Context, servers []string) Outage {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.at.IsZero() && time.Since(o.at) < outageHolds {
		return o.last
	}
	ctx, cancel := context.WithTimeout(ctx, outagePatience)
	defer cancel()
	found, judged := Outage{}, true
	for _, server := range servers {
		call := tools.Call{Server: server, Tool: healthTool, Args: json.RawMessage(`{}`)}
		if spec, ok := o.tools.Lookup(call); !ok || spec.Risk != tools.Read {
			continue
		}
		result, err := o.tools.Call(ctx, call)
		var answer struct {
			WaitingFor string `json:"waiting_for"`
			Message    string `json:"message"`
		}
		judged = judged && ctx.Err() == nil
		if err == nil && json.Unmarshal(result.Data, &answer) == nil && answer.WaitingFor != "" {
			found = Outage{answer.WaitingFor, answer.Message}
			break
		}
	}
	o.at = time.Now()
	if judged {
		o.last = found
	}
	return o.last
}
