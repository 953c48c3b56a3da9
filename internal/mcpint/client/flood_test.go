package client

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/server"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/mcpint"
)

// floodingAt is an MCP server over HTTP that sends a text without an end: on its event
// stream, or as the answer to a call.
func floodingAt(t *testing.T, what, text string) mcpint.Server {
	t.Helper()
	next := server.NewStreamableHTTPServer(handmade(make(chan struct{}, 1)))
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := &teeBody{ReadCloser: r.Body}
		if r.Method == http.MethodPost {
			read, err := io.ReadAll(body)
			if err != nil {
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(read)))
		}
		if r.Method != what && !strings.Contains(body.seen.String(), what) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}))
	t.Cleanup(web.Close)
	return mcpint.Server{ID: "flood", Transport: "http", URL: web.URL}
}

// TestAFloodEndsTheConnection demands that a server which sends without an end what
// answers nothing is cut off, with a reason, however small the pieces are.
func TestAFloodEndsTheConnection(t *testing.T) {
	t.Parallel()
	notice := "data: " + changedNotice + "\n\n"
	for name, s := range map[string]mcpint.Server{
		"comments on the stream":  floodingAt(t, http.MethodGet, ":\n"),
		"heartbeats":              floodingAt(t, http.MethodGet, ": alive\n\n"),
		"notices on the stream":   floodingAt(t, http.MethodGet, notice),
		"comments in an answer":   floodingAt(t, "tools/call", ":\n"),
		"notices in an answer":    floodingAt(t, "tools/call", notice),
		"notices of a process":    child(t, "flood", "announces"),
		"empty lines on a stream": floodingAt(t, http.MethodGet, "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session, err := Dial(patience(t), s, Options{Name: "test", Version: "0"})
			if err != nil { // it may come to it during the handshake
				if !strings.Contains(err.Error(), "the server sends too much") {
					t.Error(err)
				}
				return
			}
			defer session.Close()
			go func() { _, _ = session.CallTool(patience(t), "hello", nil) }()
			select {
			case <-session.(Mortal).Done():
			case <-patience(t).Done():
				t.Fatal("the connection lasts")
			}
			if err := session.(Mortal).Err(); !strings.Contains(err.Error(), "the server sends too much") {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// TestTheQuotaIsRefilled by time and by requests of ours, so that neither a connection
// of months nor many calls use it up.
func TestTheQuotaIsRefilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuota()
		for range 7 * 24 * 60 { // a week with a heartbeat a second and a change of 1 KB every two
			if err := q.spend(90, 30<<10); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Minute)
		}
		for range 1000 { // calls, one after the other, each with a large answer
			q.refillForCall()
			if err := q.spend(500, maxAnswer); err != nil {
				t.Fatal(err)
			}
		}
		left := 0
		for q.spend(1, leastRead) == nil {
			left++
		}
		if left > mostMessages {
			t.Errorf("%d messages were taken at once", left)
		}
		<-time.After(time.Second)
		for left = 0; q.spend(1, leastRead) == nil; left++ {
		}
		if left > messagesASecond {
			t.Errorf("%d messages were taken after a second", left)
		}
		q = newQuota() // a few long ones
		for left = 0; q.spend(1, 1<<20) == nil; left++ {
		}
		if left > mostBytes>>20 {
			t.Errorf("%d megabytes were taken at once", left)
		}
	})
}

// TestWhatAnEventStreamCounts counts comments and empty lines, however they arrive.
func TestWhatAnEventStreamCounts(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, ":": 1, ": a\n: b\n\n": 3, "event: x\ndata: 1\ndata: :\n\n": 1, "\r\n\r\n": 2, "data: 1": 0, ":\r\n\r\ndata: 2\r\n\r\n": 3,
	} {
		for how, r := range map[string]io.Reader{"whole": strings.NewReader(in), "by bytes": iotest.OneByteReader(strings.NewReader(in))} {
			q := newQuota()
			at := q.messages
			if _, err := io.ReadAll(&meter{from: r, quota: q, events: true}); err != nil {
				t.Fatal(err)
			}
			if got := int(at - q.messages + 0.5); got != want {
				t.Errorf("%q, %s: %d messages, want %d", in, how, got, want)
			}
		}
	}
}
