package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"voicegateway/internal/httpapi"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/turn"
)

// Bodies of the event stream that are nobody's object already.
type (
	stateNews struct {
		State    turn.State `json:"state"`
		Recorder string     `json:"recorder,omitempty"` // on: what is said is kept; off
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

// newsInterval is how often servers are looked at for changes nobody announces
// (a success, a count) while somebody listens, and how long announcements are
// collected: one change makes several.
const (
	newsInterval = time.Second
	newsSettle   = 20 * time.Millisecond
)

// serverChanged says that the servers are worth a look. It does not block.
func (o *observers) serverChanged() {
	select {
	case o.servers <- struct{}{}:
	default: // somebody is on the way
	}
}

// publish passes an event on where there is a stream.
func (o *observers) publish(kind httpapi.Kind, body any) {
	if o.feed != nil {
		o.feed.Publish(httpapi.Event{Kind: kind, Body: body})
	}
}

// standing is what a new client of the stream is told first.
func (g *Gateway) standing() []httpapi.Event {
	events := []httpapi.Event{{Kind: httpapi.KindState, Body: stateNews{g.observer.state(), g.observer.recorder}}}
	for _, s := range g.link.host.Status() {
		events = append(events, httpapi.Event{Kind: httpapi.KindServer, Body: s})
	}
	return events
}

// tellServers publishes every server's object when it has changed.
func (g *Gateway) tellServers(ctx context.Context) error {
	told := map[string][]byte{}
	tick := time.NewTicker(newsInterval)
	defer tick.Stop()
	var settle <-chan time.Time // not nil while announcements are collected
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-g.observer.servers:
			if settle == nil {
				settle = time.After(newsSettle)
			}
			continue
		case <-tick.C:
		case <-settle:
			settle = nil
		}
		if g.observer.feed.Clients() == 0 {
			continue
		}
		for _, s := range g.link.host.Status() {
			g.tellServer(told, s)
		}
	}
}

func (g *Gateway) tellServer(told map[string][]byte, s mcpint.Status) {
	now, err := json.Marshal(s)
	if err != nil || bytes.Equal(now, told[s.ID]) {
		return
	}
	told[s.ID] = now
	g.observer.publish(httpapi.KindServer, json.RawMessage(now))
}

// hearing is what is remembered of the frames so far. It belongs to the turn
// loop's goroutine.
type hearing struct {
	meter   Meter
	partial string // the last one published
}

// Hearing passes on what the ear makes of a frame: the words so far when they
// change, and the meter to those who asked for it.
func (o *observers) Hearing(h turn.Hearing) {
	if text := h.Partial.Text; text != o.hearing.partial {
		o.hearing.partial = text
		o.publish(httpapi.KindPartial, partialNews{text})
	}
	if reading, due := o.hearing.meter.Take(h, o.feed != nil && o.feed.Metered()); due {
		o.publish(httpapi.KindMeter, reading)
	}
	if o.watch != nil {
		o.watch.Hearing(h)
	}
}
