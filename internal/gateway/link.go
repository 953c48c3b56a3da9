package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"

	"voicegateway/internal/broker"
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
	cfg := g.cfg.MCP.Config()
	cfg.MQTT, cfg.Pins, cfg.Observer = g.link.bus.Connected, g.newPins(), g.hostObserver()
	cfg.Options = client.Options{
		Name: "voice-gateway", Version: cmp.Or(g.opts.Version, "dev"), ExecDir: filepath.Dir(g.opts.Executable),
		Environ: g.opts.Environ, Log: g.log.With("part", "mcp"),
	}
	broker := map[string]string{
		"MQTT_BROKER_URL": url, "MQTT_USERNAME": g.cfg.MQTT.Username, "MQTT_PASSWORD": g.opts.Secrets.MQTTPassword,
		"MQTT_CA_FILE": g.cfg.MQTT.CAFile,
	}
	maps.DeleteFunc(broker, func(_, v string) bool { return v == "" })
	for i := range cfg.Servers {
		s := &cfg.Servers[i]
		s.Program = filepath.Base(s.Command)
		if s.ID != zwaveServer {
			continue
		}
		// What helps is to name our own program, whatever command is configured.
		s.Program = DefaultServer().Command
		maps.Copy(broker, s.Env)
		s.Env = broker
	}
	var err error
	if g.link.host, err = host.New(cfg, g.tools, g.log.With("part", "mcp")); err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	g.link.host.Watch("://home", g.house.Tell)
	return nil
}

// attempted passes the end of an attempt on.
func (g *Gateway) attempted(a host.Attempt) {
	g.mind.caller.attempted(a.Server, a.Err == nil)
	if a.Err == nil {
		g.mind.returns.Tell(a.Server)
	}
	if g.opts.Attempt != nil {
		g.opts.Attempt(a)
	}
}
