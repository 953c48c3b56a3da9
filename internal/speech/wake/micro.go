package wake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech"
	"voicegateway/internal/speech/micro"
)

// gap is missing sound after which the features before and after it must not be
// taken for one word.
const gap = 200 * time.Millisecond

// leastCutoff is the lowest probability that can be set: below it every noise is
// the word. It also tells the measure of this engine from PocketSphinx's.
const leastCutoff = 0.1

// neural hears words with microWakeWord models, all behind one front end. It runs
// in this process: it is plain Go and a hundredth of a core.
type neural struct {
	front *micro.FrontEnd
	words []word
	last  time.Time // end of the last frame
	best  speech.Detection
	hit   bool
	at    time.Time // of the frame being heard
}

// word is one configured phrase.
type word struct {
	phrase   string
	detector *micro.Detector
}

func newMicro(cfg Config) (Engine, error) {
	e := &neural{front: micro.NewFrontEnd()}
	for _, phrase := range cfg.Words {
		if strings.TrimSpace(phrase) == "" {
			continue
		}
		entry, err := micro.Find(cfg.ModelsDir, phrase)
		if err != nil {
			return nil, fmt.Errorf("wake: %w", err)
		}
		model, err := micro.Open(cfg.ModelsDir, entry.Name)
		if err != nil {
			return nil, fmt.Errorf("wake: %w", err)
		}
		opts := micro.DefaultOptions()
		opts.Cutoff, opts.Window = entry.Cutoff, entry.Window
		if t, ok := cfg.Thresholds[phrase]; ok {
			if t < leastCutoff || t >= 1 {
				return nil, fmt.Errorf("wake: the threshold of %q is %g; the engine micro takes a probability from %g to 1, usual is %g", phrase, t, leastCutoff, entry.Cutoff)
			}
			opts.Cutoff = t
		}
		d, err := micro.NewDetector(model, opts)
		if err != nil {
			return nil, fmt.Errorf("wake: %q: %w", phrase, err)
		}
		e.words = append(e.words, word{phrase, d})
	}
	if len(e.words) == 0 {
		return nil, errNoWords
	}
	return e, nil
}

func (e *neural) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Detect hears a frame with every model. When two words are heard in one frame,
// which happens when one is part of the other, the surer one counts.
func (e *neural) Detect(_ context.Context, f audio.Frame) (speech.Detection, bool, error) {
	if !e.last.IsZero() && f.At.Sub(e.last) > gap {
		for _, w := range e.words {
			w.detector.Skip()
		}
	}
	e.last, e.at, e.hit = f.At, f.At, false
	e.front.Push(f.Samples, e.take)
	return e.best, e.hit, nil
}

// take gives one row of features to every word.
func (e *neural) take(row *micro.Features) {
	for _, w := range e.words {
		hit, score := w.detector.Push(row)
		if hit && (!e.hit || score > e.best.Score) {
			e.hit = true
			e.best = speech.Detection{Word: w.phrase, Score: score, Engine: "micro", At: e.at}
		}
	}
}

// newAuto takes micro where every word has a model, else PocketSphinx, which
// hears any phrase less well. Thresholds in the other one's measure are left out.
func newAuto(cfg Config) (Engine, error) {
	for w, t := range cfg.Thresholds {
		if t <= 0 || t >= 1 {
			return nil, fmt.Errorf("wake: the threshold of %q is %g; expected a number between 0 and 1", w, t)
		}
	}
	measured := func(micro bool) Config {
		c := cfg
		c.Thresholds = maps.Clone(cfg.Thresholds)
		maps.DeleteFunc(c.Thresholds, func(_ string, t float64) bool { return (t >= leastCutoff) != micro })
		return c
	}
	e, err := newMicro(measured(true))
	switch {
	case err == nil:
		return e, nil
	case errors.Is(err, micro.ErrNoModel):
		cfg.Log.Info("the wake word is heard by PocketSphinx; a model hears it better", "hint", err)
	case !errors.Is(err, errNoWords):
		cfg.Log.Warn("the wake word is heard by PocketSphinx", "err", err)
	}
	return newPocketSphinx(measured(false))
}
