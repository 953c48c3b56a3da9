package local

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicegateway/internal/ground/process"
)

// mixerTimeout bounds one run of a mixer program: a run takes milliseconds, and one
// that hangs (because the sound server is stopped) never ends.
const mixerTimeout = 2 * time.Second

// maxMixer bounds what a mixer program may write, in bytes; a card with a hundred
// controls takes a tenth of it.
const maxMixer = 64 << 10

// mixerRun runs one of the mixer programs with fixed arguments and no shell. It
// keeps our environment, which says where the sound server is.
type mixerRun struct {
	env []string // added for tests
}

func (m mixerRun) run(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, mixerTimeout)
	defer cancel()
	env := append([]string{"LC_ALL=C"}, m.env...) // C: "40", "0.40", "Mute: no"
	out, err := process.Run(ctx, process.Task{Program: process.Program{Path: name, Args: args, Env: env, Inherit: true}, MaxOutput: maxMixer})
	failed, told := errors.AsType[*process.Error](err)
	switch {
	case err == nil:
		return string(out), nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: no answer within %s", name, mixerTimeout)
	case told && textOfHTML(failed.Said) != "":
		return "", fmt.Errorf("%s: %w: %s", name, failed.Err, shorten(textOfHTML(failed.Said), 300))
	}
	return "", fmt.Errorf("%s: %w", name, err)
}

// wpctl speaks to PipeWire.
type wpctl struct{ mixerRun }

const pipewireSink = "@DEFAULT_AUDIO_SINK@"

var wpctlVolume = regexp.MustCompile(`^Volume: ([0-9]+(?:\.[0-9]+)?)( \[MUTED\])?`)

func (m *wpctl) get(ctx context.Context) (level int, muted bool, err error) {
	out, err := m.run(ctx, "wpctl", "get-volume", pipewireSink)
	if err != nil {
		return 0, false, err
	}
	return parseWpctl(out)
}

func parseWpctl(out string) (level int, muted bool, err error) {
	found := wpctlVolume.FindStringSubmatch(out)
	if found == nil {
		return 0, false, fmt.Errorf("wpctl: no volume in %q", shorten(textOfHTML(out), 100))
	}
	factor, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return 0, false, fmt.Errorf("wpctl: %w", err)
	}
	return int(min(100, math.Round(factor*100))), found[2] != "", nil
}

func (m *wpctl) setLevel(ctx context.Context, level int) error {
	_, err := m.run(ctx, "wpctl", "set-volume", pipewireSink, strconv.Itoa(level)+"%")
	return err
}

func (m *wpctl) setMute(ctx context.Context, on bool) error {
	_, err := m.run(ctx, "wpctl", "set-mute", pipewireSink, oneOrZero(on))
	return err
}

// pactl speaks to PulseAudio, or to PipeWire in its place.
type pactl struct{ mixerRun }

const pulseSink = "@DEFAULT_SINK@"

var percent = regexp.MustCompile(`([0-9]{1,5})%`)

func (m *pactl) get(ctx context.Context) (level int, muted bool, err error) {
	volume, err := m.run(ctx, "pactl", "get-sink-volume", pulseSink)
	if err != nil {
		return 0, false, err
	}
	mute, err := m.run(ctx, "pactl", "get-sink-mute", pulseSink)
	if err != nil {
		return 0, false, err
	}
	return parsePactl(volume, mute)
}

func parsePactl(volume, mute string) (level int, muted bool, err error) {
	if level, err = firstPercent("pactl", volume); err != nil {
		return 0, false, err
	}
	state, ok := strings.CutPrefix(strings.TrimSpace(mute), "Mute: ")
	if !ok || (state != "yes" && state != "no") {
		return 0, false, fmt.Errorf("pactl: no mute state in %q", shorten(textOfHTML(mute), 100))
	}
	return level, state == "yes", nil
}

func firstPercent(program, out string) (int, error) {
	found := percent.FindStringSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("%s: no volume in %q", program, shorten(textOfHTML(out), 100))
	}
	level, err := strconv.Atoi(found[1])
	if err != nil {
		return 0, fmt.Errorf("%s: %w", program, err)
	}
	return min(level, 100), nil
}

func (m *pactl) setLevel(ctx context.Context, level int) error {
	_, err := m.run(ctx, "pactl", "set-sink-volume", pulseSink, strconv.Itoa(level)+"%")
	return err
}

func (m *pactl) setMute(ctx context.Context, on bool) error {
	_, err := m.run(ctx, "pactl", "set-sink-mute", pulseSink, oneOrZero(on))
	return err
}

// amixer speaks to ALSA. Every card names its main control differently, so the
// usual names are looked for.
type amixer struct {
	mixerRun
	control, card string
}

var (
	simpleControl = regexp.MustCompile(`(?m)^Simple mixer control '(.+)',([0-9]+)$`)
	alsaVolume    = regexp.MustCompile(`\[([0-9]{1,3})%\](?: \[[^\]]*dB\])?(?: \[(on|off)\])?`)
)

func (m *amixer) get(ctx context.Context) (level int, muted bool, err error) {
	out, err := m.amixer(ctx, "sget")
	if err != nil {
		return 0, false, err
	}
	return parseAmixer(out)
}

func parseAmixer(out string) (level int, muted bool, err error) {
	for line := range strings.Lines(out) {
		// A control may have a capture side too, which is the microphone.
		if strings.Contains(line, "Capture ") {
			line, _, _ = strings.Cut(line, "Capture ")
		}
		if found := alsaVolume.FindStringSubmatch(line); found != nil {
			level, err := firstPercent("amixer", found[0])
			return level, found[2] == "off", err
		}
	}
	return 0, false, errors.New("amixer: the control has no playback volume; name another one in tools.volume.control (`amixer scontrols` lists them)")
}

func (m *amixer) setLevel(ctx context.Context, level int) error {
	_, err := m.amixer(ctx, "sset", strconv.Itoa(level)+"%")
	return err
}

func (m *amixer) setMute(ctx context.Context, on bool) error {
	word := "unmute"
	if on {
		word = "mute"
	}
	out, err := m.amixer(ctx, "sset", word)
	if err != nil {
		return err
	}
	if _, muted, err := parseAmixer(out); err != nil || muted != on {
		return errors.New("amixer: the control cannot be muted; name another one in tools.volume.control")
	}
	return nil
}

// amixer runs a command on the control. -M is the scale the ear hears.
func (m *amixer) amixer(ctx context.Context, command string, value ...string) (string, error) {
	args := []string{"-M"}
	if m.card != "" {
		args = append(args, "-c", m.card)
	}
	control := m.control
	if control == "" {
		out, err := m.run(ctx, "amixer", append(slices.Clone(args), "scontrols")...)
		if err != nil {
			return "", err
		}
		if control = pickControl(out); control == "" {
			return "", errors.New("amixer: the card has no control for the volume")
		}
	}
	args = append(args, command, control)
	return m.run(ctx, "amixer", append(args, value...)...)
}

// pickControl finds the main control in the output of `amixer scontrols`; "" if it
// lists none of the usual names.
func pickControl(out string) string {
	var there []string
	for _, found := range simpleControl.FindAllStringSubmatch(out, -1) {
		if found[2] == "0" {
			there = append(there, found[1])
		}
	}
	// The usual names, best first.
	for _, name := range []string{"Master", "PCM", "Speaker", "Headphone", "Digital", "Line Out", "HDMI", "SoftMaster"} {
		if slices.Contains(there, name) {
			return name
		}
	}
	return ""
}

// software is our own gain used as a mixer. It always works.
type software struct{ gain *Gain }

func (m software) get(context.Context) (level int, muted bool, err error) {
	return int(100 - m.gain.cut.Load()), m.gain.muted.Load(), nil
}

func (m software) setLevel(_ context.Context, level int) error {
	m.gain.cut.Store(int32(100 - level))
	return nil
}

func (m software) setMute(_ context.Context, on bool) error {
	m.gain.muted.Store(on)
	return nil
}

func oneOrZero(on bool) string {
	if on {
		return "1"
	}
	return "0"
}
