package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"voicegateway/internal/broker"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mqtt"
	"voicegateway/internal/mqttapi"
)

// buildLink puts together what connects the gateway to the house: the broker,
// our client of it, and the MCP servers.
func (g *Gateway) buildLink() error {
	client := g.cfg.MQTT.Config
	client.Password = g.opts.Secrets.MQTTPassword
	if client.URL == "" {
		own := g.cfg.MQTT.Embedded
		own.Username, own.Password = client.Username, client.Password
		client.URL = "mqtt://" + own.Listen
		var err error
		if g.link.broker, err = broker.New(own, g.log.With("part", "broker")); err != nil {
			return err
		}
	}
	private := g.opts.TextOnly || g.opts.Private
	if !private { // else a random id: the daemon's must not be thrown out
		client.ClientID = "voice-gateway-" + g.cfg.Gateway.ID
		client.Will = &mqtt.Message{Topic: mqttapi.Availability(g.cfg.Gateway.ID), Payload: []byte("offline"), Retained: true}
	}
	var err error
	if g.link.bus, err = mqtt.New(client, g.log.With("part", "mqtt")); err != nil {
		return fmt.Errorf("mqtt.broker: %w", err)
	}
	if err := g.buildHost(client.URL); err != nil {
		return err
	}
	if !private {
		if g.link.api, err = mqttapi.New(g.cfg.Gateway.ID, g.link.bus, mqttView{g}, g.log); err != nil {
			return err
		}
	}
	g.link.bus.OnConnection(func(up bool) {
		if !up {
			return
		}
		g.link.host.WakeAll()
		if g.link.api != nil {
			g.link.api.Connected()
		}
	})
	g.observer = &observers{log: g.log, api: g.link.api, watch: g.opts.Watch, servers: make(chan struct{}, 1)}
	return nil
}

// zwaveServer is the id of our own server, the only one that is told where the
// broker is and how to get in.
const zwaveServer = "zwave"

// buildHost prepares the MCP servers.
func (g *Gateway) buildHost(url string) error {
	cfg := host.Config{
		Retry:   host.Retry(g.cfg.MCP.Retry),
		Retries: map[string]host.Retry{},
		Breaker: host.BreakerConfig{Threshold: g.cfg.MCP.Breaker.Threshold, Recovery: g.cfg.MCP.Breaker.Recovery},
		MQTT:    g.link.bus.Connected,
		Health:  host.HealthCheck{Interval: g.cfg.MCP.Health.Interval, Timeout: g.cfg.MCP.Health.Timeout},
		Options: client.Options{
			Name: "voice-gateway", Version: cmp.Or(g.opts.Version, "dev"), ExecDir: filepath.Dir(g.opts.Executable),
			Environ: g.opts.Environ, Log: g.log.With("part", "mcp"),
		},
		Pins:     g.newPins(),
		Observer: g.hostObserver(),
	}
	broker := map[string]string{
		"MQTT_BROKER_URL": url, "MQTT_USERNAME": g.cfg.MQTT.Username, "MQTT_PASSWORD": g.opts.Secrets.MQTTPassword,
		"MQTT_CA_FILE": g.cfg.MQTT.CAFile,
	}
	maps.DeleteFunc(broker, func(_, v string) bool { return v == "" })
	for _, id := range slices.Sorted(maps.Keys(g.cfg.MCP.Servers)) {
		s := g.cfg.MCP.Servers[id]
		env := map[string]string{}
		if id == zwaveServer {
			maps.Copy(env, broker)
		}
		maps.Copy(env, s.Env)
		cfg.Retries[id] = s.Retry.over(g.cfg.MCP.Retry)
		cfg.Servers = append(cfg.Servers, mcpint.Server{
			ID: id, Transport: s.Transport, Command: s.Command, Args: s.Args, Env: env, Dir: s.Dir,
			URL: s.URL, Headers: s.Headers, Essential: s.Essential,
			ConnectTimeout: s.ConnectTimeout, CallTimeout: s.CallTimeout,
			Program: program(id, s), Requires: s.Requires, RequiresTimeout: s.RequiresTimeout,
			Allow: s.Tools.Allow, Deny: s.Tools.Deny,
		})
	}
	var err error
	if g.link.host, err = host.New(cfg, g.tools, g.log.With("part", "mcp")); err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	g.link.host.Watch("://home", g.house.tell)
	return nil
}

// attempted passes the end of an attempt on.
func (g *Gateway) attempted(a host.Attempt) {
	g.mind.caller.attempted(a.Server, a.Err == nil)
	if a.Err == nil {
		g.mind.tasks.back(a.Server)
	}
	if g.opts.Attempt != nil {
		g.opts.Attempt(a)
	}
}

// program is what has to be installed for a server. For our own one it is
// named, whatever command stands in the configuration: that is what helps.
func program(id string, s ServerConfig) string {
	if own := DefaultServer().Command; id == zwaveServer {
		return own
	}
	return filepath.Base(s.Command)
}
