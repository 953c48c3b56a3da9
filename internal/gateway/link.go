package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"voicegateway/internal/doors/discovery"
	"voicegateway/internal/doors/display"
	"voicegateway/internal/doors/mqttapi"
	"voicegateway/internal/ground/broker"
	"voicegateway/internal/ground/mqtt"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint/host"
)

// link connects the gateway to the rest of the house: the MQTT broker and our
// client of it.
type link struct {
	broker *broker.Broker // nil: another broker is used
	url    string         // the broker's address
	bus    *mqtt.Client
	api    *mqttapi.API // nil without a presence on MQTT
	device *discovery.Device
	// changed is of size one: the mute switch or the volume may have changed.
	changed chan struct{}
}

// newLink makes the client, and our own broker if no other is configured.
func (s setup) newLink() (link, error) {
	l := link{changed: make(chan struct{}, 1)}
	client := s.cfg.MQTT.Config
	client.Password = s.opts.Secrets.MQTTPassword
	if client.URL == "" {
		own := s.cfg.MQTT.Embedded
		own.Username, own.Password = client.Username, client.Password
		client.URL = ownBroker(own.Listen)
		var err error
		if l.broker, err = broker.New(own, s.log.With("part", "broker")); err != nil {
			return link{}, err
		}
	}
	private := s.opts.TextOnly || s.opts.Private
	if !private { // others get a random id, so that they do not throw out the daemon's client
		client.ClientID = "voice-gateway-" + s.cfg.Gateway.ID
		client.Will = &mqtt.Message{Topic: mqttapi.Availability(s.cfg.Gateway.ID), Payload: []byte("offline"), Retained: true}
	}
	l.url = client.URL
	var err error
	if l.bus, err = mqtt.New(client, s.log.With("part", "mqtt")); err != nil {
		return link{}, fmt.Errorf("mqtt.broker: %w", err)
	}
	if private {
		return l, nil
	}
	if l.api, err = mqttapi.New(s.cfg.Gateway.ID, l.bus, s.lines, s.log); err != nil {
		return link{}, err
	}
	l.device, err = discovery.New(s.cfg.MQTT.Discovery, discovery.Identity{
		ID: s.cfg.Gateway.ID, Area: s.cfg.Gateway.Area, Language: s.cfg.Gateway.Language, Version: s.version(), Base: mqttapi.Base(s.cfg.Gateway.ID),
	}, l.bus, s.openShownTopics(), s.log)
	return l, err
}

// ownBroker is the address of our own broker.
func ownBroker(listen string) string { return "mqtt://" + listen }

// openShownTopics opens the state directory for the topics that Home Assistant was shown; nil
// without one.
func (s setup) openShownTopics() func() (discovery.Memory, error) {
	if memory := s.memory(); memory != nil {
		return func() (discovery.Memory, error) { return memory() }
	}
	return nil
}

// wakeOnConnection makes every connection to the broker wake the MCP servers, which
// may have waited for it, and publish the current state.
func (l link) wakeOnConnection(mcp *host.Host) {
	l.bus.OnConnection(func(up bool) {
		if !up {
			return
		}
		mcp.WakeAll()
		if l.api != nil {
			l.api.Connected()
		}
	})
}

// correcting lists who takes records that are corrected after their turns: the page's
// stream, and MQTT where there is a presence on it.
func (l link) correcting(stream *display.Stream) []func(record.Record) {
	if l.api == nil {
		return []func(record.Record){stream.Corrected}
	}
	return []func(record.Record){stream.Corrected, presence{l}.Corrected}
}

// cause says why there is no connection to the broker: password if it refuses the
// credentials, else broker; "" when there is one.
func (l link) cause() string {
	switch {
	case l.bus.Connected():
		return ""
	case errors.Is(l.bus.Trouble(), mqtt.ErrRefused):
		return "password"
	}
	return "broker"
}

// ailment says why there is no connection to the broker, in the words of the phrases too.
func (l link) ailment(phrases *reply.Phrases) trouble {
	cause, err := l.cause(), l.bus.Trouble()
	if cause == "" {
		return trouble{}
	}
	why := "there is no connection to the MQTT broker"
	if err != nil {
		why += ": " + err.Error()
	}
	return trouble{why: why + "; it is tried again by itself", said: phrases.Phrase("trouble_"+cause, nil), ill: true}
}

// services returns the client, which all others speak through, and then the broker.
// They are stopped in this order.
func (l link) services() []service {
	s := []service{{"mqtt", l.connect, false}}
	if l.broker != nil {
		s = append(s, service{"broker", l.broker.Run, false})
	}
	return s
}

// connect runs the client, after our own broker has started if there is one.
func (l link) connect(ctx context.Context) error {
	if l.broker != nil {
		wait, cancel := context.WithTimeout(ctx, brokerStart)
		defer cancel()
		_ = l.broker.Ready(wait) // a broker that cannot start reports it itself; the client keeps trying
	}
	return l.bus.Run(ctx)
}

// brokerStart is more than an embedded broker takes to start.
const brokerStart = 2 * time.Second
