package ear_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/language/speech"
)

// A loop answers in any state. A loop that hangs in an engine does not answer until
// the engine returns.
func TestOnlyALoopThatHangsDoesNotAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		defer b.stop()
		answers := func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			return b.loop.Answers(ctx) == nil
		}
		if !answers() {
			t.Error("an idle loop does not answer")
		}
		b.sound(1, 2)
		if !answers() {
			t.Error("a listening loop does not answer")
		}
		b.sound(4)
		free := make(chan struct{})
		b.wake.DetectFunc = func(audio.Frame) (speech.Detection, bool, error) {
			<-free
			return speech.Detection{}, false, nil
		}
		b.sound(0)
		for range 40 { // more questions than the queue holds
			if answers() {
				t.Fatal("a loop that hangs answers")
			}
		}
		close(free)
		synctest.Wait()
		if !answers() {
			t.Error("it does not answer once it goes on")
		}
	})
}
