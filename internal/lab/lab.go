// Package lab measures how well the gateway hears: labelled recordings are played
// to the ear, and what it would do with each is compared with what was meant. It
// exists so that a change to the ear is judged by figures. Another measurement is
// a file with its jobs and its table beside the others.
package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/speech"
	"voicegateway/internal/speech/stt"
)

// Config is what a measurement needs.
type Config struct {
	Recordings []Recording
	House      *home.House    // the commands are for
	Gateway    gateway.Config // whose ear is measured
	Executable string         // our own program, for the workers
	Progress   io.Writer
	Log        *slog.Logger
}

// Lab measures the recogniser on labelled recordings: what the gateway would do
// with each, as a turn by push-to-talk.
type Lab struct {
	cfg     Config
	matcher *intent.Matcher
	grammar *grammar.Grammar
	engine  stt.Engine
	denoise string
}

// New prepares to understand the house.
func New(cfg Config) (*Lab, error) {
	m := &Lab{cfg: cfg}
	return m, m.prepare(cfg.House)
}

// job is one recording to be heard.
type job func(ctx context.Context) (Outcome, error)

// Hear is what comes of every recording, with the denoiser and without unless the
// configuration says which; the mixes with other speech are heard with it.
func (m *Lab) Hear(ctx context.Context) ([]Outcome, error) {
	var all []Outcome
	for _, m.denoise = range []string{"on", "off"} {
		if m.cfg.Gateway.STT.Denoise != "auto" && m.cfg.Gateway.STT.Denoise != m.denoise {
			continue
		}
		cfg := stt.Default()
		cfg.Command, cfg.ModelDir, cfg.Wakes = m.worker(), m.cfg.Gateway.STT.ModelDir, gateway.WakePhrases(m.cfg.Gateway.Wake.Words)
		cfg.Pronunciations, cfg.Denoise, cfg.Log = m.cfg.Gateway.STT.Pronunciations, m.denoise, m.cfg.Log
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

// worker is the command of the recognisers' child.
func (m *Lab) worker() []string { return []string{m.cfg.Executable, "worker", "stt"} }

// prepare makes what understands the house.
func (m *Lab) prepare(house *home.House) error {
	pack := intent.English()
	var err error
	if m.matcher, err = intent.New(pack, house); err != nil {
		return fmt.Errorf("preparing the sentences for the house: %w", err)
	}
	if m.grammar, err = grammar.New(pack, house); err != nil {
		return fmt.Errorf("preparing the grammar for the house: %w", err)
	}
	return nil
}

// run hears every recording with a recogniser of its own process.
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

// recordings are the commands and what is none.
func (m *Lab) recordings() (jobs []job) {
	for _, l := range m.cfg.Recordings {
		if l.commanded() || l.other() {
			jobs = append(jobs, func(ctx context.Context) (Outcome, error) { return m.hear(ctx, l) })
		}
	}
	return jobs
}

// tries is how often a recording is heard. On a busy machine a worker may be given
// up, which says nothing of how well it hears.
const tries = 10

func again(ctx context.Context, hear job) (o Outcome, err error) {
	for range tries {
		if o, err = hear(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	return o, err
}

// teach gives the recogniser the grammar, without what it cannot pronounce.
func (m *Lab) teach(ctx context.Context) error {
	missing, err := m.engine.SetGrammar(ctx, stt.Grammar{JSGF: m.grammar.JSGF(), Words: m.grammar.Words()})
	if err != nil || len(missing) == 0 {
		return err
	}
	m.grammar, _ = m.grammar.Without(missing)
	_, err = m.engine.SetGrammar(ctx, stt.Grammar{JSGF: m.grammar.JSGF(), Words: m.grammar.Words()})
	return err
}

// hear plays one recording to the recogniser until its turn would end.
func (m *Lab) hear(ctx context.Context, l Recording) (Outcome, error) {
	o := Outcome{File: l.File, Kind: l.Kind, Voice: l.Voice, Noise: fmt.Sprint(l.Noise), Denoise: m.denoise, Said: l.Text}
	play := file.Default()
	play.Clips, play.Start = []audio.Clip{l.clip}, time.Unix(0, 0)
	sound, err := file.New(play)
	if err != nil {
		return o, err
	}
	if room, ok := m.engine.(stt.Listener); ok {
		room.Forget()
	}
	if err := m.engine.Begin(ctx); err != nil {
		return o, err
	}
	ender, err := gateway.NewEndpointer(m.cfg.Gateway, slog.New(slog.DiscardHandler))
	if err != nil {
		return o, err
	}
	var end speech.Endpoint
	for !end.Done {
		f, err := sound.Read(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return o, err
		}
		p, err := m.engine.Push(ctx, f)
		if err != nil {
			return o, err
		}
		end = ender.Push(f, p, m.grammar.Judge(p.Text))
	}
	o.Ended = end.Reason
	if o.Transcript, err = m.engine.Finish(ctx); err != nil {
		return o, err
	}
	m.judge(&o)
	return o, nil
}
