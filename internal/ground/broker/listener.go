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
	"github.com/mochi-mqtt/server/v2/packets"
)

// listener is the library's listener, except that Close does not close the
// clients. We close their connections ourselves, because the library takes a read
// lock twice for it and deadlocks when a client leaves between the two.
type listener struct{ *listeners.Net }

func newListener(conns *tracked) listener { return listener{listeners.NewNet("tcp", conns)} }

// Close implements listeners.Listener.
func (l listener) Close(listeners.CloseFn) { l.Net.Close(func(string) {}) }

// Bounds of what a program of this machine may hold: connections in all, and what a client may send
// and take before it is let in.
const (
	maxClients     = 128
	maxConnections = maxClients + 32
	greeting       = 10 * time.Second
	greetingBytes  = 64 << 10
	pieceBytes     = 64 << 10
	pieceTime      = 5 * time.Second
)

// tracked is a listener with a bounded number of connections; it can close every
// connection it has accepted.
type tracked struct {
	net.Listener
	log   *slog.Logger
	mu    sync.Mutex
	open  map[net.Conn]*trackedConn
	ended bool
	full  bool           // the last connection found no free place
	large *intake        // what large packets may take
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

// admit gives a connection a place. If all places are taken, the oldest connection that
// has not introduced itself is closed for it, because a client introduces itself at
// once. If every one has, the new connection is closed, and admit returns nil.
func (t *tracked) admit(conn net.Conn) (net.Conn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	full := len(t.open) >= maxConnections
	if full && !t.full {
		t.log.Warn("too many connections to the embedded broker are open; those that say nothing are closed", "connections", maxConnections)
	}
	t.full = full
	if full {
		silent := t.mostSilent()
		if silent == nil {
			_ = conn.Close()
			return nil, nil
		}
		delete(t.open, silent)
		_ = silent.Close()
	}
	in := &trackedConn{Conn: conn, t: t, since: time.Now()}
	t.open[conn] = in
	t.held.Add(1)
	// The library sets its own deadline once the client has introduced itself. A connection
	// that refuses a deadline is already broken.
	_ = conn.SetDeadline(time.Now().Add(greeting))
	return in, nil
}

// mostSilent is the connection that has been open for longest without being let in;
// nil if every one was let in.
func (t *tracked) mostSilent() net.Conn {
	var oldest *trackedConn
	for _, c := range t.open {
		if !c.known.Load() && (oldest == nil || c.since.Before(oldest.since)) {
			oldest = c
		}
	}
	if oldest == nil {
		return nil
	}
	return oldest.Conn
}

// closeAndWait closes every connection and waits until the library has noticed: it must not
// begin with one while it is closed itself.
func (t *tracked) closeAndWait() {
	t.closeAll()
	t.held.Wait()
}

func (t *tracked) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	t.large.end()
	_ = t.Close()
	for conn := range t.open {
		_ = conn.Close()
	}
}

type trackedConn struct {
	net.Conn
	t     *tracked
	since time.Time
	ended sync.Once
	known atomic.Bool // the client was let in
	at    framing     // used by one reader

	closed atomic.Bool
	large  atomic.Int64 // the size of the large packet that is coming in, or is being handled
}

var errTalksTooMuch = errors.New("a client sent a large packet that brings no message")

// Read bounds what a client may send: the library takes memory for as much as a client
// announces. A large packet waits until there is room for it, and one that brings no
// message, such as an introduction, is refused.
func (c *trackedConn) Read(p []byte) (int, error) {
	if c.at.left == 0 { // the library asks for more, so it has handled what came before
		c.release()
	}
	n, err := c.Conn.Read(p)
	for rest, size, begun := c.at.next(p[:n]); begun; rest, size, begun = c.at.next(rest) {
		if c.at.kind != packets.Publish && size > greetingBytes { // the library would make a list of what is in it; before it lets a client in, it takes nothing else
			return 0, errTalksTooMuch
		}
		if size < largePacket || size > maxPacket { // a packet that is too large is refused before it is read
			continue
		}
		c.release()
		if !c.t.large.waitForRoom(size) {
			return 0, errNoRoom
		}
		if c.large.Store(int64(size)); c.closed.Load() { // what Close gave back did not have it
			c.release()
		}
		_ = c.SetReadDeadline(time.Now().Add(intakeTime)) // the library sets its own before the next packet
	}
	return n, err
}

// release gives back the room of a large packet that was handled.
func (c *trackedConn) release() {
	c.t.large.give(int(c.large.Swap(0)))
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
	c.closed.Store(true)
	c.release()
	defer c.ended.Do(c.t.held.Done)
	return c.Conn.Close()
}
