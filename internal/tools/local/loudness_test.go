package local

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
)

// knob is a volume in memory.
type knob struct{ VolumeState }

func (k *knob) Get(context.Context) (VolumeState, error) { return k.VolumeState, nil }

func (k *knob) Set(_ context.Context, level int) (VolumeState, error) {
	k.Level, k.Muted = level, k.Muted && level == 0
	return k.VolumeState, nil
}

func (k *knob) Mute(_ context.Context, on bool) (VolumeState, error) {
	k.Muted = on
	return k.VolumeState, nil
}

// A family that has turned the volume down hears of smoke. Afterwards the volume is
// restored, unless the user has changed it meanwhile.
func TestSmokeIsHeardAtAnyVolume(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before       VolumeState
		meanwhile    int // the volume that the user sets, -1: none
		during, then string
	}{
		"silent at night":     {VolumeState{}, -1, "60 false", "0 false"},
		"quiet":               {VolumeState{Level: 15}, -1, "60 false", "15 false"},
		"muted":               {VolumeState{Level: 80, Muted: true}, -1, "80 false", "80 true"},
		"loud enough":         {VolumeState{Level: 75}, -1, "75 false", "75 false"},
		"changed by somebody": {VolumeState{Level: 15}, 40, "60 false", "40 false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &knob{tc.before}
			l := New(k, slog.New(slog.DiscardHandler))
			state := func() string { return fmt.Sprint(k.Level, k.Muted) }
			for _, id := range []string{"attic", "cellar", "attic"} { // each round again
				l.Raise(t.Context(), id)
			}
			if state() != tc.during {
				t.Errorf("while it rings: %s, want %s", state(), tc.during)
			}
			l.Over(t.Context(), []string{"attic"})
			if state() != tc.during {
				t.Errorf("while the second rings: %s, want %s", state(), tc.during)
			}
			if tc.meanwhile >= 0 {
				k.Level = tc.meanwhile
			}
			l.Over(t.Context(), []string{"cellar"})
			if state() != tc.then {
				t.Errorf("afterwards: %s, want %s", state(), tc.then)
			}
		})
	}
}
