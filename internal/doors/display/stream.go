package display

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/ear"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
)

// Bodies of events that have no type elsewhere.
type (
	stateNews struct {
		State    ear.State `json:"state"`
		Recorder string    `json:"recorder,omitempty"` // on or off: whether utterances are recorded
	}
	partialNews struct {
		Text string `json:"text"`
	}
	alarmNews struct {
		Seen []string `json:"seen"`
	}
	goneNews struct {
		ID   string `json:"id"`
		Gone bool   `json:"gone"`
	}
	deviceNews struct {
		Device    string `json:"device"`
		Property  string `json:"property"`
		Value     any    `json:"value"`
		Confirmed bool   `json:"confirmed"`
		Turn      string `json:"turn"`
	}
)

// newsInterval is how often servers are checked, while the stream has readers, for
// changes that are not announced (a success, a count). newsSettle is how long
// announcements are collected, because one change makes several.
const (
	newsInterval = time.Second
	newsSettle   = 20 * time.Millisecond
)

// Stream publishes on the event stream what happens. It observes turns.
type Stream struct {
	Feed  *httpapi.Feed
	House *House

	mcp      *host.Host
	alarms   func() []string // things whose alarms a person has heard or seen
	changed  <-chan struct{} // a server may have changed
	recorder string          // on or off

	tellingAlarms sync.Mutex // held while the list is compared and published
	toldAlarms    []string   // the last list published; tellingAlarms protects it

	// State between frames. It belongs to the turn loop's goroutine.
	meter   Meter
	partial string // the last partial text published
}

// NewStream makes a stream. state returns the state of the turn, changed signals that a
// server may have changed, alarms returns the things whose alarms a person has heard or seen, and
// recorder is on or off: whether utterances are recorded.
func NewStream(state func() ear.State, mcp *host.Host, changed <-chan struct{}, alarms func() []string, recorder string, log *slog.Logger) *Stream {
	s := &Stream{mcp: mcp, changed: changed, alarms: alarms, House: NewHouse(), recorder: recorder}
	s.Feed = httpapi.NewFeed(func() []httpapi.Event { return s.Standing(state()) }, log.With("part", "http"))
	return s
}

// Publish passes an event on.
func (s *Stream) Publish(kind httpapi.EventKind, body any) {
	s.Feed.Publish(httpapi.Event{Kind: kind, Body: body})
}

// Standing returns the events that a new client of the stream gets first: the
// current state.
func (s *Stream) Standing(state ear.State) []httpapi.Event {
	events := []httpapi.Event{{Kind: httpapi.KindState, Body: stateNews{state, s.recorder}}, {Kind: httpapi.KindAlarms, Body: alarmNews{s.alarms()}}}
	for _, server := range s.mcp.Status() {
		events = append(events, httpapi.Event{Kind: httpapi.KindServer, Body: server})
	}
	return events
}

// TellAlarms publishes which alarms a person has heard or seen, if that has changed.
func (s *Stream) TellAlarms() {
	s.tellingAlarms.Lock()
	defer s.tellingAlarms.Unlock()
	seen := s.alarms()
	if slices.Equal(seen, s.toldAlarms) {
		return
	}
	s.toldAlarms = seen
	s.Publish(httpapi.KindAlarms, alarmNews{seen})
}

// TellServers publishes every server's object when it has changed, and that it is gone
// when the configuration has it no more, until ctx ends.
func (s *Stream) TellServers(ctx context.Context) error {
	told := map[string][]byte{}
	for _, server := range s.mcp.Status() {
		told[server.ID] = nil // a page that is opened now shows it, so it is told if it goes
	}
	return whileFollowed(ctx, s.Feed, s.changed, newsInterval, newsSettle, func() {
		all := s.mcp.Status()
		for _, server := range all {
			s.tellServer(told, server)
		}
		for id := range told {
			if !slices.ContainsFunc(all, func(server mcpint.Status) bool { return server.ID == id }) {
				delete(told, id)
				s.Publish(httpapi.KindServer, goneNews{id, true})
			}
		}
	})
}

// whileFollowed calls look while the feed has readers, until ctx ends: at an interval,
// and when changed signals, once the changes of the same moment have arrived.
func whileFollowed(ctx context.Context, feed *httpapi.Feed, changed <-chan struct{}, interval, settle time.Duration, look func()) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var settled <-chan time.Time // not nil while changes are collected
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			if settled == nil {
				settled = time.After(settle)
			}
			continue
		case <-tick.C:
		case <-settled:
			settled = nil
		}
		if feed.Clients() > 0 {
			look()
		}
	}
}

func (s *Stream) tellServer(told map[string][]byte, server mcpint.Status) {
	now, err := json.Marshal(server)
	if err != nil || bytes.Equal(now, told[server.ID]) {
		return
	}
	told[server.ID] = now
	s.Publish(httpapi.KindServer, json.RawMessage(now))
}

// StateChanged tells the state.
func (s *Stream) StateChanged(to ear.State) {
	s.Publish(httpapi.KindState, stateNews{to, s.recorder})
}

// Hearing passes on what the ear makes of a frame: the words so far when they
// change, and the meter to those who asked for it.
func (s *Stream) Hearing(h ear.Hearing) {
	if text := h.Partial.Text; text != s.partial {
		s.partial = text
		s.Publish(httpapi.KindPartial, partialNews{text})
	}
	if reading, due := s.meter.Take(h, s.Feed.Metered()); due {
		s.Publish(httpapi.KindMeter, reading)
	}
}

// Replied publishes nothing: the reply is in the record.
func (s *Stream) Replied(string, string) {}

// TurnEnded publishes what the turn's devices reported, then the record.
func (s *Stream) TurnEnded(r record.Record) {
	for _, c := range r.Calls {
		if d := c.Receipt; d != nil {
			s.Publish(httpapi.KindDevice, deviceNews{d.Device, d.Property, d.Value, d.Done(), r.ID})
		}
	}
	s.Publish(httpapi.KindTurn, r)
	s.House.Stir()
}

// Corrected publishes a corrected record, whose act turned out not to be done.
func (s *Stream) Corrected(r record.Record) { s.Publish(httpapi.KindTurn, r) }
