package lab

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/care/stage"
	"voicegateway/internal/ear"
	"voicegateway/internal/ear/harness"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// EarConfig is what an ear is made of.
type EarConfig struct {
	Gateway    gateway.Config // the gateway whose ear it is: its recognisers, its room, its language
	Pack       *intent.Pack   // the sentences; nil: ours in the gateway's language
	House      *home.House    // the house that is spoken to; one server controls it
	Executable string         // our own program, for the recogniser's worker
	Log        *slog.Logger
}

// Ear is the ear and the mind of a gateway, for recordings. It belongs to one
// goroutine.
type Ear struct {
	*harness.Ear
	cfg      EarConfig
	language string // of the sentences
	phrases  *reply.Phrases
}

// NewEar prepares the sentences and the replies for the house. Open starts the
// recogniser.
func NewEar(cfg EarConfig) (*Ear, error) {
	pack := cfg.Pack
	var err error
	if pack == nil {
		if pack, err = intent.Ours(cfg.Gateway.Gateway.Language); err != nil {
			return nil, fmt.Errorf("reading the sentences: %w", err)
		}
	}
	e := &Ear{Ear: harness.New(pack, cfg.Log), cfg: cfg, language: pack.Language}
	if e.phrases, err = reply.Ours(cfg.Gateway.Gateway.Language); err != nil {
		return nil, fmt.Errorf("preparing the replies: %w", err)
	}
	return e, e.Enter(cfg.House)
}

// worker is the command line of the recogniser's worker process.
func (e *Ear) worker() []string { return []string{e.cfg.Executable, "worker", "stt"} }

// Open starts the recogniser and waits until it has learnt the house. The func
// returned ends it and says whether it had died before.
func (e *Ear) Open(ctx context.Context) (end func() error, err error) {
	cfg := e.cfg.Gateway.STT
	cfg.ModelsDir, cfg.Patience = e.cfg.Gateway.Wake.ModelsDir, patience
	cfg.Command, cfg.Wakes, cfg.Language, cfg.Log = e.worker(), gateway.WakePhrases(e.cfg.Gateway.Wake.Words), e.language, e.cfg.Log
	return e.Ear.Open(ctx, cfg, e.cfg.House)
}

// patience is how long a recogniser may take for an answer. On a busy machine it may
// take long, which says nothing about how well it hears.
const patience = 10 * time.Minute

// Playing is a recording that is played to an ear.
type Playing struct {
	Sound  file.Config
	Word   ear.WakeDetector // nil: the recording is an utterance, as with push-to-talk
	Caller mind.Caller      // carries out what is asked for; nil: nothing can be carried out
	First  bool             // only the first turn counts
}

// Hearing is what came of a recording.
type Hearing struct {
	Turns []record.Record   // in the order of their ends; without a wake word there is none
	First speech.Transcript // the sentence that was acted on at once
	Over  time.Time         // when it ended, on the recording's clock
}

// tries is how often a recording is tried whose recogniser was lost.
const tries = 10

func again[T any](ctx context.Context, hear func(context.Context) (T, error)) (t T, err error) {
	for range tries {
		if t, err = hear(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	return t, err
}

// Play lets the gateway's own loop listen to a recording, and forgets what was heard
// before. If a question is asked, the recording's next words count as the answer.
func (e *Ear) Play(ctx context.Context, p Playing) (Hearing, error) {
	sound, err := file.New(p.Sound)
	if err != nil {
		return Hearing{}, err
	}
	e.Forget()
	ends, err := gateway.NewEndpointer(e.cfg.Gateway, e.cfg.Log)
	if err != nil {
		return Hearing{}, err
	}
	mind, err := e.mind(p.Caller)
	if err != nil {
		return Hearing{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	clock := &clocked{Endpointer: gateway.Attentive(ends, e.Engine)}
	text := &dictation{Engine: e.Engine}
	var mu sync.Mutex
	var h Hearing
	watch := &stage.Watcher{Ended: func(r record.Record) {
		mu.Lock()
		defer mu.Unlock()
		h.Turns = append(h.Turns, r)
		if p.First {
			cancel()
		}
	}}
	loop, err := ear.NewLoop(ear.Config{Area: e.cfg.Gateway.Gateway.Area, Source: record.FromFile, PushToTalk: p.Word == nil}, ear.Parts{
		Mic: sound, Wake: p.Word, Stt: text, End: clock, Mind: mind, Voice: whisper{}, Speaker: file.Speaker{}, Observer: watch, Log: e.cfg.Log,
	})
	if err != nil {
		return Hearing{}, err
	}
	if err := loop.Run(ctx); err != nil {
		return Hearing{}, err
	}
	h.First, h.Over = text.first, clock.ended
	for _, r := range h.Turns {
		if r.Transcript == nil && r.Outcome == record.Failed {
			return Hearing{}, errors.New(r.Error)
		}
	}
	return h, nil
}

// mind makes a mind that remembers nothing yet.
func (e *Ear) mind(c mind.Caller) (*mind.Mind, error) {
	if c == nil {
		c = unconnected{}
	}
	return mind.New(e.Rooms, c, unconnected{}, e.phrases, e.cfg.Gateway.Safety, mind.Recovery{}, e.cfg.Log)
}

// Read answers a text as if it were written, in the room of the ear.
func (e *Ear) Read(ctx context.Context, c mind.Caller, text string) (record.Record, error) {
	mind, err := e.mind(c)
	if err != nil {
		return record.Record{}, err
	}
	return mind.Turn(ctx, record.Request{Text: text, Area: e.cfg.Gateway.Gateway.Area, Source: record.FromFile}), nil
}

// whole is the text of the first turn with the clauses added to its sentence.
func (h Hearing) whole() string {
	if len(h.Turns) == 0 || h.Turns[0].Transcript == nil {
		return h.First.Text
	}
	return h.Turns[0].Transcript.Text
}

// endReason is the endpointer's reason in the first turn.
func (h Hearing) endReason() string {
	if len(h.Turns) == 0 || h.Turns[0].Endpoint == nil {
		return ""
	}
	return h.Turns[0].Endpoint.Reason
}

// dictation is a recogniser that remembers its first text; an addition to the
// sentence makes a longer text of it. It belongs to the loop's goroutine.
type dictation struct {
	stt.Engine
	written bool
	first   speech.Transcript
}

// Finish keeps the first text.
func (d *dictation) Finish(ctx context.Context) (speech.Transcript, error) {
	t, err := d.Engine.Finish(ctx)
	if !d.written {
		d.written, d.first = true, t
	}
	return t, err
}

// Reopen continues the utterance, if the recogniser can.
func (d *dictation) Reopen(ctx context.Context) error {
	again, ok := d.Engine.(stt.Reopener)
	if !ok {
		return errors.New("the recogniser cannot go on with an utterance")
	}
	return again.Reopen(ctx)
}

// clocked is an endpointer that remembers when it first ended an utterance, or the
// last frame if it did not. It belongs to the loop's goroutine.
type clocked struct {
	ear.Endpointer
	done  bool
	ended time.Time
}

// Push keeps the time of the frame.
func (c *clocked) Push(f audio.Frame, p speech.Partial, judged speech.Completeness) speech.Endpoint {
	e := c.Endpointer.Push(f, p, judged)
	if !c.done && !f.At.IsZero() {
		c.ended = f.At
	}
	c.done = c.done || e.Done
	return e
}

// whisper is a silent voice: a frame of silence for every sentence.
type whisper struct{}

// Synthesize returns the silence.
func (whisper) Synthesize(context.Context, string) (audio.Clip, error) {
	return audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, audio.FrameSamples)}, nil
}

// unconnected stands for servers and a model that are missing: commands are
// understood, and none can be carried out.
type unconnected struct{}

// Await returns at once.
func (unconnected) Await(context.Context, mind.Need) error { return nil }

// Call does nothing.
func (unconnected) Call(context.Context, tools.Call) (tools.Result, error) {
	return tools.Result{Failed: true, Text: "Nothing is connected here."}, nil
}

// Ready says that there is no model.
func (unconnected) Ready() (ok bool, why string) { return false, "" }

// Reply says that there is no model.
func (unconnected) Reply(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
	return func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{}, dialogue.ErrNoModel) }
}

// Remember does nothing.
func (unconnected) Remember(string, string, string) {}
