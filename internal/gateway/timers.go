package gateway

import (
	"context"
	"time"

	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/ear"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/mind/timekeeper"
)

// newTimekeeper makes the keeper of the timers.
func (s setup) newTimekeeper() *timekeeper.Keeper {
	place, _ := timers.ParsePlace(s.cfg.Gateway.Location) // Validate has looked at it
	return timekeeper.New(timekeeper.Config{Dir: s.cfg.Gateway.StateDir, Area: s.cfg.Gateway.Area, Place: place}, s.log.With("part", "timers"))
}

// rings reports whether timers run in this process. A gateway for one text ends before
// they would ring, and a user who tries the ear does so beside the daemon, which has the
// timers.
func (s setup) rings() bool { return !s.opts.TextOnly && !s.opts.Private }

// keepTimers rings the timers until ctx ends.
func (g *Gateway) keepTimers(ctx context.Context) error {
	to := announcer{loop: g.loop, api: g.link.api}
	return g.timers.Run(ctx, timekeeper.Ends{
		Bell: bell{to}, Asker: errands{g.acts}, Teller: ringing{to, &g.thinking.answerer.Reports}, Voice: timerVoice{g.thinking.phrases},
		Show: func(list []timers.Timer) {
			if g.link.api != nil {
				g.link.api.Timers(list)
			}
			g.stream.Publish(httpapi.KindTimers, list)
		},
	})
}

// ringing remembers what rang, beside announcing it.
type ringing struct {
	announcer

	past *past.Reports
}

// Announce announces the state of a timer.
func (r ringing) Announce(a record.Announcement) {
	if a.Kind == record.Rang {
		r.past.Rang(a.Text, a.Time)
	}
	r.announcer.Announce(a)
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

// PutBack puts things back as they were when an act with an end began.
func (e errands) PutBack(ctx context.Context, q record.Request, things []timers.Back) record.Record {
	return e.report(e.record(e.answerer.PutBack(ctx, q, things)))
}

// betweenRings is the quiet between two rounds of a timer.
const betweenRings = 4 * time.Second

// bell rings timers.
type bell struct{ announcer }

// Ring sounds a timer until a person says stop.
func (b bell) Ring(ctx context.Context, a timekeeper.Alert) error {
	ctx, cancel := context.WithTimeout(ctx, sayBudget)
	defer cancel()
	return b.loop.Ring(ctx, ear.Alert{ID: a.ID, Sound: earcon.Ring, Text: a.Text, Every: betweenRings, Most: a.Most})
}

// timerVoice has the words for timers.
type timerVoice struct{ phrases *reply.Phrases }

// timerWords is a timer as the words know it.
func timerWords(t timers.Timer) reply.Timer {
	return reply.Timer{
		ID: t.ID, Kind: string(t.Kind), Name: t.Name, Text: t.Text, Command: t.Command, Area: t.Area, State: string(t.State),
		Due: t.Due, Left: int64(t.Left), Length: int64(t.Length), Every: t.Every, At: t.At,
	}
}

// Rings says what rings, and since when it should have.
func (v timerVoice) Rings(r timers.Ring, now time.Time) string {
	if r.Late > 0 {
		return v.phrases.Rang(timerWords(r.Timer), now)
	}
	return v.phrases.Rings(timerWords(r.Timer))
}

// SayMissed returns the sentence about timers that rang while the gateway was off.
func (v timerVoice) SayMissed(all []timers.Timer, now time.Time) string {
	missed := make([]reply.Timer, 0, len(all))
	for _, t := range all {
		missed = append(missed, timerWords(t))
	}
	return v.phrases.WhileOff(missed, now)
}

// Became returns the sentence about the result of a timer's command: the reply of its
// turn, or that the result is unknown.
func (v timerVoice) Became(n timers.Notice) string {
	switch {
	case n.Kind == timers.Interrupted:
		return n.Timer.Command + ": " + v.phrases.Phrase("fate_unknown", nil)
	case n.Reply == "":
		return v.phrases.NotDone(timerWords(n.Timer), n.Time)
	}
	return n.Reply
}
