package wakes

import (
	"math"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ear/vad"
)

// Limits of one try: speech with its pauses, long enough for a word. Longer speech
// is talk, or a television.
const (
	trySettle = time.Second // pause after a try, in which the model still reacts to the word
	tryPause  = 600 * time.Millisecond
	tryLeast  = 200 * time.Millisecond
	tryMost   = 4 * time.Second
)

// ear scores sound and finds the tries in it. It belongs to one goroutine.
type ear struct {
	front    *micro.FrontEnd
	detector *micro.Detector
	voice    vad.Engine

	rest float64 // best score of sound that was no try
	open bool    // something is being said
	best float64 // best score of what is being said
	said time.Duration
	all  time.Duration // length since it began, pauses included
	now  time.Duration // quiet since the last speech
	past time.Duration // rest of trySettle
}

// newEar prepares to hear one model. The detector's cutoff keeps it from ever
// detecting, because a detection resets the score.
func newEar(dir string, entry micro.Entry) (*ear, error) {
	model, err := micro.Open(dir, entry.Name)
	if err != nil {
		return nil, err
	}
	detector, err := micro.NewDetector(model, micro.Options{Cutoff: math.Nextafter(1, 0), Window: entry.Window})
	if err != nil {
		return nil, err
	}
	voice, err := vad.New(vad.Config{Engine: "energy"})
	if err != nil {
		return nil, err
	}
	return &ear{front: micro.NewFrontEnd(), detector: detector, voice: voice}, nil
}

// score takes a frame and gives the best score in it.
func (e *ear) score(f audio.Frame) float64 {
	best := 0.0
	e.front.Push(f.Samples, func(row *micro.Features) {
		_, p := e.detector.Push(row)
		best = max(best, p)
	})
	return best
}

// push takes a frame. ok reports that a try has just ended, with its best score.
func (e *ear) push(f audio.Frame) (best float64, ok bool) {
	score, speaks := e.score(f), e.voice.Push(f).Speech
	length := time.Duration(len(f.Samples)) * time.Second / time.Duration(audio.SpeechRate)
	if e.past > 0 {
		e.past -= length
		score = 0
	}
	switch {
	case speaks && !e.open:
		e.open, e.best, e.said, e.all, e.now = true, 0, 0, 0, 0
	case !e.open:
		e.rest = max(e.rest, score)
		return 0, false
	}
	e.best, e.all, e.now = max(e.best, score), e.all+length, e.now+length
	if speaks {
		e.said, e.now = e.said+length, 0
	}
	if e.now < tryPause {
		return 0, false
	}
	return e.closeUtterance()
}

// closeUtterance closes what is being said; ok reports that it was a try.
func (e *ear) closeUtterance() (best float64, ok bool) {
	if !e.open {
		return 0, false
	}
	e.open = false
	if e.said < tryLeast || e.all-e.now > tryMost {
		e.rest = max(e.rest, e.best)
		return 0, false
	}
	e.past = trySettle
	return e.best, true
}

// pushRest takes a frame of sound without the word.
func (e *ear) pushRest(f audio.Frame) { e.rest = max(e.rest, e.score(f)) }
