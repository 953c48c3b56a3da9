// Package lab measures how well the gateway hears: labelled recordings are played
// to the ear, and what it would do with each is compared with what was meant. It
// exists so that a change to the ear is judged by figures. To measure something
// else, add a file with its jobs and its table.
package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
)

// Config is what a measurement needs.
type Config struct {
	Recordings []Recording
	House      *home.House    // the house that the commands are about
	Gateway    gateway.Config // the gateway whose ear is measured
	Executable string         // our own program, for the workers
	Progress   io.Writer
	Log        *slog.Logger
}

// Lab measures the gateway's ear on labelled recordings.
type Lab struct {
	*Ear
	cfg     Config
	denoise string
}

// New prepares the sentences, the grammar and the replies for the house.
func New(cfg Config) (*Lab, error) {
	cfg.House = controlAll(cfg.House)
	ear, err := NewEar(EarConfig{House: cfg.House, Gateway: cfg.Gateway, Executable: cfg.Executable, Log: cfg.Log})
	if err != nil {
		return nil, err
	}
	return &Lab{Ear: ear, cfg: cfg}, nil
}

// controlAll returns the house as if a server controlled everything in it. Commands
// about other things would be refused, and no additions to them would be listened
// for.
func controlAll(house *home.House) *home.House {
	all := *house
	all.Entities = slices.Clone(house.Entities)
	for i, e := range all.Entities {
		if e.Control == nil {
			all.Entities[i].Control = &home.Control{Tool: "control", ID: e.ID}
		}
	}
	return &all
}

// job is one recording to be heard.
type job func(ctx context.Context) (Outcome, error)

// Hear plays every recording, with the denoiser and without it unless the
// configuration says which. The mixes with other speech are played with the
// denoiser only.
func (m *Lab) Hear(ctx context.Context) ([]Outcome, error) {
	var all []Outcome
	for _, m.denoise = range []string{"on", "off"} {
		if m.cfg.Gateway.STT.Denoise != "auto" && m.cfg.Gateway.STT.Denoise != m.denoise {
			continue
		}
		jobs := m.recordings()
		if m.denoise == "on" {
			jobs = append(jobs, m.mixes()...)
		}
		out, err := m.run(ctx, jobs)
		if err != nil {
			return nil, err
		}
		all = append(all, out...)
	}
	return all, nil
}

// run hears all jobs with one recogniser of its own.
func (m *Lab) run(ctx context.Context, jobs []job) (all []Outcome, err error) {
	m.Ear.cfg.Gateway.STT.Denoise = m.denoise
	end, err := m.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	shown := console.Progress{To: m.cfg.Progress, What: "recordings heard, denoiser " + m.denoise, Of: len(jobs)}
	for n, hear := range jobs {
		o, err := again(ctx, hear)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
		shown.Tell(n + 1)
	}
	return all, nil
}

// recordings returns a job for each command and for each recording without one.
func (m *Lab) recordings() (jobs []job) {
	for _, l := range m.cfg.Recordings {
		if slices.Contains([]string{"command", "oog", "wake", "wake-negative"}, l.Kind) {
			jobs = append(jobs, func(ctx context.Context) (Outcome, error) { return m.hear(ctx, l) })
		}
	}
	return jobs
}

// hear plays one recording as an utterance with push-to-talk and judges it.
func (m *Lab) hear(ctx context.Context, r Recording) (Outcome, error) {
	o := Outcome{File: r.File, Kind: r.Kind, Voice: r.Voice, Noise: fmt.Sprint(r.Noise), Denoise: m.denoise, Said: r.Text}
	cfg := file.Default()
	cfg.Clips, cfg.Start = []audio.Clip{r.clip}, time.Unix(0, 0)
	h, err := m.Play(ctx, Playing{Sound: cfg, First: true})
	if err != nil {
		return o, err
	}
	o.Transcript, o.Ended = h.First, h.endReason()
	m.judge(&o, h.whole())
	return o, nil
}
