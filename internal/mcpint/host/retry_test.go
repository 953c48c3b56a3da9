package host

import (
	"slices"
	"testing"
	"time"

	"voicegateway/internal/mcpint"
)

func TestDelay(t *testing.T) {
	s := time.Second
	tests := map[string]struct {
		retry Retry
		want  []time.Duration
	}{
		"default":  {DefaultRetry(), []time.Duration{0, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s}},
		"bounded":  {Retry{Schedule: mcpint.Schedule{Attempts: 6, BaseDelay: s, Multiplier: 3, MaxDelay: 5 * s, SlowInterval: 20 * s}}, []time.Duration{0, 1 * s, 3 * s, 5 * s, 5 * s, 5 * s}},
		"constant": {Retry{Schedule: mcpint.Schedule{Attempts: 2, BaseDelay: s, Multiplier: 1, MaxDelay: s, SlowInterval: s}}, []time.Duration{0, s, s, s}},
		"huge":     {Retry{Schedule: mcpint.Schedule{Attempts: 9999, BaseDelay: s, Multiplier: 1e9, MaxDelay: time.Minute, SlowInterval: s}}, []time.Duration{0, s, time.Minute}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for i, want := range tt.want {
				if got := tt.retry.Delay(i + 1); got != want {
					t.Errorf("before attempt %d: %v, want %v", i+1, got, want)
				}
			}
		})
	}
	if got := DefaultRetry().Delay(1 << 20); got != time.Minute {
		t.Errorf("a late delay is %v", got)
	}
	late, before := []time.Duration(nil), time.Duration(0)
	for _, usedUpFor := range []time.Duration{0, 8 * s, 119 * s, 121 * s, 137 * s, 169 * s, 3600 * s} {
		before = DefaultRetry().LateDelay(usedUpFor, before)
		late = append(late, before)
	}
	if want := []time.Duration{8 * s, 8 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s}; !slices.Equal(late, want) {
		t.Errorf("late delays are %v, want %v", late, want)
	}
	quick := Retry{Schedule: mcpint.Schedule{SlowInterval: s}}
	if got := quick.LateDelay(0, 0); got != s {
		t.Errorf("where the slow pace is quicker, a late delay is %v", got)
	}
	if low, high := addJitter(10*s, 0), addJitter(10*s, 0.999999); low != 9*s || high > 11*s {
		t.Errorf("jitter goes from %v to %v", low, high)
	}
}
