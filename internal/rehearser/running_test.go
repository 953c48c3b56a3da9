package rehearser_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"voicegateway/internal/home"
	"voicegateway/internal/rehearser"
	"voicegateway/internal/speech/stt"
)

// There is one rehearsal at a time; one that cannot be held says why, and the next may
// be asked for.
func TestOneRehearsalAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := rehearser.New(rehearser.Config{Recogniser: stt.Config{Engines: []string{"nobody"}}, Log: slog.New(slog.DiscardHandler)}, func() *home.House { return &home.House{} })
		if err := r.Start(); err != nil || !r.State().Running {
			t.Fatalf("%v, %+v", err, r.State())
		}
		if err := r.Start(); !errors.Is(err, rehearser.ErrRunning) {
			t.Errorf("a second one: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		for range 2 {
			synctest.Wait()
			if s := r.State(); s.Running || !strings.Contains(s.Trouble, "nobody") || s.Report != nil {
				t.Errorf("%+v", s)
			}
			if err := r.Start(); err != nil {
				t.Error(err)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
