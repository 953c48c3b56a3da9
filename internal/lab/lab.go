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
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/speech/stt"
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
	cfg     Config
	matcher *intent.Matcher
	grammar *grammar.Grammar
	phrases *reply.Phrases
	engine  stt.Engine
	denoise string
}

// New prepares the sentences, the grammar and the replies for the house.
func New(cfg Config) (*Lab, error) {
	cfg.House = controlled(cfg.House)
	pack := intent.English()
	m := &Lab{cfg: cfg}
	var err error
	if m.matcher, err = intent.New(pack, cfg.House); err != nil {
		return nil, fmt.Errorf("preparing the sentences for the house: %w", err)
	}
	if m.grammar, err = grammar.New(pack, cfg.House); err != nil {
		return nil, fmt.Errorf("preparing the grammar for the house: %w", err)
	}
	if m.phrases, err = reply.Ours("en"); err != nil {
		return nil, fmt.Errorf("preparing the replies: %w", err)
	}
	return m, nil
}

// controlled returns the house as if a server controlled everything in it. Commands
// about other things would be refused, and no additions to them would be listened
// for.
func controlled(house *home.House) *home.House {
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
		cfg := stt.Default()
		cfg.Command, cfg.ModelDir, cfg.Wakes = m.worker(), m.cfg.Gateway.STT.ModelDir, gateway.WakePhrases(m.cfg.Gateway.Wake.Words)
		cfg.Pronunciations, cfg.Denoise, cfg.Log = m.cfg.Gateway.STT.Pronunciations, m.denoise, m.cfg.Log
		var err error
		if cfg.Voice, err = gateway.NewVoice(m.cfg.Gateway, m.cfg.Log); err != nil {
			return nil, err
		}
		jobs := m.recordings()
		if m.denoise == "on" {
			jobs = append(jobs, m.mixes()...)
		}
		out, err := m.run(ctx, cfg, jobs)
		if err != nil {
			return nil, err
		}
		all = append(all, out...)
	}
	return all, nil
}

// worker is the command line of the recogniser's worker process.
func (m *Lab) worker() []string { return []string{m.cfg.Executable, "worker", "stt"} }

// run hears all jobs with one recogniser of its own.
func (m *Lab) run(ctx context.Context, cfg stt.Config, jobs []job) (all []Outcome, err error) {
	if m.engine, err = stt.New(cfg); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	var died error
	running.Go(func() { died = m.engine.Run(ctx) })
	defer func() {
		cancel()
		running.Wait()
		err = errors.Join(err, died)
	}()
	if err := m.teach(ctx); err != nil {
		return nil, err
	}
	shown := console.Progress{To: m.cfg.Progress, What: "recordings heard, denoiser " + cfg.Denoise, Of: len(jobs)}
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

// tries is how often a recording is tried. On a busy machine a worker may be given
// up, which says nothing about how well it hears.
const tries = 10

func again(ctx context.Context, hear job) (o Outcome, err error) {
	for range tries {
		if o, err = hear(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	return o, err
}

// teach gives the recogniser the grammar, without the words it cannot pronounce.
func (m *Lab) teach(ctx context.Context) error {
	missing, err := m.engine.SetGrammar(ctx, everything(m.grammar))
	if err != nil || len(missing) == 0 {
		return err
	}
	m.grammar, _ = m.grammar.Without(missing)
	_, err = m.engine.SetGrammar(ctx, everything(m.grammar))
	return err
}

// everything is the whole grammar in the form a recogniser takes.
func everything(g *grammar.Grammar) stt.Grammar {
	return stt.Grammar{JSGF: g.JSGF(), Join: g.Joins(), Words: g.Words(), Automaton: g.Automaton}
}

// hear plays one recording as an utterance with push-to-talk and judges it.
func (m *Lab) hear(ctx context.Context, r Recording) (Outcome, error) {
	o := Outcome{File: r.File, Kind: r.Kind, Voice: r.Voice, Noise: fmt.Sprint(r.Noise), Denoise: m.denoise, Said: r.Text}
	cfg := file.Default()
	cfg.Clips, cfg.Start = []audio.Clip{r.clip}, time.Unix(0, 0)
	h, err := m.play(ctx, cfg, nil)
	if err != nil {
		return o, err
	}
	o.Transcript, o.Ended = h.first, h.ended()
	m.judge(&o, h.whole())
	return o, nil
}
