package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"voicegateway/internal/display"
	"voicegateway/internal/live"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/record"
	"voicegateway/internal/turn"
)

// Bodies of events that have no type elsewhere.
type (
	stateNews struct {
		State    turn.State `json:"state"`
		Recorder string     `json:"recorder,omitempty"` // on or off: whether utterances are recorded
	}
	partialNews struct {
		Text string `json:"text"`
	}
	deviceNews struct {
		Device    string `json:"device"`
		Property  string `json:"property"`
		Value     any    `json:"value"`
		Confirmed bool   `json:"confirmed"`
		Turn      string `json:"turn"`
	}
)

// newsInterval is how often servers are checked, while somebody follows the stream,
// for changes that are not announced (a success, a count). newsSettle is how long
// announcements are collected, because one change makes several.
const (
	newsInterval = time.Second
	newsSettle   = 20 * time.Millisecond
)

// stream publishes on the event stream what happens.
type stream struct {
	feed     *live.Feed
	mcp      *host.Host
	changed  <-chan struct{} // a server may have changed
	recorder string          // on or off
	house    *display.House

	// State between frames. It belongs to the turn loop's goroutine.
	meter   Meter
	partial string // the last partial text published
}

func newStream(j *journal, mcp *host.Host, changed <-chan struct{}, recorder string, log *slog.Logger) *stream {
	standing := func() []live.Event { return standing(j.state(), recorder, mcp.Status()) }
	return &stream{feed: live.New(standing, log.With("part", "http")), mcp: mcp, changed: changed, house: display.NewHouse(), recorder: recorder}
}

// publish passes an event on.
func (s *stream) publish(kind live.Kind, body any) {
	s.feed.Publish(live.Event{Kind: kind, Body: body})
}

// standing returns the events that a new client of the stream gets first: the
// current state.
func standing(state turn.State, recorder string, servers []mcpint.Status) []live.Event {
	events := []live.Event{{Kind: live.KindState, Body: stateNews{state, recorder}}}
	for _, s := range servers {
		events = append(events, live.Event{Kind: live.KindServer, Body: s})
	}
	return events
}

// tellServers publishes every server's object when it has changed.
func (s *stream) tellServers(ctx context.Context) error {
	told := map[string][]byte{}
	tick := time.NewTicker(newsInterval)
	defer tick.Stop()
	var settle <-chan time.Time // not nil while announcements are collected
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.changed:
			if settle == nil {
				settle = time.After(newsSettle)
			}
			continue
		case <-tick.C:
		case <-settle:
			settle = nil
		}
		if s.feed.Clients() == 0 {
			continue
		}
		for _, server := range s.mcp.Status() {
			s.tellServer(told, server)
		}
	}
}

func (s *stream) tellServer(told map[string][]byte, server mcpint.Status) {
	now, err := json.Marshal(server)
	if err != nil || bytes.Equal(now, told[server.ID]) {
		return
	}
	told[server.ID] = now
	s.publish(live.KindServer, json.RawMessage(now))
}

// StateChanged tells the state.
func (s *stream) StateChanged(to turn.State) {
	s.publish(live.KindState, stateNews{to, s.recorder})
}

// Hearing passes on what the ear makes of a frame: the words so far when they
// change, and the meter to those who asked for it.
func (s *stream) Hearing(h turn.Hearing) {
	if text := h.Partial.Text; text != s.partial {
		s.partial = text
		s.publish(live.KindPartial, partialNews{text})
	}
	if reading, due := s.meter.Take(h, s.feed.Metered()); due {
		s.publish(live.KindMeter, reading)
	}
}

// Replied publishes nothing: the reply is in the record.
func (s *stream) Replied(string, string) {}

// TurnEnded publishes what the turn's devices reported, then the record.
func (s *stream) TurnEnded(r record.Record) {
	for _, c := range r.Calls {
		if d := c.Receipt; d != nil {
			s.publish(live.KindDevice, deviceNews{d.Device, d.Property, d.Value, d.Done(), r.ID})
		}
	}
	s.publish(live.KindTurn, r)
	s.house.Stir()
}
