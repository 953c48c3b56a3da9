package wyoming

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unicode"
)

// Schemes of services that can be reached.
const (
	schemeTCP  = "tcp"
	schemeUnix = "unix"
)

// Conn is one connection to a service. One goroutine reads and any may write.
type Conn struct {
	conn   net.Conn
	reader *bufio.Reader
	mu     sync.Mutex // one writer at a time
}

// ServiceError is what a service answers when it cannot do what it was asked.
type ServiceError struct {
	Text string // the service's own words, one short line
	Code string
}

func (e *ServiceError) Error() string {
	text := "the service says: " + e.Text
	if e.Text == "" {
		text = "the service reports an error without words"
	}
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	return text
}

// Check says what is wrong with a service's address.
func Check(uri string) error {
	_, _, err := address(uri)
	return err
}

// address splits tcp://host:port and unix:///path.
func address(uri string) (network, addr string, err error) {
	u, err := url.Parse(uri)
	switch {
	case err != nil || uri == "":
		return "", "", fmt.Errorf("%s is not the address of a Wyoming service; expected something like tcp://127.0.0.1:10300", maskAddress(uri))
	case u.User != nil:
		return "", "", errors.New("the address of a Wyoming service holds a user or password, and the protocol knows none; leave it out")
	case u.Scheme == "stdio":
		return "", "", errors.New("a Wyoming service on stdio is not supported; start it with --uri tcp://127.0.0.1:10300 and give that address")
	case u.Scheme == schemeUnix:
		path := u.Host + u.Path
		if path == "" {
			return "", "", fmt.Errorf("%s names no socket; expected something like unix:///run/wyoming.sock", maskAddress(uri))
		}
		return schemeUnix, path, nil
	case u.Scheme != schemeTCP || u.Hostname() == "" || u.Port() == "":
		return "", "", fmt.Errorf("%s is not the address of a Wyoming service; expected something like tcp://127.0.0.1:10300", maskAddress(uri))
	}
	return schemeTCP, u.Host, nil
}

// maskAddress returns an address as a message may name it, without what stands before
// an @: that may be a password, even if the address as a whole cannot be read.
func maskAddress(uri string) string {
	if strings.Contains(uri, "@") {
		return "what is set (not shown, as it may hold a password)"
	}
	return strconv.Quote(uri)
}

// Dial connects to the service at a tcp:// or unix:// address. The connection is
// the caller's to close.
func Dial(ctx context.Context, uri string) (*Conn, error) {
	network, addr, err := address(uri)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, fmt.Errorf("connecting to the Wyoming service: %w", err)
	}
	return &Conn{conn: c, reader: bufio.NewReaderSize(c, 8<<10)}, nil
}

// Close ends the connection and with it all work of the service for us; there is no other
// way to cancel.
func (c *Conn) Close() error { return c.conn.Close() }

// closeWith closes the connection when ctx ends; the caller calls release when its work on it
// is done. A connection in which an event was cut in two is useless, so there is no
// gentler way.
func (c *Conn) closeWith(ctx context.Context) (release func()) {
	stop := context.AfterFunc(ctx, func() { _ = c.conn.Close() })
	return func() { stop() }
}

// Buffer bounds, in bytes, what the system keeps of written data that has not
// left yet. So a service that stopped reading is noticed soon; without the bound
// that may take megabytes.
func (c *Conn) Buffer(size int) {
	if b, ok := c.conn.(interface{ SetWriteBuffer(size int) error }); ok {
		_ = b.SetWriteBuffer(size) // it works with any size
	}
}

// Write sends an event. When ctx ends before it is sent the connection is closed.
func (c *Conn) Write(ctx context.Context, e Event) error {
	defer c.closeWith(ctx)() // also while another writer is in the way
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := WriteEvent(c.conn, e); err != nil {
		return preferContext(ctx, err)
	}
	return nil
}

// Read returns the next event that is not housekeeping: a ping is answered here,
// an error event is a *ServiceError. When ctx ends first, the connection is
// closed: give each phase of a conversation a context with its own deadline.
func (c *Conn) Read(ctx context.Context) (Event, error) {
	defer c.closeWith(ctx)()
	for {
		e, err := ReadEvent(c.reader)
		if err != nil {
			return Event{}, preferContext(ctx, err)
		}
		switch e.Type {
		case "ping":
			if err := c.Write(ctx, Event{Type: "pong", Data: e.Data}); err != nil {
				return Event{}, err
			}
		case "error":
			var said struct {
				Text string `json:"text"`
				Code string `json:"code"`
			}
			_ = e.Decode(&said) // an error that cannot be read is still one
			return Event{}, &ServiceError{Text: oneLine(said.Text), Code: oneLine(said.Code)}
		default:
			return e, nil
		}
	}
}

// Await reads until an event of one of the types comes; others are passed over.
func (c *Conn) Await(ctx context.Context, types ...string) (Event, error) {
	for {
		e, err := c.Read(ctx)
		if err != nil {
			return Event{}, err
		}
		if slices.Contains(types, e.Type) {
			return e, nil
		}
	}
}

// preferContext tells the end of the context from the failures of the other side.
func preferContext(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE): // it left something unread
		return fmt.Errorf("the Wyoming service closed the connection: %w", err)
	}
	return err
}

// maxWords bounds what is kept of a service's complaint, in bytes.
const maxWords = 300

// oneLine makes a service's words fit for a log line.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), maxWords)], "")
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)), " ")
}
