package broker

import (
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mochi-mqtt/server/v2/listeners"
)

// listener is the library's listener, except that Close does not close the
// clients. We close their connections ourselves, because the library takes a read
// lock twice for it and deadlocks when a client leaves between the two.
type listener struct{ *listeners.Net }

func newListener(conns *tracked) listener { return listener{listeners.NewNet("tcp", conns)} }

// Close implements listeners.Listener.
func (l listener) Close(listeners.CloseFn) { l.Net.Close(func(string) {}) }

// Bounds of what strangers may hold: connections in all, and what a client may send
// and take before it is let in.
const (
	maxClients     = 256
	maxConnections = maxClients + 64
	greeting       = 10 * time.Second
	greetingBytes  = 64 << 10
	pieceBytes     = 64 << 10
	pieceTime      = 5 * time.Second
	sessionSeconds = 60 // how long messages wait for a client that is away
)

// tracked is a listener with a bounded number of connections; it can close every
// connection it has accepted.
type tracked struct {
	net.Listener
	log   *slog.Logger
	mu    sync.Mutex
	open  map[net.Conn]bool
	ended bool
	full  bool           // the last connection found no place
	held  sync.WaitGroup // the connections that the library has not given back
}

// Accept implements net.Listener.
func (t *tracked) Accept() (net.Conn, error) {
	for {
		conn, err := t.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if in, err := t.admit(conn); in != nil || err != nil {
			return in, err
		}
	}
}

// admit gives a connection a place, or closes it and returns nil if there is none.
func (t *tracked) admit(conn net.Conn) (net.Conn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	if len(t.open) >= maxConnections {
		if !t.full {
			t.log.Warn("too many connections to the embedded broker are open; new ones are closed", "connections", maxConnections)
		}
		t.full = true
		_ = conn.Close()
		return nil, nil
	}
	t.full = false
	t.open[conn] = true
	t.held.Add(1)
	// The library sets a deadline of its own once the client has introduced itself. A
	// connection that takes none is broken already.
	_ = conn.SetDeadline(time.Now().Add(greeting))
	return &trackedConn{Conn: conn, t: t}, nil
}

// end closes every connection and waits until the library has noticed: it must not
// begin with one while it is closed itself.
func (t *tracked) end() {
	t.closeAll()
	t.held.Wait()
}

func (t *tracked) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	_ = t.Close()
	for conn := range t.open {
		_ = conn.Close()
	}
}

type trackedConn struct {
	net.Conn
	t     *tracked
	ended sync.Once
	known atomic.Bool // the client was let in
	read  int         // bytes before that; used by one reader
}

var errTalksTooMuch = errors.New("a client sent more than an introduction before it was let in")

// Read bounds what a client may send before it is let in: the library takes memory
// for as much as a client announces.
func (c *trackedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if !c.known.Load() {
		if c.read += n; c.read > greetingBytes {
			return 0, errTalksTooMuch
		}
	}
	return n, err
}

// Write writes in pieces and waits for each of them for a bounded time: the library
// holds up everybody who sends something to a client while it writes to that client.
func (c *trackedConn) Write(p []byte) (n int, err error) {
	for piece := range slices.Chunk(p, pieceBytes) {
		if err := c.SetWriteDeadline(time.Now().Add(pieceTime)); err != nil {
			return n, err
		}
		wrote, err := c.Conn.Write(piece)
		if n += wrote; err != nil {
			_ = c.Close() // the library would try the next message
			return n, err
		}
	}
	return n, nil
}

// Close implements net.Conn.
func (c *trackedConn) Close() error {
	c.t.mu.Lock()
	delete(c.t.open, c.Conn)
	c.t.mu.Unlock()
	defer c.ended.Do(c.t.held.Done)
	return c.Conn.Close()
}
