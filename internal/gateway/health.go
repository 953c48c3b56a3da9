package gateway

import (
	"cmp"
	"context"

	"voicegateway/internal/audio"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/display"
	"voicegateway/internal/doors/metrics"
	"voicegateway/internal/ground/systemd"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/mind/timekeeper"
	"voicegateway/internal/tools"
)

// health tells how the parts are.
type health struct {
	discreet
	board  *board
	mcp    *host.Host
	checks map[string]check
}

// check asks a part that can say more about itself than whether it runs.
type check struct {
	trouble func() string // what is wrong, "" when nothing is
	about   func() string // what to report although nothing is wrong; may be nil
}

// checks returns the checks by the name of their part.
//
//nolint:contextcheck,nolintlint // a check runs long after New, for nobody who could end it; the first linter reads this itself
func (s setup) checks(link link, mcp *host.Host, registry *tools.Registry, rooms *house.House, thinking mindParts, hearing *earParts, keeper *timekeeper.Keeper) map[string]check {
	outages := house.NewOutages(registry)
	return map[string]check{
		"mqtt": {trouble: link.trouble},
		"mcp": {trouble: func() string {
			servers := mcp.Status()
			return cmp.Or(serverTrouble(servers), outages.Of(context.Background(), connected(servers)))
		}},
		"grammar":  {trouble: rooms.Trouble},
		"timers":   {trouble: keeper.Trouble},
		"wakes":    {trouble: thinking.wakes.Trouble, about: thinking.wakes.About},
		"recorder": {trouble: hearing.recorderTrouble, about: hearing.recorderAbout},
		"audio": {trouble: func() string {
			if s.deaf() {
				return "spoken commands are off: the recogniser hears English only; text commands work"
			}
			return hearing.sound.card.State().Problem
		}},
		"tts": {trouble: func() string {
			_, why := hearing.voice.Ready()
			return why
		}},
		"ai": {trouble: func() string {
			if ok, why := thinking.model.Ready(); !ok {
				return why
			}
			return ""
		}},
	}
}

// serverTrouble names an MCP server that is not connected, "" when all are.
func serverTrouble(servers []mcpint.Status) string {
	for _, s := range servers {
		if s.Status != mcpint.Connected {
			return "the MCP server " + s.ID + " is " + string(s.Status) + "; local tools work"
		}
	}
	return ""
}

// connected lists the servers that can be asked.
func connected(servers []mcpint.Status) []string {
	var ids []string
	for _, s := range servers {
		if s.Status == mcpint.Connected {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// Readiness tells how the parts are.
func (h health) Readiness() doors.Readiness {
	parts := h.board.list()
	for i, p := range parts {
		part, knows := h.checks[p.Name]
		if p.State != doors.PartReady || !knows {
			continue
		}
		if why := part.trouble(); why != "" {
			parts[i].State, parts[i].Why = doors.PartDegraded, why
		} else if part.about != nil {
			parts[i].Why = part.about()
		}
	}
	return doors.Readiness{MCP: h.mcp.Overall(), Parts: h.parts(parts)}
}

// snapshot returns the current values for a scrape of the metrics.
func (h health) snapshot(link link, stream *display.Stream, hearing *earParts) metrics.Snapshot {
	s := metrics.Snapshot{
		Overall: h.mcp.Overall(), MQTT: link.bus.Connected(), Events: stream.Feed.Clients(),
		Servers: h.mcp.Status(), Parts: map[string]string{},
	}
	if hearing.sound.card != nil {
		card := hearing.sound.card.State()
		s.Sound = &metrics.Sound{
			Frames: float64(card.Captured) / audio.FrameSamples, Lost: float64(card.Lost) / audio.FrameSamples,
			Overflows: card.Overflows, Breaks: card.Breaks,
		}
	}
	for _, part := range h.Readiness().Parts {
		s.Parts[part.Name] = string(part.State)
	}
	return s
}

// newManager prepares the notifications of the service manager. Only the daemon sends
// any; a gateway with other sound, or without sound, is a command that a user runs.
func (s setup) newManager(link link, rooms *house.House, mcp *host.Host, hearing *earParts) (*systemd.Service, error) {
	if s.opts.TextOnly || s.opts.Private || s.opts.Mic != nil {
		return nil, nil // no service manager
	}
	return systemd.New(newVitals(Parts{
		Bus: link.bus, House: rooms, MCP: mcp, Loop: hearing.loop, Sound: hearing.sound.card.State, Muted: hearing.mute.On, Pulse: hearing.sound.mic,
		Deaf: s.deaf(), Engine: s.cfg.Wake.Engine, Words: s.cfg.Wake.Words,
	}), s.log)
}
