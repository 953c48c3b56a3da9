package vad

import (
	"fmt"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/micro"
)

const (
	modelName = "vad" // of the catalogue
	// A voice is believed from the model's cutoff on and as long as its
	// probability stays above this (docs/facts/engines.md, Voice and noise).
	voiceEnds = 0.35
	// gap is how much missing sound resets the model, so that the sound after it does not
	// count as the end of the sound before it.
	gap = 200 * time.Millisecond
)

// model hears voices with a small network, and loudness beside it.
type model struct {
	energy energy
	front  *micro.FrontEnd
	net    *micro.Model
	last   time.Time // end of the last frame
	begins uint8     // probabilities, in 1/256
	ends   uint8
	voice  bool
	take   func(*micro.Features) // made once: a method value allocates
}

func newModel(cfg Config) (Engine, error) {
	if cfg.ModelsDir == "" {
		return nil, fmt.Errorf("vad: %w: no directory is set", micro.ErrNoModel)
	}
	entry, err := micro.Find(cfg.ModelsDir, modelName)
	if err != nil {
		return nil, fmt.Errorf("vad: %w", err)
	}
	net, err := micro.Open(cfg.ModelsDir, entry.Name)
	if err != nil {
		return nil, fmt.Errorf("vad: %w", err)
	}
	m := &model{
		front: micro.NewFrontEnd(), net: net,
		begins: uint8(256 * min(entry.Cutoff, 0.99)), ends: uint8(256 * min(entry.Cutoff, voiceEnds)),
	}
	m.take = m.features
	return m, nil
}

// Push hears a frame.
func (m *model) Push(f audio.Frame) Judgement {
	j := m.energy.Push(f)
	if !m.last.IsZero() && f.At.Sub(m.last) > gap {
		m.net.Reset()
		m.voice = false
	}
	m.last = f.At
	m.front.Push(f.Samples, m.take)
	j.Model, j.Voice = true, m.voice
	j.Speech = j.Speech || j.Voice
	return j
}

func (m *model) features(row *micro.Features) {
	p, ready := m.net.Push(row)
	switch {
	case !ready:
	case p >= m.begins:
		m.voice = true
	case p < m.ends:
		m.voice = false
	}
}
