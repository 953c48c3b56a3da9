package reconnect

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
)

const second = time.Second

func TestPausesGrowToTheLongest(t *testing.T) {
	p := Pauses{First: second, Longest: 5 * second}
	take := func(n int) (pauses []time.Duration) {
		for range n {
			pauses = append(pauses, p.Next())
		}
		return pauses
	}
	if got, want := take(5), []time.Duration{1 * second, 2 * second, 4 * second, 5 * second, 5 * second}; !slices.Equal(got, want) {
		t.Errorf("the pauses are %v, want %v", got, want)
	}
	p.Reset()
	if got, want := take(2), []time.Duration{1 * second, 2 * second}; !slices.Equal(got, want) {
		t.Errorf("anew they are %v, want %v", got, want)
	}
	if got := p.NextAtLeast(second); got != 4*second {
		t.Errorf("a pause that is long enough became %v", got)
	}
	p.Reset()
	if got := []time.Duration{p.NextAtLeast(2 * second), p.Next(), p.NextAtLeast(time.Hour)}; !slices.Equal(got, []time.Duration{2 * second, 4 * second, 5 * second}) {
		t.Errorf("with a least one they are %v", got)
	}
}

var errLost = errors.New("lost")

// starts runs a loop for a minute and returns when it began each run. A run ends
// after the time that lasts returns for it, and counts as useful if that is
// longer than ten seconds.
func starts(t *testing.T, l Loop, lasts func(run int) time.Duration) (began []time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	start := time.Now()
	l.Run(ctx, func(ctx context.Context) (bool, error) {
		began = append(began, time.Since(start))
		lasted := lasts(len(began))
		wait(ctx, lasted)
		return lasted > 10*second, errLost
	})
	if took := time.Since(start); took != time.Minute {
		t.Errorf("it ended after %v", took)
	}
	return began
}

func TestALoopRunsAgainUntilItsContextEnds(t *testing.T) {
	tests := map[string]struct {
		loop  Loop
		lasts func(run int) time.Duration
		want  []time.Duration
	}{
		"that never comes up": {
			Loop{Pauses: Pauses{First: second, Longest: 16 * second}},
			func(int) time.Duration { return 0 },
			[]time.Duration{0, 1 * second, 3 * second, 7 * second, 15 * second, 31 * second, 47 * second},
		},
		"that lasts for a while": {
			Loop{Pauses: Pauses{First: second, Longest: 16 * second}},
			func(run int) time.Duration {
				if run == 4 {
					return 20 * second
				}
				return 0
			},
			[]time.Duration{0, 1 * second, 3 * second, 7 * second, 28 * second, 30 * second, 34 * second, 42 * second, 58 * second},
		},
		"that asks for patience": {
			Loop{
				Pauses: Pauses{First: second, Longest: 16 * second},
				Least: func(err error) time.Duration {
					if errors.Is(err, errLost) {
						return 6 * second
					}
					return 0
				},
			},
			func(int) time.Duration { return 0 },
			[]time.Duration{0, 6 * second, 18 * second, 34 * second, 50 * second},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := starts(t, tt.loop, tt.lasts); !slices.Equal(got, tt.want) {
					t.Errorf("the runs began at %v, want %v", got, tt.want)
				}
			})
		})
	}
}

func TestALoopTellsWhyAndForHowLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []time.Duration
		l := Loop{Pauses: Pauses{First: 25 * second, Longest: time.Hour}}
		l.Ended = func(err error, pause time.Duration) {
			if !errors.Is(err, errLost) {
				t.Errorf("it ended because of %v", err)
			}
			told = append(told, pause)
		}
		starts(t, l, func(int) time.Duration { return 0 })
		if want := []time.Duration{25 * second, 50 * second}; !slices.Equal(told, want) {
			t.Errorf("told of pauses of %v, want %v", told, want)
		}
	})
}

// TestNothingIsToldOfTheEnd checks that Ended is not called for a run that the
// end of the context cut off.
func TestNothingIsToldOfTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := Loop{Ended: func(err error, _ time.Duration) { t.Errorf("told of %v", err) }}
	l.Run(ctx, func(context.Context) (bool, error) {
		cancel()
		return true, context.Canceled
	})
}

func TestChanceShortensPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Loop{Pauses: Pauses{First: second, Longest: second}, Spread: 0.25}
		began := starts(t, l, func(int) time.Duration { return 0 })
		even := true
		for i := 1; i < len(began); i++ {
			pause := began[i] - began[i-1]
			if pause < 3*second/4 || pause > second {
				t.Errorf("a pause took %v", pause)
			}
			even = even && pause == second
		}
		if even {
			t.Error("chance takes nothing off")
		}
	})
}
