package display

import (
	"cmp"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear"
	"voicegateway/internal/language/speech"
)

// meterInterval is the least time between two readings: ten a second look lively,
// and people cannot read more.
const meterInterval = 100 * time.Millisecond

// Reading is what the ear makes of the sound since the last reading.
type Reading struct {
	Level  float64 `json:"level"`           // of the loudest frame, dBFS
	Floor  float64 `json:"floor"`           // of the room's noise, dBFS
	Score  float64 `json:"score"`           // the wake word engine's highest; 0 for an engine without scores
	Turn   string  `json:"turn,omitempty"`  // the id of the open utterance's turn
	Text   string  `json:"text"`            // the transcript so far
	Judged string  `json:"judged"`          // incomplete, growable or closed; "" without words
	Ended  string  `json:"ended,omitempty"` // the endpoint's reason, when the utterance has just ended
}

// Meter makes readings of what the ear hears frame by frame. The zero value is
// ready for use. It belongs to the goroutine that calls Observer.Hearing.
type Meter struct {
	floor audio.NoiseFloor
	next  Reading
	begun bool      // next holds a frame
	due   time.Time // when the next reading is due
}

// Take takes a frame and returns a reading if one is due; the end of an utterance
// is always reported. wanted says whether anybody reads: without readers only the
// floor is followed, so that the first reading is right.
func (m *Meter) Take(h ear.Hearing, wanted bool) (Reading, bool) {
	m.floor.Push(h.Level)
	if !wanted {
		m.begun = false
		return Reading{}, false
	}
	if !m.begun {
		m.begun = true
		m.next = Reading{Level: h.Level}
	}
	m.next.Level, m.next.Score = max(m.next.Level, h.Level), max(m.next.Score, h.Score)
	m.next.Turn, m.next.Text, m.next.Judged = h.Turn, h.Partial.Text, judgementWord(h)
	m.next.Ended = cmp.Or(h.Ended, m.next.Ended)
	now := time.Now()
	if m.next.Ended == "" && now.Before(m.due) {
		return Reading{}, false
	}
	m.due, m.begun = now.Add(meterInterval), false
	m.next.Floor = m.floor.Level()
	return m.next, true
}

// judgementWord is the judgement as a word.
func judgementWord(h ear.Hearing) string {
	if h.Partial.Text == "" {
		return ""
	}
	switch h.Judged {
	case speech.Closed, speech.Revocable:
		return "closed"
	case speech.Growable:
		return "growable"
	case speech.Incomplete:
		return "incomplete"
	}
	return ""
}
