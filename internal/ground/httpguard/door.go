package httpguard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/ground/order"
)

// Door bounds what strangers can use up of an HTTP server: connections, and the
// time it waits for each of them. A response as a whole has no deadline, because
// events and MCP stream.
type Door struct {
	Header      time.Duration // for the headers of a request to arrive
	Request     time.Duration // for a request with its body to arrive, also when it is refused
	Idle        time.Duration // between two requests of one connection
	Write       time.Duration // for one write
	HeaderBytes int
	Connections int // open at once; any more are closed when they connect

	// Orders names the queue of Lines in which a request gets a place, or "" for none. Places
	// are given in the order in which requests arrive, on whatever connections. A handler
	// finds its place with order.From and waits there for the earlier ones; the place is
	// given back when the handler returns, if not sooner. A request with a body over 64 KB
	// gets no place. If Orders is nil, no request does.
	Orders func(*http.Request) (line string)
	Lines  *order.Lines
}

// DefaultDoor is wide enough for a house and everybody in it.
func DefaultDoor() Door {
	return Door{
		Header: 5 * time.Second, Request: 15 * time.Second, Idle: time.Minute, Write: 30 * time.Second,
		HeaderBytes: 16 << 10, Connections: 256,
	}
}

// Loopback reports whether a host name or address can only be this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || (ip != nil && ip.IsLoopback())
}

// Address returns the host of an address to listen on, and what is wrong with it; the
// error names an example.
func Address(address, example string) (host string, err error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", fmt.Errorf("%q is no address to listen on; expected host:port, such as %s", address, example)
	}
	return host, nil
}

// Serve serves handler on the listener until ctx ends, and closes the listener. Running
// requests are cancelled with ctx and have grace to end; the end of ctx is no error.
//
// The library lifts the deadline of a request when its body is at its end, also when only
// the library itself reads it, so that neither a stream nor a slow answer is cut.
func (d Door) Serve(ctx context.Context, listener net.Listener, handler http.Handler, grace time.Duration, log *slog.Logger) error {
	bounded := &boundedListener{Listener: listener, door: d, log: log, places: make(chan struct{}, d.Connections)}
	if d.Orders != nil {
		came, err := newArrivals(ctx, listener, d.Lines)
		if err != nil {
			log.Warn("requests on different connections get their places as they are read: the order in which they come is not known", "err", err)
		} else {
			bounded.Listener = came
			defer came.stop()
		}
		handler = d.inOrder(came, handler)
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: d.Header,
		ReadTimeout:       d.Request,
		IdleTimeout:       d.Idle,
		MaxHeaderBytes:    d.HeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext:       withConn,
	}
	ended := make(chan error, 1)
	go func() {
		ended <- server.Serve(bounded)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(stop) != nil {
		_ = server.Close() // a request did not end in time; the listener is closed already
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// boundedListener accepts as many connections at once as it has places.
type boundedListener struct {
	net.Listener
	door   Door
	log    *slog.Logger
	places chan struct{}
	full   bool // the last connection found no place; used by Accept only, which is not called concurrently
}

// Accept closes new connections while every place is taken: connections left
// unanswered would use up the descriptors that the rest of the program needs.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.places <- struct{}{}:
			l.full = false
			return &patientConn{Conn: c, patience: l.door.Write, leave: sync.OnceFunc(func() { <-l.places })}, nil
		default:
			_ = c.Close()
			if !l.full {
				l.log.Warn("too many HTTP connections are open; new ones are closed", "connections", l.door.Connections)
			}
			l.full = true
		}
	}
}

// patientConn gives each write its own deadline, so that a client that does not read
// cannot block a handler for ever.
type patientConn struct {
	net.Conn
	patience time.Duration
	leave    func()
}

// Write writes within the connection's patience.
func (c *patientConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Close gives the place back.
func (c *patientConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite ends the sending half, which lets a client read the answer to a
// request that was refused in the middle.
func (c *patientConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
