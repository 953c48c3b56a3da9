package lab

import (
	"context"
	"errors"
	"iter"
	"time"

	"voicegateway/internal/answer"
	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/dialogue"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/record"
	"voicegateway/internal/speech"
	"voicegateway/internal/speech/stt"
	"voicegateway/internal/stage"
	"voicegateway/internal/tools"
	"voicegateway/internal/turn"
)

// hearing is what the gateway heard in one recording.
type hearing struct {
	turned record.Record
	turn   bool              // there was a turn: without a wake word there is none
	first  speech.Transcript // the sentence that was acted on at once
	over   time.Time         // when it ended, on the recording's clock
}

// play lets the gateway's own loop listen to a recording and returns its first
// turn. Without a wake word engine the recording is an utterance, as with
// push-to-talk.
func (m *Lab) play(ctx context.Context, cfg file.Config, word turn.WakeDetector) (hearing, error) {
	sound, err := file.New(cfg)
	if err != nil {
		return hearing{}, err
	}
	if room, ok := m.engine.(stt.Listener); ok {
		room.Forget()
	}
	ends, err := gateway.NewEndpointer(m.cfg.Gateway, m.cfg.Log)
	if err != nil {
		return hearing{}, err
	}
	mind, err := answer.New(understanding{m}, unconnected{}, unconnected{}, m.phrases, m.cfg.Gateway.Safety, answer.Recovery{}, m.cfg.Log)
	if err != nil {
		return hearing{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	clock := &clocked{Endpointer: gateway.Attentive(ends, m.engine)}
	text := &dictation{Engine: m.engine}
	turns := make(chan record.Record, 1)
	first := &stage.Watcher{Ended: func(r record.Record) {
		select {
		case turns <- r:
		default: // a further turn
		}
		cancel()
	}}
	loop, err := turn.NewLoop(turn.Config{Source: record.FromFile, PushToTalk: word == nil}, turn.Parts{
		Mic: sound, Wake: word, Stt: text, End: clock, Mind: mind, Observer: first, Log: m.cfg.Log,
	})
	if err != nil {
		return hearing{}, err
	}
	if err := loop.Run(ctx); err != nil {
		return hearing{}, err
	}
	h := hearing{first: text.first, over: clock.ended}
	select {
	case h.turned = <-turns:
		h.turn = true
	default:
	}
	if h.turn && h.turned.Transcript == nil && h.turned.Outcome == record.Failed {
		return hearing{}, errors.New(h.turned.Error)
	}
	return h, nil
}

// whole is the text with the clauses added to the sentence.
func (h hearing) whole() string {
	if h.turned.Transcript == nil {
		return h.first.Text
	}
	return h.turned.Transcript.Text
}

// ended is the endpointer's reason.
func (h hearing) ended() string {
	if h.turned.Endpoint == nil {
		return ""
	}
	return h.turned.Endpoint.Reason
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
	turn.Endpointer
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

// understanding is the mind's view of the house.
type understanding struct{ *Lab }

// Match understands a sentence.
func (u understanding) Match(text, area string) intent.Decision { return u.matcher.Match(text, area) }

// Judge reports whether the words so far are a sentence.
func (u understanding) Judge(partial string) speech.Completeness { return u.grammar.Judge(partial) }

// House is the house the recordings are about.
func (u understanding) House() *home.House { return u.cfg.House }

// unconnected stands for servers and a model that are missing: commands are
// understood, and none can be carried out.
type unconnected struct{}

// Await returns at once.
func (unconnected) Await(context.Context, answer.Need) error { return nil }

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
