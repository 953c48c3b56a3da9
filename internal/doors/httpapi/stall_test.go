package httpapi

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/doors"
	"voicegateway/internal/keep/record"
)

// stalled opens a connection and sends a request that never gets complete.
func stalled(t *testing.T, addr, head string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, strings.ReplaceAll(head, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	return c
}

// letGo counts the connections that the server closed, until one is still open
// after a long time.
func letGo(t *testing.T, all []net.Conn) (closed int) {
	t.Helper()
	for _, c := range all {
		_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			return closed
		}
		closed++
	}
	return closed
}

// connections counts the HTTP server's goroutines that serve a connection.
func connections() int {
	stacks := make([]byte, 8<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "net/http.(*conn).serve(")
}

// TestBodiesThatNeverComeAreLetGo checks that the connection of a request whose
// body never comes is closed, whatever its path and sender, and that complete
// requests beside it are answered however long that takes.
func TestBodiesThatNeverComeAreLetGo(t *testing.T) {
	const (
		token = "Authorization: Bearer s3cret\n"
		plain = "Host: 127.0.0.1\n"
		short = "Content-Type: application/json\nContent-Length: 100\n\n{"
	)
	heads := map[string]string{
		"asked":               "POST /api/ask HTTP/1.1\n" + plain + token + short,
		"asked in pieces":     "POST /api/ask HTTP/1.1\n" + plain + token + "Content-Type: application/json\nTransfer-Encoding: chunked\n\n1\n{\n",
		"no JSON at the end":  "POST /api/ask HTTP/1.1\n" + plain + token + "Content-Type: application/json\nContent-Length: 100\n\n}",
		"an act":              "POST /api/listen HTTP/1.1\n" + plain + token + short,
		"an unknown server":   "POST /mcp/servers/none/retry HTTP/1.1\n" + plain + token + short,
		"another part":        "POST /mcp HTTP/1.1\n" + plain + token + short,
		"a page":              "GET /healthz HTTP/1.1\n" + plain + short,
		"a page with a token": "GET /api/turns HTTP/1.1\n" + plain + token + short,
		"another part's page": "GET /other HTTP/1.1\n" + plain + token + short,
		"no token":            "POST /api/ask HTTP/1.1\n" + plain + short,
		"the wrong token":     "POST /mcp HTTP/1.1\n" + plain + "Authorization: Bearer x\n" + short,
		"a rebound name":      "POST /api/ask HTTP/1.1\nHost: evil.example\n" + token + short,
		"a foreign page":      "POST /api/ask HTTP/1.1\n" + plain + "Origin: https://evil.example\n" + token + short,
		"no such place":       "POST /nowhere HTTP/1.1\n" + plain + token + short,
		"no such method":      "DELETE /api/ask HTTP/1.1\n" + plain + token + short,
		"another kind":        "POST /api/ask HTTP/1.1\n" + plain + token + "Content-Type: text/plain\nContent-Length: 100\n\n{",
		"far too much":        "POST /mcp HTTP/1.1\n" + plain + token + "Content-Type: application/json\nContent-Length: 99999999\n\n{",
		"the server itself":   "OPTIONS * HTTP/1.1\n" + plain + short,
		"an odd expectation":  "POST /api/ask HTTP/1.1\n" + plain + token + "Expect: wonders\n" + short,
		"half a header":       "POST /api/ask HTTP/1.1\nHost: 127",
	}
	const each = 10
	release := make(chan struct{})
	g := &gateway{ask: func(ctx context.Context, _ doors.AskRequest) (record.Record, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return record.Record{}, ctx.Err()
	}}
	read := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		select {
		case <-release:
		case <-r.Context().Done():
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	s := newServer(t, Config{Token: "s3cret"}, g, map[string]http.Handler{
		"POST /mcp":  read,
		"GET /other": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "other") }),
	})
	s.door.Header, s.door.Request = 100*time.Millisecond, 200*time.Millisecond
	running(t, s)

	whole := plain + token + "Content-Type: application/json\nContent-Length: 12\n\n" + `{"text":"x"}`
	slow := []net.Conn{stalled(t, s.Addr(), "POST /api/ask HTTP/1.1\n"+whole), stalled(t, s.Addr(), "POST /mcp HTTP/1.1\n"+whole)}
	listening := stalled(t, s.Addr(), "GET /api/events HTTP/1.1\n"+plain+token+"Content-Length: 2\n\n{}")
	for s.deps.Events.Clients() != 1 {
		<-time.After(time.Millisecond)
	}
	var all []net.Conn
	for _, head := range heads {
		for range each {
			all = append(all, stalled(t, s.Addr(), head))
		}
	}
	if closed := letGo(t, all); closed != len(heads)*each {
		t.Fatalf("%d of %d connections were let go, then one stayed", closed, len(heads)*each)
	}
	for connections() > 3 { // the two slow ones and the stream
		<-time.After(time.Millisecond)
	}

	// Complete requests live on although the time for a request to arrive is
	// over.
	close(release)
	for _, c := range slow {
		answers := bufio.NewReader(c)
		for _, then := range []string{"GET /api/turns HTTP/1.1\n" + plain + token + "\n", ""} {
			answer, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				t.Errorf("what was complete got %s", answer.Status)
			}
			_, _ = io.WriteString(c, strings.ReplaceAll(then, "\n", "\r\n"))
		}
	}
	s.deps.Events.Publish(Event{Kind: KindTurn, Body: "still told"})
	events := bufio.NewScanner(listening)
	for events.Scan() && events.Text() != `data: "still told"` {
	}
	if err := events.Err(); err != nil || events.Text() != `data: "still told"` {
		t.Errorf("the stream ended at %q, %v", events.Text(), err)
	}
}

// TestConnectionsAreBounded checks that only so many connections are served at
// once, and that there is room again when they leave.
func TestConnectionsAreBounded(t *testing.T) {
	s := newServer(t, Config{}, &gateway{}, nil)
	s.door.Connections = 8
	running(t, s)
	var inside []net.Conn
	for range s.door.Connections {
		inside = append(inside, stalled(t, s.Addr(), "GET /healthz HTTP/1.1\nHost: 127.0.0.1\n\n"))
		if answer, err := http.ReadResponse(bufio.NewReader(inside[len(inside)-1]), nil); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("one within the bound: %v", err)
		}
	}
	var outside []net.Conn
	for range 20 {
		outside = append(outside, stalled(t, s.Addr(), ""))
	}
	if closed := letGo(t, outside); closed != len(outside) {
		t.Fatalf("%d of %d beyond the bound were closed", closed, len(outside))
	}
	_ = inside[0].Close()
	for status := 0; status != http.StatusOK; { // the server sees that one has left a moment later
		c := stalled(t, s.Addr(), "")
		_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		if answer, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil {
			status = answer.StatusCode
		}
	}
}

// TestAnswersNobodyReadsAreGivenUp checks that the connection of a client that
// asks and never reads is closed in the end.
func TestAnswersNobodyReadsAreGivenUp(t *testing.T) {
	s := newServer(t, Config{Token: "s3cret"}, &gateway{}, nil)
	s.door.Write = 100 * time.Millisecond
	running(t, s)
	c := stalled(t, s.Addr(), "")
	request := []byte(strings.Repeat("GET /api/turns HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 1000))
	for err := error(nil); err == nil; { // until the server, whose answers fill every buffer, gives the connection up
		_, err = c.Write(request)
	}
	for connections() > 0 {
		<-time.After(time.Millisecond)
	}
}
