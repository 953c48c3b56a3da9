package tools_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/tools"
)

// TestLimits: a limit ends a call, stands while a person is asked, and is lifted by
// progress where it is a matter of patience.
func TestLimits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		does func(ctx context.Context)
		ends time.Duration // after so long the call is over
	}{
		"nothing happens":   {func(context.Context) {}, 5 * time.Second},
		"progress":          {func(ctx context.Context) { <-time.After(time.Second); tools.Progress(ctx) }, 30 * time.Second},
		"a person is asked": {func(ctx context.Context) { release := tools.Hold(ctx); <-time.After(time.Minute); release() }, 65 * time.Second},
		"two are asked at the same": {func(ctx context.Context) {
			one, two := tools.Hold(ctx), tools.Hold(ctx)
			one()
			one()
			<-time.After(time.Minute)
			two()
		}, 65 * time.Second},
		"asked, and progress before": {func(ctx context.Context) {
			tools.Progress(ctx)
			release := tools.Hold(ctx)
			<-time.After(time.Minute)
			release()
		}, 90 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				patient, done := tools.WithLimit(t.Context(), 5*time.Second, tools.ForProgress)
				defer done()
				ctx, cancel := tools.WithLimit(patient, 30*time.Second, tools.NoPatience)
				defer cancel()
				tt.does(ctx)
				<-ctx.Done()
				if took := time.Since(begin); took != tt.ends || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
					t.Errorf("it ended after %s (%v), want %s", took, ctx.Err(), tt.ends)
				}
			})
		})
	}
}

// TestReadersWait: only a limit with patience for readers is none for a person who reads.
func TestReadersWait(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patience tools.Patience
		ends     time.Duration
	}{
		"no patience":  {tools.NoPatience, 5 * time.Second},
		"for progress": {tools.ForProgress, 5 * time.Second},
		"for readers":  {tools.ForReaders, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				patient, done := tools.WithLimit(tools.WithReader(t.Context()), 5*time.Second, c.patience)
				defer done()
				ctx, cancel := tools.WithLimit(patient, 30*time.Second, tools.NoPatience)
				defer cancel()
				<-ctx.Done()
				if took := time.Since(begin); took != c.ends {
					t.Errorf("it ended after %s, want %s", took, c.ends)
				}
			})
		})
	}
}
