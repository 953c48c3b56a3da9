package wake

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/language/speech"
)

// defaultThreshold is the threshold of a phrase for which none is configured. It
// was measured for "hey jarvis" on synthetic voices: from 1e-20 on all are heard
// (1e-10 and 1e-15 miss some that were said in one breath with the command); from
// 1e-35 on ordinary commands and speech are taken for it. Between the two, 1e-30
// hears more of the real voices. Of two recordings of "hey jarvis" it hears the
// clear one; only thresholds with false alarms hear the other.
const defaultThreshold = 1e-30

// retryAfter is how long to wait for a model that is not installed.
const retryAfter = 30 * time.Second

// pocketSphinx spots any phrase of dictionary words. It is weaker than a model
// trained for one phrase, and needs no download.
type pocketSphinx struct {
	cfg    Config
	client *sphinx.Client
	asked  map[string]string // the library's form of a phrase to the user's

	tried chan struct{} // closed after the first preparation

	mu  sync.Mutex
	why error // why the engine is not ready
}

func newPocketSphinx(cfg Config) (Engine, error) {
	e := &pocketSphinx{cfg: cfg, asked: map[string]string{}, tried: make(chan struct{})}
	for _, w := range cfg.Words {
		if p := plainPhrase(w); p != "" {
			e.asked[p] = w
		}
	}
	if len(e.asked) == 0 {
		return nil, errNoWords
	}
	for w, t := range cfg.Thresholds {
		if t <= 0 || t > 1 {
			return nil, fmt.Errorf("wake: the threshold of %q is %g; PocketSphinx takes 1e-5 (strict) to 1e-50 (easy)", w, t)
		}
	}
	var err error
	e.client, err = sphinx.New(sphinx.Config{
		Name: "wake", Command: cfg.Command, Env: cfg.Env, ModelDir: cfg.ModelDir, Log: cfg.Log, Restarted: cfg.Restarted, Idle: cfg.Idle,
	})
	return e, err
}

func (e *pocketSphinx) Run(ctx context.Context) error {
	tried := sync.OnceFunc(func() { close(e.tried) })
	for {
		err := e.prepare(ctx)
		e.mu.Lock()
		e.why = err
		e.mu.Unlock()
		tried()
		if err == nil {
			return e.client.Run(ctx)
		}
		if ctx.Err() == nil {
			e.cfg.Log.Warn("wake word not ready", "err", err, "retry_in", retryAfter)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryAfter):
		}
	}
}

// prepare finds the phones of all phrases. A phrase with a word that cannot be
// pronounced is left out, as long as another phrase remains.
func (e *pocketSphinx) prepare(ctx context.Context) error {
	var words []string
	for p := range e.asked {
		words = append(words, strings.Fields(p)...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	found, err := sphinx.Lookup(e.client.Dictionary(), words)
	if err != nil {
		return fmt.Errorf("preparing the wake word: %w", err)
	}
	if e.cfg.Pronounce != nil {
		if found, _, err = e.cfg.Pronounce(ctx, words); err != nil {
			return fmt.Errorf("preparing the wake word: %w", err)
		}
	}
	var phrases []sphinx.Phrase
	for _, p := range slices.Sorted(maps.Keys(e.asked)) {
		if i := slices.IndexFunc(strings.Fields(p), func(w string) bool { return len(found[w]) == 0 }); i >= 0 {
			e.cfg.Log.Warn("wake word left out", "word", e.asked[p], "unknown", strings.Fields(p)[i])
			continue
		}
		for _, v := range variants(strings.Fields(p), found) {
			phrases = append(phrases, sphinx.Phrase{Text: v, Threshold: e.threshold(p)})
		}
	}
	if len(phrases) == 0 {
		return fmt.Errorf("preparing the wake word: nobody knows how to pronounce %q; choose another or install espeak-ng", strings.Join(e.cfg.Words, ", "))
	}
	return e.client.Prepare(phrases, found)
}

// maxVariants bounds the ways to say one phrase; each costs as much as a phrase.
const maxVariants = 8

// variants are the ways to say a phrase. The library's phrase search takes only
// a word's first pronunciation, so every combination becomes a phrase; the
// library's name for the second pronunciation of "jarvis" is "jarvis(2)".
func variants(words []string, found map[string][]string) []string {
	ways := []string{""}
	for _, w := range words {
		var longer []string
		for i := range found[w] {
			name := w
			if i > 0 {
				name = fmt.Sprintf("%s(%d)", w, i+1)
			}
			for _, way := range ways {
				longer = append(longer, strings.TrimSpace(way+" "+name))
			}
		}
		ways = longer[:min(len(longer), maxVariants)]
	}
	return ways
}

// phraseOf returns the phrase that v is a variant of.
func phraseOf(v string) string {
	words := strings.Fields(v)
	for i, w := range words {
		words[i], _, _ = strings.Cut(w, "(")
	}
	return strings.Join(words, " ")
}

func (e *pocketSphinx) threshold(phrase string) float64 {
	if t, ok := e.cfg.Thresholds[e.asked[phrase]]; ok {
		return t
	}
	return defaultThreshold
}

// Detect waits for Run to load the model, so that no sound is lost at the start.
func (e *pocketSphinx) Detect(ctx context.Context, f audio.Frame) (speech.Detection, bool, error) {
	select {
	case <-e.tried:
	case <-ctx.Done():
		return speech.Detection{}, false, ctx.Err()
	}
	e.mu.Lock()
	why := e.why
	e.mu.Unlock()
	if why != nil {
		return speech.Detection{}, false, why
	}
	h, ok, err := e.client.Spot(ctx, f.Samples)
	if err != nil || !ok {
		return speech.Detection{}, false, err
	}
	return speech.Detection{
		Word: e.asked[phraseOf(h.Phrase)], Score: h.Score, Engine: "pocketsphinx", At: f.At.Add(-h.Ago),
	}, true, nil
}
