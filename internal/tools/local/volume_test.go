package local

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
)

// fakeMixer is a mixer under the test's control.
type fakeMixer struct {
	level int
	muted bool
	err   error
}

func (m *fakeMixer) get(context.Context) (level int, muted bool, err error) {
	return m.level, m.muted, m.err
}

func (m *fakeMixer) setLevel(_ context.Context, level int) error {
	m.level = level
	return m.err
}

func (m *fakeMixer) setMute(_ context.Context, on bool) error {
	m.muted = on
	return m.err
}

// stepVolume makes it louder or quieter by percent.
func stepVolume(ctx context.Context, v *Volume, percent int) (VolumeState, error) {
	_, s, err := v.change(ctx, stepBy(percent))
	return s, err
}

// volumeOf makes a Volume whose only real mixer is the given one.
func volumeOf(m mixer) *Volume {
	v := newVolume(defaultVolume(), slog.New(slog.DiscardHandler))
	v.mixers = []namedMixer{{"fake", m}, {"software", software{&v.gain}}}
	return v
}

func TestVolumeActions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start fakeMixer
		args  string
		level int
		muted bool
		text  string
	}{
		"get":            {fakeMixer{level: 40}, `{"action":"get"}`, 40, false, "The volume is 40 percent."},
		"set":            {fakeMixer{level: 40}, `{"action":"set","level":70}`, 70, false, "The volume is 70 percent."},
		"set too high":   {fakeMixer{level: 40}, `{"action":"set","level":700}`, 100, false, "The volume is 100 percent."},
		"up":             {fakeMixer{level: 40}, `{"action":"up"}`, 50, false, "The volume is 50 percent."},
		"up by":          {fakeMixer{level: 40}, `{"action":"up","level":25}`, 65, false, "The volume is 65 percent."},
		"up at the top":  {fakeMixer{level: 95}, `{"action":"up"}`, 100, false, "The volume is 100 percent."},
		"down":           {fakeMixer{level: 5}, `{"action":"down"}`, 0, false, "The volume is 0 percent."},
		"mute":           {fakeMixer{level: 40}, `{"action":"mute"}`, 40, true, "The sound is muted."},
		"unmute":         {fakeMixer{level: 40, muted: true}, `{"action":"unmute"}`, 40, false, "The volume is 40 percent."},
		"up ends mute":   {fakeMixer{level: 40, muted: true}, `{"action":"up"}`, 50, false, "The volume is 50 percent."},
		"zero is no end": {fakeMixer{level: 5, muted: true}, `{"action":"set","level":0}`, 0, true, "The sound is muted."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := c.start
			result := call(t, newVolumeTool(volumeOf(&m)), c.args)
			if m.level != c.level || m.muted != c.muted || result.Text != c.text || result.Failed {
				t.Errorf("the mixer is %+v, says %+v", m, result)
			}
			var s VolumeState
			if err := json.Unmarshal(result.Data, &s); err != nil || s != (VolumeState{c.level, c.muted, "fake"}) {
				t.Errorf("the data is %s, %v", result.Data, err)
			}
		})
	}
	if result := call(t, newVolumeTool(volumeOf(&fakeMixer{})), `{"action":"set"}`); !result.Failed {
		t.Errorf("set without a level gave %+v", result)
	}
}

func TestOwnGainIsUsedWhenNoMixerAnswers(t *testing.T) {
	t.Parallel()
	v := volumeOf(&fakeMixer{err: errors.New("no card")})
	if got := v.Gain().Level(); got != 1 {
		t.Errorf("the gain starts at %v", got)
	}
	s, err := v.Set(t.Context(), 30)
	if err != nil || s != (VolumeState{30, false, "software"}) || v.Gain().Level() != 0.3 {
		t.Errorf("set gave %+v, %v, gain %v", s, err, v.Gain().Level())
	}
	if _, err := v.Mute(t.Context(), true); err != nil || v.Gain().Level() != 0 {
		t.Errorf("mute gave %v, gain %v", err, v.Gain().Level())
	}
	if s, err := stepVolume(t.Context(), v, 20); err != nil || s.Level != 50 || v.Gain().Level() != 0.5 {
		t.Errorf("louder gave %+v, %v, gain %v", s, err, v.Gain().Level())
	}
}

func TestMixerThatComesOrGoesIsFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &fakeMixer{level: 60, err: errors.New("connection refused")}
		v := volumeOf(m)
		backend := func() string {
			t.Helper()
			s, err := v.Get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return s.Backend
		}
		if got := backend(); got != "software" {
			t.Errorf("at first %s is used", got)
		}
		m.err = nil
		<-time.After(2 * lookAgain) // virtual time
		if got := backend(); got != "fake" {
			t.Errorf("after the mixer came, %s is used", got)
		}
		m.err = errors.New("connection refused")
		if s, err := v.Set(t.Context(), 20); err != nil || s.Backend != "software" || v.Gain().Level() != 0.2 {
			t.Errorf("after the mixer went: %+v, %v", s, err)
		}
		// The gain is in use now; changing to the mixer would be a jump in loudness.
		m.err = nil
		<-time.After(2 * lookAgain) // virtual time
		if got := backend(); got != "software" {
			t.Errorf("with the gain in use, %s is used", got)
		}
	})
}

func TestNamedBackendThatIsMissingSaysSo(t *testing.T) {
	t.Parallel()
	v := volumeOf(&fakeMixer{err: errors.New("no card")})
	v.mixers = v.mixers[:1]
	if _, err := v.Get(t.Context()); err == nil || !strings.Contains(err.Error(), "no card") {
		t.Errorf("got %v", err)
	}
	result := call(t, newVolumeTool(v), `{"action":"up"}`)
	if !result.Failed || strings.Contains(result.Text, "no card") {
		t.Errorf("the family hears %+v", result)
	}
}

func TestGainIsSafeTogether(t *testing.T) {
	t.Parallel()
	v := volumeOf(&fakeMixer{err: errors.New("no card")})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := range 100 {
				if _, err := v.Set(t.Context(), (n+i)%101); err != nil {
					t.Error(err)
				}
				if level := v.Gain().Level(); level < 0 || level > 1 {
					t.Errorf("a gain of %v", level)
				}
			}
		})
	}
	wg.Wait()
}

func TestMixerOutputIsRead(t *testing.T) {
	t.Parallel()
	pulse := func(volume, mute string) func() (int, bool, error) {
		return func() (int, bool, error) { return parsePactl(volume, mute) }
	}
	alsa := func(out string) func() (int, bool, error) {
		return func() (int, bool, error) { return parseAmixer(out) }
	}
	wire := func(out string) func() (int, bool, error) {
		return func() (int, bool, error) { return parseWpctl(out) }
	}
	for name, c := range map[string]struct {
		read  func() (int, bool, error)
		level int
		muted bool
		bad   bool
	}{
		"wpctl":            {wire("Volume: 0.40\n"), 40, false, false},
		"wpctl muted":      {wire("Volume: 0.40 [MUTED]\n"), 40, true, false},
		"wpctl over":       {wire("Volume: 1.50\n"), 100, false, false},
		"wpctl nonsense":   {wire("Object '31' is not a node\n"), 0, false, true},
		"pactl":            {pulse("Volume: front-left: 26214 /  40% / -23.88 dB,   front-right: 26214 /  40% / -23.88 dB\n        balance 0.00\n", "Mute: no\n"), 40, false, false},
		"pactl muted":      {pulse("Volume: mono: 65536 / 100% / 0.00 dB\n", "Mute: yes\n"), 100, true, false},
		"pactl over":       {pulse("Volume: mono: 98304 / 150% / 10.57 dB\n", "Mute: no\n"), 100, false, false},
		"pactl nonsense":   {pulse("", "Mute: no"), 0, false, true},
		"pactl no mute":    {pulse("/ 40% /", "Stumm: ja"), 0, false, true},
		"amixer":           {alsa("Simple mixer control 'PCM',0\n  Capabilities: pvolume pvolume-joined pswitch pswitch-joined\n  Playback channels: Mono\n  Limits: Playback -10239 - 400\n  Mono: Playback -1725 [67%] [-17.25dB] [on]\n"), 67, false, false},
		"amixer muted":     {alsa("  Front Left: Playback 36045 [55%] [off]\n  Front Right: Playback 36045 [55%] [off]\n"), 55, true, false},
		"amixer no switch": {alsa("  Front Left: Playback 20 [31%] [-20.00dB]\n"), 31, false, false},
		"amixer both":      {alsa("  Front Left: Playback 20 [31%] [on] Capture 5 [99%] [off]\n"), 31, false, false},
		"amixer capture":   {alsa("  Front Left: Capture 20 [31%] [on]\n"), 0, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			level, muted, err := c.read()
			if (err != nil) != c.bad || level != c.level || muted != c.muted {
				t.Errorf("read %d, %v, %v", level, muted, err)
			}
		})
	}
	for out, want := range map[string]string{
		"Simple mixer control 'Headphone',0\nSimple mixer control 'Speaker',0\n": "Speaker",
		"Simple mixer control 'Mic',0\n":                                         "",
		"Simple mixer control 'Master',1\n":                                      "",
	} {
		if got := pickControl(out); got != want {
			t.Errorf("of %q the control %q was picked, want %q", out, got, want)
		}
	}
}

func FuzzMixerOutput(f *testing.F) {
	for _, seed := range []string{"Volume: 0.40 [MUTED]", "Volume: mono: 1 / 99999% /", "[55%] [off]", "Volume: 99999999999999999999999999", "Simple mixer control '',0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, out string) {
		check := func(level int, _ bool, err error) {
			if err == nil && (level < 0 || level > 100) {
				t.Fatalf("%q gave %d", out, level)
			}
		}
		check(parseWpctl(out))
		check(parsePactl(out, "Mute: no"))
		check(parseAmixer(out))
		pickControl(out)
	})
}

func TestProgramThatHangsOrIsMissing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (mixerRun{}).run(ctx, "sleep", "3600"); err == nil {
		t.Error("a program went on after the end")
	}
	if _, err := (mixerRun{}).run(t.Context(), "no-such-mixer"); err == nil || !strings.Contains(err.Error(), "no-such-mixer") {
		t.Errorf("got %v", err)
	}
	if _, err := (mixerRun{}).run(t.Context(), "sh", "-c", "echo 'Connection refused' >&2; exit 1"); err == nil || !strings.Contains(err.Error(), "Connection refused") {
		t.Errorf("got %v", err)
	}
}
