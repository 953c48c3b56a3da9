package turn

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"voicegateway/internal/audio"
)

// voice makes sentences audible.
type voice struct {
	synthesizer Synthesizer // nil where nothing is ever spoken
	speaker     Speaker     // nil where nothing is ever spoken
	log         *slog.Logger

	playing atomic.Pointer[string] // the sentence that is played, or was last
}

// says reports whether the sentence being played holds a word.
func (v *voice) says(word string) bool {
	s := v.playing.Load()
	return s != nil && strings.Contains(strings.ToLower(*s), strings.ToLower(word))
}

// audible is a sentence with its sound.
type audible struct {
	sentence string
	clip     audio.Clip
}

// speak plays the sentences in order, making the next one while one plays, and
// counts those that were played to their end. It returns after the last one, or at
// once when the turn is cancelled. The first sentence waits until mayPlay is closed
// (nil: it does not wait); begins is called when it starts.
func (v *voice) speak(ctx context.Context, sentences <-chan string, mayPlay <-chan struct{}, begins func(time.Time)) (played int) {
	clips := make(chan audible, 1)
	go func() {
		defer close(clips)
		for s := range sentences {
			c, ok := v.synthesize(ctx, s)
			if !ok {
				continue
			}
			select {
			case clips <- audible{s, c}:
			case <-ctx.Done():
			}
		}
	}()
	begun := false
	for c := range clips {
		if mayPlay != nil && !begun {
			select {
			case <-mayPlay:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil || v.speaker == nil {
			continue
		}
		if !begun {
			begun = true
			begins(time.Now())
		}
		v.playing.Store(&c.sentence)
		switch err := v.speaker.Play(ctx, c.clip); {
		case err == nil:
			played++
		case ctx.Err() == nil:
			v.log.Warn("sentence not played", "part", "audio", "err", err)
		}
	}
	return played
}

// synthesize makes a sentence audible; false if that fails or the turn was
// cancelled.
func (v *voice) synthesize(ctx context.Context, sentence string) (audio.Clip, bool) {
	if ctx.Err() != nil || v.synthesizer == nil {
		return audio.Clip{}, false
	}
	c, err := v.synthesizer.Synthesize(ctx, sentence)
	if err != nil {
		if ctx.Err() == nil {
			v.log.Warn("sentence not spoken", "part", "tts", "err", err)
		}
		return audio.Clip{}, false
	}
	return c, true
}
