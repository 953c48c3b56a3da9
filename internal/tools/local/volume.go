package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/tools"
)

// VolumeConfig is how the volume is changed.
type VolumeConfig struct {
	Backend string `yaml:"backend"` // auto, wpctl, pactl, amixer or software
	Control string `yaml:"control"` // amixer: the control's name; "" finds the usual one
	Card    string `yaml:"card"`    // amixer: the card; "" is the default one
	Step    int    `yaml:"step"`    // percent of one up or down
}

func defaultVolume() VolumeConfig { return VolumeConfig{Backend: "auto", Step: 10} }

func (c VolumeConfig) validate() error {
	if c.Backend != "auto" && !slices.Contains(mixerNames(), c.Backend) {
		return fmt.Errorf("tools.volume.backend: there is no backend %q; choose from auto, %s", c.Backend, strings.Join(mixerNames(), ", "))
	}
	for key, v := range map[string]string{"control": c.Control, "card": c.Card} {
		if strings.HasPrefix(v, "-") || len(v) > 64 || textOfHTML(v) != v {
			return fmt.Errorf("tools.volume.%s: %q is not a name; `amixer scontrols` and `aplay -l` list them", key, v)
		}
	}
	if c.Step < 1 || c.Step > 50 {
		return fmt.Errorf("tools.volume.step: %d percent is outside 1 to 50", c.Step)
	}
	return nil
}

// VolumeState is what the volume is.
type VolumeState struct {
	Level   int    `json:"level"` // percent, 0 to 100
	Muted   bool   `json:"muted"`
	Backend string `json:"backend"` // which mixer it is about
}

// mixer is one way to change the volume. Levels are percent, 0 to 100.
type mixer interface {
	get(ctx context.Context) (level int, muted bool, err error)
	setLevel(ctx context.Context, level int) error
	setMute(ctx context.Context, on bool) error
}

// mixers is every backend in the order in which auto tries them
// (docs/facts/sound.md, Volume). The last one always works.
func mixers(cfg VolumeConfig, gain *Gain) []namedMixer {
	return []namedMixer{
		{"wpctl", &wpctl{}},
		{"pactl", &pactl{}},
		{"amixer", &amixer{control: cfg.Control, card: cfg.Card}},
		{"software", software{gain}},
	}
}

type namedMixer struct {
	name string
	mixer
}

// mixerNames lists the backends for messages.
func mixerNames() []string {
	var names []string
	for _, m := range mixers(VolumeConfig{}, nil) {
		names = append(names, m.name)
	}
	return names
}

// lookAgain is how often auto looks for a real mixer after it found only our own
// gain: the sound server of a desktop starts after us.
const lookAgain = time.Minute

// Volume changes how loud the machine is. It looks for a mixer when one is first
// needed and again when the mixer stops answering. It is safe for concurrent use.
type Volume struct {
	cfg    VolumeConfig
	gain   Gain
	mixers []namedMixer
	log    *slog.Logger

	mu     sync.Mutex
	chosen *namedMixer
	looked time.Time
}

func newVolume(cfg VolumeConfig, log *slog.Logger) *Volume {
	v := &Volume{cfg: cfg, log: log}
	v.mixers = mixers(cfg, &v.gain)
	if cfg.Backend != "auto" {
		v.mixers = slices.DeleteFunc(v.mixers, func(m namedMixer) bool { return m.name != cfg.Backend })
	}
	return v
}

// Gain is what the speaker must apply to its samples; it stays at 1 while a
// mixer of the machine is used.
func (v *Volume) Gain() *Gain { return &v.gain }

// Get reads the volume.
func (v *Volume) Get(ctx context.Context) (VolumeState, error) {
	_, s, err := v.change(ctx, leave)
	return s, err
}

// Set makes the volume 0 to 100 percent; values outside are clamped. Anything
// above 0 also ends a mute.
func (v *Volume) Set(ctx context.Context, level int) (VolumeState, error) {
	_, s, err := v.change(ctx, setLevel(level))
	return s, err
}

// Mute silences the machine's sound or ends that; the level stays.
func (v *Volume) Mute(ctx context.Context, on bool) (VolumeState, error) {
	_, s, err := v.change(ctx, setMute(on))
	return s, err
}

// changer changes a mixer, which is in the given state.
type changer func(context.Context, mixer, VolumeState) error

// leave changes nothing.
func leave(context.Context, mixer, VolumeState) error { return nil }

// setLevel makes a changer to a level.
func setLevel(level int) changer {
	return func(ctx context.Context, m mixer, s VolumeState) error { return setTo(ctx, m, s, level) }
}

// stepBy makes a changer by percent, louder or quieter, at most to 100 and 0.
func stepBy(percent int) changer {
	return func(ctx context.Context, m mixer, s VolumeState) error { return setTo(ctx, m, s, s.Level+percent) }
}

// setMute makes a changer that mutes or ends that.
func setMute(on bool) changer {
	return func(ctx context.Context, m mixer, _ VolumeState) error { return m.setMute(ctx, on) }
}

func setTo(ctx context.Context, m mixer, s VolumeState, level int) error {
	level = min(max(level, 0), 100)
	if err := m.setLevel(ctx, level); err != nil {
		return err
	}
	if s.Muted && level > 0 {
		return m.setMute(ctx, false)
	}
	return nil
}

// change applies do to the mixer and returns the state before it, and the one that is read
// back afterwards. If the mixer has stopped answering, another one is looked for, once.
func (v *Volume) change(ctx context.Context, do changer) (before, after VolumeState, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for range 2 {
		var m *namedMixer
		if m, err = v.choose(ctx); err != nil {
			return before, after, err
		}
		if before, after, err = v.apply(ctx, m, do); err == nil {
			return before, after, nil
		}
		if ctx.Err() != nil {
			return before, after, fmt.Errorf("changing the volume: %w", ctx.Err())
		}
		v.chosen = nil
	}
	return before, after, fmt.Errorf("changing the volume: %w", err)
}

func (v *Volume) apply(ctx context.Context, m *namedMixer, do changer) (before, after VolumeState, err error) {
	before = VolumeState{Backend: m.name}
	if before.Level, before.Muted, err = m.get(ctx); err != nil {
		return before, before, err
	}
	after = before
	if err = do(ctx, m, before); err != nil {
		return before, after, err
	}
	after.Level, after.Muted, err = m.get(ctx)
	return before, after, err
}

// choose returns the mixer in use, or the first that answers.
func (v *Volume) choose(ctx context.Context) (*namedMixer, error) {
	if v.chosen != nil && !v.worthLooking() {
		return v.chosen, nil
	}
	var errs []error
	v.looked = time.Now()
	for i := range v.mixers {
		m := &v.mixers[i]
		if _, _, err := m.get(ctx); err != nil {
			errs = append(errs, err)
			continue
		}
		if v.chosen != m {
			v.log.Info("volume control found", "backend", m.name)
		}
		v.chosen = m
		return m, nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("looking for a volume control: %w", ctx.Err())
	}
	return nil, fmt.Errorf("looking for a volume control: %w", errors.Join(errs...))
}

// worthLooking reports whether to look for a real mixer: only our own gain was found, it
// is unchanged, and lookAgain has passed.
func (v *Volume) worthLooking() bool {
	return v.cfg.Backend == "auto" && v.chosen.name == "software" && v.gain.Level() == 1 && time.Since(v.looked) > lookAgain
}

// volumeResult is what the tool answers.
type volumeResult struct {
	VolumeState

	Before *VolumeState `json:"before,omitempty"` // what it was before it was changed
}

type volumeArgs struct {
	Action string `json:"action"`
	Level  *int   `json:"level"`
}

func newVolumeTool(v *Volume) tools.Tool {
	return tools.New(tools.Spec{
		Name:        "set_volume",
		Title:       "Volume",
		Description: "Reads or changes how loud this speaker is: get, set (to level), up, down (by level if given), mute, unmute.",
		Input: json.RawMessage(`{
			"type": "object",
			"properties": {
				"action": {"type": "string", "enum": ["get", "set", "up", "down", "mute", "unmute"]},
				"level": {"type": "integer", "minimum": 0, "maximum": 100, "description": "Percent; needed for set."}
			},
			"required": ["action"],
			"additionalProperties": false
		}`),
		Output: json.RawMessage(`{
			"type": "object",
			"properties": {"level": {"type": "integer"}, "muted": {"type": "boolean"}, "backend": {"type": "string"}, "before": {"type": "object", "description": "What it was, if it was changed."}},
			"required": ["level", "muted", "backend"]
		}`),
		Risk: tools.Reversible,
	}, v.call)
}

func (v *Volume) call(ctx context.Context, a volumeArgs) (tools.Result, error) {
	percent := v.cfg.Step
	if a.Level != nil {
		percent = min(max(*a.Level, 0), 100)
	}
	do := leave
	switch a.Action {
	case "get":
	case "set":
		if a.Level == nil {
			return failure("To set the volume, say a level from 0 to 100."), nil
		}
		do = setLevel(percent)
	case "up":
		do = stepBy(percent)
	case "down":
		do = stepBy(-percent)
	case "mute", "unmute":
		do = setMute(a.Action == "mute")
	default:
		return failure("The argument \"action\" of set_volume must be get, set, up, down, mute or unmute."), nil
	}
	before, s, err := v.change(ctx, do)
	if ctx.Err() != nil {
		return tools.Result{}, fmt.Errorf("changing the volume: %w", ctx.Err())
	}
	if err != nil {
		v.log.Warn("volume did not change", "tool", "set_volume", "err", err)
		return failure("I can't reach the volume control of this machine."), nil
	}
	told := volumeResult{VolumeState: s}
	if before != s {
		told.Before = &before
	}
	data, err := json.Marshal(told)
	if err != nil {
		return tools.Result{}, fmt.Errorf("changing the volume: %w", err)
	}
	return tools.Result{Text: sayVolume(s), Data: data}, nil
}

// sayVolume says what the mixer reports, not what was asked for.
func sayVolume(s VolumeState) string {
	if s.Muted {
		return "The sound is muted."
	}
	return fmt.Sprintf("The volume is %d percent.", s.Level)
}
