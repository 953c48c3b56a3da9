package gateway

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"voicegateway/internal/answer"
	"voicegateway/internal/home"
	"voicegateway/internal/httpapi"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/turn"
)

// service is one long-lived part. When a required one ends, the gateway ends;
// an optional one is logged, shown in /readyz and lived without.
type service struct {
	name     string
	run      func(context.Context) error
	required bool
}

// services is the table of everything that runs. What is nil is not there in
// this configuration.
func (g *Gateway) services() []service {
	s := []service{
		{"mcp", g.mcp.Run, false},
		{"ai", g.mind.model.Run, false},
		{"tts", g.ear.voice.Run, false},
		{"tasks", g.offer, false},
	}
	if g.manager != nil {
		s = append(s, service{"systemd", g.manager.Run, false})
	}
	if g.link.api != nil {
		s = append(s, service{"mqttapi", g.obey, false})
	}
	if g.http != nil {
		s = append(s, service{"http", g.http.Run, true}, service{"events", g.stream.tellServers, false})
	}
	return append(s, g.ear.services(g.house)...)
}

// obey does what comes over MQTT.
func (g *Gateway) obey(ctx context.Context) error {
	return g.link.api.Run(ctx, mqttActs{g.acts, g.cfg.Gateway.Area, g.tools})
}

// Run starts everything at once and returns when ctx ends (nil), or when a
// required part has failed. Broker and client go last, so that the others can
// still say goodbye. The port comes before everything: a second gateway must not
// throw the first one off the broker before it finds out that it is the second.
func (g *Gateway) Run(ctx context.Context) error {
	if g.http != nil {
		if err := g.http.Listen(ctx); err != nil && ctx.Err() == nil {
			return fmt.Errorf("http: %w", err)
		}
	}
	g.checkState()
	g.tellRecorder()
	g.restoreMute(ctx)
	stopLink := g.startLink(ctx)
	defer stopLink()
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range g.services() {
		g.board.set(s.name, s.required, httpapi.PartReady, "")
		group.Go(func() error {
			if !s.required {
				g.optional(ctx, s)
				return nil
			}
			err := s.run(ctx)
			if err != nil && ctx.Err() == nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// restoreMute mutes before anything has started, and has the state say so from
// the first word on.
func (g *Gateway) restoreMute(ctx context.Context) {
	if g.ear.mute != nil && g.opts.Mic == nil && g.ear.mute.Restore(ctx) {
		g.observer.StateChanged(turn.Muted)
	}
}

// offer asks, whenever a server is back for which tasks wait, whether to resume
// them, until ctx ends.
func (g *Gateway) offer(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case server := <-g.mind.returns:
			text := g.mind.answerer.Offer(server)
			if text == "" {
				continue
			}
			g.log.Info("a stopped task can be resumed", "part", "tasks", "server", server)
			g.observer.Replied("", text)
			if g.loop == nil {
				continue
			}
			if err := g.loop.Say(ctx, text); err != nil && ctx.Err() == nil {
				g.log.Warn("the offer was not spoken", "part", "tasks", "err", err)
			}
		}
	}
}

// startLink starts client and broker and returns what stops them, one after the
// other: the farewell must still find a broker.
func (g *Gateway) startLink(ctx context.Context) (stop func()) {
	var stops []func()
	for _, s := range g.link.services() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		var running sync.WaitGroup
		g.board.set(s.name, s.required, httpapi.PartReady, "")
		running.Go(func() { g.optional(ctx, s) })
		stops = append(stops, func() { cancel(); running.Wait() })
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// optional runs a part the gateway can do without.
func (g *Gateway) optional(ctx context.Context, s service) {
	err := s.run(ctx)
	if err != nil && ctx.Err() == nil {
		g.board.set(s.name, false, httpapi.PartFailed, err.Error())
		g.log.Error("a part ended; the gateway goes on without it", "part", s.name, "err", err)
	}
}

// Ready returns when the first round of what a command needs is over: the house
// is told or its server has given up, and the ear listens for the house's names.
func (g *Gateway) Ready(ctx context.Context) error {
	if err := g.mind.caller.Await(ctx, answer.Need{House: true}); err != nil {
		return fmt.Errorf("waiting for the servers: %w", err)
	}
	if g.ear.loop == nil {
		return nil
	}
	return g.house.Learnt(ctx)
}

// Turns is closed when a finite source of sound has been told to its end.
func (g *Gateway) Turns() <-chan struct{} { return g.ear.done }

// House tells what is known of the house now.
func (g *Gateway) House() *home.House { return g.house.House() }

// Parts tells how the parts are, as /readyz does.
func (g *Gateway) Parts() []httpapi.Part { return g.health.Readiness().Parts }

// Servers is the state of every MCP server.
func (g *Gateway) Servers() []mcpint.Status { return g.mcp.Status() }
