package host

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/mcpint"
)

func TestHealth(t *testing.T) {
	tests := map[string]struct {
		vitals  vitals
		want    mcpint.Health
		reason  string
		breaker mcpint.BreakerState
	}{
		"new":          {vitals{}, mcpint.Dead, "not connected yet", ""},
		"away":         {vitals{whyAway: "it ended", failures: 9, silences: 9}, mcpint.Dead, "it ended", ""},
		"fresh":        {vitals{connected: true}, mcpint.Healthy, "", ""},
		"slow":         {vitals{connected: true, lastDuration: 2 * time.Second}, mcpint.Degraded, "the last call took 2s", ""},
		"at the limit": {vitals{connected: true, lastDuration: slowCall}, mcpint.Healthy, "", ""},
		"one silence":  {vitals{connected: true, failures: 1, silences: 1}, mcpint.Degraded, "the last call or check", ""},
		"failed calls": {vitals{connected: true, failures: 9}, mcpint.Degraded, "9 calls or checks", ""},
		"paused":       {vitals{connected: true}, mcpint.Degraded, "several calls in a row were not answered; none is made until 12:30:05", mcpint.BreakerOpen},
		"tried":        {vitals{connected: true}, mcpint.Degraded, "several calls in a row were not answered; the next one decides", mcpint.BreakerHalfOpen},
		"two":          {vitals{connected: true, failures: 2, silences: 2}, mcpint.Unresponsive, "2 checks in a row", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, reason := healthOf(tt.vitals, cmp.Or(tt.breaker, mcpint.BreakerClosed), time.Date(2026, 1, 1, 12, 30, 5, 0, time.UTC))
			if got != tt.want || !strings.HasPrefix(reason, tt.reason) || (reason == "") != (tt.reason == "") {
				t.Fatalf("got %s because %q, want %s because %q", got, reason, tt.want, tt.reason)
			}
		})
	}
}
