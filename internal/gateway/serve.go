package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/httpapi"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/selftools"
	"voicegateway/internal/mcpint/serve"
	"voicegateway/internal/metrics"
	"voicegateway/internal/mqttapi"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
	"voicegateway/internal/turn"
)

// The gateway as its HTTP and MQTT interfaces see it. Each is a small view, so
// that the method names of one interface do not get in the way of another's.
type (
	httpView struct{ *Gateway }
	mqttView struct{ *Gateway }
)

func (g *Gateway) buildHTTP() error {
	if g.cfg.HTTP.Listen == "" || g.opts.TextOnly {
		return nil
	}
	log := g.log.With("part", "http")
	g.observer.feed = httpapi.NewFeed(g.standing, log)
	g.observer.counts = metrics.New(g.version(), g.snapshot)
	g.observer.counts.Expect(slices.Sorted(maps.Keys(g.cfg.MCP.Servers))...)
	endpoint, err := serve.NewEndpoint(serve.Config{
		Name: "voice-gateway", Version: g.version(), Tools: selftools.New(httpView{g}),
		Instructions: "Shows and reconnects the MCP servers of a voice gateway.",
	}, g.log.With("part", "endpoint"))
	if err != nil {
		return fmt.Errorf("mcp endpoint: %w", err)
	}
	view := httpView{g}
	cfg := g.cfg.HTTP
	cfg.Token = g.opts.Secrets.HTTPToken
	g.http, err = httpapi.New(cfg, httpapi.Deps{
		Health: view, Asker: view, Sayer: view, Servers: view, Turns: view, Home: view, Ear: view, Events: g.observer.feed,
		Handlers: map[string]http.Handler{
			"GET /metrics": g.observer.counts.Handler(),
			"POST /mcp":    endpoint, "GET /mcp": endpoint, "DELETE /mcp": endpoint,
		},
	}, log)
	return err
}

// Readiness tells how the parts are.
func (v httpView) Readiness() httpapi.Readiness {
	parts := v.board.list()
	for i, p := range parts {
		ask, knows := live[p.Name]
		if p.State != httpapi.PartReady || !knows {
			continue
		}
		if why := ask(v.Gateway); why != "" {
			parts[i].State, parts[i].Why = httpapi.PartDegraded, why
		} else if tell, has := about[p.Name]; has {
			parts[i].Why = tell(v.Gateway)
		}
	}
	return httpapi.Readiness{MCP: v.link.host.Overall(), Parts: parts}
}

// live asks the parts that know more about themselves than whether they run for
// what is wrong with them, "" when nothing is.
var live = map[string]func(*Gateway) string{
	"mqtt": func(g *Gateway) string {
		switch err := g.link.bus.Trouble(); {
		case g.link.bus.Connected():
			return ""
		case err != nil:
			return "there is no connection to the MQTT broker: " + err.Error() + "; it is tried again by itself"
		default:
			return "there is no connection to the MQTT broker; it is tried again by itself"
		}
	},
	"mcp": func(g *Gateway) string {
		for _, s := range g.link.host.Status() {
			if s.Status != mcpint.Connected {
				return "the MCP server " + s.ID + " is " + string(s.Status) + "; local tools work"
			}
		}
		return ""
	},
	"audio": func(g *Gateway) string {
		if g.deaf() {
			return "spoken commands are off: the recogniser hears English only; text commands work"
		}
		return g.ear.sound.State().Problem
	},
	"grammar":  func(g *Gateway) string { return g.house.Trouble() },
	"recorder": recorderTrouble,
	"tts": func(g *Gateway) string {
		_, why := g.voice.Ready()
		return why
	},
	"ai": func(g *Gateway) string {
		ok, why := g.mind.model.Ready()
		if ok {
			return ""
		}
		return why
	},
}

// about asks the parts that have something to tell although nothing is wrong.
var about = map[string]func(*Gateway) string{"recorder": recorderAbout}

// Ask answers a text.
func (v httpView) Ask(ctx context.Context, r httpapi.AskRequest) (record.Record, error) {
	return v.Gateway.Ask(ctx, record.Request{Text: r.Text, Area: v.areaOr(r.Area), Source: record.FromHTTP, DryRun: r.DryRun}), nil
}

// Say speaks a text.
func (v httpView) Say(ctx context.Context, text string) error {
	err := v.Gateway.Say(ctx, text)
	if errors.Is(err, turn.ErrBusy) {
		return fmt.Errorf("%w: %w", httpapi.ErrBusy, err)
	}
	return err
}

// Listen opens an utterance.
func (v httpView) Listen(ctx context.Context) error {
	err := v.Gateway.Listen(ctx)
	if errors.Is(err, turn.ErrMuted) {
		return fmt.Errorf("%w: %w", httpapi.ErrConflict, err)
	}
	return v.unavailable(err)
}

// Mute closes the microphone or opens it.
func (v httpView) Mute(ctx context.Context, on bool) error {
	return v.unavailable(v.Gateway.Mute(ctx, on))
}

// unavailable marks what this gateway is without.
func (v httpView) unavailable(err error) error {
	if errors.Is(err, errNoMicrophone) || errors.Is(err, errEnglishOnly) {
		return fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err)
	}
	return err
}

// Tasks lists the stopped tasks, the newest first.
func (v httpView) Tasks() []record.Task { return v.mind.tasks.Open() }

// Turns lists the last turns, the newest first.
func (v httpView) Turns(limit int) []record.Record {
	turns := v.observer.last()
	if limit > 0 && len(turns) > limit {
		turns = turns[:limit]
	}
	return turns
}

// List is the state of every MCP server.
func (v httpView) List() mcpint.StatusList { return mcpint.ListOf(v.link.host.Status()) }

// Home is the house as it is known. Only servers that are connected are asked for
// states.
func (v httpView) Home(ctx context.Context) (home.Snapshot, error) {
	var servers []string
	for _, s := range v.link.host.Status() {
		if s.Status == mcpint.Connected {
			servers = append(servers, s.ID)
		}
	}
	return v.house.Snapshot(ctx, v.tools, servers), nil
}

// Status is the state of one.
func (v httpView) Status(id string) (mcpint.Status, error) {
	for _, s := range v.link.host.Status() {
		if s.ID == id {
			return s, nil
		}
	}
	return mcpint.Status{}, fmt.Errorf("%w; configured are: %s", httpapi.ErrNotFound, strings.Join(slices.Sorted(maps.Keys(v.cfg.MCP.Servers)), ", "))
}

// Retry starts afresh with one server.
func (v httpView) Retry(ctx context.Context, id string) (s mcpint.Status, connected bool, err error) {
	if s, err = v.Status(id); err != nil {
		return s, false, err
	}
	connected = s.Status == mcpint.Connected // forcing it all the same closes its breaker halfway (M9)
	if err = v.link.host.Retry(ctx, id); err != nil {
		return s, false, fmt.Errorf("retrying: %w", err)
	}
	s, err = v.Status(id)
	return s, connected, err
}

// RetryAll starts afresh with every server that is not connected.
func (v httpView) RetryAll(ctx context.Context) (mcpint.StatusList, error) {
	if err := v.link.host.RetryAll(ctx); err != nil {
		return mcpint.StatusList{}, fmt.Errorf("retrying: %w", err)
	}
	return v.List(), nil
}

// Ask answers a text; the command's id becomes the turn's, so that the sender
// finds its answer.
func (v mqttView) Ask(ctx context.Context, c mqttapi.Command, waiting func()) {
	v.Gateway.Ask(ctx, record.Request{
		ID: c.ID, At: c.At, Text: c.Text, Area: v.areaOr(c.Area), Source: record.FromMQTT, Waiting: waiting,
	})
}

// Say speaks a text.
func (v mqttView) Say(ctx context.Context, text string) error { return v.Gateway.Say(ctx, text) }

// SetVolume sets the volume in percent.
func (v mqttView) SetVolume(ctx context.Context, level int) error {
	res, err := v.tools.Call(ctx, tools.Call{
		Tool: "set_volume", Args: []byte(`{"action":"set","level":` + strconv.Itoa(level) + `}`),
	})
	switch {
	case err != nil:
		return fmt.Errorf("setting the volume: %w", err)
	case res.Failed:
		return errors.New(res.Text)
	}
	return nil
}

func (g *Gateway) areaOr(area string) string {
	if area == "" {
		return g.cfg.Gateway.Area
	}
	return area
}
