package fake

import (
	"bufio"
	"net"
	"sync"
	"testing"

	"voicegateway/internal/ear/wyoming"
)

// Peer is the service's end of a Wyoming connection.
type Peer struct {
	net.Conn
	tb     testing.TB
	reader *bufio.Reader
}

// Wyoming starts a service that calls serve for each connection and closes it
// afterwards. It returns its address and ends with the test.
func Wyoming(tb testing.TB, serve func(p *Peer)) (uri string) {
	tb.Helper()
	var listen net.ListenConfig
	l, err := listen.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	over := false
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			if over {
				_ = c.Close()
			}
			mu.Unlock()
			all.Go(func() {
				defer func() { _ = c.Close() }()
				serve(&Peer{Conn: c, tb: tb, reader: bufio.NewReader(c)})
			})
		}
	})
	tb.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		over = true
		for _, c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return "tcp://" + l.Addr().String()
}

// Next reads the next event; ok is false when the client has gone.
func (p *Peer) Next() (e wyoming.Event, ok bool) {
	e, err := wyoming.ReadEvent(p.reader)
	return e, err == nil
}

// Until reads up to the next event of a type and counts the bytes of sound
// before it; ok is false when the client has gone.
func (p *Peer) Until(kind string) (e wyoming.Event, sound int, ok bool) {
	for {
		if e, ok = p.Next(); !ok || e.Type == kind {
			return e, sound, ok
		}
		sound += len(e.Payload)
	}
}

// Send writes an event; a client that has gone misses it.
func (p *Peer) Send(kind string, data any, payload []byte) {
	e, err := wyoming.New(kind, data)
	if err != nil {
		p.tb.Error(err)
		return
	}
	e.Payload = payload
	_ = wyoming.WriteEvent(p.Conn, e)
}

// Hang waits until the client has gone.
func (p *Peer) Hang() {
	for {
		if _, ok := p.Next(); !ok {
			return
		}
	}
}
