package ear

import (
	"math"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
)

// framesKept is how many frames of an utterance are remembered for its record, 1.2 s, and
// framesBefore how much of the speech is shown.
const (
	framesKept   = 60
	framesBefore = 400 * time.Millisecond
)

// letters are those of record.Frames, by the judgement that they stand for.
var letters = [...]byte{speech.Incomplete: 'i', speech.Growable: 'g', speech.Closed: 'c', speech.Revocable: 'r'}

// lastFrames are the newest frames of an utterance.
type lastFrames []judgedFrame

// judgedFrame is a frame with what was known after it.
type judgedFrame struct {
	at     time.Time
	level  float64 // dBFS
	judged speech.Completeness
}

func (l *lastFrames) add(f judgedFrame) {
	if len(*l) == framesKept {
		copy(*l, (*l)[1:])
		*l = (*l)[:framesKept-1]
	}
	*l = append(*l, f)
}

// until is what a record keeps of the frames around the end of speech; nil if there was none.
func (l lastFrames) until(speechEnd time.Time) *record.Frames {
	for len(l) > 0 && l[0].at.Before(speechEnd.Add(-framesBefore)) {
		l = l[1:]
	}
	if len(l) == 0 || speechEnd.IsZero() {
		return nil
	}
	out := &record.Frames{From: record.Millis(l[0].at.Sub(speechEnd)), Length: record.Millis(audio.FrameLength)}
	for _, f := range l {
		out.Levels = append(out.Levels, int(math.Round(f.level)))
		out.Judged += string(letters[f.judged])
	}
	return out
}
