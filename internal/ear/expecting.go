package ear

import (
	"context"
	"sync"
	"time"

	"voicegateway/internal/audio"
)

// headStart is how long the acts of a turn have the machine for themselves before the voice
// begins with the reply that is expected.
const headStart = 50 * time.Millisecond

// expected is a sentence that will be said if all goes well. Its sound is made before that
// is known, so that a slow voice does not begin only when a slow device has answered.
type expected struct {
	sentence string
	hurry    func()        // lets the making begin at once
	drop     func()        // ends the making
	made     chan struct{} // closed when clip and ok are set
	clip     audio.Clip
	ok       bool
}

// expect begins with the sound of a sentence after a head start.
func (v *voice) expect(ctx context.Context, making *sync.WaitGroup, sentence string) *expected {
	ctx, cancel := context.WithCancel(ctx)
	known := make(chan struct{})
	e := &expected{sentence: sentence, hurry: sync.OnceFunc(func() { close(known) }), drop: cancel, made: make(chan struct{})}
	making.Go(func() {
		defer close(e.made)
		wait := time.NewTimer(headStart)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-known:
		case <-ctx.Done():
		}
		e.clip, e.ok = v.synthesize(ctx, sentence)
	})
	return e
}

// sound waits for the sound of the sentence; false if it could not be made.
func (e *expected) sound() (audio.Clip, bool) {
	e.hurry()
	<-e.made
	e.drop()
	return e.clip, e.ok
}

// expect notes which sentence the turn will probably say, in place of the one before.
func (o *outgoing) expect(ctx context.Context, v *voice, sentence string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drop()
	o.expected = v.expect(ctx, &o.making, sentence)
}

// take returns what was expected if it is the sentence. If it is another one, sound that is
// still being made is dropped: the voice is needed. The caller holds the lock.
func (o *outgoing) take(sentence string) *expected {
	e := o.expected
	switch {
	case e == nil:
		return nil
	case e.sentence == sentence:
		o.expected = nil
		return e
	}
	select {
	case <-e.made:
	default:
		o.drop()
	}
	return nil
}

// drop drops what was expected. The caller holds the lock.
func (o *outgoing) drop() {
	if o.expected != nil {
		o.expected.drop()
		o.expected = nil
	}
}

// end says that no sentence follows.
func (o *outgoing) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drop()
	close(o.sentences)
}
