package gateway

import (
	"cmp"
	"log/slog"
	"slices"
	"sync"

	"voicegateway/internal/httpapi"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/metrics"
	"voicegateway/internal/mqttapi"
	"voicegateway/internal/record"
	"voicegateway/internal/turn"
)

// keptTurns is how many turns are remembered for /api/turns.
const keptTurns = 100

// observers passes a turn's news on to everybody who wants them. The log line
// has the durations and no words that were said (REQUIREMENTS S4).
type observers struct {
	log   *slog.Logger
	api   *mqttapi.API  // nil without a presence on MQTT
	watch turn.Observer // nil where nobody else watches
	// feed and counts are nil without an HTTP interface.
	feed    *httpapi.Feed
	counts  *metrics.Metrics
	servers chan struct{} // of size one: an MCP server has changed
	// recorder is on or off; it is set before anything runs.
	recorder string
	hearing  hearing

	mu    sync.Mutex
	turns []record.Record
	at    turn.State
}

// state is where the microphone's turn stands.
func (o *observers) state() turn.State {
	o.mu.Lock()
	defer o.mu.Unlock()
	return cmp.Or(o.at, turn.Idle)
}

// StateChanged passes the state on.
func (o *observers) StateChanged(s turn.State) {
	o.mu.Lock()
	o.at = s
	o.mu.Unlock()
	o.publish(httpapi.KindState, stateNews{s, o.recorder})
	if o.api != nil {
		o.api.State(string(s))
	}
	if o.watch != nil {
		o.watch.StateChanged(s)
	}
}

// overall passes the state of all MCP servers on.
func (o *observers) overall(state mcpint.Overall) {
	if o.api != nil {
		o.api.Servers(state)
	}
}

// Replied passes a reply on.
func (o *observers) Replied(id, text string) {
	if o.api != nil {
		o.api.Reply(id, text)
	}
	if o.watch != nil {
		o.watch.Replied(id, text)
	}
}

// TurnEnded keeps, logs and passes a record on.
func (o *observers) TurnEnded(r record.Record) {
	o.mu.Lock()
	o.turns = append(o.turns, r)
	if over := len(o.turns) - keptTurns; over > 0 {
		o.turns = slices.Delete(o.turns, 0, over)
	}
	o.mu.Unlock()
	o.log.Info("turn ended", "part", "turn", "turn", r.ID, "source", string(r.Source), "route", string(r.Route),
		"outcome", string(r.Outcome), "calls", len(r.Calls), "speech_end", ms(r.Timings.SpeechEnd), "endpoint", ms(r.Timings.Endpoint),
		"transcript", ms(r.Timings.Transcript), "first_publish", ms(r.Timings.FirstPublish), "confirmed", ms(r.Timings.Confirmed),
		"first_audio", ms(r.Timings.FirstAudio), "took", ms(r.Timings.Total))
	if o.counts != nil {
		o.counts.Turn(r)
	}
	for _, c := range r.Calls {
		if d := c.Receipt; d != nil {
			o.publish(httpapi.KindDevice, deviceNews{d.Device, d.Property, d.Value, d.Done(), r.ID})
		}
	}
	o.publish(httpapi.KindTurn, r)
	if o.api != nil {
		if r.Transcript != nil {
			o.api.Transcript(r.ID, r.Transcript.Text)
		}
		o.api.Turn(r)
	}
	if o.watch != nil {
		o.watch.TurnEnded(r)
	}
}

// last returns the newest turns first.
func (o *observers) last() []record.Record {
	o.mu.Lock()
	defer o.mu.Unlock()
	turns := append([]record.Record{}, o.turns...) // an empty list, never null
	slices.Reverse(turns)
	return turns
}

// ms is a timing for the log: -1 where the turn did not come to that point.
func ms(t *float64) float64 {
	if t == nil {
		return -1
	}
	return *t
}
