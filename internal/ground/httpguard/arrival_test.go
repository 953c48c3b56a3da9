package httpguard

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/ground/order"
)

// counter serves requests in order and notes the numbers in their bodies.
type counter struct {
	*testing.T
	address string
	mu      sync.Mutex
	came    []int
}

func count(t *testing.T) *counter {
	t.Helper()
	c, listener := listen(t)
	c.serve(listener)
	return c
}

// listen opens a listener that is not served yet.
func listen(t *testing.T) (*counter, net.Listener) {
	t.Helper()
	listener, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return &counter{T: t, address: listener.Addr().String()}, listener
}

// serve serves until the test ends.
func (c *counter) serve(listener net.Listener) {
	door := DefaultDoor()
	door.Orders, door.Lines = func(*http.Request) string { return order.Acts }, &order.Lines{}
	ctx, cancel := context.WithCancel(c.Context())
	served := make(chan error, 1)
	go func() {
		served <- door.Serve(ctx, listener, http.HandlerFunc(c.note), time.Second, slog.New(slog.DiscardHandler))
	}()
	c.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			c.Error(err)
		}
	})
}

// note notes a number when its turn has come. 0 waits until its client leaves, out of
// the line.
func (c *counter) note(_ http.ResponseWriter, r *http.Request) {
	place := order.From(r.Context())
	body, err := io.ReadAll(r.Body)
	n, wrong := strconv.Atoi(string(body))
	if err != nil || wrong != nil {
		return // its place is given back
	}
	if n == 0 {
		place.Pass()
		<-r.Context().Done()
		return
	}
	if err := place.Await(r.Context()); err != nil {
		return
	}
	c.mu.Lock()
	c.came = append(c.came, n)
	c.mu.Unlock()
	place.Pass()
}

func (c *counter) connect() net.Conn {
	c.Helper()
	conn, err := (&net.Dialer{}).DialContext(c.Context(), "tcp", c.address)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = conn.Close() })
	return conn
}

// send sends a request whose Content-Length is larger than its body by missing bytes.
func (c *counter) send(conn net.Conn, body string, missing int) {
	c.Helper()
	if _, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body)+missing, body); err != nil {
		c.Fatal(err)
	}
}

func (c *counter) read(conn net.Conn) {
	c.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		c.Fatal(err)
	}
	_ = resp.Body.Close()
}

// TestRequestsGetTheirPlacesAsTheyCome sends bursts over old and new connections, and
// beside them requests that must not hold up the others: incomplete ones, invalid ones,
// slow ones, and ones whose client leaves.
func TestRequestsGetTheirPlacesAsTheyCome(t *testing.T) {
	t.Parallel()
	c := count(t)
	long, partial := c.connect(), c.connect()
	c.send(long, "0", 0)
	c.send(partial, "1", 10)
	const rounds, burst = 40, 12
	var old []net.Conn
	for range burst / 2 {
		old = append(old, c.connect())
	}
	var want []int
	for round := range rounds {
		left, odd := c.connect(), c.connect()
		_, _ = io.WriteString(odd, "what is this?\r\n\r\n")
		c.send(left, "no number", 0)
		_ = left.Close()
		conns := slices.Clone(old)
		for i := range burst {
			if i%2 == 1 { // every other one is new: it is opened and written to at once
				conns = slices.Insert(conns, i, c.connect())
			}
			n := 1 + round*burst + i
			want = append(want, n)
			c.send(conns[i], strconv.Itoa(n), 0)
		}
		for _, conn := range conns {
			c.read(conn)
		}
	}
	c.check(want)
}

// TestRequestsThatCameBeforeTheServer sends a burst to a listener that is not served yet,
// as clients do that wait for a program to start.
func TestRequestsThatCameBeforeTheServer(t *testing.T) { //nolint:paralleltest // the other tests' listeners make the kernel stamp
	for range 20 {
		c, listener := listen(t)
		var want []int
		var conns []net.Conn
		for n := 1; n <= 12; n++ {
			want, conns = append(want, n), append(conns, c.connect())
			c.send(conns[n-1], strconv.Itoa(n), 0)
		}
		c.serve(listener)
		for _, conn := range conns {
			c.read(conn)
		}
		c.check(want)
	}
}

// check compares the numbers that came with those that were sent.
func (c *counter) check(want []int) {
	c.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	swapped := 0
	for i := range min(len(c.came), len(want)) {
		if c.came[i] != want[i] {
			swapped++
		}
	}
	if swapped > 0 || len(c.came) != len(want) {
		c.Errorf("of %d requests %d came, %d of them not in their places", len(want), len(c.came), swapped)
	}
}
