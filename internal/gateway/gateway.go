// Package gateway assembles the parts into the daemon and runs them in one
// errgroup: everything starts at once, and nothing waits that need not wait
// (REQUIREMENTS M1). It exists so that the parts need not know each other. To add a
// part, make one more value in New, from those made before it, and add a line to
// the table of services. A part is not changed once it is made (ADR 16): what two
// parts need of each other is a value made before both, or handed over when one of
// them runs.
package gateway

import (
	"cmp"
	"errors"
	"log/slog"

	"voicegateway/internal/display"
	"voicegateway/internal/events"
	"voicegateway/internal/home"
	"voicegateway/internal/house"
	"voicegateway/internal/httpapi"
	"voicegateway/internal/intent"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/metrics"
	"voicegateway/internal/order"
	"voicegateway/internal/record"
	"voicegateway/internal/secret"
	"voicegateway/internal/systemd"
	"voicegateway/internal/timekeeper"
	"voicegateway/internal/tools"
	"voicegateway/internal/tools/local"
	"voicegateway/internal/turn"
)

// Options say how this gateway differs from the daemon with its sound card.
type Options struct {
	Executable string // our own binary, which also runs the workers
	Version    string
	Environ    []string // MCP servers get a small part of it
	Secrets    Secrets

	TextOnly   bool            // no sound and no presence on MQTT: one turn from a command line
	Private    bool            // no presence on MQTT and no recording: a person tries the ear out
	Mic        turn.Microphone // in place of the sound card
	Speaker    turn.Speaker    // in place of the sound card
	Fast       bool            // Mic gives frames as fast as they are read
	PushToTalk bool            // Mic's first frame belongs to the utterance already
	Source     record.Source
	DryRun     bool
	House      *home.House   // known in addition to the houses of the servers
	Pack       *intent.Pack  // sentences in place of our own, in their own language
	Watch      turn.Observer // also told of every event of a turn
	Attempt    func(host.Attempt)
}

// Secrets are values that are never in the configuration.
type Secrets struct {
	MQTTPassword, AIKey, HTTPToken, SearchKey, STTKey string
}

// Gateway is the assembled daemon.
type Gateway struct {
	setup
	acts
	board    *board
	tools    *tools.Registry
	volume   *local.Volume
	timers   *timekeeper.Keeper
	house    *house.House
	link     link
	mcp      *host.Host
	mind     mind
	ear      *ear
	buttons  *events.Buttons
	observer observers
	journal  *journal
	stream   *display.Stream
	health   health
	http     *httpapi.Server  // nil: the gateway does not serve HTTP
	manager  *systemd.Service // nil: there is no service manager to notify
}

// setup holds what a gateway is made from. Each of its methods makes one part from
// its arguments.
type setup struct {
	cfg      Config
	opts     Options
	log      *slog.Logger
	discreet discreet
	counts   *metrics.Metrics
	lines    *order.Lines // of what acts, over HTTP and MQTT
}

// New checks the configuration and makes every part from those made before it. It
// starts none.
func New(cfg Config, opts Options, log *slog.Logger) (*Gateway, error) {
	if opts.Executable == "" || log == nil {
		return nil, errors.New("gateway: our own program and a logger are needed")
	}
	opts.Source = cmp.Or(opts.Source, record.FromMic)
	var rooms *house.House
	secrets := secretsOf(cfg, opts.Secrets, func() *home.House { return known(rooms) })
	log = slog.New(secret.Handler(log.Handler(), secrets))
	s, board := setup{cfg, opts, log, discreet{secrets}, newCounts(cfg, opts), &order.Lines{}}, newBoard()
	rooms, err := s.newHouse()
	if err != nil {
		return nil, err
	}
	keeper := s.newTimekeeper()
	registry, volume, err := s.newTools(keeper, rooms)
	if err != nil {
		return nil, err
	}
	link, err := s.newLink()
	if err != nil {
		return nil, err
	}
	news := s.newServerEvents(link.api)
	mcp, err := s.newHost(registry, link, news)
	if err != nil {
		return nil, err
	}
	buttons, journal := s.followHouses(mcp, rooms, link), &journal{log: log}
	mind, err := s.newMind(registry, rooms, mcp, news, journal.last)
	if err != nil {
		return nil, err
	}
	mind.answerer.Ends = keeper
	stream := display.NewStream(journal.state, mcp, news.changed, s.recording(), log)
	s.followEvents(mcp, rooms, link.publishPresses, mind.answerer.Reports.Note, mind.answerer.Reported, mind.answerer.Belied, journal.correcting(rooms, mind.phrases, link.correcting(stream)...), mind.waits.Belied, buttons.Reported, mind.news.Reported, stream.House.Reported)
	observer := s.newObservers(journal, news.counts, stream, link, mind.waits, mind.news, mind.wakes)
	ear, err := s.newEar(mind, volume, observer, tellAll(mind.news.Acknowledged, keeper.Acknowledged))
	if err != nil {
		return nil, err
	}
	ear.rehearser = s.newRehearser(rooms, ear, journal)
	acts := acts{discreet: s.discreet, answerer: mind.answerer, loop: ear.loop, mute: ear.mute, hears: !s.deaf(), observer: observer, unheard: ear.sound.unheard, changed: link.poke}
	health := health{s.discreet, board, mcp, s.checks(link, mcp, registry, rooms, mind, ear, keeper)}
	onHTTP := httpActs{acts: acts, area: cfg.Gateway.Area, card: ear.sound.card, audio: cfg.Audio.Config}
	http, err := s.newHTTP(httpapi.Deps{
		Health: health, Asker: onHTTP, Sayer: onHTTP, Ear: onHTTP, Servers: s.serverList(mcp), Events: stream.Feed, Lines: s.lines,
		Turns: turnView{journal, mind.tasks}, Home: homeView{rooms, registry, mcp},
		Timers: timersInTurn{timekeeper.ViewOf(keeper, record.FromHTTP), acts}, Volume: volumeInTurn{display.Volume{Tools: registry, Unheard: ear.sound.unheard}, acts}, Lessons: lessonView{mind.lessons, s.discreet},
		Wakes: mind.wakes, Rehearsal: rehearsals{ear.rehearser},
	}, keeper, news.counts.Handler(func() metrics.Snapshot { return health.snapshot(link, stream, ear) }))
	if err != nil {
		return nil, err
	}
	manager, err := s.newManager(link, rooms, mcp, ear)
	if err != nil {
		return nil, err
	}
	return &Gateway{
		setup: s, acts: acts, board: board, tools: registry, volume: volume, timers: keeper, house: rooms, link: link, mcp: mcp, mind: mind, ear: ear, buttons: buttons,
		observer: observer, journal: journal, stream: stream, health: health, http: http, manager: manager,
	}, nil
}
