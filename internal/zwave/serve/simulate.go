package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"voicegateway/internal/home"
	"voicegateway/internal/mqtt"
	"voicegateway/internal/zwave/sim"
)

// simulateFlags are those of the simulated house.
type simulateFlags struct {
	broker string
	house  string
	home   string
	name   string
	scale  float64
}

func (p Program) simulateCommand(f *flags) *cobra.Command {
	var s simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Play zwave-js-ui with simulated devices on a broker",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.simulate(cmd.Context(), f.file, s) },
	}
	cmd.Flags().StringVar(&s.broker, "broker", "", "`URL` of the broker (default: MQTT_BROKER_URL, else mqtt://127.0.0.1:1883)")
	cmd.Flags().StringVar(&s.house, "house", "", "YAML `FILE` with simulated nodes instead of the built-in house")
	cmd.Flags().StringVar(&s.home, "home", "", "JSON `FILE` with a house of areas and entities to make nodes of")
	cmd.Flags().StringVar(&s.name, "name", sim.DefaultConfig().Gateway, "`NAME` of the simulated gateway")
	cmd.Flags().Float64Var(&s.scale, "scale", 1, "`FACTOR` of all delays; 1 is as the real gateway was recorded")
	cmd.MarkFlagsMutuallyExclusive("house", "home")
	return cmd
}

func (p Program) simulate(ctx context.Context, file string, f simulateFlags) error {
	cfg, log, err := p.load(file)
	if err != nil {
		return err
	}
	if f.broker != "" {
		cfg.Broker = f.broker
	}
	house, left, err := readHouse(f)
	if err != nil {
		return exit{exitUsage, err}
	}
	if len(left) > 0 {
		log.Warn("these cannot be Z-Wave devices and are not simulated", "names", strings.Join(left, ", "))
	}
	played := sim.DefaultConfig()
	played.House, played.Prefix, played.Gateway, played.Scale = house, cfg.Prefix, f.name, f.scale
	broker := cfg.mqtt()
	topic, payload := played.Will()
	broker.Will = &mqtt.Message{Topic: topic, Payload: payload, Retained: true}
	client, err := mqtt.New(broker, log)
	if err != nil {
		return exit{exitUsage, err}
	}
	s, err := sim.New(played, client, log)
	if err != nil {
		return exit{exitUsage, err}
	}
	// The client outlives the simulator by its goodbye.
	connected, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { report(log, "mqtt", client.Run(connected)) })
	log.Info("playing a simulated Z-Wave house", "broker", client.Broker(), "nodes", len(house.Nodes), "prefix", cfg.Prefix)
	if err := s.Run(ctx); err != nil && ctx.Err() == nil {
		return exit{exitFailed, err}
	}
	return nil
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
