package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/httpapi"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/speech"
	"voicegateway/internal/turn"
)

// Bodies of the event stream that are nobody's object already.
type (
	stateNews struct {
		State turn.State `json:"state"`
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
	events := []httpapi.Event{{Kind: httpapi.KindState, Body: stateNews{g.observer.state()}}}
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

// overheard is a transcriber whose partial transcripts are published.
type overheard struct {
	turn.Transcriber
	observer *observers
	last     string // only the loop's goroutine calls
}

// Push publishes the words so far when they change.
func (o *overheard) Push(ctx context.Context, f audio.Frame) (speech.Partial, error) {
	p, err := o.Transcriber.Push(ctx, f)
	if err == nil && p.Text != o.last {
		o.last = p.Text
		o.observer.publish(httpapi.KindPartial, partialNews{p.Text})
	}
	return p, err
}
