// Package gateway assembles the parts into the daemon and runs them in one
// errgroup: everything starts at once, and nothing waits that need not wait
// (REQUIREMENTS M1). It exists so that the parts need not know each other. A
// new part gets a build method, a line in New and one in the table in services.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"voicegateway/internal/ai"
	"voicegateway/internal/answer"
	"voicegateway/internal/broker"
	"voicegateway/internal/home"
	"voicegateway/internal/house"
	"voicegateway/internal/httpapi"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mqtt"
	"voicegateway/internal/mqttapi"
	"voicegateway/internal/record"
	"voicegateway/internal/speech/tts"
	"voicegateway/internal/systemd"
	"voicegateway/internal/tasks"
	"voicegateway/internal/tools"
	"voicegateway/internal/tools/local"
	"voicegateway/internal/turn"
)

// Options say how this gateway differs from the daemon with its sound card.
type Options struct {
	Executable string // our own binary: the workers are its children
	Version    string
	Environ    []string // of which MCP servers get a small part
	Secrets    Secrets

	TextOnly   bool            // no sound at all, and no presence on MQTT: one turn from a command line
	Private    bool            // no presence on MQTT, and nothing is kept: a person tries the ear out
	Mic        turn.Microphone // in place of the sound card
	Speaker    turn.Speaker    // in place of the sound card
	Fast       bool            // Mic is fed as fast as it is taken
	PushToTalk bool            // Mic's first frame belongs to the utterance already
	Source     record.Source
	DryRun     bool
	House      *home.House   // known besides what the servers tell
	Watch      turn.Observer // told of everything as well
	Attempt    func(host.Attempt)
}

// Secrets are values that never stand in the configuration.
type Secrets struct {
	MQTTPassword, AIKey, HTTPToken, SearchKey, STTKey string
}

// Gateway is the assembled daemon.
type Gateway struct {
	cfg      Config
	opts     Options
	log      *slog.Logger
	board    *board
	tools    *tools.Registry
	house    *house.House
	link     link
	ear      ear
	mind     mind
	voice    *tts.Voice
	http     *httpapi.Server
	observer *observers
}

// link is what connects the gateway to the rest of the house.
type link struct {
	broker *broker.Broker // nil where another broker is used
	bus    *mqtt.Client
	api    *mqttapi.API
	host   *host.Host

	manager *systemd.Service // nil where the service manager is told nothing
}

// mind is what understands and answers.
type mind struct {
	answerer *answer.Answerer
	caller   *caller
	model    *ai.Assistant
	volume   *local.Volume
	tasks    *tasks.Stopped
	returns  tasks.Returns
}

// New checks the configuration, builds every part and starts none.
func New(cfg Config, opts Options, log *slog.Logger) (*Gateway, error) {
	if opts.Executable == "" || log == nil {
		return nil, errors.New("gateway: our own program and a logger are needed")
	}
	if opts.Source == "" {
		opts.Source = record.FromMic
	}
	g := &Gateway{cfg: cfg, opts: opts, log: log, board: newBoard(), tools: tools.NewRegistry(), mind: mind{returns: tasks.NewReturns()}}
	for _, build := range []func() error{
		g.buildHouse, g.buildTools, g.buildLink, g.buildMind, g.buildVoice, g.buildEar, g.buildHTTP, g.buildManager,
	} {
		if err := build(); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// service is one long-lived part. When a required one ends, the gateway ends;
// an optional one is logged, shown in /readyz and lived without.
type service struct {
	name     string
	run      func(context.Context) error
	required bool
}

// services are the client, which all others speak through, and behind it the
// broker. They end in this order.
func (l *link) services() []service {
	s := []service{{"mqtt", l.connect, false}}
	if l.broker != nil {
		s = append(s, service{"broker", l.broker.Run, false})
	}
	return s
}

// connect runs the client; with a broker of our own, once that is there.
func (l *link) connect(ctx context.Context) error {
	if l.broker != nil {
		wait, cancel := context.WithTimeout(ctx, brokerStart)
		defer cancel()
		_ = l.broker.Ready(wait) // a broker that cannot start says so itself; the client goes on trying
	}
	return l.bus.Run(ctx)
}

// brokerStart is more than an embedded broker takes to start.
const brokerStart = 2 * time.Second

// services is the table of everything that runs. What is nil is not there in
// this configuration.
func (g *Gateway) services() []service {
	s := []service{
		{"mcp", g.link.host.Run, false},
		{"ai", g.mind.model.Run, false},
		{"tts", g.voice.Run, false},
		{"tasks", g.offer, false},
	}
	if g.link.manager != nil {
		s = append(s, service{"systemd", g.link.manager.Run, false})
	}
	if g.link.api != nil {
		s = append(s, service{"mqttapi", g.link.api.Run, false})
	}
	if g.http != nil {
		s = append(s, service{"http", g.http.Run, true}, service{"events", g.tellServers, false})
	}
	return append(s, g.ear.services(g.house)...)
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

// Ask answers one text and tells the observers.
func (g *Gateway) Ask(ctx context.Context, q record.Request) record.Record {
	rec := g.mind.answerer.Turn(ctx, q)
	if rec.Intent != nil && rec.Intent.Name == catalogue.Stop && !q.DryRun && g.ear.loop != nil {
		if err := g.ear.loop.Stop(ctx); err != nil {
			rec.Outcome, rec.Error = record.Failed, err.Error()
		}
	}
	if rec.Reply != "" {
		g.observer.Replied(rec.ID, rec.Reply)
	}
	g.observer.TurnEnded(rec)
	return rec
}

// Say speaks a text once nothing else is going on.
func (g *Gateway) Say(ctx context.Context, text string) error {
	if g.ear.loop == nil {
		return errors.New("this gateway has no voice: it was started for text only")
	}
	return g.ear.loop.Say(ctx, text)
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
func (g *Gateway) Parts() []httpapi.Part { return httpView{g}.Readiness().Parts }

// Servers is the state of every MCP server.
func (g *Gateway) Servers() []mcpint.Status { return g.link.host.Status() }
