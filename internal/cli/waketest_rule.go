package cli

import (
	"fmt"
	"math"
	"strings"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech/micro"
	"voicegateway/internal/speech/vad"
)

// The rule of wake-test. A model gives a probability for every moment. A word is
// heard when that is above the threshold, so the threshold belongs between the
// worst of the tries and the best of everything else:
//
//   - what the model's author gives, where every try is sure above it: it was
//     chosen by the false alarms of days, which no test of a minute can show;
//   - else underTry below the lowest try, because nobody speaks ten times alike;
//   - overRest above everything that was heard and was no try;
//   - never under leastProposed, where noises begin to wake it by themselves.
//
// Where the tries and the rest are nearer to each other than both margins, there
// is no such threshold, and none is proposed.
const (
	sure          = 0.01
	underTry      = 0.05
	overRest      = 0.10
	leastProposed = 0.50
)

// wakeResult is what wake-test found out.
type wakeResult struct {
	Word      string    `json:"word"`
	Model     string    `json:"model"`
	Published float64   `json:"published"` // the threshold the model's author gives
	Threshold float64   `json:"threshold"` // the one in use
	Tries     []wakeTry `json:"tries"`
	Rest      float64   `json:"rest"`     // the best score of everything that was no try
	Proposed  *float64  `json:"proposed"` // null: none can be proposed
	Reason    string    `json:"reason"`   // why this one, or why none
}

// wakeTry is one time somebody said the word.
type wakeTry struct {
	Best  float64 `json:"best"`  // score
	Wakes bool    `json:"wakes"` // with the threshold in use
}

// propose applies the rule.
func (r *wakeResult) propose() {
	refuse := func(format string, args ...any) { r.Proposed, r.Reason = nil, fmt.Sprintf(format, args...) }
	if len(r.Tries) == 0 {
		refuse("nothing was heard that could be the word")
		return
	}
	number, low := r.lowest()
	if low-r.Rest < underTry+overRest {
		refuse("try %d has %.2f and what was no try came up to %.2f: no threshold tells them apart; "+
			"speak nearer to the microphone, take another word, or turn down what else is heard", number, low, r.Rest)
		return
	}
	p := r.Published
	if low < r.Published+sure {
		p = hundredths(low-underTry, math.Floor)
	}
	p = max(p, hundredths(r.Rest+overRest, math.Ceil))
	if least := min(leastProposed, r.Published); p < least {
		refuse("try %d has %.2f, and a threshold below %.2f would let noises wake the gateway by themselves; "+
			"speak nearer to the microphone, or take another word", number, low, least)
		return
	}
	r.Proposed = &p
	switch {
	case p == r.Published:
		r.Reason = "the author's own threshold hears every try"
	case p < r.Published:
		r.Reason = fmt.Sprintf("try %d has %.2f, less %.2f", number, low, underTry)
	default:
		r.Reason = fmt.Sprintf("what was no try came up to %.2f, more %.2f", r.Rest, overRest)
	}
}

// lowest is the worst of the tries, counted from 1, with its score.
func (r *wakeResult) lowest() (number int, best float64) {
	for i, t := range r.Tries {
		if i == 0 || t.Best < best {
			number, best = i+1, t.Best
		}
	}
	return number, best
}

// hundredths rounds to what one would write into a configuration; the tiny
// step keeps 0.95 from becoming 0.94 for the way numbers are kept.
func hundredths(x float64, round func(float64) float64) float64 {
	return round(math.Round(x*1e6)/1e4) / 100
}

// lines are the configuration to paste.
func (r *wakeResult) lines() string {
	return fmt.Sprintf("wake:\n  thresholds: {%s: %s}", r.Word, strings.TrimRight(fmt.Sprintf("%.2f", *r.Proposed), "0"))
}

// What of the sound is one try: speech with its pauses, and long enough for a
// word; longer speech is talk, or a television.
const (
	trySettle = time.Second // after it, in which the model still sounds of the word
	tryPause  = 600 * time.Millisecond
	tryLeast  = 200 * time.Millisecond
	tryMost   = 4 * time.Second
)

// wakeEar scores sound and finds the tries in it. It belongs to one goroutine.
type wakeEar struct {
	front    *micro.FrontEnd
	detector *micro.Detector
	voice    vad.Engine

	rest float64 // best score of what was no try
	open bool    // something is being said
	best float64 // of it
	said time.Duration
	all  time.Duration // since it began
	now  time.Duration // since somebody last spoke
	past time.Duration // of trySettle, what is left
}

// newWakeEar prepares to hear one model. Its detector must never decide: a
// decision forgets the score.
func newWakeEar(dir string, e micro.Entry) (*wakeEar, error) {
	model, err := micro.Open(dir, e.Name)
	if err != nil {
		return nil, err
	}
	detector, err := micro.NewDetector(model, micro.Options{Cutoff: math.Nextafter(1, 0), Window: e.Window})
	if err != nil {
		return nil, err
	}
	voice, err := vad.New(vad.Config{Engine: "energy"})
	if err != nil {
		return nil, err
	}
	return &wakeEar{front: micro.NewFrontEnd(), detector: detector, voice: voice}, nil
}

// score takes a frame and gives the best score in it.
func (w *wakeEar) score(f audio.Frame) float64 {
	best := 0.0
	w.front.Push(f.Samples, func(row *micro.Features) {
		_, p := w.detector.Push(row)
		best = max(best, p)
	})
	return best
}

// push takes a frame; ok says that a try has just ended, with its best score.
func (w *wakeEar) push(f audio.Frame) (best float64, ok bool) {
	score, speaks := w.score(f), w.voice.Push(f).Speech
	length := time.Duration(len(f.Samples)) * time.Second / time.Duration(audio.SpeechRate)
	if w.past > 0 {
		w.past -= length
		score = 0
	}
	switch {
	case speaks && !w.open:
		w.open, w.best, w.said, w.all, w.now = true, 0, 0, 0, 0
	case !w.open:
		w.rest = max(w.rest, score)
		return 0, false
	}
	w.best, w.all, w.now = max(w.best, score), w.all+length, w.now+length
	if speaks {
		w.said, w.now = w.said+length, 0
	}
	if w.now < tryPause {
		return 0, false
	}
	return w.end()
}

// end closes what is being said.
func (w *wakeEar) end() (best float64, ok bool) {
	if !w.open {
		return 0, false
	}
	w.open = false
	if w.said < tryLeast || w.all-w.now > tryMost {
		w.rest = max(w.rest, w.best)
		return 0, false
	}
	w.past = trySettle
	return w.best, true
}

// pushRest takes a frame in which nobody says the word.
func (w *wakeEar) pushRest(f audio.Frame) { w.rest = max(w.rest, w.score(f)) }
