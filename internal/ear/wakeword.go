package ear

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/language/speech"
)

// Scorer is a wake word detector that tells how close the newest sound is to a wake
// word, for a meter.
type Scorer interface {
	Score() float64
}

// StopListener is a wake word detector that can also hear the words that end a reply
// (speech.Detection.Stop). It listens for them only on request: they are short and would
// be heard too often in ordinary talk.
type StopListener interface {
	ListenForStop(on bool)
}

// wakeWord is the wake word engine with the trouble it has.
type wakeWord struct {
	engine  WakeDetector // nil with push-to-talk
	budget  time.Duration
	trouble string // what is wrong with the engine, "" if nothing is
}

func (w *wakeWord) detect(ctx context.Context, f audio.Frame) (speech.Detection, bool, error) {
	limited, cancel := context.WithTimeout(ctx, w.budget)
	defer cancel()
	return w.engine.Detect(limited, f)
}

// score is how close the newest sound is to a wake word; 0 for an engine without
// scores.
func (w *wakeWord) score() float64 {
	if s, ok := w.engine.(Scorer); ok {
		return s.Score()
	}
	return 0
}

func (w *wakeWord) listenForStop(on bool) {
	if s, ok := w.engine.(StopListener); ok {
		s.ListenForStop(on)
	}
}

// noteTrouble notes what is wrong with the engine, nil for nothing, and reports
// whether that changed.
func (w *wakeWord) noteTrouble(err error) bool {
	trouble := ""
	if err != nil {
		trouble = err.Error()
	}
	news := trouble != w.trouble
	w.trouble = trouble
	return news
}
