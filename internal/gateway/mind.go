package gateway

import (
	"cmp"
	"fmt"
	"log/slog"

	"voicegateway/internal/ai"
	"voicegateway/internal/ear/wakes"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mcpint/reach"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/announce"
	"voicegateway/internal/mind/arrival"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/mind/lessons"
	"voicegateway/internal/mind/replay"
	"voicegateway/internal/tools"
	"voicegateway/internal/tools/local"
)

// newHouse is the house without any server.
func (s setup) newHouse() (*house.House, error) {
	pack := s.opts.Pack
	if pack == nil {
		var err error
		if pack, err = intent.Ours(s.cfg.Gateway.Language); err != nil {
			return nil, fmt.Errorf("gateway.language: %w", err)
		}
	}
	rooms, err := house.NewNamed(pack, s.opts.House, s.cfg.Home, s.log)
	if err != nil {
		return nil, err
	}
	return rooms, rooms.Speak(s.cfg.Gateway.Units.Scale())
}

// newTools registers the local tools; the tools of servers are added when they
// connect.
func (s setup) newTools(keeper timers.Keeper, rooms *house.House) (*tools.Registry, *local.Volume, error) {
	all, volume, err := local.All(s.cfg.Tools, local.Deps{Log: s.log.With("part", "tools"), SearchKey: s.opts.Secrets.SearchKey})
	if err != nil {
		return nil, nil, fmt.Errorf("tools: %w", err)
	}
	registry := tools.NewRegistry()
	if err := registry.Add(append(all, timers.Tools(keeper)...)...); err != nil {
		return nil, nil, fmt.Errorf("tools: %w", err)
	}
	registry.Translate(rooms)
	return registry, volume, nil
}

// mindParts is the part that understands a text and answers it.
type mindParts struct {
	answerer *mind.Mind
	caller   *reach.Caller
	model    *ai.Assistant
	tasks    *family.Tasks
	returns  family.Returns
	waits    *arrival.Waits // what is told a second time
	news     *announce.Announcer
	wakes    *wakes.Keeper // counts the wakes nobody meant
	phrases  *reply.Phrases
	losses   *losses // of what was saved
	lessons  *lessons.Lessons
	again    *replay.Again // runs its turns once more
	roll     *roll         // of the houses
}

// tellAll passes on which alerts are over. Each receiver knows which ones are its own.
func tellAll(ringers ...func(ids []string, over bool)) func(ids []string, over bool) {
	return func(ids []string, over bool) {
		for _, acknowledged := range ringers {
			acknowledged(ids, over)
		}
	}
}

// modelTools is what a language model gets: the tools and the house.
type modelTools struct {
	*tools.Registry
	rooms *house.House
	mcp   *host.Host
}

// House is the house as it is known.
func (m modelTools) House() *home.House { return m.rooms.House() }

// Unused says why a tool of an MCP server is not used.
func (m modelTools) Unused(name string) string {
	for _, server := range m.mcp.Status() {
		for _, tool := range server.ToolsUnused {
			if tool.Tool == name && len(tool.Choices) > 0 {
				return tool.Why
			}
		}
	}
	return ""
}

// Refused shows a tool that the server of the model refuses at its MCP server.
func (m modelTools) Refused(spec tools.Spec) {
	if spec.Server != "" {
		m.mcp.Refused(spec.Server, cmp.Or(spec.Remote, spec.Name))
	}
}

// memory opens the state directory for a part that keeps little in it; nil without one.
func (s setup) memory() func() (announce.Memory, error) {
	if s.cfg.Gateway.StateDir == "" {
		return nil
	}
	return func() (announce.Memory, error) { return keep.Open(s.cfg.Gateway.StateDir) }
}

// newMind assembles the mind.
func (s setup) newMind(registry *tools.Registry, rooms *house.House, mcp *host.Host, events serverEvents, turns func() []record.Record) (mindParts, error) {
	transport, err := ai.NewOpenAI(s.cfg.AI, s.opts.Secrets.AIKey, nil)
	if err != nil {
		return mindParts{}, err
	}
	settings := s.cfg.AI
	settings.Language = s.cfg.Gateway.Language
	model, err := ai.New(settings, discreetModel{transport, s.discreet.secrets.Long()}, modelTools{registry, rooms, mcp}, s.log.With("part", "ai"))
	if err != nil {
		return mindParts{}, err
	}
	phrases, err := reply.Ours(s.cfg.Gateway.Language)
	if err != nil {
		return mindParts{}, fmt.Errorf("gateway.language: %w", err)
	}
	servers := reach.NewServers(mcp)
	m := mindParts{
		phrases: phrases, losses: s.newLosses(phrases), caller: reach.NewCaller(registry, s.cfg.MCP.Houses(), rooms, mcp, events.attempts), model: model, returns: events.returns,
		tasks: family.NewTasks(s.cfg.Gateway.StateDir, events.returns, servers.Connected, s.log.With("part", "tasks")),
	}
	m.lessons = lessons.New(rooms, lessons.Config{
		Dir: s.cfg.Gateway.StateDir, Sound: s.soundReader(), Turns: turns, Log: s.log.With("part", "lessons"),
		Model: func() bool { ready, _ := model.Ready(); return ready },
	})
	m.again = replay.NewAgain(m.lessons, replay.Config{
		Pack: rooms.Pack(), Own: rooms.Pack(), Language: s.cfg.Gateway.Language, Limits: s.cfg.limits(), Log: slog.New(slog.DiscardHandler),
	})
	m.roll = &roll{cfg: s.cfg, mcp: mcp, rooms: rooms, outages: house.NewOutages(registry, func(server string) string { return s.healthTool(rooms, server) }, rooms.ToldAt), tellers: m.caller.Tellers}
	if err := registry.Add(reach.NewHouses(m.roll.Houses)); err != nil {
		return m, fmt.Errorf("tools: %w", err)
	}
	m.answerer, err = mind.New(m.lessons, m.caller, model, phrases, s.cfg.limits(),
		mind.Recovery{Arbiter: model, Servers: servers, Tasks: m.tasks}, s.log)
	m.waits = arrival.New(rooms, m.caller, phrases, s.log)
	m.wakes = s.newWakeKeeper()
	m.news = announce.New(s.cfg.Announce, s.memory(), phrases, s.log)
	return m, err
}
