package fake

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// The ports that FreeAddr gives out lie below 32768, where Linux begins to number
// the ports of outgoing connections by itself.
const (
	firstPort = 20000
	lastPort  = 32000
)

// FreeAddr returns a loopback address, host:port, at which no program listens. It stays
// free for the caller until the test ends, also while its program is stopped: every test
// of this machine claims the port for UDP, which no program of ours uses, before it takes
// it for TCP.
func FreeAddr(tb testing.TB) string {
	tb.Helper()
	for range 1000 {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(firstPort+rand.IntN(lastPort-firstPort)))
		claim, err := (&net.ListenConfig{}).ListenPacket(tb.Context(), "udp", addr)
		if err != nil {
			continue
		}
		l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", addr)
		if err != nil {
			_ = claim.Close()
			continue
		}
		_ = l.Close()
		tb.Cleanup(func() { _ = claim.Close() })
		return addr
	}
	tb.Fatalf("no free port between %d and %d", firstPort, lastPort)
	return ""
}
