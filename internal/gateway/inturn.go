package gateway

import (
	"cmp"
	"context"
	"encoding/json"

	"voicegateway/internal/doors"
	"voicegateway/internal/doors/display"
	"voicegateway/internal/ground/order"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/timekeeper"
	"voicegateway/internal/tools"
)

// inTurn does something that a tool of ours does as well, when its turn has come: after
// all that came before it, and after the calls of that tool which those have planned.
func (a acts) inTurn(ctx context.Context, tool string, do func()) error {
	came := order.From(ctx)
	if err := came.Await(ctx); err != nil {
		return err
	}
	mine := a.answerer.TakePlace(tool)
	defer mine.Pass()
	came.Pass()
	if err := mine.Await(ctx); err != nil {
		return err
	}
	do()
	return nil
}

// volumeInTurn sets the volume when its turn has come.
type volumeInTurn struct {
	volume display.Volume
	acts   acts
}

// Volume is how loud the speaker is.
func (v volumeInTurn) Volume(ctx context.Context) (doors.Level, error) { return v.volume.Volume(ctx) }

// SetVolume sets the volume in percent.
func (v volumeInTurn) SetVolume(ctx context.Context, level int) (err error) {
	defer v.acts.changed()
	late := v.acts.inTurn(ctx, calling.VolumeTool, func() { err = v.volume.SetVolume(ctx, level) })
	if late != nil {
		return late
	}
	return err
}

// timersInTurn starts and changes timers when their turn has come.
type timersInTurn struct {
	timekeeper.View
	acts acts
}

// Do starts a timer or changes some.
func (t timersInTurn) Do(ctx context.Context, r timers.Request) (result timers.Result) {
	if t.acts.inTurn(ctx, calling.TimerTool, func() { result = t.View.Do(ctx, r) }) != nil {
		return timers.Result{Outcome: timers.Refused, Timers: []timers.Timer{}} // its sender has left
	}
	return result
}

// timersHere are those of a door whose timers are in the gateway's room unless they say
// otherwise.
type timersHere struct {
	timersInTurn
	area string
}

// Do starts a timer or changes some.
func (t timersHere) Do(ctx context.Context, r timers.Request) timers.Result {
	if r.Area = cmp.Or(r.Area, t.area); !r.Starts() {
		r.Area = ""
	}
	return t.timersInTurn.Do(ctx, r)
}

// toolInTurn is a tool that acts when its turn has come.
type toolInTurn struct{ tools.Tool }

// Call makes the call.
func (t toolInTurn) Call(ctx context.Context, args json.RawMessage) (tools.Result, error) {
	if err := order.From(ctx).Await(ctx); err != nil {
		return tools.Result{}, err
	}
	return t.Tool.Call(ctx, args)
}
