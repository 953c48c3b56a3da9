package timekeeper

import (
	"context"
	"time"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mind/guard"
)

// View is the timers as a program sees them, which may ask for only so much within a
// minute (REQUIREMENTS S3).
type View struct {
	keeper *Keeper
	rate   *guard.Rate
	source record.Source
}

// ViewOf makes the view of the programs that come from one source.
func ViewOf(k *Keeper, source record.Source) View { return View{k, &guard.Rate{}, source} }

// Timers lists all timers, those first that rang and that no person has seen.
func (v View) Timers() []timers.Timer { return v.keeper.Shown() }

// Do starts a timer or changes some.
func (v View) Do(ctx context.Context, r timers.Request) timers.Result {
	if !r.Starts() {
		return v.Change(r.Change())
	}
	if !v.rate.Admit(v.source, time.Now()) {
		return tooOften()
	}
	return v.keeper.Start(ctx, r.Wish())
}

// Change changes some timers, or stops or snoozes what rings.
func (v View) Change(c timers.Change) timers.Result {
	if !v.rate.Admit(v.source, time.Now()) {
		return tooOften()
	}
	return v.keeper.Change(c)
}

func tooOften() timers.Result {
	return timers.Result{Outcome: timers.Refused, Reason: timers.TooOften, Timers: []timers.Timer{}, Now: time.Now().Round(time.Second)}
}
