package gateway

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/mqttapi"
	"voicegateway/internal/ear"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/announce"
	"voicegateway/internal/tools/local"
)

// service is one long-lived part. When a required part ends, the gateway ends. When an
// optional part ends, that is logged and shown in /readyz, and the gateway continues.
type service struct {
	name     string
	run      func(context.Context) error
	required bool
}

// services is the table of everything that runs. Parts that are nil in this
// configuration are left out.
func (g *Gateway) services() []service {
	s := []service{
		{"mcp", g.mcp.Run, false},
		{"ai", g.thinking.model.Run, false},
		{"tts", g.hearing.voice.Run, false},
		{"tasks", g.offer, false},
		{"arrivals", g.tellLater, false},
		{"buttons", g.press, false},
		{"announcements", g.tellNews, false},
	}
	if g.rings() {
		s = append(s, service{"timers", g.keepTimers, false}, service{"losses", g.tellLosses, false})
	}
	if g.keepsWakes() {
		s = append(s, service{"wakes", g.keepWakes, false})
	}
	if g.manager != nil {
		s = append(s, service{"systemd", g.manager.Run, false})
	}
	if g.link.api != nil {
		s = append(s, service{"mqttapi", g.obey, false}, service{"controls", g.tellControls, false}, service{"discovery", g.link.device.Run, false})
	}
	if g.http != nil {
		s = append(s, service{"http", g.http.Run, true}, service{"events", g.stream.TellServers, false}, service{"house", g.tellHouse, false})
	}
	return append(s, g.hearing.services(g.house)...)
}

// tellHouse tells on the feed what changes in the house, until ctx ends.
func (g *Gateway) tellHouse(ctx context.Context) error {
	return g.stream.House.Run(ctx, g.stream.Feed, g.onMQTT.Home.Home)
}

// obey carries out the commands that come over MQTT.
func (g *Gateway) obey(ctx context.Context) error {
	return g.link.api.Run(ctx, g.onMQTT)
}

// Run starts everything at once and returns when ctx ends (nil), or when a required
// part has failed. The broker and our client are stopped last, so that the others
// can still say goodbye. The HTTP port is opened and the state directory claimed
// first: a second gateway must find out that it is the second before it throws the
// first one off the broker.
func (g *Gateway) Run(ctx context.Context) error {
	if g.http != nil {
		if err := g.http.Listen(ctx); err != nil && ctx.Err() == nil {
			return fmt.Errorf("http: %w", err)
		}
	}
	release, err := g.claimState()
	if err != nil {
		return err
	}
	defer release()
	g.checkState()
	g.tellRecorder()
	g.restoreMute(ctx)
	g.thinking.lessons.Open()
	if g.rings() {
		g.timers.Open()
	}
	if g.hearing.sound.card != nil {
		g.board.set("speaker", false, doors.PartReady, "")
	}
	stopLink := g.startLink(ctx)
	defer stopLink()
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range g.services() {
		g.board.set(s.name, s.required, doors.PartReady, "")
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

// restoreMute mutes the microphone before anything has started, so that the first
// published state says muted.
func (g *Gateway) restoreMute(ctx context.Context) {
	if g.hearing.mute != nil && g.opts.Mic == nil && g.hearing.mute.Restore(ctx) {
		g.observer.StateChanged(ear.Muted)
	}
}

// offer makes the offer to resume stopped tasks whenever a server they wait for is
// back, until ctx ends.
func (g *Gateway) offer(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case server := <-g.thinking.returns:
			text := g.thinking.answerer.Offer(server)
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

// tellLater tells again of what was under way, until ctx ends.
func (g *Gateway) tellLater(ctx context.Context) error {
	return g.thinking.waits.Run(ctx, announcer{loop: g.loop, api: g.link.api})
}

// tellNews announces the events of the house, until ctx ends.
func (g *Gateway) tellNews(ctx context.Context) error {
	return g.thinking.news.Run(ctx, announcer{g.loop, g.link.api, g.hearing.loud})
}

// announcer speaks and publishes announcements, as far as this gateway has a voice and a
// presence on MQTT.
type announcer struct {
	loop *ear.Loop       // nil: text only
	api  *mqttapi.API    // nil without a presence on MQTT
	loud *local.Loudness // nil: alerts sound as loud as anything
}

// Announce publishes an announcement.
func (a announcer) Announce(x record.Announcement) {
	if a.api != nil {
		a.api.Announce(x)
	}
}

// sayBudget is more than the loop takes to note a text.
const sayBudget = 5 * time.Second

// Say speaks a text once nothing else is being said or heard; it does not wait for that.
func (a announcer) Say(ctx context.Context, text string) error {
	if a.loop == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sayBudget)
	defer cancel()
	return a.loop.Say(ctx, text)
}

// Ring sounds an alarm until a person says stop.
func (a announcer) Ring(ctx context.Context, x announce.Alert) error {
	if a.loop == nil {
		return nil
	}
	if x.Urgent {
		a.loud.Raise(ctx, x.ID)
	}
	ctx, cancel := context.WithTimeout(ctx, sayBudget)
	defer cancel()
	return a.loop.Ring(ctx, ear.Alert{ID: x.ID, Urgent: x.Urgent, Sound: earcon.Alarm, Text: x.Text, Every: x.Every})
}

// Quiet ends alerts that no longer need attention.
func (a announcer) Quiet(ctx context.Context, ids ...string) error {
	if a.loop == nil {
		return nil
	}
	a.loud.Over(ctx, ids)
	ctx, cancel := context.WithTimeout(ctx, sayBudget)
	defer cancel()
	return a.loop.Quiet(ctx, ids...)
}

// startLink starts the client and the broker and returns a func that stops them one
// after the other, so that the client's farewell still finds the broker.
func (g *Gateway) startLink(ctx context.Context) (stop func()) {
	var stops []func()
	for _, s := range g.link.services() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		var running sync.WaitGroup
		g.board.set(s.name, s.required, doors.PartReady, "")
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
		g.board.set(s.name, false, doors.PartFailed, err.Error())
		g.log.Error("a part ended; the gateway goes on without it", "part", s.name, "err", err)
	}
}

// Ready returns when a command can be carried out: the servers have published their house
// or given up in their first round, and the recogniser has learnt the house's names.
func (g *Gateway) Ready(ctx context.Context) error {
	if err := g.thinking.caller.Await(ctx, mind.Need{House: true}); err != nil {
		return fmt.Errorf("waiting for the servers: %w", err)
	}
	if g.hearing.loop == nil {
		return nil
	}
	return g.house.Learnt(ctx)
}

// Turns is closed when a finite source of sound has ended and its last turn is
// over.
func (g *Gateway) Turns() <-chan struct{} { return g.hearing.done }

// House is the house as it is currently known.
func (g *Gateway) House() *home.House { return g.house.House() }

// Parts returns the state of each part, as /readyz shows it.
func (g *Gateway) Parts() []doors.Part { return g.health.Readiness().Parts }

// Servers is the state of every MCP server.
func (g *Gateway) Servers() []mcpint.Status { return g.mcp.Status() }
