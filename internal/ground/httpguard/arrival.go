package httpguard

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"voicegateway/internal/ground/order"
)

const (
	// orderBody is the longest body of a request that gets a place, in bytes; a command
	// has about 300. It is read before the place is taken, so it is short.
	orderBody = 64 << 10
	// arrivalPatience bounds how long a request waits for those that may have come
	// before it. They are in this machine already, so a few milliseconds do; only where
	// it is very busy are seconds needed.
	arrivalPatience = 5 * time.Second
)

// arrivals gives requests their places in the order in which they came, whatever
// connections they came on. Each connection is read by a goroutine of its own, and
// which of them is run first says nothing about that order, so the kernel is asked: it
// stamps what it receives with the time (SO_TIMESTAMPNS), and it knows on which
// connections something waits to be read (epoll). A request gets its place when no
// request with an earlier stamp can be on its way to one any more.
//
// A request has come when its last byte has. The order of requests that the network
// delivers in another order than they were sent is not known here.
//
// It is a listener itself, so that no connection is between the kernel and it.
type arrivals struct {
	*net.TCPListener
	file  *os.File // the listener's descriptor once more
	raw   syscall.RawConn
	lines *order.Lines
	poll  int // an epoll descriptor with the listener and all connections

	mu    sync.Mutex
	news  *sync.Cond // something below has changed
	door  int32      // the listener's descriptor
	conns map[int32]*arrivingConn
}

// arrivingConn is a connection that knows when the last thing that was read from it had
// come. The fields at the end belong to mu of its arrivals.
type arrivingConn struct {
	*net.TCPConn
	raw      syscall.RawConn
	fd       int32
	arrivals *arrivals
	control  [64]byte // of the message being read; only one read at a time is made

	at       int64 // when what was read last had come, in Unix nanoseconds; 0: nothing yet
	reading  bool  // a read waits for something to come
	beside   bool  // the server reads beside a handler
	early    int64 // when something came while the request before it was still being answered; 0: nothing did
	waiting  bool  // its request has been read and waits for its place
	settled  bool  // its request has a place or needs none, or has been answered
	answered bool  // its request has been answered: the next read is for another one
}

// Listen listens on an address of TCP. What comes there is stamped from the first byte on,
// also before anybody serves the listener. A kernel that does not stamp is no error: Serve
// finds it out and says so.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	stamped := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		failed := errors.New("no descriptor")
		_ = raw.Control(func(fd uintptr) {
			failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
		})
		if failed == nil {
			ctx, cancel := context.WithTimeout(ctx, arrivalPatience)
			defer cancel()
			_ = awaitStamps(ctx)
		}
		return nil
	}}
	return stamped.Listen(ctx, "tcp", address)
}

// newArrivals watches a listener. It fails where the listener is not one of TCP, and
// where the kernel does not stamp what it receives.
func newArrivals(ctx context.Context, listener net.Listener, lines *order.Lines) (*arrivals, error) {
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		return nil, errors.New("not a TCP listener")
	}
	a := &arrivals{TCPListener: tcp, lines: lines, conns: map[int32]*arrivingConn{}}
	a.news = sync.NewCond(&a.mu)
	var err error
	if a.poll, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	// A copy of the listener's descriptor, because only that lets us accept ourselves.
	if a.file, err = tcp.File(); err == nil {
		a.raw, err = a.file.SyscallConn()
	}
	if err == nil {
		a.door, err = a.watch(a.raw) // connections inherit the option, so that the stamps are there from the first byte
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, arrivalPatience)
		defer cancel()
		err = awaitStamps(ctx)
	}
	if err != nil {
		_ = a.file.Close()
		a.stop()
		return nil, fmt.Errorf("asking the kernel when requests come: %w", err)
	}
	return a, nil
}

// watch asks for stamps and adds a descriptor to those that are watched.
func (a *arrivals) watch(raw syscall.RawConn) (fd int32, err error) {
	var failed error
	err = raw.Control(func(s uintptr) {
		fd = int32(s) //nolint:gosec // descriptors are small
		failed = errors.Join(
			syscall.SetsockoptInt(int(s), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1),
			syscall.EpollCtl(a.poll, syscall.EPOLL_CTL_ADD, int(s), &syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLRDHUP, Fd: fd}),
		)
	})
	return fd, errors.Join(err, failed)
}

// stop ends the watching, when nothing is served any more.
func (a *arrivals) stop() { _ = syscall.Close(a.poll) }

// Accept returns the next connection, watched. Taking it from the kernel and noting it
// are one step for those who ask what is still unread.
func (a *arrivals) Accept() (c net.Conn, err error) {
	var failed error
	err = a.raw.Read(func(fd uintptr) (done bool) {
		a.mu.Lock()
		defer a.mu.Unlock()
		for {
			accepted, _, err := syscall.Accept4(int(fd), syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
			switch {
			case err == nil:
				c, failed = a.admit(accepted)
				return true
			case errors.Is(err, syscall.EAGAIN):
				return false
			case !errors.Is(err, syscall.EINTR) && !errors.Is(err, syscall.ECONNABORTED):
				failed = os.NewSyscallError("accept4", err)
				return true
			}
		}
	})
	switch {
	case err != nil:
		return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: a.Addr(), Err: net.ErrClosed}
	case failed != nil:
		return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: a.Addr(), Err: failed}
	}
	return c, nil
}

// Close closes the listener.
func (a *arrivals) Close() error { return errors.Join(a.file.Close(), a.TCPListener.Close()) }

// admit watches a new connection. The caller holds mu.
func (a *arrivals) admit(accepted int) (net.Conn, error) {
	file := os.NewFile(uintptr(accepted), "")
	c, err := net.FileConn(file)
	_ = file.Close() // the connection has a copy
	if err != nil {
		return nil, err
	}
	mine := &arrivingConn{TCPConn: c.(*net.TCPConn), arrivals: a}
	if mine.raw, err = mine.SyscallConn(); err == nil {
		mine.fd, err = a.watch(mine.raw)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	a.conns[mine.fd] = mine
	a.news.Broadcast()
	return mine, nil
}

// change changes something about a connection, and tells those who wait. There may be no
// connection.
func (c *arrivingConn) change(do func()) {
	if c == nil {
		return
	}
	c.arrivals.mu.Lock()
	defer c.arrivals.mu.Unlock()
	do()
	c.arrivals.news.Broadcast()
}

// Read reads what has come and notes when it came. Reading and noting are one step for
// those who ask what is still unread.
func (c *arrivingConn) Read(p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	// Beside a handler the server reads one byte, to notice that the client leaves.
	// Nothing else reads so little.
	reads := &c.reading
	if len(p) == 1 {
		reads = &c.beside
	}
	c.change(func() { *reads = true })
	var failed error
	err = c.raw.Read(func(fd uintptr) (done bool) {
		c.change(func() {
			var stamp int
			for {
				n, stamp, _, _, failed = syscall.Recvmsg(int(fd), p, c.control[:], 0)
				if !errors.Is(failed, syscall.EINTR) {
					break
				}
			}
			if done = !errors.Is(failed, syscall.EAGAIN); !done {
				return
			}
			*reads = false
			switch {
			case failed != nil || n == 0:
			case len(p) == 1:
				c.early = stampOf(c.control[:stamp])
			default:
				if c.answered {
					c.settled, c.answered = false, false
				}
				c.at, c.early = stampOf(c.control[:stamp]), 0
			}
		})
		return done
	})
	switch op, wrapped := errors.AsType[*net.OpError](err); {
	case wrapped:
		op.Op, n = "read", 0 // as the HTTP server expects it
		c.change(func() { *reads = false })
	case err != nil:
		n = 0
		c.change(func() { *reads = false })
	case failed != nil:
		n, err = 0, &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: os.NewSyscallError("recvmsg", failed)}
	case n == 0:
		err = io.EOF
	}
	return n, err
}

// stampOf is the time that the kernel has put beside what was read, in Unix nanoseconds;
// without one it is now.
func stampOf(control []byte) int64 {
	if stamp := kernelStamp(control); stamp > 0 {
		return stamp
	}
	return time.Now().UnixNano()
}

// kernelStamp is the time that the kernel has put beside what was read, in Unix
// nanoseconds; 0 if it has put none. Its parts are as wide as the machine's words.
func kernelStamp(control []byte) int64 {
	messages, _ := syscall.ParseSocketControlMessage(control)
	for _, m := range messages {
		if m.Header.Level != syscall.SOL_SOCKET || m.Header.Type != syscall.SCM_TIMESTAMPNS {
			continue
		}
		switch len(m.Data) {
		case 16:
			return int64(binary.NativeEndian.Uint64(m.Data))*int64(time.Second) + int64(binary.NativeEndian.Uint64(m.Data[8:])) //nolint:gosec // a time
		case 8:
			return int64(binary.NativeEndian.Uint32(m.Data))*int64(time.Second) + int64(binary.NativeEndian.Uint32(m.Data[4:]))
		}
	}
	return 0
}

// awaitStamps waits until the kernel stamps what it receives. It begins to do so a
// moment after the first socket asks for it, so a byte is sent to ourselves until it
// comes with a stamp; ctx bounds that.
func awaitStamps(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	out, err := (&net.Dialer{}).DialContext(ctx, "tcp", listener.Addr().String())
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	in, err := listener.Accept()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	raw, err := in.(*net.TCPConn).SyscallConn()
	if err != nil {
		return err
	}
	if err := raw.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1) }); err != nil {
		return err
	}
	pause := time.NewTicker(time.Millisecond)
	defer pause.Stop()
	for {
		if _, err := out.Write([]byte{0}); err != nil {
			return err
		}
		var control [64]byte
		stamp := 0
		if err := raw.Read(func(fd uintptr) bool {
			var failed error
			_, stamp, _, _, failed = syscall.Recvmsg(int(fd), make([]byte, 1), control[:], 0)
			return !errors.Is(failed, syscall.EAGAIN)
		}); err != nil {
			return err
		}
		if kernelStamp(control[:max(stamp, 0)]) > 0 {
			return nil
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Write writes an answer. If no handler is writing, it is the server's own answer to
// something that is not a request.
func (c *arrivingConn) Write(p []byte) (int, error) {
	c.change(func() {
		if !c.settled {
			c.settled, c.answered = true, true
		}
	})
	return c.TCPConn.Write(p)
}

// Close forgets the connection, before its descriptor can be given to another one.
func (c *arrivingConn) Close() error {
	c.change(func() {
		if c.arrivals.conns[c.fd] == c {
			delete(c.arrivals.conns, c.fd)
		}
	})
	return c.TCPConn.Close()
}

// arrive returns the place in a line of the request that has been read from a
// connection.
func (a *arrivals) arrive(c *arrivingConn, line string) *order.Place {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.waiting = true
	if a.mayBePreceded(c) {
		tooLong := false
		limit := time.AfterFunc(arrivalPatience, func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			tooLong = true
			a.news.Broadcast()
		})
		defer limit.Stop()
		for !tooLong && a.mayBePreceded(c) {
			a.news.Wait()
		}
	}
	c.waiting, c.settled = false, true
	a.news.Broadcast()

	return a.lines.Take(line)
}

// mayBePreceded reports whether a request that came before that of c may still be on its
// way to its place: in the kernel, or read and not yet here. The caller holds mu.
func (a *arrivals) mayBePreceded(c *arrivingConn) bool {
	unread := a.unread()
	if unread[a.door] {
		return true // a connection that has not been taken yet
	}
	for fd, other := range a.conns {
		if other != c && other.mayPrecede(c.at, unread[fd]) {
			return true
		}
	}
	return false
}

// mayPrecede reports whether a request that arrived before a time may still be on its way
// on this connection. unread says whether something waits to be read there. The caller
// holds mu.
func (c *arrivingConn) mayPrecede(at int64, unread bool) bool {
	switch {
	case c.beside && unread, c.early > 0 && c.early < at:
		return true
	case c.waiting:
		return c.at < at
	case c.settled && !c.answered:
		return false
	case c.reading, c.answered:
		return unread // if not, nothing has come, or not all of a request
	}
	return c.at < at
}

// unread returns the descriptors with bytes to read. The caller holds mu.
func (a *arrivals) unread() map[int32]bool {
	events := make([]syscall.EpollEvent, len(a.conns)+1)
	n, err := syscall.EpollWait(a.poll, events, 0)
	for errors.Is(err, syscall.EINTR) {
		n, err = syscall.EpollWait(a.poll, events, 0)
	}
	if err != nil {
		return nil
	}
	unread := make(map[int32]bool, n)
	for _, e := range events[:n] {
		unread[e.Fd] = true
	}
	return unread
}

type connKey struct{}

// withConn makes a connection known to the handlers of its requests.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if patient, ok := c.(*patientConn); ok {
		c = patient.Conn
	}
	mine, _ := c.(*arrivingConn)
	return context.WithValue(ctx, connKey{}, mine)
}

// inOrder passes requests on. A request for which Orders names a queue gets its place
// there, in the order of arrival. a is nil if that order cannot be known.
func (d Door) inOrder(a *arrivals, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(connKey{}).(*arrivingConn)
		defer c.change(func() { c.answered = true })
		line := d.Orders(r)
		if line == "" || r.ContentLength > orderBody {
			c.change(func() { c.settled = true })
			next.ServeHTTP(w, r)
			return
		}
		readAhead(r)
		var place *order.Place
		if c == nil {
			place = d.Lines.Take(line)
		} else {
			place = a.arrive(c, line)
		}
		defer place.Pass()
		next.ServeHTTP(w, r.WithContext(order.With(r.Context(), place)))
	})
}

// readAhead reads up to orderBody bytes of a request's body, so that a shorter one has
// arrived as a whole. A later reader gets the same bytes and the same error.
func readAhead(r *http.Request) {
	sent := r.Body
	begin, err := io.ReadAll(io.LimitReader(sent, orderBody))
	rest := io.Reader(sent)
	if err != nil {
		rest = failedReader{err}
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begin), rest), sent}
}

// failedReader stands for the rest of a body that could not be read.
type failedReader struct{ err error }

func (f failedReader) Read([]byte) (int, error) { return 0, f.err }
