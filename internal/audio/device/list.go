package device

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"voicegateway/internal/audio"
	"voicegateway/internal/ground/worker"
)

// Devices lists the sound devices and says which are used and why. A device that
// was plugged in while the microphone was open is missing until the microphone is
// opened again: the library makes its list only when nothing is open.
func (d *Device) Devices(ctx context.Context) ([]audio.Device, error) {
	return list(ctx, d.worker, d.cfg)
}

// List is Devices without a running Device: it starts a worker for this one
// question, opens nothing, and shows what cfg would use.
func List(ctx context.Context, cfg Config) ([]audio.Device, error) {
	w, err := worker.New(worker.Config{Name: "audio", Command: cfg.Command, Env: cfg.Env, Timeout: slowTimeout, Log: cfg.Log})
	if err != nil {
		return nil, fmt.Errorf("listing the sound devices: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = w.Run(ctx) }) // nil: it ends with ctx
	defer func() {
		cancel()
		running.Wait()
	}()
	return list(ctx, w, cfg)
}

func list(ctx context.Context, w *worker.Worker, cfg Config) ([]audio.Device, error) {
	s, err := w.Session(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the sound devices: %w", err)
	}
	payload, err := json.Marshal(openRequest{Input: cfg.Input, Output: cfg.Output, Channel: cfg.Channel})
	if err != nil {
		return nil, fmt.Errorf("encoding for the audio worker: %w", err)
	}
	answer, err := s.CallWithin(ctx, slowTimeout, kindList, payload)
	if err != nil {
		return nil, fmt.Errorf("listing the sound devices: %w", err)
	}
	var all []audio.Device
	if err := json.Unmarshal(answer, &all); err != nil {
		return nil, fmt.Errorf("reading the list of sound devices: %w", err)
	}
	return all, nil
}
