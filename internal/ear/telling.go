package ear

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/keep/record"
)

// telling is the turn in progress. The loop owns it while it listens; after that
// the goroutine that answers it does.
type telling struct {
	id        string
	rec       record.Record
	started   time.Time // in the frames' clock
	watch     record.Stopwatch
	utterance utterance
	followUp  bool          // it is the answer to a question
	challenge string        // the id of the turn whose challenge it answers; "" for none
	answered  time.Duration // from the question's end to that of the speech
	again     bool          // its speaker was not understood a moment ago
	missed    bool          // speech after the wake word was no command
	chimeOver bool          // the sound of the open microphone was played, or is not wanted
	additions chan addition // gets what is added to its sentence, once; nil if nothing can be
	aftermath aftermath
	foreseen  func()             // drops what the mind has begun for words that were not final; may be nil
	cancel    context.CancelFunc // ends the turn's goroutine beside the loop; nil if there is none
}

// utterance is what was said in a turn.
type utterance struct {
	words      partialText
	spoke      time.Duration // from the first to the last speech
	loudest    float64       // dBFS
	least      float64       // dBFS: the answer to a question is at least as loud
	loudFrames int           // frames at least that loud
	sound      []int16       // the whole sound, if it is recorded
	gaps       []gap         // sound of it that the microphone is known to have lost
	lost       time.Duration // of that, as much as may have been words; known at the end
	hold       hold
	frames     lastFrames
}

// gap is sound that the microphone has lost just before a frame.
type gap struct {
	at   time.Time // of the frame
	lost time.Duration
}

// aftermath is what the end of a turn means for the loop.
type aftermath struct {
	asks      bool         // a question was spoken: its answer needs no wake word
	challenge string       // the id of the turn, if the question was a challenge
	acted     bool         // something was changed: a correction needs no wake word
	halts     bool         // the command was "stop": texts waiting to be spoken are dropped
	sound     earcon.Sound // played because no words were spoken; "" for none
}

// newTelling begins the turn of speech that began at a time of the frames' clock.
func newTelling(c Config, at time.Time) *telling {
	t := &telling{id: record.NewID(), started: at, watch: record.Stopwatch{Zero: at}}
	t.rec = record.Record{ID: t.id, Time: at, Source: c.Source, Area: c.Area, Route: record.RouteNone}
	t.rec.Calls = []record.CallMade{}
	t.utterance.loudest = audio.Silence
	return t
}

// request is what the mind is asked about a text.
func (t *telling) request(text string, dryRun bool) record.Request {
	return record.Request{Text: text, Area: t.rec.Area, Source: t.rec.Source, DryRun: dryRun, FollowUp: t.followUp, Challenge: t.challenge, After: t.answered}
}

// startClock starts the clock of a turn at the end of speech. at and wall are when
// the end was found, on the frames' clock and on the wall clock.
func (t *telling) startClock(speechEnd, at, wall time.Time, live bool) {
	t.watch = record.Stopwatch{Zero: speechEnd}
	if !live {
		t.watch.Shift = wall.Sub(at)
	}
	start := max(record.Millis(speechEnd.Sub(t.started)), 0)
	t.rec.Timings.SpeechEnd = &start
	t.rec.Timings.Endpoint = t.watch.At(at.Add(t.watch.Shift))
}

// unanswered reports whether the speech heard after a question was neither an
// answer nor meant for the house. Such a turn leaves no record.
func (t *telling) unanswered() bool {
	return t.followUp && t.rec.Outcome == record.Ignored && t.rec.Route == record.RouteNone
}
