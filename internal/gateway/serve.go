package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"voicegateway/internal/audio/device"
	"voicegateway/internal/doors/display"
	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/doors/mqttapi"
	"voicegateway/internal/ear"
	"voicegateway/internal/ground/order"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/tasks"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mcpint/selftools"
	"voicegateway/internal/mcpint/serve"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/mind/lessons"
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
		Tools: append(selftools.New(deps.Servers),
			timers.ListTool(keeper), toolInTurn{timers.ChangeTool(timekeeper.ViewOf(keeper, record.FromMCP))}),
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
	deps.About = &httpapi.About{ID: s.cfg.Gateway.ID, Area: s.cfg.Gateway.Area, Language: s.cfg.Gateway.Language, Version: s.version()}
	cfg := s.cfg.HTTP
	cfg.Token = s.opts.Secrets.HTTPToken
	return httpapi.New(cfg, deps, s.log.With("part", "http"))
}

// The gateway as its HTTP and MQTT interfaces see it. Each is a small view, so
// that the method names of one interface do not get in the way of another's.
type (
	httpActs struct {
		acts
		area  string         // for requests without an area
		card  *device.Device // nil if the sound comes from elsewhere
		audio device.Config
	}
	mqttActs struct {
		acts
		area   string // for requests without an area
		tools  *tools.Registry
		timers timersInTurn
		mcp    *host.Host
	}
	turnView struct {
		*journal
		tasks *tasks.Stopped
	}
	lessonView struct {
		*lessons.Lessons
		discreet
	}
	homeView struct {
		house *house.House
		tools *tools.Registry
		mcp   *host.Host
	}
)

// Ask answers a text in its turn. The next one acts when this one has its places among
// the commands to its devices, or begins to wait for something slow.
func (h httpActs) Ask(ctx context.Context, r httpapi.AskRequest) (record.Record, error) {
	place := order.From(ctx)
	if err := place.Await(ctx); err != nil {
		return record.Record{}, err
	}
	return h.acts.Ask(ctx, record.Request{
		Text: r.Text, Area: cmp.Or(r.Area, h.area), Source: cmp.Or(r.Source, record.FromHTTP), DryRun: r.DryRun, Waiting: place.Pass, Aloud: ownRoom(r.Area, h.area),
	}), nil
}

// Say speaks a text.
func (h httpActs) Say(ctx context.Context, text string) error {
	err := h.acts.Say(ctx, text)
	if errors.Is(err, ear.ErrBusy) {
		return fmt.Errorf("%w: %w", httpapi.ErrBusy, err)
	}
	return h.unavailable(err)
}

// Listen opens an utterance.
func (h httpActs) Listen(ctx context.Context) error {
	err := h.acts.Listen(ctx)
	if errors.Is(err, ear.ErrMuted) {
		return fmt.Errorf("%w: %w", httpapi.ErrConflict, err)
	}
	return h.unavailable(err)
}

// Mute closes the microphone or opens it.
func (h httpActs) Mute(ctx context.Context, on bool) error {
	if err := order.From(ctx).Await(ctx); err != nil {
		return err
	}
	return h.unavailable(h.acts.Mute(ctx, on))
}

// unavailable marks the errors for parts that this gateway lacks.
func (h httpActs) unavailable(err error) error {
	lacks := func(part error) bool { return errors.Is(err, part) }
	if slices.ContainsFunc([]error{errNoMicrophone, errNoVoice, errNoSpeaker, errEnglishOnly}, lacks) {
		return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err)
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

// Replay runs a turn once more, and hides the secrets in its new record as in the old
// one.
func (l lessonView) Replay(ctx context.Context, id string) (record.Replay, error) {
	o, err := l.Lessons.Replay(ctx, id)
	o.Now = l.record(o.Now)
	return o, err
}

// Home is the house with states, which only connected servers are asked for.
func (h homeView) Home(ctx context.Context) (home.Snapshot, error) {
	return h.house.Snapshot(ctx, h.tools, connected(h.mcp.Status())), nil
}

// Ask answers a text. The command's id becomes the turn's id, so that the sender
// finds its answer.
func (m mqttActs) Ask(ctx context.Context, c mqttapi.Command, waiting func()) {
	m.acts.Ask(ctx, record.Request{
		ID: c.ID, At: c.At, Text: c.Text, Area: cmp.Or(c.Area, m.area), Source: record.FromMQTT, Waiting: waiting, Aloud: ownRoom(c.Area, m.area),
	})
}

// ownRoom reports whether a request names the gateway's own room. One that names
// none may come from anywhere.
func ownRoom(area, own string) bool { return area != "" && strings.EqualFold(area, own) }

// Retry connects every MCP server afresh that is not connected.
func (m mqttActs) Retry(ctx context.Context) error { return m.mcp.RetryAll(ctx) }

// SetVolume sets the volume in percent.
func (m mqttActs) SetVolume(ctx context.Context, level int) error {
	defer m.changed()
	return volumeInTurn{display.Volume{Tools: m.tools}, m.acts}.SetVolume(ctx, level)
}
