package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// withFeed is a running server with a feed.
func withFeed(t *testing.T, standing func() []Event) (*Server, *Feed, func()) {
	t.Helper()
	feed := NewFeed(standing, quietly())
	s, err := New(Config{Listen: "127.0.0.1:0"}, Deps{Events: feed}, quietly())
	if err != nil {
		t.Fatal(err)
	}
	return s, feed, running(t, s)
}

// stream is a client of the event stream.
type stream struct {
	resp  *http.Response
	lines *bufio.Scanner
}

func listenTo(t *testing.T, s *Server) stream {
	t.Helper()
	return listenWith(t, s, "")
}

func listenWith(t *testing.T, s *Server, query string) stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Addr()+"/api/events"+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return stream{resp, bufio.NewScanner(resp.Body)}
}

// next returns the next event as "kind data", "" at the end of the stream.
func (s stream) next() string {
	kind := ""
	for s.lines.Scan() {
		line := s.lines.Text()
		if k, ok := strings.CutPrefix(line, "event: "); ok {
			kind = k
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return kind + " " + data
		}
	}
	return ""
}

func TestEventsBeginWithHowThingsStand(t *testing.T) {
	s, feed, _ := withFeed(t, func() []Event {
		return []Event{{KindState, map[string]string{"state": "idle"}}, {KindServer, map[string]string{"id": "zwave"}}}
	})
	feed.Publish(Event{KindState, "nobody listens"})
	a, b := listenTo(t, s), listenTo(t, s)
	for _, c := range []stream{a, b} {
		if kind := c.resp.Header.Get("Content-Type"); kind != "text/event-stream" {
			t.Errorf("content type %q", kind)
		}
		if got := c.next() + "; " + c.next(); got != `state {"state":"idle"}; server {"id":"zwave"}` {
			t.Errorf("it began with %s", got)
		}
	}
	feed.Publish(Event{KindPartial, map[string]string{"text": "turn on\nthe <light>"}})
	feed.Publish(Event{KindTurn, map[string]int{"n": 1}})
	feed.Publish(Event{KindDevice, make(chan int)}) // not possible in JSON: left out
	feed.Publish(Event{KindDevice, 2})
	for _, c := range []stream{a, b} {
		var text struct{ Text string }
		kind, data, _ := strings.Cut(c.next(), " ")
		if err := json.Unmarshal([]byte(data), &text); err != nil || kind != "partial" || text.Text != "turn on\nthe <light>" {
			t.Errorf("%s %s, %v", kind, data, err)
		}
		if got := c.next() + "; " + c.next(); got != `turn {"n":1}; device 2` {
			t.Errorf("then came %s", got)
		}
	}
	if n := feed.Clients(); n != 2 {
		t.Errorf("%d clients", n)
	}
}

// TestASlowClientIsDropped checks that a client that does not read costs bounded
// memory, loses its connection and holds nobody up.
func TestASlowClientIsDropped(t *testing.T) {
	s, feed, _ := withFeed(t, nil)
	slow, quick := listenTo(t, s), listenTo(t, s)
	for feed.Clients() != 2 {
		<-time.After(time.Millisecond)
	}
	big := strings.Repeat("x", 256<<10) // the kernel's buffers are full after a few of these
	taken := make(chan int, 1)
	go func() {
		n := 0
		for quick.lines.Buffer(nil, 1<<20); quick.lines.Scan(); {
			if strings.HasPrefix(quick.lines.Text(), "data: ") {
				n++
				taken <- n
			}
		}
	}()
	sent := 0
	for feed.Clients() == 2 {
		feed.Publish(Event{KindTurn, big})
		sent++
		if <-taken != sent {
			t.Fatal("the quick client missed an event")
		}
		if sent > 1000 {
			t.Fatal("the slow client was never dropped")
		}
	}
	t.Logf("dropped after %d events of 256 KiB", sent)
	feed.Publish(Event{KindTurn, "still there"})
	if <-taken != sent+1 {
		t.Error("the quick client suffered")
	}
	_ = slow.resp.Body.Close()
}

func TestTooManyListeners(t *testing.T) {
	s, feed, stop := withFeed(t, nil)
	for range feedClients {
		listenTo(t, s)
	}
	if got := listenTo(t, s).resp; got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: %s", got.Status)
	}
	stop() // a stop ends all streams; goleak watches
	if n := feed.Clients(); n != 0 {
		t.Errorf("%d clients after the stop", n)
	}
}

// TestListenersLeave checks that a client that leaves makes room for another.
func TestListenersLeave(t *testing.T) {
	s, feed, _ := withFeed(t, nil)
	for range 3 * feedClients {
		c := listenTo(t, s)
		if c.resp.StatusCode != http.StatusOK {
			t.Fatal(c.resp.Status)
		}
		_ = c.resp.Body.Close()
		for feed.Clients() > feedClients/2 {
			<-time.After(time.Millisecond)
		}
	}
}

func TestAHeadOfTheStreamEnds(t *testing.T) {
	s, feed, _ := withFeed(t, nil)
	resp, err := http.Head("http://" + s.Addr() + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if resp.StatusCode != http.StatusOK || feed.Clients() != 0 {
		t.Errorf("%s, %d clients", resp.Status, feed.Clients())
	}
}

func BenchmarkPublish(b *testing.B) {
	feed := NewFeed(nil, quietly())
	for range 4 {
		c := feed.join(false)
		go func() {
			for range c.frames {
			}
		}()
	}
	for i := 0; b.Loop(); i++ {
		feed.Publish(Event{KindPartial, fmt.Sprint(i)})
	}
}

func quietly() *slog.Logger { return slog.New(slog.DiscardHandler) }

// TestTheMeterIsForThoseWhoAsk checks that only clients who asked get the meter,
// and that Metered is false when they have left.
func TestTheMeterIsForThoseWhoAsk(t *testing.T) {
	s, feed, _ := withFeed(t, nil)
	plain := listenTo(t, s)
	for feed.Clients() < 1 {
		runtime.Gosched()
	}
	if feed.Metered() {
		t.Error("nobody asked for the meter")
	}
	meter := listenWith(t, s, "?meter=1")
	for !feed.Metered() {
		runtime.Gosched()
	}
	feed.Publish(Event{KindMeter, map[string]int{"level": -40}})
	feed.Publish(Event{KindState, "idle"})
	if got := plain.next(); got != `state "idle"` {
		t.Errorf("who did not ask is told %s", got)
	}
	if got := meter.next() + " " + meter.next(); got != `meter {"level":-40} state "idle"` {
		t.Errorf("who asked is told %s", got)
	}
	_ = meter.resp.Body.Close()
	for feed.Metered() {
		runtime.Gosched()
	}
	if feed.Clients() != 1 {
		t.Errorf("%d clients", feed.Clients())
	}
}
