package wakes

import (
	"context"
	"fmt"
	"io"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/harness"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ground/process"
)

// Numbers of a test by microphone.
const (
	triesAsked  = 10
	talkFor     = 15 * time.Second
	noTry       = time.Minute // ends the test after so much sound without a try
	testLead    = 1500 * time.Millisecond
	talkWarning = "Now talk, or read something aloud, for %.0f seconds, and do not say it.\n"
)

// TrialConfig is what a trial needs.
type TrialConfig struct {
	Word       string
	ModelsDir  string             // where the word's model is
	Thresholds map[string]float64 // by word; they replace the published ones

	Out   io.Writer                 // instructions for the person who speaks
	Tried func(number int, try Try) // called with each try, counted from 1
}

// Microphone gives frames as a sound card does.
type Microphone interface {
	Read(ctx context.Context) (audio.Frame, error)
}

// Trial finds the threshold of a wake word that suits a room and a voice: it scores ten
// tries and a little talk, from the microphone or from recordings, and proposes a threshold
// by the rule in rule.go. It belongs to one goroutine.
type Trial struct {
	cfg    TrialConfig
	ear    *ear
	result *Result
}

// NewTrial finds the word's model and prepares to hear it.
func NewTrial(cfg TrialConfig) (*Trial, error) {
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
	return &Trial{cfg: cfg, ear: e, result: r}, nil
}

// Result returns the scores and the proposed threshold.
func (t *Trial) Result() *Result {
	t.result.Rest = t.ear.rest
	t.result.propose()
	return t.result
}

func (t *Trial) say(format string, args ...any) { fmt.Fprintf(t.cfg.Out, format, args...) }

// try adds one try to the result and tells of it.
func (t *Trial) try(best float64) {
	t.result.Tries = append(t.result.Tries, Try{best, best > t.result.Threshold})
	t.cfg.Tried(len(t.result.Tries), t.result.Tries[len(t.result.Tries)-1])
}

// Recordings tests files instead of the microphone: recordings with tries, and
// recordings without the word.
func (t *Trial) Recordings(ctx context.Context, tries, background []string) error {
	for _, name := range tries {
		if err := playFile(ctx, name, func(f audio.Frame) {
			if best, ok := t.ear.push(f); ok {
				t.try(best)
			}
		}); err != nil {
			return err
		}
		if best, ok := t.ear.closeUtterance(); ok {
			t.try(best)
		}
	}
	for _, name := range background {
		if err := playFile(ctx, name, t.ear.pushRest); err != nil {
			return err
		}
	}
	return nil
}

// playFile gives a recording frame by frame, with the noise of a quiet room around it. A
// model needs a second to get used to a room, and in digital silence, which a microphone
// never gives, it would still hear the last word.
func playFile(ctx context.Context, name string, take func(audio.Frame)) error {
	clip, err := process.ReadUntil(ctx, func() (audio.Clip, error) { return file.Load(name) })
	if err != nil {
		return err
	}
	noise := file.NewNoise()
	_, err = harness.Play(ctx, file.Config{Clips: []audio.Clip{clip}, Lead: testLead, Tail: time.Second}, func(f audio.Frame) error {
		noise.Over(f.Samples)
		take(f)
		return nil
	})
	return err
}

// Live tests with a person at the microphone.
func (t *Trial) Live(ctx context.Context, mic Microphone) error {
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
