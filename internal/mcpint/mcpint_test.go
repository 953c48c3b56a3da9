package mcpint

import (
	"strings"
	"testing"
)

func TestRequirements(t *testing.T) {
	for need, ok := range map[string]bool{
		"mqtt": true, "tcp://broker:1883": true, "tcp://[::1]:1883": true, "http://x/health": true, "https://x": true,
		"": false, "tcp://broker": false, "tcp://broker:1883/x": false, "udp://x:1": false, "http://": false, "broker:1883": false, "tcp://:": false, "%": false,
	} {
		if err := CheckRequirement(need); (err == nil) != ok {
			t.Errorf("%q: %v", need, err)
		}
	}
}

func FuzzCheckRequirement(f *testing.F) {
	for _, need := range []string{"mqtt", "tcp://a:1", "http://a/b", "tcp://[::1]:x", "https://%zz"} {
		f.Add(need)
	}
	f.Fuzz(func(t *testing.T, need string) {
		if err := CheckRequirement(need); err != nil && !strings.Contains(err.Error(), "expected mqtt") {
			t.Fatalf("%q: %v", need, err)
		}
	})
}
