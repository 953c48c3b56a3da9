package turn

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/record"
)

// telling is the turn that is being told. The loop owns it while it listens, then
// the goroutine that answers it.
type telling struct {
	id        string
	rec       record.Record
	started   time.Time // in the frames' clock
	watch     record.Stopwatch
	utterance utterance
	followUp  bool          // it is the answer to a question
	chimeOver bool          // the sound of the open microphone was made, or is not wanted
	additions chan addition // to its sentence; nil where that cannot grow
	aftermath aftermath
	cancel    context.CancelFunc // nil while nothing of it runs beside the loop
}

// utterance is what was said in a turn.
type utterance struct {
	words      words
	spoke      time.Duration // from the first to the last speech
	loudest    float64       // dBFS
	least      float64       // dBFS: who answers a question is at least as loud
	loudFrames int           // of at least that
	sound      []int16       // all of it, where it is kept
}

// aftermath is what a turn leaves to the loop when it has been told.
type aftermath struct {
	asks  bool         // a question was spoken: its answer needs no wake word
	acted bool         // something was changed: a correction needs none
	halts bool         // it was the word stop: what waits to be spoken is dropped
	sound earcon.Sound // in place of words; "" for none
}

// newTelling begins the turn of something that was said at a time of the frames'
// clock.
func newTelling(c Config, at time.Time) *telling {
	t := &telling{id: record.NewID(), started: at, watch: record.Stopwatch{Zero: at}}
	t.rec = record.Record{ID: t.id, Time: at, Source: c.Source, Area: c.Area, Route: record.RouteNone}
	t.rec.Calls = []record.CallMade{}
	t.utterance.loudest = audio.Silence
	return t
}

// startClock starts the clock of a turn at the end of speech, of which was known at
// a time of the frames' clock and of the wall's.
func (t *telling) startClock(speechEnd, at, wall time.Time, live bool) {
	t.watch = record.Stopwatch{Zero: speechEnd}
	if !live {
		t.watch.Shift = wall.Sub(at)
	}
	start := max(record.Millis(speechEnd.Sub(t.started)), 0)
	t.rec.Timings.SpeechEnd = &start
	t.rec.Timings.Endpoint = t.watch.At(at.Add(t.watch.Shift))
}

// unanswered says whether what was heard after a question was no answer to it and
// nothing else that is meant for the house: that is no turn.
func (t *telling) unanswered() bool {
	return t.followUp && t.rec.Outcome == record.Ignored && t.rec.Route == record.RouteNone
}
