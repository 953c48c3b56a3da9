package gateway

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"voicegateway/internal/ai"
	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/display"
	"voicegateway/internal/doors/metrics"
	"voicegateway/internal/ground/systemd"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/mind/timekeeper"
)

// health tells how the parts are: to the page, to doctor, to the voice and to the metrics.
type health struct {
	discreet
	board   *board
	link    link
	mcp     *host.Host
	checks  map[string]check
	phrases *reply.Phrases
}

// check asks a part that can say more about itself than whether it runs.
type check struct {
	trouble func() trouble
	about   func() string // what to report although nothing is wrong; may be nil
}

// trouble is what is wrong with a part; the zero value is nothing.
type trouble struct {
	soon bool   // the part is still starting
	why  string // in English, with what to do about it
	said string // in the language of the family, in one sentence; "": the voice has no word for it
	ill  bool   // the family cannot be heard, the house is not reached, or nothing is remembered
}

// poorly makes a check of a part of which the voice has nothing to say.
func poorly(why func() string) func() trouble {
	return func() trouble { return trouble{why: why()} }
}

// checks returns the checks by the name of their part.
func (s setup) checks(link link, mcp *host.Host, rooms *house.House, thinking mindParts, hearing *earParts, keeper *timekeeper.Keeper) map[string]check {
	phrase := func(key string) string { return thinking.phrases.Phrase(key, nil) }
	card := func() device.State {
		if hearing.sound.card == nil {
			return device.State{}
		}
		return hearing.sound.card.State()
	}
	return map[string]check{
		"mqtt":     {trouble: func() trouble { return link.ailment(thinking.phrases) }},
		"mcp":      {trouble: s.houseTrouble(mcp, thinking.roll, rooms, thinking.phrases)},
		"grammar":  {trouble: poorly(func() string { return cmp.Or(rooms.Trouble(), hearing.alertTrouble()) })},
		"timers":   {trouble: func() trouble { return saying(keeper.Trouble(), phrase("trouble_timers")) }},
		"wakes":    {trouble: poorly(thinking.wakes.Trouble), about: thinking.wakes.About},
		"recorder": {trouble: poorly(hearing.recorderTrouble), about: hearing.recorderAbout},
		"state":    {trouble: s.newDisk(phrase).trouble},
		"losses":   {trouble: thinking.losses.trouble},
		"audio":    {trouble: func() trouble { return s.hearingTrouble(card().Problem, phrase) }},
		"speaker":  {trouble: func() trouble { return saying(card().OutputProblem, phrase("trouble_speaker")) }},
		"tts": {trouble: func() trouble {
			switch ok, why := hearing.voice.Ready(); {
			case !hearing.voice.Checked():
				return trouble{why: why, soon: true}
			case ok:
				return saying(why, phrase("trouble_voices"))
			default:
				return saying(why, phrase("trouble_voice"))
			}
		}},
		"ai": {trouble: func() trouble {
			cfg := s.cfg.AI
			other := cfg.OtherProfile()
			switch ok, why := thinking.model.Ready(); {
			case cfg.Enabled != "false" && other != "" && cfg.BaseURL != ai.Default().BaseURL:
				return trouble{
					why:  "ai.base_url is the address of " + other + ", and ai.profile is " + cfg.Profile + "; set ai.profile to " + other,
					said: phrase("trouble_profile"),
				}
			case !ok && thinking.model.Expected():
				return trouble{why: why, said: phrase("trouble_model")}
			}
			return trouble{}
		}, about: func() string {
			if ok, why := thinking.model.Ready(); !ok {
				return why
			}
			return ""
		}},
	}
}

// hearingTrouble is what keeps spoken commands from being heard. Where no recogniser knows the
// language, nobody misses a microphone.
func (s setup) hearingTrouble(microphone string, phrase func(key string) string) trouble {
	switch {
	case s.deaf():
		return trouble{said: phrase("trouble_deaf"), why: "spoken commands are off: the recogniser hears English only; text commands work"}
	case microphone != "":
		return trouble{why: microphone, said: phrase("trouble_microphone"), ill: true}
	}
	return trouble{}
}

// saying is a trouble that leaves a part poor, if there is a reason for one.
func saying(why, said string) trouble {
	if why == "" {
		return trouble{}
	}
	return trouble{why: why, said: said}
}

// houseTrouble checks the MCP servers, and whether those of a house reach and know it.
//
//nolint:contextcheck,nolintlint // a check runs long after New, for nobody who could end it; the first linter reads this itself
func (s setup) houseTrouble(mcp *host.Host, houses *roll, rooms *house.House, phrases *reply.Phrases) func() trouble {
	tellers := s.cfg.MCP.Houses()
	return func() trouble {
		servers := mcp.Status()
		if t := houses.serverTrouble(servers, tellers, phrases); t.why != "" {
			return t
		}
		out := houses.outages.Of(context.Background(), connectedServers(servers))
		if out.Text == "" && len(tellers) > 0 && rooms.House().Empty() {
			out.Text = "the MCP servers are connected, and none has told of a house yet; local tools work"
		}
		if out.Text == "" {
			return trouble{}
		}
		return trouble{why: out.Text, said: cmp.Or(phrases.NoHouse(out.Waiting), houses.sayUntold(tellers, phrases)), ill: true}
	}
}

// serverTrouble names the MCP servers that are not connected, and says why that of a house is
// not. It is ill without an essential one or one of a house, which are tellers.
func (r *roll) serverTrouble(servers []mcpint.Status, tellers []string, phrases *reply.Phrases) trouble {
	var t trouble
	var away, others, said []string
	for _, s := range servers {
		if s.Status == mcpint.Connected {
			continue
		}
		away = append(away, s.ID)
		teller := slices.Contains(tellers, s.ID)
		t.ill = t.ill || s.Essential || teller
		if why := phrases.NoServer(fault(s), r.name(s.ID)); teller && why != "" {
			said = append(said, why)
		} else {
			others = append(others, s.ID)
		}
	}
	if len(others) > 0 {
		said = append(said, phrases.Phrase("servers_away", map[string]any{"names": strings.Join(others, ", ")}))
	}
	if len(away) > 0 {
		t.why = "not connected: " + strings.Join(away, ", ") + "; all other servers and the local tools work"
		t.said = strings.Join(said, " ")
	}
	return t
}

// connectedServers lists the servers that can be asked.
func connectedServers(servers []mcpint.Status) []string {
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
	for i := range parts {
		p := &parts[i]
		part, knows := h.checks[p.Name]
		if p.State != doors.PartReady || !knows {
			continue
		}
		switch t := part.trouble(); {
		case t.why != "":
			p.State, p.Why, p.Said, p.Health = doors.PartDegraded, t.why, t.said, doors.Poor
			if t.ill {
				p.Health = doors.Ill
			}
			if t.soon {
				p.State = doors.PartStarting
			}
		case part.about != nil:
			p.Why = part.about()
		}
	}
	return doors.Readiness{MCP: h.mcp.Overall(), Parts: h.parts(parts)}
}

// Broker says why there is no connection to the MQTT broker.
func (h health) Broker() string { return h.link.cause() }

// Troubles are the sentences in which the voice says what is wrong with the gateway itself,
// the worst first. Who asks about the house hears about its servers from the house.
func (h health) Troubles() []string {
	parts := doors.Judged(h.Readiness()).Parts
	var all []string
	for _, condition := range []doors.Condition{doors.Ill, doors.Poor} {
		for _, p := range parts {
			said := cmp.Or(p.Said, h.phrases.Phrase("trouble_part", nil))
			if p.Health == condition && p.Name != "mcp" && p.State != doors.PartStarting && !slices.Contains(all, said) {
				all = append(all, said)
			}
		}
	}
	return all
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
