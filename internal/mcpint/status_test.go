package mcpint

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

func TestOverallState(t *testing.T) {
	up, down := Status{Status: Connected}, Status{Status: Failed}
	mainUp, mainDown := Status{Status: Connected, Essential: true}, Status{Status: Retrying, Essential: true}
	tests := map[string]struct {
		servers []Status
		want    Overall
	}{
		"none":                 {nil, "full"},
		"all":                  {[]Status{mainUp, up}, "full"},
		"some optional":        {[]Status{mainUp, up, down}, "partial"},
		"essential only":       {[]Status{mainUp, down}, "degraded"},
		"essential missing":    {[]Status{mainDown, up}, "disconnected"},
		"one essential of two": {[]Status{mainUp, mainDown}, "disconnected"},
		"optional ones only":   {[]Status{down}, "degraded"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := OverallOf(tt.servers); got != tt.want {
				t.Fatalf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestStatusAsJSON(t *testing.T) {
	raw, err := json.Marshal(Status{ID: "zwave", Transport: "stdio", Status: Disconnected})
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"breaker", "breakerSince", "breakerUntil", "consecutiveFailures", "errorMessage", "essential", "fault", "health", "healthReason", "id",
		"importedFrom", "lastRetryTime", "lastSuccess", "maxRetries", "nextRetryTime", "pid", "retriesOff", "retryCount", "status", "tools", "toolsChanged", "toolsUnused", "toolsUnusedCount", "transport", "version",
	}
	if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
		t.Fatalf("the keys are %q, want %q", got, want)
	}
	for _, key := range []string{"breakerSince", "breakerUntil", "errorMessage", "fault", "healthReason", "importedFrom", "lastRetryTime", "lastSuccess", "nextRetryTime", "pid", "tools", "toolsChanged", "version"} {
		if object[key] != nil {
			t.Errorf("%s is %v though unknown", key, object[key])
		}
	}
}
