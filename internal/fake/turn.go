package fake

import (
	"context"
	"io"
	"iter"
	"sync"

	"voicegateway/internal/audio"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/speech"
	"voicegateway/internal/tools"
	"voicegateway/internal/turn"
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

// WakeDetector calls DetectFunc.
type WakeDetector struct {
	DetectFunc func(f audio.Frame) (speech.Detection, bool, error)
}

// Detect calls DetectFunc.
func (w *WakeDetector) Detect(_ context.Context, f audio.Frame) (speech.Detection, bool, error) {
	return w.DetectFunc(f)
}

// Transcriber hears Text in whatever it is given.
type Transcriber struct {
	BeginErr, PushErr, FinishErr error
	Text                         func() speech.Transcript
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

// Matcher calls MatchFunc and knows Home.
type Matcher struct {
	MatchFunc func(text, area string) intent.Decision
	Home      *home.House
}

// Match calls MatchFunc.
func (m *Matcher) Match(text, area string) intent.Decision { return m.MatchFunc(text, area) }

// Judge has no opinion.
func (m *Matcher) Judge(string) speech.Completeness { return speech.Incomplete }

// House returns Home.
func (m *Matcher) House() *home.House { return m.Home }

// Caller calls its functions; AwaitFunc may be nil.
type Caller struct {
	AwaitFunc func(ctx context.Context) error
	CallFunc  func(ctx context.Context, c tools.Call) (tools.Result, error)
}

// Await calls AwaitFunc.
func (c *Caller) Await(ctx context.Context) error {
	if c.AwaitFunc == nil {
		return nil
	}
	return c.AwaitFunc(ctx)
}

// Call calls CallFunc.
func (c *Caller) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	return c.CallFunc(ctx, call)
}

// Assistant answers with what ReplyFunc yields; a nil ReplyFunc is a model that
// does not answer.
type Assistant struct {
	ReplyFunc func(ctx context.Context, q turn.Question) iter.Seq2[turn.Part, error]
}

// Ready says whether there is a ReplyFunc.
func (a *Assistant) Ready() bool { return a.ReplyFunc != nil }

// Reply calls ReplyFunc.
func (a *Assistant) Reply(ctx context.Context, q turn.Question) iter.Seq2[turn.Part, error] {
	if a.ReplyFunc == nil {
		return func(yield func(turn.Part, error) bool) { yield(turn.Part{}, turn.ErrNoModel) }
	}
	return a.ReplyFunc(ctx, q)
}

// Remember forgets.
func (a *Assistant) Remember(string, string) {}

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

// Observer keeps what it is told.
type Observer struct {
	mu      sync.Mutex
	states  []turn.State
	records []turn.Record
	replies []string
	Ended   func(turn.Record) // called for each record, may be nil
}

// StateChanged keeps the state.
func (o *Observer) StateChanged(s turn.State) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.states = append(o.states, s)
}

// Hearing does nothing.
func (o *Observer) Hearing(turn.Hearing) {}

// Replied keeps the reply.
func (o *Observer) Replied(_, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.replies = append(o.replies, text)
}

// TurnEnded keeps the record.
func (o *Observer) TurnEnded(r turn.Record) {
	o.mu.Lock()
	o.records = append(o.records, r)
	o.mu.Unlock()
	if o.Ended != nil {
		o.Ended(r)
	}
}

// States returns the states so far.
func (o *Observer) States() []turn.State {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]turn.State(nil), o.states...)
}

// Records returns the records so far.
func (o *Observer) Records() []turn.Record {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]turn.Record(nil), o.records...)
}
