package wake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/language/speech"
)

// gap is how much missing sound separates features, so that those before and after it do
// not count as one word.
const gap = 200 * time.Millisecond

// leastCutoff is the lowest probability that can be set: below it every noise
// counts as the word. It also tells a threshold of this engine from one of
// PocketSphinx.
const leastCutoff = 0.1

// neural hears words with microWakeWord models, all behind one front end. It runs
// in this process: it is plain Go and a hundredth of a core.
type neural struct {
	front *micro.FrontEnd
	words []word
	stops []word    // heard while stopping
	last  time.Time // end of the last frame
	best  speech.Detection
	hit   bool
	at    time.Time // of the frame being heard
	score float64   // the highest of the newest frame

	stopping bool

	near  func(speech.Detection)             // nil: nobody is told
	moved atomic.Pointer[map[string]float64] // thresholds for the next frame; nil: as they are
}

// word is one configured phrase.
type word struct {
	phrase    string
	detector  *micro.Detector
	threshold float64 // configured, or its author's
	approach  approach
}

// Parts of a word's threshold: sound that came up to nearly was nearly the word, once
// it has fallen below gone without a hit.
const (
	nearly = 0.6
	gone   = 0.3
)

// approach is sound that comes near to a word.
type approach struct {
	best float64 // 0: there is none
	at   time.Time
}

// hear takes the newest score of a word. If an approach to the word has ended with it,
// hear returns that approach.
func (a *approach) hear(score, threshold float64, at time.Time) (ended approach, over bool) {
	switch {
	case score > a.best && score >= nearly*threshold:
		*a = approach{best: score, at: at}
	case a.best > 0 && score < gone*threshold:
		ended, *a = *a, approach{}
		return ended, true
	}
	return approach{}, false
}

func newMicro(cfg Config) (Engine, error) {
	e := &neural{front: micro.NewFrontEnd(), near: cfg.Near}
	for _, phrase := range cfg.Words {
		if strings.TrimSpace(phrase) == "" {
			continue
		}
		w, err := newWord(cfg, phrase, micro.DefaultOptions())
		if err != nil {
			return nil, err
		}
		e.words = append(e.words, w)
	}
	if len(e.words) == 0 {
		return nil, errNoWords
	}
	for _, phrase := range cfg.Stop {
		opts := micro.DefaultOptions()
		opts.WarmUp = 0 // the front end knows the room already
		w, err := newWord(cfg, phrase, opts)
		switch {
		case errors.Is(err, micro.ErrNoModel):
			cfg.Log.Info("speech is ended by the wake word only, not by this one", "word", phrase, "hint", err)
		case err != nil:
			return nil, err
		default:
			e.stops = append(e.stops, w)
		}
	}
	return e, nil
}

// newWord opens the model of a phrase, with its author's cutoff and window or the
// configured threshold.
func newWord(cfg Config, phrase string, opts micro.Options) (word, error) {
	entry, err := micro.Find(cfg.ModelsDir, phrase)
	if err != nil {
		return word{}, fmt.Errorf("wake: %w", err)
	}
	model, err := micro.Open(cfg.ModelsDir, entry.Name)
	if err != nil {
		return word{}, fmt.Errorf("wake: %w", err)
	}
	opts.Cutoff, opts.Window = entry.Cutoff, entry.Window
	if t, ok := cfg.Thresholds[phrase]; ok {
		if t < leastCutoff || t >= 1 {
			return word{}, fmt.Errorf("wake: the threshold of %q is %g; the engine micro takes a probability from %g to 1, usual is %g", phrase, t, leastCutoff, entry.Cutoff)
		}
		opts.Cutoff = t
	}
	d, err := micro.NewDetector(model, opts)
	if err != nil {
		return word{}, fmt.Errorf("wake: %q: %w", phrase, err)
	}
	return word{phrase: phrase, detector: d, threshold: opts.Cutoff}, nil
}

// ListenForStop switches the hearing of stop words on or off. They share the
// front end, and cost nothing while they are not heard. Like Detect it belongs to
// the goroutine that listens.
func (e *neural) ListenForStop(on bool) {
	if on && !e.stopping {
		for _, w := range e.stops {
			w.detector.Reset()
		}
	}
	e.stopping = on
}

func (e *neural) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Detect hears a frame with every model. When two words are heard in one frame,
// which happens when one is part of the other, the surer one counts.
func (e *neural) Detect(_ context.Context, f audio.Frame) (speech.Detection, bool, error) {
	if !e.last.IsZero() && f.At.Sub(e.last) > gap {
		for _, w := range slices.Concat(e.words, e.stops) {
			w.detector.Skip()
		}
	}
	e.last, e.at, e.hit, e.score = f.At, f.At, false, 0
	if moved := e.moved.Swap(nil); moved != nil {
		for _, w := range e.words {
			if t, ok := (*moved)[w.phrase]; ok {
				w.detector.SetCutoff(t)
			}
		}
	}
	e.front.Push(f.Samples, e.feed)
	return e.best, e.hit, nil
}

// Score is how likely the likeliest word was in the last frame, 0 to 1. Like
// Detect it belongs to the goroutine that listens.
func (e *neural) Score() float64 { return e.score }

// Thresholds are those configured, or the authors'.
func (e *neural) Thresholds() map[string]float64 {
	all := map[string]float64{}
	for _, w := range e.words {
		all[w.phrase] = w.threshold
	}
	return all
}

// SetThresholds moves thresholds from the next frame on.
func (e *neural) SetThresholds(by map[string]float64) {
	by = maps.Clone(by)
	maps.DeleteFunc(by, func(_ string, t float64) bool { return t < leastCutoff || t >= 1 })
	e.moved.Store(&by)
}

// feed gives one row of features to every word. A wake word goes before a stop
// word, because the wake word ends what is being said as well.
func (e *neural) feed(row *micro.Features) {
	for i := range e.words {
		w := &e.words[i]
		resting := w.detector.Resting()
		hit, score := w.detector.Push(row)
		e.score = max(e.score, score)
		if hit || resting {
			w.approach = approach{}
		} else if ended, over := w.approach.hear(score, w.threshold, e.at); over && e.near != nil {
			e.near(speech.Detection{Word: w.phrase, Score: ended.best, Engine: "micro", At: ended.at})
		}
		if hit && (!e.hit || score > e.best.Score) {
			e.hit = true
			e.best = speech.Detection{Word: w.phrase, Score: score, Engine: "micro", At: e.at}
		}
	}
	if !e.stopping {
		return
	}
	for _, w := range e.stops {
		if hit, score := w.detector.Push(row); hit && !e.hit {
			e.hit = true
			e.best = speech.Detection{Word: w.phrase, Score: score, Engine: "micro", At: e.at, Stop: true}
		}
	}
}

// newAuto takes micro if every word has a model, else PocketSphinx, which hears any
// phrase less well. Thresholds in the measure of the other engine are left out.
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
