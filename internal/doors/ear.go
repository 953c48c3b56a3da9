package doors

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear"
	"voicegateway/internal/ear/names"
	"voicegateway/internal/ear/wakes"
)

func hasEar(p *Parts) bool { return p.Ear != nil }

// listening says that the gateway listens.
type listening struct {
	Listening bool `json:"listening"`
}

func listen(ctx context.Context, p *Parts, _ struct{}) (listening, error) {
	return listening{true}, p.Ear.Listen(ctx)
}

// Held is what a person does with a button that is held while one speaks.
type Held struct {
	Button string `json:"button"` // down, held or up
}

// fitHeld says what no button does.
func fitHeld(in *Held) error {
	switch ear.Button(in.Button) {
	case ear.ButtonDown, ear.ButtonHeld, ear.ButtonUp:
		return nil
	}
	return Refuse(ErrMisasked, `"button" is down, held or up`)
}

func holdButton(ctx context.Context, p *Parts, in Held) (Held, error) {
	return in, p.Ear.Hold(ctx, ear.Button(in.Button))
}

// stopped says that the gateway neither hears nor says anything any more.
type stopped struct {
	Stopped bool `json:"stopped"`
}

func stop(ctx context.Context, p *Parts, _ struct{}) (stopped, error) {
	return stopped{true}, p.Ear.Stop(ctx)
}

// MuteSwitch is the position of the mute switch.
type MuteSwitch struct {
	Muted bool `json:"muted"`
}

// String says it at a terminal.
func (m MuteSwitch) String() string {
	if m.Muted {
		return "The microphone is muted, until: voice-gateway mute off"
	}
	return "The microphone is open."
}

func readMute(_ context.Context, p *Parts, _ struct{}) (MuteSwitch, error) {
	return MuteSwitch{p.Ear.Muted()}, nil
}

// muting closes the microphone or opens it.
type muting = struct {
	On *bool `json:"on"`
}

// mute sets the mute switch.
func mute(ctx context.Context, p *Parts, in muting) (MuteSwitch, error) {
	if in.On == nil {
		return MuteSwitch{}, Refuse(ErrMisasked, `"on" is missing; expected true or false`)
	}
	err := p.Ear.Mute(ctx, *in.On)
	return MuteSwitch{p.Ear.Muted()}, err
}

func readMuting(args []string) (in muting, err error) {
	if len(args) > 1 || args[0] != "on" && args[0] != "off" {
		return in, errors.New("voice-gateway mute takes on or off, or no argument to show the state")
	}
	on := args[0] == "on"
	in.On = &on
	return in, nil
}

func hasVolume(p *Parts) bool { return p.Volume != nil }

func readVolume(ctx context.Context, p *Parts, _ struct{}) (Level, error) {
	return p.Volume.Volume(ctx)
}

// loudness is how loud the speaker is to be. MQTT takes a fraction, and cuts it off.
type loudness = struct {
	Level *int `json:"level" mqtt:"percent"`
}

// setVolume sets the volume and answers with what it then is.
func setVolume(ctx context.Context, p *Parts, in loudness) (Level, error) {
	if in.Level == nil || *in.Level < 0 || *in.Level > 100 {
		return Level{}, Refuse(ErrMisasked, `"level" is a number from 0 to 100`)
	}
	if err := p.Volume.SetVolume(ctx, *in.Level); err != nil {
		return Level{}, err
	}
	return p.Volume.Volume(ctx)
}

func readLoudness(args []string) (in loudness, err error) {
	if len(args) > 1 {
		return in, fmt.Errorf("volume needs a number from 0 to 100, or nothing; %d arguments were given", len(args))
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 0 || n > 100 {
		return in, fmt.Errorf("the volume %q is no number from 0 to 100", args[0])
	}
	in.Level = &n
	return in, nil
}

func listDevices(ctx context.Context, p *Parts, _ struct{}) (audio.Equipment, error) {
	return p.Ear.Devices(ctx)
}

func showWakes(_ context.Context, p *Parts, _ struct{}) (wakes.State, error) {
	return p.Wakes.State(), nil
}

func hasRehearsal(p *Parts) bool { return p.Rehearsal != nil }

func showRehearsal(_ context.Context, p *Parts, _ struct{}) (names.State, error) {
	return p.Rehearsal.State(), nil
}

func startRehearsal(_ context.Context, p *Parts, _ struct{}) (names.State, error) {
	err := p.Rehearsal.Start()
	return p.Rehearsal.State(), err
}
