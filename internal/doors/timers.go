package doors

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"voicegateway/internal/keep/timers"
)

// misordered are the reasons that lie in the request itself.
var misordered = []timers.Reason{
	timers.Past, timers.TooLong, timers.TooShort, timers.NoTime, timers.BadTime, timers.BadKind, timers.BadAction, timers.NoCommand,
}

func hasTimers(p *Parts) bool { return p.Timers != nil }

func listTimers(_ context.Context, p *Parts, _ struct{}) ([]timers.Timer, error) {
	return p.Timers.Timers(), nil
}

// changeTimers starts a timer or changes some.
func changeTimers(ctx context.Context, p *Parts, in timers.Request) (timers.Result, error) {
	result := p.Timers.Do(ctx, in)
	var kind error
	switch {
	case result.Outcome == timers.None:
		kind = ErrNotFound
	case result.Outcome == timers.Refused && slices.Contains(misordered, result.Reason):
		kind = ErrMisasked
	case result.Outcome == timers.Refused && result.Reason == timers.TooOften:
		return result, Because(ErrBusy, errors.New(result.Text()))
	case result.Outcome == timers.Refused && result.Reason == timers.NoBell:
		kind = ErrUnavailable
	case result.Outcome == timers.Refused, result.Outcome == timers.Several:
		kind = ErrConflict
	default:
		return result, nil
	}
	return result, Refuse(kind, "%s", result.Text())
}

// timersStatus is 201 where a timer was started.
func timersStatus(result timers.Result) int {
	if result.Outcome == timers.Started {
		return http.StatusCreated
	}
	return http.StatusOK
}

// timersFlaw is why a change will not last.
func timersFlaw(result timers.Result) string {
	if result.Reason == "" {
		return ""
	}
	return result.Text()
}

// timerVerbs are what a command over MQTT may ask for.
var timerVerbs = []timers.Action{
	timers.Begin, timers.Cancel, timers.Pause, timers.Resume, timers.Add, timers.Stop, timers.Snooze,
}

func fitTimerVerb(in *timers.Request) error {
	if !slices.Contains(timerVerbs, in.Action) {
		return fmt.Errorf("action %q is unknown; expected start, cancel, pause, resume, add, stop or snooze", in.Action)
	}
	return nil
}

// whichTimers says which timers are cancelled: that of an id or a name, or all.
type whichTimers = struct {
	Timer string `json:"-" query:"timer"`
	Name  string `json:"-" query:"name"`
	All   string `json:"-" query:"all"`
}

// cancelTimers cancels the timer of an id or a name, or all.
func cancelTimers(ctx context.Context, p *Parts, in whichTimers) (timers.Result, error) {
	all, err := ParseFlag("all", in.All)
	if err != nil {
		return timers.Result{}, err
	}
	request := timers.Request{Action: timers.Cancel, Timer: in.Timer, Name: in.Name}
	switch named := in.Timer != "" || in.Name != ""; {
	case all && named, !all && !named:
		return timers.Result{}, Refuse(ErrMisasked, "name what to cancel: timer (an id), name, or all=1")
	case all:
		request.Action = timers.CancelAll
	}
	return changeTimers(ctx, p, request)
}
