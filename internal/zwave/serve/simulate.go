package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"voicegateway/internal/ground/mqtt"
	"voicegateway/internal/home"
	"voicegateway/internal/mcpint/houseserver"
	"voicegateway/internal/zwave/sim"
	"voicegateway/internal/zwave/wire"
)

// simulateFlags are the flags of "simulate". What they say about the gateway
// overrides the house file.
type simulateFlags struct {
	broker   string
	house    string
	home     string
	scale    float64
	gateway  sim.GatewaySpec
	ids      bool
	noRetain bool
	details  bool
	start    string
}

func (p Program) simulateCommand(f *flags) *cobra.Command {
	var s simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Play zwave-js-ui with simulated devices on a broker",
		Long: `Play zwave-js-ui with simulated devices on a broker.

Faults on demand: publish JSON to <prefix>/_SIM/ZWAVE_GATEWAY-<name>/fault/set, such as
  {"op":"dead","node":"Kitchen Light"}
  {"op":"change","node":2,"key":"37-0-currentValue","value":true}
  {"op":"lost_report","node":"Front Door","count":2}
  {"op":"liar","node":"Hallway Light"}
  {"op":"stops_at","node":"Office Light","value":45}
  {"op":"hold","node":"Ceiling Fan","for":"3s"}
  {"op":"hang","node":"Coffee Machine"}
  {"op":"block","node":"Garage Door"}
  {"op":"stick_out"}
  {"op":"crash","for":"10s"}
  {"op":"clear"}
The answer on <prefix>/_SIM/ZWAVE_GATEWAY-<name>/fault tells every operation if there is no such one.

What the devices really are, whatever the gateway believes: publish {} or {"node":"Kitchen Light"} to
<prefix>/_SIM/ZWAVE_GATEWAY-<name>/truth/set; the answer comes on <prefix>/_SIM/ZWAVE_GATEWAY-<name>/truth.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.simulate(cmd.Context(), f.File, s) },
	}
	cmd.Flags().StringVar(&s.broker, "broker", "", "`URL` of the broker (default: MQTT_BROKER_URL, else mqtt://127.0.0.1:1883)")
	cmd.Flags().StringVar(&s.house, "house", "", "YAML `FILE` with simulated nodes instead of the built-in house")
	cmd.Flags().StringVar(&s.home, "home", "", "JSON `FILE` with a house of areas and entities to make nodes of")
	cmd.Flags().Float64Var(&s.scale, "scale", 1, "`FACTOR` of all delays; 1 is as the real gateway was recorded")
	g := &s.gateway
	cmd.Flags().StringVar(&g.Name, "name", "", "`NAME` of the simulated gateway (default: "+sim.DefaultConfig().Gateway+")")
	cmd.Flags().StringVar(&g.Prefix, "prefix", "", "topic `PREFIX` (default: ZWAVE_MQTT_TOPIC, else zwave)")
	cmd.Flags().StringVar(&g.Type, "type", "", "gateway `TYPE`: NAMED, VALUEID or MANUAL (default: NAMED)")
	cmd.Flags().StringVar(&g.Payload, "payload", "", "payload `TYPE`: time-value, entire or just-value (default: time-value)")
	cmd.Flags().BoolVar(&s.ids, "node-ids", false, "with VALUEID: node ids instead of names in topics")
	cmd.Flags().BoolVar(&g.IgnoreLocation, "ignore-location", false, "leave the location out of topics")
	cmd.Flags().BoolVar(&s.noRetain, "no-retain", false, "retain nothing")
	cmd.Flags().BoolVar(&s.details, "node-details", false, "publish nodeinfo")
	cmd.Flags().BoolVar(&g.NodeInfo, "node-info", false, "put node name and location into payloads")
	cmd.Flags().BoolVar(&g.Events, "events", false, "send Z-Wave events")
	cmd.Flags().StringVar(&s.start, "start", "instant", "`HOW` the gateway comes up: instant, or recorded (driver after 2 s, then node by node)")
	cmd.MarkFlagsMutuallyExclusive("house", "home")
	return cmd
}

func (p Program) simulate(ctx context.Context, file string, f simulateFlags) error {
	cfg := Default()
	log, err := p.server().Load(file, &cfg)
	if err != nil {
		return err
	}
	if f.broker != "" {
		cfg.Broker = f.broker
	}
	house, left, err := readHouse(f)
	if err != nil {
		return houseserver.ExitError{Status: houseserver.ExitUsage, Err: err}
	}
	if len(left) > 0 {
		log.Warn("these cannot be Z-Wave devices and are not simulated", "names", strings.Join(left, ", "))
	}
	played := sim.DefaultConfig()
	played.House, played.Prefix, played.Scale = house, cfg.Prefix, f.scale
	if err := errors.Join(house.Gateway.Apply(&played), f.apply(&played)); err != nil {
		return houseserver.ExitError{Status: houseserver.ExitUsage, Err: err}
	}
	return p.play(ctx, cfg.mqtt(), played, log)
}

// play runs a simulated gateway until ctx ends.
func (p Program) play(ctx context.Context, broker mqtt.Config, played sim.Config, log *slog.Logger) error {
	broker.ClientID = wire.GatewayLevel(played.Gateway) // as the real gateway does: another client with this id throws it out
	topic, payload := played.Will()
	broker.Will = &mqtt.Message{Topic: topic, Payload: payload, Retained: !played.Settings.NoRetain}
	broker.QuietStop = true // the gateway's status stays true when it is stopped in order
	client, err := mqtt.New(broker, log)
	if err != nil {
		return houseserver.ExitError{Status: houseserver.ExitUsage, Err: err}
	}
	s, err := sim.New(played, commands{client}, log)
	if err != nil {
		return houseserver.ExitError{Status: houseserver.ExitUsage, Err: err}
	}
	// The client stays connected until the simulator has said goodbye.
	connected, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { houseserver.Report(log, "mqtt", client.Run(connected)) })
	log.Info("playing a simulated Z-Wave house", "broker", client.Broker(), "nodes", len(played.House.Nodes), "prefix", played.Prefix, "gateway", played.Gateway)
	if err := s.Run(ctx); err != nil && ctx.Err() == nil {
		return houseserver.ExitError{Status: houseserver.ExitFailed, Err: err}
	}
	return nil
}

// commands is a client that subscribes only to topics that end in "/set" in place
// of a filter with "#", so that it does not receive everything the simulator
// itself publishes.
type commands struct{ *mqtt.Client }

// deepest is more levels than any topic has, even with a location of many levels.
const deepest = 20

// Subscribe replaces a filter that ends in "#" by filters that end in "/set".
func (c commands) Subscribe(ctx context.Context, filter string, handle mqtt.Handler) error {
	base := strings.TrimSuffix(filter, "#")
	for levels := range deepest {
		if err := c.Client.Subscribe(ctx, base+strings.Repeat("+/", levels+1)+"set", handle); err != nil {
			return fmt.Errorf("subscribing to commands: %w", err)
		}
	}
	return nil
}

// apply puts the flags into the settings of the simulated gateway.
func (f simulateFlags) apply(c *sim.Config) error {
	g, yes, no := f.gateway, true, false
	if f.ids {
		g.NodeNames = &no
	}
	if f.noRetain {
		g.Retain = &no
	}
	if f.details {
		g.NodeDetails = &yes
	}
	switch f.start {
	case "instant", "":
	case "recorded":
		c.Settings.Driver, c.Settings.Node = sim.RecordedDriver, sim.RecordedNode
	default:
		return fmt.Errorf("--start is %q; use instant or recorded", f.start)
	}
	return g.Apply(c)
}

func readHouse(f simulateFlags) (sim.House, []string, error) {
	switch {
	case f.house != "":
		data, err := os.ReadFile(f.house)
		if err != nil {
			return sim.House{}, nil, fmt.Errorf("reading the house file: %w", err)
		}
		house, err := sim.ParseHouse(data)
		return house, nil, err
	case f.home != "":
		h, err := readHome(f.home)
		if err != nil {
			return sim.House{}, nil, err
		}
		house, left := sim.FromHome(h)
		return house, left, house.Validate()
	default:
		return sim.DefaultHouse(), nil, nil
	}
}

func readHome(file string) (home.House, error) {
	var h home.House
	data, err := os.ReadFile(file)
	if err != nil {
		return h, fmt.Errorf("reading the home file: %w", err)
	}
	if err := json.Unmarshal(data, &h); err != nil {
		return h, fmt.Errorf("reading the home file %s: %w", file, err)
	}
	if len(h.Entities) == 0 {
		return h, errors.New("the home file " + file + ` has no "entities"`)
	}
	return h, nil
}
