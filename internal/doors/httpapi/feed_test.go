package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
)

// served is a feed behind a running server.
type served struct {
	*Feed
	*httptest.Server
}

func serve(t *testing.T, standing func() []Event) served {
	t.Helper()
	feed := NewFeed(standing, quietly())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !feed.Follow(w, r, r.URL.Query().Has("meter")) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	return served{feed, server}
}

// client is one that follows a feed.
type client struct {
	resp  *http.Response
	lines *bufio.Scanner
	id    string // of the last event
}

func (s served) client(t *testing.T, query, seen string) *client {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if seen != "" {
		req.Header.Set("Last-Event-ID", seen)
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return &client{resp: resp, lines: bufio.NewScanner(resp.Body)}
}

// next returns the next event as "kind data", "" at the end of the stream.
func (c *client) next() string {
	kind := ""
	for c.lines.Scan() {
		line := c.lines.Text()
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			c.id = id
		}
		if k, ok := strings.CutPrefix(line, "event: "); ok {
			kind = k
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return kind + " " + data
		}
	}
	return ""
}

// take returns so many events as one text.
func (c *client) take(n int) string {
	all := make([]string, 0, n)
	for range n {
		all = append(all, c.next())
	}
	return strings.Join(all, "; ")
}

const fresh = `hello {"resumed":false}`

func TestEventsBeginWithHowThingsStand(t *testing.T) {
	s := serve(t, func() []Event {
		return []Event{{KindState, map[string]string{"state": "idle"}}, {KindServer, map[string]string{"id": "zwave"}}}
	})
	s.Publish(Event{KindState, "nobody listens"})
	a, b := s.client(t, "", ""), s.client(t, "", "")
	for _, c := range []*client{a, b} {
		if kind := c.resp.Header.Get("Content-Type"); kind != "text/event-stream" {
			t.Errorf("content type %q", kind)
		}
		if got := c.take(3); got != fresh+`; state {"state":"idle"}; server {"id":"zwave"}` {
			t.Errorf("it began with %s", got)
		}
	}
	s.Publish(Event{KindPartial, map[string]string{"text": "turn on\nthe <light>"}})
	s.Publish(Event{KindTurn, map[string]int{"n": 1}})
	s.Publish(Event{KindDevice, make(chan int)}) // not possible in JSON: left out
	s.Publish(Event{KindDevice, 2})
	for _, c := range []*client{a, b} {
		var text struct{ Text string }
		kind, data, _ := strings.Cut(c.next(), " ")
		if err := json.Unmarshal([]byte(data), &text); err != nil || kind != "partial" || text.Text != "turn on\nthe <light>" {
			t.Errorf("%s %s, %v", kind, data, err)
		}
		if got := c.take(2); got != `turn {"n":1}; device 2` {
			t.Errorf("then came %s", got)
		}
	}
	if n := s.Clients(); n != 2 {
		t.Errorf("%d clients", n)
	}
}

// TestWhoComesBackMissesNothing checks that a client that was away gets what it missed
// and nothing twice, and that a client for which that is gone starts again.
func TestWhoComesBackMissesNothing(t *testing.T) {
	s := serve(t, func() []Event { return []Event{{KindState, "idle"}} })
	first := s.client(t, "", "")
	first.take(2)
	s.Publish(Event{KindTurn, 1})
	s.Publish(Event{KindTurn, make(chan int)})
	first.next()
	seen := first.id
	_ = first.resp.Body.Close()
	for s.Clients() > 0 {
		runtime.Gosched()
	}
	s.Publish(Event{KindTurn, 2})
	s.Publish(Event{KindMeter, "for nobody"})
	s.Publish(Event{KindTurn, 3})
	back := s.client(t, "", seen)
	if got := back.take(3); got != `hello {"resumed":true}; turn 2; turn 3` {
		t.Errorf("who was away is told %s", got)
	}
	s.Publish(Event{KindTurn, 4})
	if got := back.next(); got != "turn 4" {
		t.Errorf("and then %s", got)
	}
	if got := s.client(t, "", back.id).next(); got != `hello {"resumed":true}` {
		t.Errorf("who missed nothing is told %s", got)
	}
	for name, id := range map[string]string{
		"of another start": "ABCDEFGH-2", "of the future": s.run + "-5", "no number": s.run + "-", "before all": s.run + "--1", "nonsense": "x",
	} {
		if got := s.client(t, "", id).take(2); got != fresh+`; state "idle"` {
			t.Errorf("with an id %s it began with %s", name, got)
		}
	}
	for i := range keptEvents {
		s.Publish(Event{KindPartial, i})
	}
	if got := s.client(t, "", seen).next(); got != fresh {
		t.Errorf("who was away too long is told %s", got)
	}
}

// TestTheRingIsBounded checks that what is kept has a bound in events and in bytes.
func TestTheRingIsBounded(t *testing.T) {
	f := NewFeed(nil, quietly())
	c, _, _ := f.join(false, "")
	f.leave(c)
	for range 2 * keptEvents {
		f.Publish(Event{KindState, "x"})
	}
	if len(f.ring) != keptEvents || f.last != 2*keptEvents {
		t.Errorf("%d of %d events are kept", len(f.ring), f.last)
	}
	for range 5 {
		f.Publish(Event{KindTurn, strings.Repeat("x", keptBytes/3)})
	}
	if len(f.ring) != 2 || f.bytes > keptBytes {
		t.Errorf("%d events of %d bytes are kept", len(f.ring), f.bytes)
	}
	f.Publish(Event{KindTurn, strings.Repeat("x", 2*keptBytes)})
	if len(f.ring) != 0 || f.bytes != 0 {
		t.Errorf("one that is too large left %d events of %d bytes", len(f.ring), f.bytes)
	}
}

// TestASlowClientIsDropped checks that a client that does not read costs bounded memory,
// loses its connection and does not hold up the others.
func TestASlowClientIsDropped(t *testing.T) {
	s := serve(t, nil)
	slow, quick := s.client(t, "", ""), s.client(t, "", "")
	quick.lines.Buffer(nil, 1<<20)
	quick.next()
	big := strings.Repeat("x", 256<<10) // the kernel's buffers are full after a few of these
	sent := 0
	for s.Clients() == 2 {
		s.Publish(Event{KindTurn, big})
		if sent++; !strings.HasPrefix(quick.next(), "turn ") {
			t.Fatal("the quick client missed an event")
		}
		if sent > 1000 {
			t.Fatal("the slow client was never dropped")
		}
	}
	t.Logf("dropped after %d events of 256 KiB", sent)
	s.Publish(Event{KindTurn, "still there"})
	if got := quick.next(); got != `turn "still there"` {
		t.Errorf("the quick client suffered: %s", got)
	}
	_ = slow.resp.Body.Close()
}

func TestAHouseFullOfPages(t *testing.T) {
	s := serve(t, nil)
	all := make([]*client, 0, MostFollowers)
	for range MostFollowers {
		c := s.client(t, "", "")
		c.next()
		all = append(all, c)
	}
	if got := s.client(t, "", "").resp; got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one too many: %s", got.Status)
	}
	s.Publish(Event{KindState, "wake"})
	for _, c := range all {
		if got := c.next(); got != `state "wake"` {
			t.Fatalf("a page was told %s", got)
		}
	}
	_ = all[0].resp.Body.Close()
	for s.Clients() == MostFollowers {
		runtime.Gosched()
	}
	if got := s.client(t, "", "").resp; got.StatusCode != http.StatusOK {
		t.Errorf("in the place of one that left: %s", got.Status)
	}
}

// TestASilentHouse checks that a client hears that the connection lives, and that it
// ends with its context.
func TestASilentHouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed(nil, quietly())
		ctx, cancel := context.WithTimeout(t.Context(), 3*feedBeat+time.Second)
		defer cancel()
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody)
		if !f.Follow(w, r, false) {
			t.Fatal("there was no place")
		}
		if n := strings.Count(w.Body.String(), ": still here\n\n"); n != 3 {
			t.Errorf("%d signs of life in %q", n, w.Body)
		}
		if f.Clients() != 0 {
			t.Error("a client stayed")
		}
	})
}

// TestTheMeterIsForThoseWhoAsk checks that only clients who asked get the meter,
// and that Metered is false when they have left.
func TestTheMeterIsForThoseWhoAsk(t *testing.T) {
	s := serve(t, nil)
	plain := s.client(t, "", "")
	plain.next()
	if s.Metered() {
		t.Error("nobody asked for the meter")
	}
	meter := s.client(t, "?meter", "")
	meter.next()
	s.Publish(Event{KindMeter, map[string]int{"level": -40}})
	s.Publish(Event{KindState, "idle"})
	if got := plain.next(); got != `state "idle"` {
		t.Errorf("who did not ask is told %s", got)
	}
	if got := meter.take(2); got != `meter {"level":-40}; state "idle"` {
		t.Errorf("who asked is told %s", got)
	}
	_ = meter.resp.Body.Close()
	for s.Metered() {
		runtime.Gosched()
	}
	if s.Clients() != 1 {
		t.Errorf("%d clients", s.Clients())
	}
}

func FuzzSince(f *testing.F) {
	feed := NewFeed(nil, quietly())
	c, _, _ := feed.join(false, "")
	feed.leave(c)
	for i := range 2 * keptEvents {
		feed.Publish(Event{KindState, i})
	}
	for _, id := range []string{"", "-", feed.run + "-512", feed.run + "-300", feed.run + "--9", "x-1", feed.run + "-99999999999999999999"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		feed.mu.Lock()
		defer feed.mu.Unlock()
		frames, ok := feed.since(id)
		if ok && !strings.HasPrefix(id, feed.run+"-") || !ok && len(frames) > 0 {
			t.Errorf("%q gave %d bytes, %v", id, len(frames), ok)
		}
	})
}

func BenchmarkPublish(b *testing.B) {
	feed := NewFeed(nil, quietly())
	for range 4 {
		c, _, _ := feed.join(false, "")
		go func() {
			for range c.frames {
			}
		}()
	}
	for i := 0; b.Loop(); i++ {
		feed.Publish(Event{KindPartial, fmt.Sprint(i)})
	}
}
