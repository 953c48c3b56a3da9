package cli

import "testing"

func TestDaemonAddr(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		"127.0.0.1:8765": "127.0.0.1:8765", ":8765": "127.0.0.1:8765", "0.0.0.0:8765": "127.0.0.1:8765", "[::]:8765": "127.0.0.1:8765",
		"192.168.1.5:8765": "192.168.1.5:8765", "pi.lan:80": "pi.lan:80",
	} {
		if got := (daemon{listen: listen}).addr(); got != want {
			t.Errorf("%s: %s, want %s", listen, got, want)
		}
	}
}
