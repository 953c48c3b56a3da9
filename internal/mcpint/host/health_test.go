package host

import (
	"strings"
	"testing"
	"time"

	"voicegateway/internal/mcpint"
)

func TestHealth(t *testing.T) {
	tests := map[string]struct {
		vitals vitals
		want   mcpint.Health
		reason string
	}{
		"new":          {vitals{}, mcpint.Dead, "not connected yet"},
		"away":         {vitals{whyAway: "it ended", failures: 9, silences: 9}, mcpint.Dead, "it ended"},
		"fresh":        {vitals{connected: true}, mcpint.Healthy, ""},
		"slow":         {vitals{connected: true, lastDuration: 2 * time.Second}, mcpint.Degraded, "the last call took 2s"},
		"at the limit": {vitals{connected: true, lastDuration: slowCall}, mcpint.Healthy, ""},
		"one silence":  {vitals{connected: true, failures: 1, silences: 1}, mcpint.Degraded, "the last call or check"},
		"failed calls": {vitals{connected: true, failures: 9}, mcpint.Degraded, "9 calls or checks"},
		"two":          {vitals{connected: true, failures: 2, silences: 2}, mcpint.Unresponsive, "2 checks in a row"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, reason := healthOf(tt.vitals)
			if got != tt.want || !strings.HasPrefix(reason, tt.reason) || (reason == "") != (tt.reason == "") {
				t.Fatalf("got %s because %q, want %s because %q", got, reason, tt.want, tt.reason)
			}
		})
	}
}
