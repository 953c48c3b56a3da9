// Package gateway assembles the parts into the daemon and runs them in one
// errgroup: everything starts at once, and nothing waits that need not wait
// (REQUIREMENTS M1). It exists so that the parts need not know each other. To add a
// part, make one more value in New, from those made before it, and add a line to
// the table of services. A part is not changed once it is made (ADR 16): what two
// parts need of each other is a value made before both, or handed over when one of
// them runs. What the service manager sees of the gateway is in vitals.go: a gateway whose
// sound has stopped is restarted, one whose microphone was pulled out is not.
package gateway

import (
	"cmp"
	"errors"
	"log/slog"

	"voicegateway/internal/doors"
	"voicegateway/internal/doors/display"
	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/doors/metrics"
	"voicegateway/internal/ear"
	"voicegateway/internal/ground/order"
	"voicegateway/internal/ground/secret"
	"voicegateway/internal/ground/systemd"
	"voicegateway/internal/home"
	"voicegateway/internal/home/events"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/mind/timekeeper"
	"voicegateway/internal/tools"
	"voicegateway/internal/tools/local"
)

// Options say how this gateway differs from the daemon with its sound card.
type Options struct {
	Executable string // our own binary, which also runs the workers
	Command    string // how a user calls it, with the flags that name the configuration; empty: voice-gateway
	Version    string
	ConfigFile string   // from which the configuration was read; "": there is none
	Environ    []string // MCP servers get a small part of it
	Secrets    Secrets

	TextOnly   bool           // no sound and no presence on MQTT: one turn from a command line
	Private    bool           // no presence on MQTT and no recording: a person tries the ear out
	Mic        ear.Microphone // in place of the sound card
	Speaker    ear.Speaker    // in place of the sound card
	Fast       bool           // Mic gives frames as fast as they are read
	PushToTalk bool           // Mic's first frame belongs to the utterance already
	Source     record.Source
	DryRun     bool
	House      *home.House  // known in addition to the houses of the servers
	Pack       *intent.Pack // sentences in place of our own, in their own language
	Watch      ear.Observer // also told of every event of a turn
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
	thinking mindParts
	hearing  *earParts
	buttons  *events.Buttons
	observer observers
	journal  *journal
	stream   *display.Stream
	health   health
	onMQTT   doors.Parts
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
	secrets := secretsOf(cfg, opts.Secrets, func() *home.House { return knownHouse(rooms) })
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
	var told health // the voice is asked only while the gateway runs
	mcp, err := s.newHost(registry, link, news, func() []string { return told.Troubles() })
	if err != nil {
		return nil, err
	}
	buttons, journal := s.followHouses(mcp, rooms, link), &journal{log: log}
	thinking, err := s.newMind(registry, rooms, mcp, news, journal.last)
	if err != nil {
		return nil, err
	}
	stream := display.NewStream(journal.state, mcp, news.changed, thinking.news.AcknowledgedThings, s.recording(), log)
	s.followEvents(mcp, rooms, link.publishPresses, thinking.answerer.Reports.Note, thinking.answerer.Reported, thinking.answerer.Belied, journal.correcting(rooms, thinking.phrases, link.correcting(stream)...), thinking.waits.Belied, buttons.Reported, thinking.news.Reported, stream.House.Reported, func(home.Event) { stream.TellAlarms() })
	observer := s.newObservers(journal, news.counts, stream, link, thinking.waits, thinking.news, thinking.wakes)
	hearing, err := s.newEar(thinking, volume, observer, tellAll(thinking.news.Acknowledged, keeper.Acknowledged, func([]string, bool) { stream.TellAlarms() }))
	if err != nil {
		return nil, err
	}
	hearing.rehearser = s.newRehearser(rooms, hearing, journal)
	acts := acts{discreet: s.discreet, answerer: thinking.answerer, loop: hearing.loop, mute: hearing.mute, hears: !s.deaf(), observer: observer, deaf: hearing.sound.deaf, unheard: hearing.sound.unheard, changed: link.poke}
	told = health{s.discreet, board, link, mcp, s.checks(link, mcp, rooms, thinking, hearing, keeper), thinking.phrases}
	thinking.answerer.Ends, thinking.answerer.Gateway, thinking.answerer.Houses = keeper, told, thinking.roll
	onHTTP, onMQTT := s.atTheDoors(doors.Parts{
		Health: told, Servers: s.serverList(mcp), Turns: turnView{journal, thinking.tasks}, Home: link.showHouse(homeView{rooms, registry, mcp, thinking.roll}, stream),
		Volume: volumeInTurn{display.Volume{Tools: registry, Unheard: hearing.sound.unheard}, acts}, Lessons: lessonView{thinking.lessons, thinking.again, s.discreet},
		Wakes: thinking.wakes, Rehearsal: rehearsals{hearing.rehearser}, Arranger: family.NewArranger(s.cfg.Gateway.StateDir, s.log.With("part", "http")),
		Alarms: alarmView{thinking.news, announcer{loop: hearing.loop, loud: hearing.loud}, stream}, Guide: guideView{rooms, s.cfg.Gateway.Area}, Past: thinking.answerer,
	}, acts, hearing.sound.card, keeper)
	http, err := s.newHTTP(httpapi.Deps{Parts: onHTTP, Events: stream.Feed, Lines: s.lines}, keeper, news.counts.Handler(func() metrics.Snapshot { return told.snapshot(link, stream, hearing) }))
	if err != nil {
		return nil, err
	}
	manager, err := s.newManager(link, rooms, mcp, hearing)
	if err != nil {
		return nil, err
	}
	return &Gateway{
		setup: s, acts: acts, board: board, tools: registry, volume: volume, timers: keeper, house: rooms, link: link, mcp: mcp, thinking: thinking, hearing: hearing, buttons: buttons,
		observer: observer, journal: journal, stream: stream, health: told, onMQTT: onMQTT, http: http, manager: manager,
	}, nil
}
