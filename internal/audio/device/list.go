package device

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"voicegateway/internal/worker"
)

// Info is one sound device as the system lists it.
type Info struct {
	// Name stays the same when the device is plugged in again elsewhere, so it
	// is what belongs in the configuration. Only of two devices alike it holds
	// the number, which does not stay.
	Name     string `json:"name"`
	Hardware string `json:"hardware"` // ALSA's number of it now, such as "hw:1,0"; "" if it has none
	Inputs   int    `json:"inputs"`   // channels it can record
	Outputs  int    `json:"outputs"`  // channels it can play
	Rate     int    `json:"rate"`     // its own sample rate in Hz
	Default  bool   `json:"default"`  // the system's default microphone or speaker
	Used     string `json:"used"`     // "input", "output", "input, output" or ""
	Why      string `json:"why"`      // why it is used, or what speaks against it
}

// Devices lists the sound devices and tells which are used and why. A device
// that was plugged in while the microphone was open is missing until the
// microphone is opened again: the library looks only when nothing is open.
func (d *Device) Devices(ctx context.Context) ([]Info, error) {
	return list(ctx, d.worker, d.cfg)
}

// List is Devices without a running Device: it starts a worker for this one
// question, opens nothing, and shows what cfg would use.
func List(ctx context.Context, cfg Config) ([]Info, error) {
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

func list(ctx context.Context, w *worker.Worker, cfg Config) ([]Info, error) {
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
	var all []Info
	if err := json.Unmarshal(answer, &all); err != nil {
		return nil, fmt.Errorf("reading the list of sound devices: %w", err)
	}
	return all, nil
}
