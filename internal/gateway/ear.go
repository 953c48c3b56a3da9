package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/ear"
	"voicegateway/internal/ear/mute"
	"voicegateway/internal/ear/names"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ear/tts"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/keep/recorder"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/tools/local"
)

// earParts is everything from the microphone to the transcript, and from the reply to
// the speaker. A gateway for text only has just the voice.
type earParts struct {
	voice *tts.Voice
	loop  *ear.Loop
	wake  wake.Engine
	stt   stt.Engine
	deaf  bool // no recogniser knows the language
	// refusal is why the recogniser of a deaf gateway does not know the words to an alert; nil:
	// it knows them, or has not been asked.
	refusal atomic.Pointer[error]

	sound sound
	done  chan struct{} // closed when a finite source has ended and its last turn is over

	loud   *local.Loudness // nil without a speaker
	mute   *mute.Switch
	keeper *recorder.Recorder // nil: no sound is recorded

	rehearser *names.Rehearser // nil: the names of the house are not rehearsed
}

// newEar puts the sound path together. It tells acknowledged which alerts are over.
func (s setup) newEar(thinking mindParts, volume *local.Volume, observer ear.Observer, acknowledged func(ids []string, over bool)) (*earParts, error) {
	s.tellLanguages()
	voice, err := tts.New(s.cfg.TTS, s.log.With("part", "tts"))
	if err != nil {
		return nil, err
	}
	e := &earParts{voice: voice, deaf: s.deaf(), done: make(chan struct{})}
	if s.opts.TextOnly {
		return e, nil
	}
	command := []string{s.opts.Executable, "worker", "stt"}
	recognisers := s.recogniser(command)
	if recognisers.Voice, err = NewVoice(s.cfg, slog.New(slog.DiscardHandler)); err != nil {
		return nil, err
	}
	if e.stt, err = stt.New(recognisers); err != nil {
		return nil, err
	}
	if e.wake, err = wake.New(s.waker(command, thinking.wakes.Near)); err != nil {
		return nil, err
	}
	if e.sound, err = s.newSound(volume); err != nil {
		return nil, err
	}
	e.sound.mic.attend = e.stt.Attend
	e.loud = local.New(volume, s.log.With("part", "audio"))
	ends, err := NewEndpointer(s.cfg, s.log)
	if err != nil {
		return nil, err
	}
	parts := ear.Parts{
		Mic: e.sound.mic, Wake: e.wake, Stt: e.stt, End: Attentive(ends, e.stt), Mind: thinking.answerer,
		Voice: voice, Speaker: e.sound.speaker, Chimes: e.sound.chimes, Observer: observer, Log: s.log,
		Acknowledged: tellAll(acknowledged, e.loud.Acknowledged),
	}
	if s.records() {
		if e.keeper, err = s.newRecorder(); err != nil {
			return nil, err
		}
		parts.Keep = discreetKeeper{e.keeper, s.discreet}
	}
	e.loop, err = ear.NewLoop(ear.Config{
		Area: s.cfg.Gateway.Area, Source: s.opts.Source, Live: !s.opts.Fast,
		PushToTalk: s.opts.PushToTalk, DryRun: s.opts.DryRun, Earcons: s.cfg.Audio.Earcons,
	}, parts)
	if err != nil {
		return nil, fmt.Errorf("assembling the turn: %w", err)
	}
	e.mute = mute.New(s.cfg.Gateway.StateDir, e.loop, e.sound.microphone(), s.log.With("part", "audio"))
	return e, nil
}

// sound is where frames come from and clips go to.
type sound struct {
	mic     *Pulse
	speaker ear.Speaker
	chimes  ear.Speaker    // only the sound card: a file should hold replies, not short sounds
	card    *device.Device // nil if the sound comes from elsewhere
}

// deaf says why there is no microphone, or "" if there is one, it is closed on request, or
// that is not known.
func (s sound) deaf() string {
	if s.card == nil {
		return ""
	}
	if state := s.card.State(); state.Input == "" && !state.Muted {
		return state.Problem
	}
	return ""
}

// unheard says why the speaker cannot be heard, or "" if it can or that is not known.
func (s sound) unheard() string {
	if s.card == nil {
		return ""
	}
	return s.card.State().OutputProblem
}

// newSound uses the sound card, or the microphone and speaker that the options give
// instead.
func (s setup) newSound(volume *local.Volume) (sound, error) {
	level := volume.Gain().Level
	mic, speaker, chimes := s.opts.Mic, s.opts.Speaker, s.opts.Speaker
	var card *device.Device
	if mic == nil || speaker == nil {
		var err error
		cfg := s.cfg.sound(s.opts.Executable, s.log)
		cfg.Restarted = s.counts.Restarted
		if card, err = device.New(cfg); err != nil {
			return sound{}, fmt.Errorf("preparing the sound card: %w", err)
		}
	}
	if mic == nil {
		mic = card.Mic()
	}
	if speaker == nil {
		chimes = card.Speaker()
		speaker = &fallbackSpeaker{card: chimes, path: filepath.Join(s.cfg.Gateway.StateDir, lastReply), log: s.log}
	}
	return sound{
		mic: &Pulse{Microphone: mic}, speaker: &gain{Speaker: speaker, level: level}, chimes: &gain{Speaker: chimes, level: level}, card: card,
	}, nil
}

// microphone is the part of the sound that the mute switch closes.
func (s sound) microphone() mute.Microphone {
	if s.card == nil {
		return nil
	}
	return s.card
}

// waker is the configuration of the engine that hears the wake word.
func (s setup) waker(command []string, near func(speech.Detection)) wake.Config {
	c := s.cfg.Wake
	if s.opts.PushToTalk || s.deaf() {
		c.Engine = "none"
	}
	c.Command, c.ModelDir, c.Log = command, s.cfg.STT.ModelDir, s.log.With("part", "wake")
	c.Near = near
	c.Pronounce = stt.NewPronouncer(filepath.Join(c.ModelDir, "cmudict-en-us.dict"), s.cfg.STT.Pronunciations).All
	c.Restarted, c.Idle = s.counts.Restarted, s.workerIdle()
	return c
}

// workerIdle is how long a recogniser's worker may be idle. No worker is idle while a
// microphone listens. A recording is heard faster than a worker starts, so its workers run
// from the beginning.
func (s setup) workerIdle() time.Duration {
	if s.opts.Mic != nil {
		return 0
	}
	return 10 * time.Minute
}

// attending lets the recogniser hear the room along with the endpointer.
type attending struct {
	ear.Endpointer
	room stt.Listener
}

// Observe takes a frame of sound that is not meant for the gateway.
func (a attending) Observe(f audio.Frame) {
	a.Endpointer.Observe(f)
	a.room.Observe(f)
}

// Attentive returns the endpointer, and lets the recogniser hear the room as well
// if it wants to.
func Attentive(end ear.Endpointer, engine stt.Engine) ear.Endpointer {
	if room, ok := engine.(stt.Listener); ok {
		return attending{end, room}
	}
	return end
}

// services returns the ear's entries in the table of services.
func (e *earParts) services(h *house.House) []service {
	if e.loop == nil {
		return nil
	}
	s := []service{
		{"turns", e.listen, true},
		{"wake", e.wake.Run, false},
		{"stt", e.stt.Run, false},
		{"grammar", func(ctx context.Context) error { return e.teach(ctx, h) }, false},
	}
	if e.rehearser != nil {
		s = append(s, service{"rehearsal", e.rehearser.Run, false})
	}
	if e.sound.card != nil {
		s = append(s, service{"audio", e.sound.card.Run, false})
	}
	if e.keeper != nil {
		s = append(s, service{"recorder", e.keeper.Run, false})
	}
	return s
}

// alertsAlone is a grammar without any sentence of the family's: a recogniser that is given
// it still hears the words to an alert, which are a list of their own.
const alertsAlone = "#JSGF V1.0;\ngrammar alerts;\npublic <said> = stop ;\n"

// alertsAgain is the pause before the words to an alert are offered again to a recogniser that
// has refused them.
const alertsAgain = 5 * time.Second

// teach keeps the recogniser's grammar equal to the house. One that does not know the
// language learns nothing of the house: it is never woken, and only hears how an alert is
// answered.
func (e *earParts) teach(ctx context.Context, h *house.House) error {
	if !e.deaf {
		return h.Teach(ctx, e.stt)
	}
	for {
		_, err := e.stt.SetGrammar(ctx, speech.Grammar{JSGF: alertsAlone, Words: []string{"stop"}})
		if err == nil {
			e.refusal.Store(nil)
			return h.Teach(ctx, nil)
		}
		e.refusal.Store(&err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(alertsAgain):
		}
	}
}

// alertTrouble says why the words to an alert are not heard, "" if they are.
func (e *earParts) alertTrouble() string {
	if err := e.refusal.Load(); err != nil {
		return "the words to an alert are not heard: " + (*err).Error()
	}
	return ""
}

// listen runs the loop and tells when a finite source has ended.
func (e *earParts) listen(ctx context.Context) error {
	own, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	telling.Go(func() { e.mute.Apply(own) })
	err := e.loop.Run(ctx)
	cancel()
	telling.Wait()
	close(e.done)
	return err
}
