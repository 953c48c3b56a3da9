// Package tts turns sentences into sound. Each engine is one file with one
// constructor and one line in the engines table; the Voice tries the configured
// ones in order, so that a crashed, stalled or missing engine costs a moment and
// never the answer. Engines that are programs run as processes: a fault in one
// stays there, and espeak-ng, which is GPL, is never linked.
package tts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/audio"
)

// Engine is one way to make speech. The text is clean, bounded and not empty.
type Engine interface {
	Synthesize(ctx context.Context, text string) (audio.Clip, error)
}

// engines is every engine there is.
var engines = map[string]func(Config) (Engine, error){
	"espeak":  newEspeak,
	"flite":   newFlite,
	"piper":   newPiper,
	"openai":  newOpenAI,
	"wyoming": newWyoming,
}

// rest is how long an engine that failed is left out while another one works:
// long enough that a stalled engine does not delay every sentence of a reply,
// short enough that a mended one is soon used again.
const rest = time.Minute

// Voice speaks through the first engine that can. It is safe for concurrent use.
type Voice struct {
	voices  []*voice
	timeout time.Duration
	log     *slog.Logger

	mu      sync.Mutex
	checked bool // Warm has run
}

// voice is an engine with its recent history; Voice.mu guards the history.
type voice struct {
	name   string
	engine Engine
	failed time.Time // of the last failure; zero after a success
	err    error     // of the last use
}

// New checks the configuration and makes the engines. It starts nothing: whether
// the programs are there shows in Warm.
func New(cfg Config, log *slog.Logger) (*Voice, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	v := &Voice{timeout: cfg.Timeout, log: log}
	for _, name := range cfg.Engines {
		engine, err := engines[name](cfg)
		if err != nil {
			return nil, err
		}
		v.voices = append(v.voices, &voice{name: name, engine: engine})
	}
	return v, nil
}

// Synthesize makes sound of a sentence, at the rate of the engine that made it.
// Markup, links and control characters are left out, and what is over maxText is
// cut; a sentence without anything to say is a clip without samples. The error
// names every engine that was tried and what to do about it.
func (v *Voice) Synthesize(ctx context.Context, sentence string) (audio.Clip, error) {
	text := speakable(sentence)
	if text == "" {
		return audio.Clip{Rate: audio.SpeechRate}, nil
	}
	var errs []error
	for _, one := range v.order() {
		clip, err := v.try(ctx, one, text)
		if err == nil {
			return clip, nil
		}
		if ctx.Err() != nil {
			return audio.Clip{}, fmt.Errorf("speaking: %w", context.Cause(ctx))
		}
		v.log.Warn("speech engine did not speak", "engine", one.name, "err", err)
		errs = append(errs, fmt.Errorf("%s: %w", one.name, err))
	}
	return audio.Clip{}, fmt.Errorf("speaking: no engine worked: %w", errors.Join(errs...))
}

// order is the configured order with the engines that failed lately moved to the
// end: they are still better than silence.
func (v *Voice) order() []*voice {
	v.mu.Lock()
	defer v.mu.Unlock()
	resting := func(one *voice) bool { return !one.failed.IsZero() && time.Since(one.failed) < rest }
	ordered := make([]*voice, 0, len(v.voices))
	for _, late := range []bool{false, true} {
		for _, one := range v.voices {
			if resting(one) == late {
				ordered = append(ordered, one)
			}
		}
	}
	return ordered
}

func (v *Voice) try(ctx context.Context, one *voice, text string) (audio.Clip, error) {
	limited, cancel := context.WithTimeout(ctx, v.timeout)
	defer cancel()
	clip, err := one.engine.Synthesize(limited, text)
	switch {
	case err == nil && len(clip.Samples) == 0:
		err = errors.New("it made no sound")
	case err != nil && ctx.Err() == nil && limited.Err() != nil:
		err = fmt.Errorf("it gave no speech within %s (tts.timeout)", v.timeout)
	case ctx.Err() != nil:
		return audio.Clip{}, ctx.Err() // being interrupted says nothing about the engine
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	one.err, one.failed = err, time.Time{}
	if err != nil {
		one.failed = time.Now()
		return audio.Clip{}, err
	}
	return clip, nil
}

// Warm lets every engine say a word that is not played: programs and voices are then in
// the page cache, and a missing part is known before the first reply. The error has a
// line for each engine that does not work.
func (v *Voice) Warm(ctx context.Context) error {
	var errs []error
	for _, one := range v.voices {
		if _, err := v.try(ctx, one, "Ready."); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", one.name, err))
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("warming the voice: %w", ctx.Err())
	}
	v.mu.Lock()
	v.checked = true
	v.mu.Unlock()
	return errors.Join(errs...)
}

// Run warms the voice, then waits for the end. Engines that do not work are
// logged and shown by Ready; they never end it.
func (v *Voice) Run(ctx context.Context) error {
	if err := v.Warm(ctx); err != nil && ctx.Err() == nil {
		v.log.Warn("a speech engine does not work", "err", err)
	}
	<-ctx.Done()
	return nil
}

// Ready reports whether speech works, and why not or with what loss.
func (v *Voice) Ready() (ok bool, why string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var broken []string
	for _, one := range v.voices {
		if one.err != nil {
			broken = append(broken, one.name+": "+one.err.Error())
		}
	}
	switch {
	case !v.checked:
		return false, "the speech engines are being checked"
	case len(broken) == len(v.voices):
		return false, strings.Join(broken, "; ")
	}
	return true, strings.Join(broken, "; ")
}

// Checked reports whether every engine has been tried once, so that Ready knows.
func (v *Voice) Checked() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.checked
}

// names lists the engines for messages.
func names() string {
	return strings.Join(slices.Sorted(maps.Keys(engines)), ", ")
}
