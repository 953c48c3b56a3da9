// Package waketest finds the threshold of a wake word that suits a room and a
// voice: it scores ten tries and a little talk, from the microphone or from
// recordings, and proposes a threshold by the rule in rule.go. It exists apart from
// the commands so that the rule can be tested with any sound. Another source of
// sound is a func beside Live.
package waketest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/audio/room"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ground/interrupt"
)

// Numbers of a test by microphone.
const (
	triesAsked  = 10
	talkFor     = 15 * time.Second
	noTry       = time.Minute // ends the test after so much sound without a try
	testLead    = 1500 * time.Millisecond
	talkWarning = "Now talk, or read something aloud, for %.0f seconds, and do not say it.\n"
)

// Config is what a test needs.
type Config struct {
	Word       string
	ModelsDir  string             // where the word's model is
	Thresholds map[string]float64 // by word; they replace the published ones

	Out   io.Writer // instructions and scores for the person who speaks
	Paint console.Paint
}

// Microphone gives frames as a sound card does.
type Microphone interface {
	Read(ctx context.Context) (audio.Frame, error)
}

// Test counts tries. It belongs to one goroutine.
type Test struct {
	cfg    Config
	ear    *ear
	result *Result
}

// New finds the word's model and prepares to hear it.
func New(cfg Config) (*Test, error) {
	model, err := micro.Find(cfg.ModelsDir, cfg.Word)
	if err != nil {
		return nil, err
	}
	r := &Result{Word: cfg.Word, Model: model.Name, Published: model.Cutoff, Threshold: model.Cutoff, Tries: []Try{}}
	if t, ok := cfg.Thresholds[cfg.Word]; ok {
		r.Threshold = t
	}
	e, err := newEar(cfg.ModelsDir, model)
	if err != nil {
		return nil, err
	}
	return &Test{cfg: cfg, ear: e, result: r}, nil
}

// Result returns the scores and the proposed threshold.
func (t *Test) Result() *Result {
	t.result.Rest = t.ear.rest
	t.result.propose()
	return t.result
}

func (t *Test) say(format string, args ...any) { fmt.Fprintf(t.cfg.Out, format, args...) }

// try adds one try to the result and prints it.
func (t *Test) try(best float64) {
	wakes := best > t.result.Threshold
	t.result.Tries = append(t.result.Tries, Try{best, wakes})
	mark := t.cfg.Paint.Good("✓ wakes")
	if !wakes {
		mark = t.cfg.Paint.Bad("✗ does not wake")
	}
	t.say("  %2d  %.2f  %s\n", len(t.result.Tries), best, mark)
}

// Recordings tests files instead of the microphone: recordings with tries, and
// recordings without the word.
func (t *Test) Recordings(ctx context.Context, tries, background []string) error {
	for _, name := range tries {
		if err := play(ctx, name, func(f audio.Frame) {
			if best, ok := t.ear.push(f); ok {
				t.try(best)
			}
		}); err != nil {
			return err
		}
		if best, ok := t.ear.end(); ok {
			t.try(best)
		}
	}
	for _, name := range background {
		if err := play(ctx, name, t.ear.pushRest); err != nil {
			return err
		}
	}
	return nil
}

// play gives a recording frame by frame, with the noise of a quiet room around it. A
// model needs a second to get used to a room, and in digital silence, which a microphone
// never gives, it would still hear the last word.
func play(ctx context.Context, name string, take func(audio.Frame)) error {
	clip, err := interrupt.Read(ctx, func() (audio.Clip, error) { return file.Load(name) })
	if err != nil {
		return err
	}
	mic, err := file.New(file.Config{Clips: []audio.Clip{clip}, Lead: testLead, Tail: time.Second})
	if err != nil {
		return err
	}
	noise := room.NewNoise()
	for {
		f, err := mic.Read(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		noise.Over(f.Samples)
		take(f)
	}
}

// Live tests with a person at the microphone.
func (t *Test) Live(ctx context.Context, mic Microphone) error {
	t.say("Say “%s” %d times as you usually do, from where you usually stand, with a pause after each. Ctrl-C ends.\n", t.result.Word, triesAsked)
	quiet := time.Duration(0)
	for len(t.result.Tries) < triesAsked {
		f, err := mic.Read(ctx)
		if err != nil {
			return err
		}
		quiet += audio.FrameLength
		if best, ok := t.ear.push(f); ok {
			quiet = 0
			t.try(best)
		}
		if quiet > noTry {
			return fmt.Errorf("nobody spoke for a minute, as far as the microphone tells; voice-gateway listen shows its level")
		}
	}
	t.say(talkWarning, talkFor.Seconds())
	for talked := time.Duration(0); talked < talkFor; talked += audio.FrameLength {
		f, err := mic.Read(ctx)
		if err != nil {
			return err
		}
		t.ear.pushRest(f)
	}
	return nil
}
