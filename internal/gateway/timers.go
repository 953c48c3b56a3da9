package gateway

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/dialogue/safety"
	"voicegateway/internal/httpapi"
	"voicegateway/internal/record"
	"voicegateway/internal/timekeeper"
	"voicegateway/internal/timers"
)

// newTimekeeper makes the keeper of the timers.
func (s setup) newTimekeeper() *timekeeper.Keeper {
	return timekeeper.New(timekeeper.Config{Dir: s.cfg.Gateway.StateDir, Area: s.cfg.Gateway.Area}, s.log.With("part", "timers"))
}

// rings reports whether timers run here. A gateway for one text ends before they would
// ring, and a person who tries the ear out does it beside the daemon, whose timers
// they are.
func (s setup) rings() bool { return !s.opts.TextOnly && !s.opts.Private }

// keepTimers rings the timers until ctx ends.
func (g *Gateway) keepTimers(ctx context.Context) error {
	to := announcer{g.loop, g.link.api}
	return g.timers.Run(ctx, timekeeper.Ends{
		Bell: bell{to}, Asker: errands{g.acts}, Teller: to, Voice: timerVoice{},
		Show: func(list []timers.Timer) {
			if g.link.api != nil {
				g.link.api.Timers(list)
			}
			g.stream.publish(httpapi.KindTimers, list)
		},
	})
}

// errands carry out the commands of timers.
type errands struct{ acts }

// Weigh finds out what a sentence would do.
func (e errands) Weigh(ctx context.Context, q record.Request) record.Record {
	q.DryRun = true
	return e.answerer.Turn(ctx, q)
}

// Carry runs a sentence as a turn.
func (e errands) Carry(ctx context.Context, q record.Request) record.Record { return e.Ask(ctx, q) }

// timerView is the timers as a program sees them, which may ask for only so much
// within a minute (REQUIREMENTS S3).
type timerView struct {
	keeper *timekeeper.Keeper
	rate   *safety.Rate
	source record.Source
}

// Timers lists all timers.
func (v timerView) Timers() []timers.Timer { return v.keeper.List(timers.Which{}, "").Timers }

// Do starts a timer or changes some.
func (v timerView) Do(ctx context.Context, r timers.Request) timers.Result {
	switch {
	case !v.rate.Admit(v.source, time.Now()):
		return timers.Result{Outcome: timers.Refused, Reason: timers.TooOften, Timers: []timers.Timer{}, Now: time.Now().Round(time.Second)}
	case r.Starts():
		return v.keeper.Start(ctx, r.Wish())
	}
	return v.keeper.Change(r.Change())
}

// Timer starts a timer or changes some, for a command over MQTT.
func (m mqttActs) Timer(ctx context.Context, r timers.Request) error {
	r.Area = cmp.Or(r.Area, m.area)
	if !r.Starts() {
		r.Area = ""
	}
	failures := []timers.Outcome{timers.Refused, timers.None, timers.Several}
	if res := m.timers.Do(ctx, r); slices.Contains(failures, res.Outcome) || res.Reason != "" {
		return errors.New(res.Text())
	}
	return nil
}

// bell rings timers.
type bell struct{ announcer }

// Ring says what rings, once nobody speaks or listens.
func (b bell) Ring(ctx context.Context, a timekeeper.Alert) error { return b.Say(ctx, a.Text) }

// Quiet has nothing to end: what was said is over.
func (bell) Quiet(context.Context, ...string) error { return nil }

// timerVoice says what a timer is for, in the words of the person who set it.
type timerVoice struct{}

// Rings names the timer.
func (timerVoice) Rings(r timers.Ring, _ time.Time) string { return cmp.Or(r.Text, r.Name) }

// Missed names what was missed.
func (timerVoice) Missed(all []timers.Timer, _ time.Time) string {
	var names []string
	for _, t := range all {
		names = append(names, cmp.Or(t.Text, t.Name, t.Command))
	}
	return strings.Join(names, ". ")
}

// Became repeats what came of a command.
func (timerVoice) Became(n timers.Notice) string { return cmp.Or(n.Reply, n.Timer.Command) }
