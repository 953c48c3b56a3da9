package house

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// healthTool is the tool with which the server of a house says whether its devices can be
// reached, where its document does not name one (REQUIREMENTS Z1). A server without such a
// tool counts as healthy.
const healthTool = "check_zwave_health"

// Bounds of asking for it: an answer serves everybody for a while, because it may
// cost the house some airtime.
const (
	outagePatience = 1500 * time.Millisecond
	outageHolds    = 3 * time.Second
	outageFresh    = time.Minute // after a look at a healthy house, an outage has just begun
)

// Tools are what servers offer, by what they say of it, and a way to call it.
type Tools interface {
	Caller
	Lookup(c tools.Call) (tools.Spec, bool)
}

// Outages knows what keeps servers from their devices: a stick, a gateway or a
// driver that is away.
type Outages struct {
	tools  Tools
	health func(server string) string    // the tool that a server has named for it; "": none
	toldAt func(server string) time.Time // when a server told its house last

	mu   sync.Mutex
	last map[string]*judgement // by server
}

// judgement is what a server said last of its health.
type judgement struct {
	Outage

	at   time.Time
	well time.Time // when nothing kept it from its devices
}

// Outage is what keeps a server from its devices; without Waiting it is no outage.
type Outage struct {
	Server  string
	Waiting string    // for what the server waits, such as stick; "" for nothing
	Text    string    // a sentence that says what is wrong and what to do about it
	Since   time.Time // when it began, to a minute; zero: not known
}

// NewOutages makes the knowledge about the servers that offer these tools. health says
// which tool a server has named for its health, and toldAt when it told its house last: an outage
// from before that is judged again at once.
func NewOutages(t Tools, health func(server string) string, toldAt func(server string) time.Time) *Outages {
	return &Outages{tools: t, health: health, toldAt: toldAt, last: map[string]*judgement{}}
}

// Of says why one of the given servers cannot reach its devices, the first of them; the zero
// value if they all can.
func (o *Outages) Of(ctx context.Context, servers []string) Outage {
	for _, out := range o.All(ctx, servers) {
		if out.Waiting != "" {
			return out
		}
	}
	return Outage{}
}

// All says of each of the given servers whether it can reach its devices. Of a server that
// does not answer in time it says what it said before. If a tool of that name does more than
// read, it is not called.
func (o *Outages) All(ctx context.Context, servers []string) []Outage {
	o.mu.Lock()
	defer o.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, outagePatience)
	defer cancel()
	var asking sync.WaitGroup
	out := make([]Outage, len(servers))
	for i, server := range servers {
		if o.last[server] == nil {
			o.last[server] = &judgement{Outage: Outage{Server: server}}
		}
		j := o.last[server]
		asking.Go(func() {
			if j.at.IsZero() || time.Since(j.at) >= outageHolds || (j.Waiting != "" && o.toldAt(server).After(j.at)) {
				o.judge(ctx, j)
			}
			out[i] = j.Outage
		})
	}
	asking.Wait()
	return out
}

// Doubt has the servers judged again that were judged otherwise than this list of their things
// shows: of a house that cannot be reached no thing is. It reports whether there are some.
func (o *Outages) Doubt(shown home.Snapshot) bool {
	listed, reached := map[string]bool{}, map[string]bool{}
	for i := range shown.Entities {
		if e := &shown.Entities[i]; e.Reachable != nil {
			listed[e.Server] = true
			reached[e.Server] = reached[e.Server] || *e.Reachable
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	some := false
	for server := range listed {
		if j := o.last[server]; j != nil && !j.at.IsZero() && reached[server] == (j.Waiting != "") {
			j.at, some = time.Time{}, true
		}
	}
	return some
}

// judge asks a server for its health. That is done all the time while somebody looks at the house,
// so a server that can answer without asking its devices is to do so.
func (o *Outages) judge(ctx context.Context, j *judgement) {
	call := tools.Call{Server: j.Server, Tool: cmp.Or(o.health(j.Server), healthTool), Args: json.RawMessage(`{}`)}
	spec, ok := o.tools.Lookup(call)
	if !ok || spec.Risk != tools.Read {
		j.Outage = Outage{Server: j.Server}
		return
	}
	var input struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(spec.Input, &input) == nil && input.Properties[form.AskDevices] != nil {
		call.Args = json.RawMessage(`{"` + form.AskDevices + `":false}`)
	}
	result, err := o.tools.Call(ctx, call)
	j.at = time.Now()
	if ctx.Err() != nil {
		return
	}
	var answer struct {
		WaitingFor string `json:"waiting_for"`
		Message    string `json:"message"`
	}
	before := j.Outage
	j.Outage = Outage{Server: j.Server}
	if err != nil || json.Unmarshal(result.Data, &answer) != nil {
		return
	}
	if answer.WaitingFor == "" {
		j.well = j.at
		return
	}
	j.Waiting, j.Text = answer.WaitingFor, answer.Message
	switch {
	case before.Waiting != "":
		j.Since = before.Since
	case j.at.Sub(j.well) < outageFresh:
		j.Since = j.at
	}
}
