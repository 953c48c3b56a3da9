package rig

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/ground/mqtt"
	"voicegateway/internal/zwave/sim"
)

// StartHouse starts a simulated Z-Wave house at the broker at a URL, as a program of its
// own, with more flags of zwave-mcp-server simulate.
func StartHouse(tb testing.TB, broker string, flags ...string) *Program {
	tb.Helper()
	return Start(tb, Environ(tb), fake.Program(tb, "zwave-mcp-server"), append([]string{"simulate", "--broker", broker}, flags...)...)
}

// House is a simulated Z-Wave house that is played in the process of the test, which can
// so look at what its devices really are.
type House struct {
	*sim.Sim
	Bus  *mqtt.Client // its connection with the broker
	stop func()
}

// PlayHouse plays a house at the broker at a URL until Stop is called.
func PlayHouse(cfg sim.Config, broker string) (*House, error) {
	quiet := slog.New(slog.DiscardHandler)
	bus, err := mqtt.New(mqtt.Config{URL: broker}, quiet)
	if err != nil {
		return nil, err
	}
	s, err := sim.New(cfg, bus, quiet)
	if err != nil {
		return nil, err
	}
	playing, end := context.WithCancel(context.Background())
	connected, disconnect := context.WithCancel(context.Background())
	var played, carried sync.WaitGroup
	carried.Go(func() { _ = bus.Run(connected) })
	played.Go(func() { _ = s.Run(playing) })
	return &House{s, bus, func() { end(); played.Wait(); disconnect(); carried.Wait() }}, nil
}

// Stop ends the play, and the connection after it, so that the last messages of the house
// are still sent.
func (h *House) Stop() { h.stop() }
