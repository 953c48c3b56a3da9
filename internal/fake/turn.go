package fake

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// Microphone plays the frames it is given and then ends, or waits for ctx where
// Endless is set.
type Microphone struct {
	Frames  []audio.Frame
	Endless bool

	mu   sync.Mutex
	next int
}

// Read returns the next frame.
func (m *Microphone) Read(ctx context.Context) (audio.Frame, error) {
	m.mu.Lock()
	if m.next < len(m.Frames) {
		f := m.Frames[m.next]
		m.next++
		m.mu.Unlock()
		return f, nil
	}
	m.mu.Unlock()
	if m.Endless {
		<-ctx.Done()
		return audio.Frame{}, ctx.Err()
	}
	return audio.Frame{}, io.EOF
}

// WakeDetector calls DetectFunc. Stops says whether the loop last asked it to listen for
// stop words. All of it belongs to the loop's goroutine.
type WakeDetector struct {
	DetectFunc func(f audio.Frame) (speech.Detection, bool, error)
	Stops      bool
	Near       float64 // the score
}

// ListenForStop keeps the last request.
func (w *WakeDetector) ListenForStop(on bool) { w.Stops = on }

// Score returns Near.
func (w *WakeDetector) Score() float64 { return w.Near }

// Detect calls DetectFunc.
func (w *WakeDetector) Detect(_ context.Context, f audio.Frame) (speech.Detection, bool, error) {
	return w.DetectFunc(f)
}

// Transcriber hears Text in whatever it is given.
type Transcriber struct {
	BeginErr, PushErr, FinishErr error
	Text                         func() speech.Transcript
}

// Script is a transcriber that hears what a test says: a text after so many loud
// frames of an utterance. It can continue an utterance.
type Script struct {
	Lines []Line
	Loud  func(f audio.Frame) bool

	mu    sync.Mutex
	loud  int
	quiet int // frames since the last loud one
	took  []audio.Frame
	open  bool
	began int
	asked int

	challenges int
}

// Line is the text that is heard once After loud frames have come. Unfinished says
// that it is the beginning of a sentence.
type Line struct {
	After      int
	Text       string
	Unfinished bool
}

// Begin opens an utterance.
func (s *Script) Begin(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loud, s.quiet, s.open = 0, 0, true
	s.began++
	return nil
}

// BeginFor opens an utterance, and counts those for challenges.
func (s *Script) BeginFor(ctx context.Context, what speech.Expected) error {
	if what == speech.ChallengeWords {
		s.mu.Lock()
		s.challenges++
		s.mu.Unlock()
	}
	return s.Begin(ctx)
}

// Challenges says how many utterances were begun for the words of a challenge.
func (s *Script) Challenges() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.challenges
}

// Push takes a frame.
func (s *Script) Push(_ context.Context, f audio.Frame) (speech.Partial, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return speech.Partial{}, errors.New("no utterance is open")
	}
	s.took = append(s.took, f)
	if s.Loud(f) {
		s.loud++
		s.quiet = 0
	} else {
		s.quiet++
	}
	return speech.Partial{Text: s.line().Text, Stable: s.quiet, Tail: time.Duration(s.quiet) * audio.FrameLength}, nil
}

func (s *Script) line() (heard Line) {
	for _, l := range s.Lines {
		if s.loud >= l.After {
			heard = l
		}
	}
	return heard
}

// Finish tells what was heard.
func (s *Script) Finish(context.Context) (speech.Transcript, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return speech.Transcript{}, errors.New("no utterance is open")
	}
	s.open = false
	l := s.line()
	return speech.Transcript{Text: l.Text, Unfinished: l.Unfinished, Engine: "script"}, nil
}

// Second has no text for an utterance; it counts that it was asked.
func (s *Script) Second(context.Context) (speech.Transcript, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return speech.Transcript{Rejected: "not in the script", Engine: "script"}, nil
}

// Seconds says how often Second was asked.
func (s *Script) Seconds() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Reopen continues the utterance.
func (s *Script) Reopen(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open {
		return errors.New("an utterance is open")
	}
	s.open = true
	return nil
}

// Took returns the frames so far, of all utterances.
func (s *Script) Took() []audio.Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]audio.Frame(nil), s.took...)
}

// Open reports whether an utterance is open, and how many were begun.
func (s *Script) Open() (open bool, began int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open, s.began
}

// Begin opens an utterance.
func (t *Transcriber) Begin(context.Context) error { return t.BeginErr }

// Push takes a frame and has no opinion yet.
func (t *Transcriber) Push(context.Context, audio.Frame) (speech.Partial, error) {
	return speech.Partial{}, t.PushErr
}

// Finish tells what was heard.
func (t *Transcriber) Finish(context.Context) (speech.Transcript, error) {
	if t.FinishErr != nil {
		return speech.Transcript{}, t.FinishErr
	}
	return t.Text(), nil
}

// Endpointer calls PushFunc.
type Endpointer struct {
	PushFunc func(f audio.Frame) speech.Endpoint
}

// Push calls PushFunc.
func (e *Endpointer) Push(f audio.Frame, _ speech.Partial, _ speech.Completeness) speech.Endpoint {
	return e.PushFunc(f)
}

// Observe does nothing.
func (e *Endpointer) Observe(audio.Frame) {}

// Reset does nothing.
func (e *Endpointer) Reset(speech.Detection) {}

// Admit lets everything through.
func (e *Endpointer) Admit(f audio.Frame) []audio.Frame { return []audio.Frame{f} }

// Matcher calls MatchFunc and knows Home. Without a JudgeFunc it has no opinion
// on partial texts.
type Matcher struct {
	MatchFunc func(text, area string) intent.Decision
	JudgeFunc func(partial string) speech.Completeness
	Home      *home.House
}

// Match calls MatchFunc.
func (m *Matcher) Match(text, area string) intent.Decision { return m.MatchFunc(text, area) }

// Judge calls JudgeFunc.
func (m *Matcher) Judge(partial string) speech.Completeness {
	if m.JudgeFunc == nil {
		return speech.Incomplete
	}
	return m.JudgeFunc(partial)
}

// House returns Home.
func (m *Matcher) House() *home.House { return m.Home }

// Caller calls its functions; AwaitFunc may be nil.
type Caller struct {
	AwaitFunc func(ctx context.Context, n mind.Need) error
	CallFunc  func(ctx context.Context, c tools.Call) (tools.Result, error)
}

// Await calls AwaitFunc.
func (c *Caller) Await(ctx context.Context, n mind.Need) error {
	if c.AwaitFunc == nil {
		return nil
	}
	return c.AwaitFunc(ctx, n)
}

// Call calls CallFunc.
func (c *Caller) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	return c.CallFunc(ctx, call)
}

// Assistant answers with what ReplyFunc yields; a nil ReplyFunc is a model that
// does not answer.
type Assistant struct {
	ReplyFunc func(ctx context.Context, q dialogue.Prompt) iter.Seq2[dialogue.Part, error]
}

// Ready says whether there is a ReplyFunc.
func (a *Assistant) Ready() (ok bool, why string) { return a.ReplyFunc != nil, "" }

// Reply calls ReplyFunc.
func (a *Assistant) Reply(ctx context.Context, q dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
	if a.ReplyFunc == nil {
		return func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{}, dialogue.ErrNoModel) }
	}
	return a.ReplyFunc(ctx, q)
}

// Remember forgets.
func (a *Assistant) Remember(string, string, string) {}

// Synthesizer makes an empty clip of every sentence and keeps the sentences.
type Synthesizer struct {
	Err error

	mu   sync.Mutex
	said []string
}

// Synthesize keeps the sentence.
func (s *Synthesizer) Synthesize(_ context.Context, sentence string) (audio.Clip, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, sentence)
	return audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, audio.FrameSamples)}, s.Err
}

// Said returns the sentences so far.
func (s *Synthesizer) Said() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.said...)
}

// Speaker calls PlayFunc, or plays in no time.
type Speaker struct {
	PlayFunc func(ctx context.Context, c audio.Clip) error
}

// Play calls PlayFunc.
func (s *Speaker) Play(ctx context.Context, c audio.Clip) error {
	if s.PlayFunc == nil {
		return nil
	}
	return s.PlayFunc(ctx, c)
}

// Observer keeps what it receives.
type Observer struct {
	mu      sync.Mutex
	states  []ear.State
	records []record.Record
	replies []string
	heard   []ear.Hearing
	Ended   func(record.Record) // called for each record, may be nil
}

// StateChanged keeps the state.
func (o *Observer) StateChanged(s ear.State) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.states = append(o.states, s)
}

// Hearing keeps what is heard.
func (o *Observer) Hearing(h ear.Hearing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.heard = append(o.heard, h)
}

// Heard returns what was heard so far.
func (o *Observer) Heard() []ear.Hearing {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]ear.Hearing(nil), o.heard...)
}

// Replied keeps the reply.
func (o *Observer) Replied(_, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.replies = append(o.replies, text)
}

// TurnEnded keeps the record.
func (o *Observer) TurnEnded(r record.Record) {
	o.mu.Lock()
	o.records = append(o.records, r)
	o.mu.Unlock()
	if o.Ended != nil {
		o.Ended(r)
	}
}

// States returns the states so far.
func (o *Observer) States() []ear.State {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]ear.State(nil), o.states...)
}

// Records returns the records so far.
func (o *Observer) Records() []record.Record {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]record.Record(nil), o.records...)
}

// English are our own replies in English.
func English() *reply.Phrases {
	p, err := reply.Ours("en")
	if err != nil {
		panic(err) // they are part of the program
	}
	return p
}
