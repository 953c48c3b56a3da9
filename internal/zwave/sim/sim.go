// Package sim plays zwave-js-ui with a house of simulated devices over MQTT. It
// exists so that demos and tests meet the gateway's real behaviour: topics and
// sanitising, optimistic claims before facts, ramps, sleeping and dead nodes, odd
// API errors, a life cycle in which messages get lost. It is compared with
// recordings of the real gateway message by message (replay_test.go); code that
// plays something the recordings do not show says so. Home Assistant discovery is
// not played, and the quality of service is that of the client.
//
// What the recordings show of devices is data: a new kind of device is a line in
// devices.yaml, read in catalogue.go. How a command class answers a write is a
// line in writers (write.go); a new API call is a line in calls (api.go); a new
// setting is a field of Settings (settings.go) and of GatewaySpec; a new fault is
// a line in ops or houseOps (faults.go).
package sim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/zwave/wire"
)

// Bus is the broker as the simulator needs it. If it also has OnConnection(func
// (up bool)), as a client that reconnects has, the simulator sends the gateway's
// first messages after every reconnect.
type Bus interface {
	Publish(ctx context.Context, topic string, payload []byte) error
	PublishRetained(ctx context.Context, topic string, payload []byte) error
	Subscribe(ctx context.Context, filter string, handle func(topic string, payload []byte, retained bool)) error
}

// Config says which house is played, and how.
type Config struct {
	House   House
	Prefix  string      // MQTT prefix
	Gateway string      // the gateway's name, not sanitised
	Scheme  wire.Scheme // how topics are built
	Scale   float64     // factor of all delays; 1 is as recorded, 0.1 ten times as fast

	Settings Settings // what else a user sets in zwave-js-ui
}

// DefaultConfig is the built-in house behind an untouched gateway in real time.
func DefaultConfig() Config {
	return Config{House: DefaultHouse(), Prefix: "zwave", Gateway: "Simulated House", Scale: 1}
}

// Validate says what is wrong with the settings.
func (c Config) Validate() error {
	switch {
	case c.Prefix == "" || c.Gateway == "":
		return errors.New("the simulated gateway needs a topic prefix and a name")
	case c.Scale < 0 || c.Scale > 100:
		return fmt.Errorf("the scale of the delays is %v; use 0 to 100, where 1 is real time", c.Scale)
	}
	return errors.Join(c.Settings.validate(), c.House.Validate())
}

func (c Config) homeName() string { return fmt.Sprintf("0x%08x", c.House.HomeID) }

// Will returns the last will that the MQTT client must have, retained, so that a
// crash of the simulator looks like a crash of the gateway.
func (c Config) Will() (topic string, payload []byte) {
	return c.base() + "/status", []byte(`{"value":false}`)
}

func (c Config) base() string { return c.Prefix + "/_CLIENTS/" + wire.GatewayLevel(c.Gateway) }

// Sim is a running house: the gateway's life and its API. All its state, and that
// of its parts, belongs to Run's goroutine; other goroutines pass it functions to
// run.
type Sim struct {
	cfg     Config
	control string // topic on which faults are requested
	truths  string // topic on which the devices' true state is requested
	bus     Bus
	log     *slog.Logger
	inbox   *queue[func()]
	clock   *clock     // runs what happens later
	mqtt    *publisher // publishes what the gateway says
	net     *network   // the nodes
	air     *air       // the radio between gateway and nodes

	// What the gateway holds in addition to its nodes.
	scenes     []*scene
	controller view // of node 1

	// These say where the gateway is in its life cycle.
	connected       bool   // to the broker, for the first time since the start
	starting        bool   // connected; the driver is coming up
	ready           bool   // the driver is up
	down            bool   // stopped from outside
	comeback        *timer // starts a stopped gateway
	unansweredCalls faultBudget
	since           time.Time // time of the start
}

// New checks the house and builds its nodes; Run plays it.
func New(cfg Config, bus Bus, log *slog.Logger) (*Sim, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	net, err := newNetwork(cfg.House.Nodes, cfg.Settings.Age)
	if err != nil {
		return nil, err
	}
	clock, mqtt := &clock{scale: cfg.Scale}, newPublisher(cfg)
	s := &Sim{
		cfg: cfg, control: cfg.ControlTopic(), truths: cfg.TruthTopic(), bus: bus, log: log.With("part", "simulator"), inbox: newQueue[func()](),
		clock: clock, mqtt: mqtt, net: net, air: &air{clock: clock, mqtt: mqtt},
		scenes: []*scene{}, since: time.Now(),
	}
	s.air.found = s.interview
	return s, nil
}

// Run plays the house until ctx ends. It stops as the gateway does when stopped
// properly: driver/status false, and a status that stays true.
func (s *Sim) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	publishing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	wg.Go(func() { publish(publishing, s.mqtt.out, s.bus, s.log) })
	if err := s.bus.Subscribe(ctx, s.cfg.Prefix+"/#", s.receive); err != nil {
		return fmt.Errorf("subscribing the simulated gateway: %w", err)
	}
	if c, ok := s.bus.(interface{ OnConnection(changed func(up bool)) }); ok {
		c.OnConnection(func(up bool) {
			if up {
				s.enqueue(s.greet)
			}
		})
	} else {
		s.enqueue(s.greet)
	}
	s.loop(ctx)
	if !s.down {
		s.mqtt.retain(s.cfg.Prefix+"/driver/status", []byte("false"))
	}
	drain(ctx, s.mqtt.out)
	return nil
}

// loop runs the functions in the inbox and the timers that are due.
func (s *Sim) loop(ctx context.Context) {
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	for {
		for _, do := range s.inbox.drain() {
			do()
		}
		due.Reset(s.clock.timers.run(time.Now()))
		select {
		case <-ctx.Done():
			return
		case <-s.inbox.wake:
		case <-due.C:
		}
	}
}

// enqueue gives the simulator's goroutine something to do.
func (s *Sim) enqueue(do func()) { s.inbox.push(do) }

// receive takes a message from the broker.
func (s *Sim) receive(topic string, payload []byte, _ bool) {
	if !strings.HasSuffix(topic, "/set") {
		return
	}
	s.enqueue(func() {
		switch topic {
		case s.control:
			s.controlMessage(payload)
		case s.truths:
			s.truthMessage(payload)
		default:
			s.setMessage(topic, payload)
		}
	})
}
