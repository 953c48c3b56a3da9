package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"voicegateway/internal/keep/timers"
)

// Timers are the timers, alarms, reminders and commands for later.
type Timers interface {
	Timers() []timers.Timer // the next first, never nil
	// Do starts a timer or changes some.
	Do(ctx context.Context, r timers.Request) timers.Result
}

// misordered are the reasons that lie in the request itself.
var misordered = []timers.Reason{
	timers.Past, timers.TooLong, timers.TooShort, timers.NoTime, timers.BadTime, timers.BadKind, timers.BadAction, timers.NoCommand,
}

// timerDoor answers what is about timers.
type timerDoor struct{ *Server }

// list lists them.
func (d timerDoor) list(w http.ResponseWriter, _ *http.Request) {
	d.answer(w, http.StatusOK, d.deps.Timers.Timers())
}

// do starts a timer or changes some.
func (d timerDoor) do(w http.ResponseWriter, r *http.Request) {
	var request timers.Request
	if d.read(w, r, &request) {
		d.done(w, r, request)
	}
}

// cancel cancels the timer of the query's id or name, or all.
func (d timerDoor) cancel(w http.ResponseWriter, r *http.Request) {
	all, ok := d.flag(w, r, "all")
	if !ok {
		return
	}
	query := r.URL.Query()
	request := timers.Request{Action: timers.Cancel, Timer: query.Get("timer"), Name: query.Get("name")}
	switch named := request.Timer != "" || request.Name != ""; {
	case all && named, !all && !named:
		d.refuse(w, http.StatusBadRequest, "name what to cancel: timer (an id), name, or all=1")
		return
	case all:
		request.Action = timers.CancelAll
	}
	d.done(w, r, request)
}

// done does what is asked for and answers with what became of it.
func (d timerDoor) done(w http.ResponseWriter, r *http.Request, request timers.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
	defer cancel()
	switch result := d.deps.Timers.Do(ctx, request); {
	case result.Outcome == timers.Started:
		d.answer(w, http.StatusCreated, result)
	case result.Outcome == timers.None:
		d.refuse(w, http.StatusNotFound, result.Text())
	case result.Outcome == timers.Refused && slices.Contains(misordered, result.Reason):
		d.refuse(w, http.StatusBadRequest, result.Text())
	case result.Outcome == timers.Refused && result.Reason == timers.TooOften:
		d.failed(w, r, fmt.Errorf("%w: %s", ErrBusy, result.Text()))
	case result.Outcome == timers.Refused && result.Reason == timers.NoBell:
		d.refuse(w, http.StatusServiceUnavailable, result.Text())
	case result.Outcome == timers.Refused, result.Outcome == timers.Several:
		d.refuse(w, http.StatusConflict, result.Text())
	default:
		d.answer(w, http.StatusOK, result)
	}
}
