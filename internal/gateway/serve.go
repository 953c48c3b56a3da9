package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/audio/device"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/display"
	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/ear"
	"voicegateway/internal/ground/order"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mcpint/reach"
	"voicegateway/internal/mcpint/serve"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/announce"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/mind/timekeeper"
	"voicegateway/internal/tools"
)

// newHTTP makes the HTTP interface, or nil if the gateway does not serve HTTP.
func (s setup) newHTTP(deps httpapi.Deps, keeper *timekeeper.Keeper, scrape http.Handler) (*httpapi.Server, error) {
	if s.cfg.HTTP.Listen == "" || s.opts.TextOnly {
		return nil, nil // HTTP is switched off
	}
	endpoint, err := serve.NewEndpoint(serve.Config{
		Name: "voice-gateway", Version: s.version(),
		Tools:        ownTools(deps.Servers, keeper),
		Instructions: "Shows and reconnects the MCP servers of a voice gateway; lists its timers, changes them, and stops or snoozes what rings.",
	}, s.log.With("part", "endpoint"))
	if err != nil {
		return nil, fmt.Errorf("mcp endpoint: %w", err)
	}
	if deps.Page, err = display.NewPage(s.cfg.Gateway.Language, s.cfg.Gateway.ID); err != nil {
		return nil, err
	}
	deps.Handlers = map[string]http.Handler{
		"GET /metrics": scrape,
		"POST /mcp":    endpoint, "GET /mcp": endpoint, "DELETE /mcp": endpoint,
	}
	deps.About = &doors.About{
		ID: s.cfg.Gateway.ID, Area: s.cfg.Gateway.Area, Language: s.cfg.Gateway.Language, Version: s.version(),
		PID: os.Getpid(), Program: s.opts.Executable, Config: s.opts.ConfigFile,
	}
	cfg := s.cfg.HTTP
	cfg.Token = s.opts.Secrets.HTTPToken
	return httpapi.New(cfg, deps, s.log.With("part", "http"))
}

// ownTools are the tools that the gateway has for other MCP hosts.
func ownTools(servers doors.Servers, keeper *timekeeper.Keeper) []tools.Tool {
	return append(reach.NewTools(servers, nil),
		timers.ListTool(keeper), toolInTurn{timers.ChangeTool(timekeeper.ViewOf(keeper, record.FromMCP))})
}

// atTheDoors are the parts of the gateway as they are asked for over HTTP and over MQTT.
func (s setup) atTheDoors(parts doors.Parts, a acts, card *device.Device, keeper *timekeeper.Keeper) (onHTTP, onMQTT doors.Parts) {
	outside := doorActs{acts: a, source: record.FromHTTP, area: s.cfg.Gateway.Area, card: card, audio: s.cfg.Audio.Config}
	parts.Asker, parts.Sayer, parts.Ear, parts.Controller = outside, outside, outside, outside
	parts.Timers = timersInTurn{timekeeper.ViewOf(keeper, record.FromHTTP), a}
	onHTTP, onMQTT = parts, parts
	outside.source = record.FromMQTT
	onMQTT.Asker, onMQTT.Controller = outside, outside
	onMQTT.Timers = timersHere{timersInTurn{timekeeper.ViewOf(keeper, record.FromMQTT), a}, s.cfg.Gateway.Area}
	return onHTTP, onMQTT
}

// The gateway as it is asked through its doors. Each is a small view, so that the method
// names of one interface do not get in the way of another's.
type (
	doorActs struct {
		acts
		source record.Source  // of requests that name none
		area   string         // for requests without an area
		card   *device.Device // nil if the sound comes from elsewhere
		audio  device.Config
	}
	turnView struct {
		*journal
		tasks *family.Tasks
	}
	alarmView struct {
		*announce.Announcer
		ringing announcer
		stream  *display.Stream
	}
	guideView struct {
		house *house.House
		area  string // of the gateway
	}
	homeView struct {
		house *house.House
		tools *tools.Registry
		mcp   *host.Host
		roll  *roll
	}
)

// Ask answers a text in its turn. The next one acts when this one has its places among
// the commands to its devices, or begins to wait for something slow. The id of a request
// becomes the turn's id, so that the sender finds its answer.
func (d doorActs) Ask(ctx context.Context, r doors.AskRequest) (record.Record, error) {
	place := order.From(ctx)
	if err := place.Await(ctx); err != nil {
		return record.Record{}, err
	}
	waiting := r.Waiting
	if waiting == nil {
		waiting = place.Pass
	}
	return d.acts.Ask(ctx, record.Request{
		ID: r.ID, At: r.At, Text: r.Text, Area: cmp.Or(r.Area, d.area), Source: cmp.Or(r.Source, d.source), DryRun: r.DryRun,
		Waiting: waiting, Aloud: ownRoom(r.Area, d.area),
	}), nil
}

// Control acts on one thing in its turn, as Ask does. What the thing cannot do is refused at
// once, with what it can do.
func (d doorActs) Control(ctx context.Context, r doors.ControlRequest) (record.Record, error) {
	place := order.From(ctx)
	if err := place.Await(ctx); err != nil {
		return record.Record{}, err
	}
	wanted, err := d.answerer.Controls(r.Thing, r.Do, r.Value)
	if err != nil {
		kind := doors.ErrMisasked
		switch {
		case errors.Is(err, mind.ErrNoThing):
			kind = doors.ErrNotFound
		case errors.Is(err, mind.ErrNoHouse):
			kind = doors.ErrUnavailable
		}
		return record.Record{}, doors.Refuse(kind, "%s", err)
	}
	waiting := r.Waiting
	if waiting == nil {
		waiting = place.Pass
	}
	return d.acts.Ask(ctx, record.Request{
		ID: r.ID, At: r.At, Area: d.area, Source: cmp.Or(r.Source, d.source), Control: &wanted, Group: r.Group, Confirmed: r.Confirmed, Waiting: waiting,
	}), nil
}

// Say speaks a text.
func (d doorActs) Say(ctx context.Context, text string) error {
	err := d.acts.Say(ctx, text)
	if errors.Is(err, ear.ErrBusy) {
		return doors.Because(doors.ErrBusy, err)
	}
	return d.unavailable(err)
}

// Listen opens an utterance.
func (d doorActs) Listen(ctx context.Context) error { return d.unheard(d.acts.Listen(ctx)) }

// Hold keeps an utterance open as long as a button is held.
func (d doorActs) Hold(ctx context.Context, b ear.Button) error {
	return d.unheard(d.acts.Hold(ctx, b))
}

// unheard marks the errors of a microphone that hears nothing.
func (d doorActs) unheard(err error) error {
	if errors.Is(err, ear.ErrMuted) {
		return doors.Because(doors.ErrConflict, err)
	}
	return d.unavailable(err)
}

// Mute closes the microphone or opens it.
func (d doorActs) Mute(ctx context.Context, on bool) error {
	if err := order.From(ctx).Await(ctx); err != nil {
		return err
	}
	return d.unavailable(d.acts.Mute(ctx, on))
}

// unavailable marks the errors for parts that this gateway lacks.
func (d doorActs) unavailable(err error) error {
	lacks := func(part error) bool { return errors.Is(err, part) }
	if slices.ContainsFunc([]error{errNoMicrophone, errNoVoice, errNoSpeaker, errEnglishOnly}, lacks) {
		return doors.Because(doors.ErrUnavailable, err)
	}
	return err
}

// Tasks lists the stopped tasks, the newest first.
func (t turnView) Tasks() []record.Task { return t.tasks.Open() }

// Turns lists the last turns, the newest first.
func (t turnView) Turns(limit int) []record.Record {
	turns := t.last()
	if limit > 0 && len(turns) > limit {
		turns = turns[:limit]
	}
	return turns
}

// Acknowledge takes note that a person has seen the alarms of some things, and ends their
// ringing.
func (v alarmView) Acknowledge(ctx context.Context, things []string) error {
	alerts := v.AcknowledgeThings(things)
	v.stream.TellAlarms()
	if len(alerts) == 0 {
		return nil
	}
	return v.ringing.Quiet(ctx, alerts...)
}

// Suggest returns sentences to say in the gateway's room.
func (v guideView) Suggest() []string { return v.house.Suggest(v.area) }

// Home is the house with states, which only connected servers are asked for, and what of it
// cannot be reached.
func (h homeView) Home(ctx context.Context) (home.Snapshot, error) {
	var away []home.Absence
	var asking sync.WaitGroup
	asking.Go(func() { away = h.roll.Away(ctx) })
	snapshot := h.house.Snapshot(ctx, h.tools, connectedServers(h.mcp.Status()))
	asking.Wait()
	if h.roll.outages.Doubt(snapshot) {
		away = h.roll.Away(ctx)
	}
	snapshot.Away = away
	return snapshot, nil
}

// showHouse returns the view of the house for the doors. The house is looked at again when the
// connection to the broker comes or goes, and when a server announces that something has happened,
// which may be that its house cannot be reached.
func (l link) showHouse(v homeView, stream *display.Stream) homeView {
	v.roll.lost = l.bus.Lost
	l.bus.OnConnection(func(bool) { stream.House.Stir() })
	v.mcp.Watch(form.EndOfEvents, func(string, []byte) { stream.House.Stir() })
	return v
}

// ownRoom reports whether a request names the gateway's own room. One that names
// none may come from anywhere.
func ownRoom(area, own string) bool { return area != "" && strings.EqualFold(area, own) }
