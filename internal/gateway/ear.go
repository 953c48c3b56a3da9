package gateway

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/house"
	"voicegateway/internal/mute"
	"voicegateway/internal/recorder"
	"voicegateway/internal/speech/stt"
	"voicegateway/internal/speech/wake"
	"voicegateway/internal/turn"
)

// ear is everything between the microphone and the transcript, and back to the
// speaker. All of it is nil in a gateway for text only.
type ear struct {
	loop  *turn.Loop
	wake  wake.Engine
	stt   stt.Engine
	sound *device.Device // nil where other sound takes the card's place
	done  chan struct{}  // closed when a finite source has been told to its end

	pulse  *pulse
	mute   *mute.Switch
	keeper *recorder.Recorder // nil where nothing is kept
}

// buildEar puts the sound path together.
func (g *Gateway) buildEar() error {
	g.tellLanguages()
	g.ear = ear{done: make(chan struct{})}
	if g.opts.TextOnly {
		return nil
	}
	command := []string{g.opts.Executable, "worker", "stt"}
	var err error
	if g.ear.stt, err = stt.New(g.recogniser(command)); err != nil {
		return err
	}
	if g.ear.wake, err = wake.New(g.waker(command)); err != nil {
		return err
	}
	mic, speaker, err := g.sound()
	if err != nil {
		return err
	}
	keep, err := g.buildRecorder()
	if err != nil {
		return err
	}
	ends, err := NewEndpointer(g.cfg, g.log)
	if err != nil {
		return err
	}
	g.ear.loop, err = turn.NewLoop(turn.Config{
		Area: g.cfg.Gateway.Area, Source: g.opts.Source, Live: !g.opts.Fast,
		PushToTalk: g.opts.PushToTalk, DryRun: g.opts.DryRun, Earcons: g.cfg.Audio.Earcons,
	}, turn.Parts{
		Mic: mic, Wake: g.ear.wake, Stt: g.ear.stt, End: Attentive(ends, g.ear.stt),
		Mind: g.mind.answerer, Voice: g.voice, Speaker: speaker, Chimes: g.chimes(speaker), Observer: g.observer, Log: g.log, Keep: keep,
	})
	if err != nil {
		return fmt.Errorf("assembling the turn: %w", err)
	}
	var card mute.Microphone
	if g.ear.sound != nil {
		card = g.ear.sound
	}
	g.ear.mute = mute.New(g.cfg.Gateway.StateDir, g.ear.loop, card, g.log.With("part", "audio"))
	return nil
}

// waker is the configuration of the engine that hears the wake word.
func (g *Gateway) waker(command []string) wake.Config {
	c := g.cfg.Wake
	if g.opts.PushToTalk || g.deaf() {
		c.Engine = "none"
	}
	c.Command, c.ModelDir, c.Log = command, g.cfg.STT.ModelDir, g.log.With("part", "wake")
	c.Pronounce = stt.NewPronouncer(filepath.Join(c.ModelDir, "cmudict-en-us.dict"), g.cfg.STT.Pronunciations).All
	return c
}

// attending lets the recogniser hear the room along with the endpointer.
type attending struct {
	turn.Endpointer
	room stt.Listener
}

// Observe takes a frame of sound nobody has spoken to us in.
func (a attending) Observe(f audio.Frame) {
	a.Endpointer.Observe(f)
	a.room.Observe(f)
}

// Attentive is the endpointer, with the recogniser listening where it wants to.
func Attentive(end turn.Endpointer, engine stt.Engine) turn.Endpointer {
	if room, ok := engine.(stt.Listener); ok {
		return attending{end, room}
	}
	return end
}

// sound returns microphone and speaker: the card's, or what the options put in
// their place.
func (g *Gateway) sound() (turn.Microphone, turn.Speaker, error) {
	mic, speaker := g.opts.Mic, g.opts.Speaker
	if mic == nil || speaker == nil {
		card, err := device.New(g.cfg.sound(g.opts.Executable, g.log))
		if err != nil {
			return nil, nil, fmt.Errorf("preparing the sound card: %w", err)
		}
		g.ear.sound = card
		if mic == nil {
			mic = card.Mic()
		}
		if speaker == nil {
			speaker = &fallbackSpeaker{
				card: card.Speaker(), path: filepath.Join(g.cfg.Gateway.StateDir, "last-reply.wav"), log: g.log,
			}
		}
	}
	g.ear.pulse = &pulse{Microphone: mic}
	return g.ear.pulse, &gain{Speaker: speaker, level: g.mind.volume.Gain().Level}, nil
}

// chimes is where the short sounds go: to the card alone, since a file keeps what
// was said.
func (g *Gateway) chimes(speaker turn.Speaker) turn.Speaker {
	if g.opts.Speaker != nil {
		return speaker
	}
	return &gain{Speaker: g.ear.sound.Speaker(), level: g.mind.volume.Gain().Level}
}

// services are the ear's lines in the table of services.
func (e *ear) services(h *house.House) []service {
	if e.loop == nil {
		return nil
	}
	s := []service{
		{"turns", e.listen, true},
		{"wake", e.wake.Run, false},
		{"stt", e.stt.Run, false},
		{"grammar", func(ctx context.Context) error { return h.Teach(ctx, e.stt) }, false},
	}
	if e.sound != nil {
		s = append(s, service{"audio", e.sound.Run, false})
	}
	if e.keeper != nil {
		s = append(s, service{"recorder", e.keeper.Run, false})
	}
	return s
}

// listen runs the loop and tells when a finite source has ended.
func (e *ear) listen(ctx context.Context) error {
	own, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	telling.Go(func() { e.mute.Apply(own) })
	err := e.loop.Run(ctx)
	cancel()
	telling.Wait()
	close(e.done)
	return err
}
