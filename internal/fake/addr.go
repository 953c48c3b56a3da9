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

// FreeAddr returns a loopback address, host:port, where nobody listens. It stays
// free for the caller until the test ends, also while its program is stopped: every
// test of this machine claims a port at a second loopback address before it takes
// it at the first.
func FreeAddr(tb testing.TB) string {
	tb.Helper()
	for range 1000 {
		port := strconv.Itoa(firstPort + rand.IntN(lastPort-firstPort))
		claim, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", net.JoinHostPort("127.77.0.1", port))
		if err != nil {
			continue
		}
		addr := net.JoinHostPort("127.0.0.1", port)
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
