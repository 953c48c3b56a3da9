package gateway

import (
	"cmp"
	"log/slog"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/doors/display"
	"voicegateway/internal/doors/metrics"
	"voicegateway/internal/ear"
	"voicegateway/internal/keep/record"
)

// observers passes a turn's events on to each observer, in this order and without
// secrets. Those in after know themselves what turned out not to be done while the turn
// was under way; the others are given the record without it.
type observers struct {
	discreet
	truly       func(record.Record) record.Record
	each, after []ear.Observer
}

// newObservers lists them. The journal comes first: interfaces may be asked about a
// turn as soon as they have told of it.
func (s setup) newObservers(j *journal, counts *metrics.Metrics, stream *display.Stream, link link, after ...follows) observers {
	all := []ear.Observer{j, counter{counts}, stream}
	if link.api != nil {
		all = append(all, presence{link})
	}
	if s.opts.Watch != nil {
		all = append(all, s.opts.Watch)
	}
	o := observers{s.discreet, j.truly, all, nil}
	for _, f := range after {
		o.after = append(o.after, follower{f})
	}
	return o
}

// StateChanged passes the state on.
func (o observers) StateChanged(to ear.State) {
	for _, each := range o.each {
		each.StateChanged(to)
	}
}

// Hearing passes on what the ear makes of a frame.
func (o observers) Hearing(h ear.Hearing) {
	for _, each := range o.each {
		each.Hearing(h)
	}
}

// Replied passes a reply on.
func (o observers) Replied(id, text string) {
	for _, each := range o.each {
		each.Replied(id, o.text(text))
	}
}

// TurnEnded passes a record on.
func (o observers) TurnEnded(r record.Record) {
	r = o.record(r)
	truth := o.truly(r)
	for _, each := range o.each {
		each.TurnEnded(truth)
	}
	for _, each := range o.after {
		each.TurnEnded(r)
	}
}

// follows is who wants to know of a turn when it is over: what it has left under way,
// and what the gateway has done itself.
type follows interface{ TurnEnded(r record.Record) }

// follower is a turn's observer of its end alone.
type follower struct{ follows }

// StateChanged is not followed.
func (follower) StateChanged(ear.State) {}

// Hearing is not followed.
func (follower) Hearing(ear.Hearing) {}

// Replied is not followed.
func (follower) Replied(string, string) {}

// keptTurns is how many turns are remembered for /api/turns.
const keptTurns = 100

// journal remembers the last turns and the state, and logs each turn. The log line
// has durations but no words that were said (REQUIREMENTS S4).
type journal struct {
	log *slog.Logger

	mu    sync.Mutex
	turns []record.Record
	at    ear.State
	moved time.Time        // when something happened last
	lies  record.Lies[lie] // what turned out not to be done before its turn had ended
}

// StateChanged remembers the state.
func (j *journal) StateChanged(to ear.State) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.at, j.moved = to, time.Now()
}

// Hearing is not remembered.
func (j *journal) Hearing(ear.Hearing) {}

// Replied is not remembered: the reply is in the record.
func (j *journal) Replied(string, string) {}

// TurnEnded remembers and logs a record.
func (j *journal) TurnEnded(r record.Record) {
	j.mu.Lock()
	j.turns, j.moved = append(j.turns, r), time.Now()
	if over := len(j.turns) - keptTurns; over > 0 {
		j.turns = slices.Delete(j.turns, 0, over)
	}
	j.mu.Unlock()
	log := j.log.With("part", "turn", "turn", r.ID, "source", string(r.Source), "route", string(r.Route), "outcome", string(r.Outcome), "calls", len(r.Calls))
	for _, timing := range []struct {
		key string
		ms  *float64
	}{
		{"speech_end", r.Timings.SpeechEnd},
		{"endpoint", r.Timings.Endpoint},
		{"transcript", r.Timings.Transcript},
		{"first_publish", r.Timings.FirstPublish},
		{"confirmed", r.Timings.Confirmed},
		{"first_audio", r.Timings.FirstAudio},
		{"took", r.Timings.Total},
	} {
		if timing.ms != nil { // the turn reached that point
			log = log.With(timing.key, *timing.ms)
		}
	}
	log.Info("turn ended")
}

// state is where the microphone's turn stands.
func (j *journal) state() ear.State {
	j.mu.Lock()
	defer j.mu.Unlock()
	return cmp.Or(j.at, ear.Idle)
}

// quiet is when the last turn, or change of state, was; zero before the first.
func (j *journal) quiet() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.moved
}

// last returns the remembered turns, newest first.
func (j *journal) last() []record.Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	turns := append([]record.Record{}, j.turns...) // an empty list, never null
	slices.Reverse(turns)
	return turns
}

// counter counts turns.
type counter struct{ *metrics.Metrics }

// StateChanged is not counted.
func (c counter) StateChanged(ear.State) {}

// Hearing is not counted.
func (c counter) Hearing(ear.Hearing) {}

// Replied is not counted.
func (c counter) Replied(string, string) {}

// TurnEnded counts the turn.
func (c counter) TurnEnded(r record.Record) { c.Turn(r) }

// presence publishes a turn's events on MQTT.
type presence struct{ link }

// StateChanged publishes the state.
func (p presence) StateChanged(to ear.State) {
	p.api.State(string(to))
	p.poke()
}

// Hearing is not published.
func (p presence) Hearing(ear.Hearing) {}

// Replied publishes the reply.
func (p presence) Replied(id, text string) { p.api.Reply(id, text) }

// Corrected publishes a record anew, of which something turned out not to be done.
func (p presence) Corrected(r record.Record) { p.api.Turn(r) }

// TurnEnded publishes the transcript and the record.
func (p presence) TurnEnded(r record.Record) {
	if r.Transcript != nil {
		p.api.Transcript(r.ID, r.Transcript.Text)
	}
	p.api.Turn(r)
	p.poke()
}
