package client

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync"
)

// leavingConn is a connection that can report when the bytes written to it have reached
// the kernel.
type leavingConn struct {
	net.Conn
	mu   sync.Mutex
	next func() // called after the next write; may be nil
}

// dialLeaving connects as the library does.
func dialLeaving(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &leavingConn{Conn: c}, nil
}

// Write writes, and tells who asked when it succeeds.
func (c *leavingConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err == nil {
		c.mu.Lock()
		next := c.next
		c.next = nil
		c.mu.Unlock()
		if next != nil {
			next()
		}
	}
	return n, err
}

// afterNextWrite has a function called when the next write has succeeded.
func (c *leavingConn) afterNextWrite(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = do
}

// whenSent returns a trace that calls a function when a request is on its way. The
// library says WroteRequest when the request is in its buffer, and only then flushes the
// buffer; another connection could overtake it in between. Where the buffer was empty,
// the answer shows that the request has been sent. The function may be called twice.
func whenSent(do func()) *httptrace.ClientTrace {
	var mine *leavingConn
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { mine = leavingOf(info.Conn) },
		WroteRequest: func(httptrace.WroteRequestInfo) {
			if mine == nil {
				do()
				return
			}
			mine.afterNextWrite(do)
		},
		GotFirstResponseByte: do,
	}
}

// leavingOf returns our connection below one of the library, or nil if requests share
// it: HTTP/2 reports them as written after it has flushed them.
func leavingOf(c net.Conn) *leavingConn {
	if secure, ok := c.(*tls.Conn); ok {
		if secure.ConnectionState().NegotiatedProtocol == "h2" {
			return nil
		}
		c = secure.NetConn()
	}
	mine, _ := c.(*leavingConn)
	return mine
}
