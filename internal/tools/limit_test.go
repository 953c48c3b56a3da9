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
		"progress":          {func(ctx context.Context) { <-time.After(time.Second); tools.Lift(ctx) }, 30 * time.Second},
		"a person is asked": {func(ctx context.Context) { release := tools.Hold(ctx); <-time.After(time.Minute); release() }, 65 * time.Second},
		"two are asked at the same": {func(ctx context.Context) {
			one, two := tools.Hold(ctx), tools.Hold(ctx)
			one()
			one()
			<-time.After(time.Minute)
			two()
		}, 65 * time.Second},
		"asked, and progress before": {func(ctx context.Context) {
			tools.Lift(ctx)
			release := tools.Hold(ctx)
			<-time.After(time.Minute)
			release()
		}, 90 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				patient, done := tools.WithPatience(t.Context(), 5*time.Second)
				defer done()
				ctx, cancel := tools.WithLimit(patient, 30*time.Second)
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
