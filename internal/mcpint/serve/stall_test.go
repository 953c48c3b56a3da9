package serve

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/ground/httpguard"
)

// TestBodiesThatNeverComeAreLetGo checks that the connection of a request whose
// body never comes is closed, whatever its path and sender, but not that of a
// listening host.
func TestBodiesThatNeverComeAreLetGo(t *testing.T) {
	const (
		plain  = "Host: 127.0.0.1\n"
		token  = "Authorization: Bearer s3cret-token\n"
		accept = "Accept: application/json, text/event-stream\n"
		short  = "Content-Type: application/json\nContent-Length: 100\n\n{"
		each   = 20
	)
	heads := map[string]string{
		"a question":     "POST /mcp HTTP/1.1\n" + plain + token + accept + short,
		"in pieces":      "POST /mcp HTTP/1.1\n" + plain + token + accept + "Content-Type: application/json\nTransfer-Encoding: chunked\n\n1\n{\n",
		"another kind":   "POST /mcp HTTP/1.1\n" + plain + token + accept + "Content-Type: text/plain\nContent-Length: 100\n\n{",
		"an end":         "DELETE /mcp HTTP/1.1\n" + plain + token + short,
		"no such method": "PATCH /mcp HTTP/1.1\n" + plain + token + short,
		"no such place":  "POST /nowhere HTTP/1.1\n" + plain + token + short,
		"no token":       "POST /mcp HTTP/1.1\n" + plain + accept + short,
		"no token, GET":  "GET /mcp HTTP/1.1\n" + plain + accept + short,
		"a foreign page": "POST /mcp HTTP/1.1\n" + plain + token + accept + "Origin: http://evil.example\n" + short,
		"far too much":   "POST /mcp HTTP/1.1\n" + plain + token + accept + "Content-Type: application/json\nContent-Length: 99999999\n\n{",
	}
	cfg := served(nil)
	cfg.Token = "s3cret-token"
	door := httpguard.DefaultDoor()
	door.Request, door.Connections = 200*time.Millisecond, 300
	addr := throughDoor(t, cfg, door)
	send := func(head string) net.Conn {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.WriteString(c, strings.ReplaceAll(head, "\n", "\r\n")); err != nil {
			t.Fatal(err)
		}
		return c
	}
	listening := send("GET /mcp HTTP/1.1\n" + plain + token + "Accept: text/event-stream\nContent-Length: 2\n\n{}")
	if line, err := bufio.NewReader(listening).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("listening: %q, %v", line, err)
	}
	var all []net.Conn
	for _, head := range heads {
		for range each {
			all = append(all, send(head))
		}
	}
	for i, c := range all {
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("%d of %d connections were let go, then one stayed", i, len(all))
		}
	}
	for connections() > 1 { // the listening host's connection
		<-time.After(time.Millisecond)
	}
	_ = listening.SetReadDeadline(time.Now().Add(door.Request))
	if _, err := io.Copy(io.Discard, listening); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the stream of a host that listens ended: %v", err)
	}
}

// connections counts the HTTP server's goroutines that serve a connection.
func connections() int {
	stacks := make([]byte, 8<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "net/http.(*conn).serve(")
}
