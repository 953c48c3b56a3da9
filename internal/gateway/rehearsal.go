package gateway

import (
	"errors"
	"fmt"
	"time"

	"voicegateway/internal/doors"
	"voicegateway/internal/ear"
	"voicegateway/internal/ear/names"
	"voicegateway/internal/mind/house"
)

// newRehearser makes what rehearses the names of the house; nil where no recogniser
// knows the language. It waits while a turn is under way, and its recogniser gives way
// to everything else on the machine.
func (s setup) newRehearser(rooms *house.House, hearing *earParts, j *journal) *names.Rehearser {
	if s.opts.TextOnly || s.opts.Private || s.deaf() {
		return nil // nothing is heard here
	}
	voice := s.cfg.TTS
	cfg := names.Config{
		Pack: rooms.Pack(), Voice: hearing.voice, Speaks: fmt.Sprintf("%q %+v %+v %+v", voice.Engines, voice.Espeak, voice.Flite, voice.Piper),
		Recogniser: s.recogniser([]string{"nice", "-n", "19", s.opts.Executable, "worker", "stt"}),
		Idle:       func() bool { return j.state() == ear.Idle || j.state() == ear.Muted },
		Log:        s.log.With("part", "rehearsal"), Dir: s.cfg.Gateway.StateDir,
	}
	// Nobody waits for what is heard here: one worker runs at a time, as long as it takes.
	cfg.Recogniser.Sparing, cfg.Recogniser.Patience = cfg.Recogniser.Idle > 0, time.Minute
	if s.cfg.Home.Rehearse && s.opts.Mic == nil {
		cfg.Quiet = j.quiet
	}
	return names.New(cfg, rooms.House)
}

// rehearsals is the rehearser as its HTTP interface sees it.
type rehearsals struct{ *names.Rehearser }

// Start asks for a rehearsal.
func (r rehearsals) Start() error {
	if r.Rehearser == nil {
		return fmt.Errorf("%w: no recogniser here knows the language", doors.ErrUnavailable)
	}
	err := r.Rehearser.Start()
	if errors.Is(err, names.ErrRunning) {
		return doors.Because(doors.ErrConflict, err)
	}
	return err
}

// State is how it stands.
func (r rehearsals) State() names.State {
	if r.Rehearser == nil {
		return names.State{Trouble: "no recogniser here knows the language"}
	}
	return r.Rehearser.State()
}
