package ear

import (
	"context"
	"log/slog"
	"strings"
	"sync"
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

// outgoing are the sentences of a reply on their way to the voice. Say may be called
// by several goroutines.
type outgoing struct {
	sentences chan saying

	mu       sync.Mutex
	given    int
	unsaid   *atomic.Bool // of the sentences given last
	expected *expected    // nil: nothing
	making   sync.WaitGroup
}

// saying is a sentence to be spoken, unless it is unsaid before.
type saying struct {
	sentence string
	unsaid   *atomic.Bool // nil: it stays
	expected *expected    // its sound, if that was begun before; nil: it is made now
}

// one are the sentences of a text that stays.
func one(text string) <-chan saying {
	sentences := make(chan saying, 1)
	sentences <- saying{sentence: text}
	close(sentences)
	return sentences
}

func (s saying) dropped() bool { return s.unsaid != nil && s.unsaid.Load() }

func newOutgoing() *outgoing {
	return &outgoing{sentences: make(chan saying, 64), unsaid: new(atomic.Bool)}
}

// say gives a sentence to the voice.
func (o *outgoing) say(ctx context.Context, sentence string) {
	o.mu.Lock()
	o.given++
	s := saying{sentence, o.unsaid, o.take(sentence)}
	o.mu.Unlock()
	select {
	case o.sentences <- s:
	case <-ctx.Done():
	}
}

// unsay drops the sentences that are not spoken yet.
func (o *outgoing) unsay() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unsaid.Store(true)
	o.unsaid, o.given = new(atomic.Bool), 0
}

// audible is a sentence with its sound.
type audible struct {
	saying
	clip audio.Clip
}

// speak plays the sentences in order, making the next one while one plays, and
// counts those that were played to their end. It returns after the last one, or at
// once when the turn is cancelled. The first sentence waits until mayPlay is closed
// (nil: it does not wait); begins is called when it starts.
func (v *voice) speak(ctx context.Context, sentences <-chan saying, mayPlay <-chan struct{}, begins func(time.Time)) (played int) {
	begun := false
	for c := range v.prepare(ctx, sentences) {
		if mayPlay != nil && !begun {
			select {
			case <-mayPlay:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil || v.speaker == nil || c.dropped() {
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

// prepare makes sentences audible, one ahead of those that are taken.
func (v *voice) prepare(ctx context.Context, sentences <-chan saying) <-chan audible {
	clips := make(chan audible, 1)
	go func() {
		defer close(clips)
		for s := range sentences {
			c, ok := v.soundOf(ctx, s)
			if !ok || s.dropped() {
				continue
			}
			select {
			case clips <- audible{s, c}:
			case <-ctx.Done():
			}
		}
	}()
	return clips
}

// soundOf is the sound of a sentence, made now unless it was made before.
func (v *voice) soundOf(ctx context.Context, s saying) (audio.Clip, bool) {
	if s.expected != nil {
		if c, ok := s.expected.sound(); ok {
			return c, true
		}
	}
	return v.synthesize(ctx, s.sentence)
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
