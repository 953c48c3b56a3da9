package httpapi

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// EventKind is what an event of the feed is about (REQUIREMENTS 2.2).
//
// To add one, add it to the kinds here and to the description of /api/events.
type EventKind string

// The kinds of events.
const (
	KindHello   EventKind = "hello"   // {"resumed"}: the first event of every connection
	KindState   EventKind = "state"   // {"state"}: where the microphone's turn stands
	KindPartial EventKind = "partial" // {"text"}: the transcript so far
	KindTurn    EventKind = "turn"    // the record of a turn that has ended
	KindServer  EventKind = "server"  // an MCP server's object, or {"id", "gone"} of one that the configuration has no more
	KindDevice  EventKind = "device"  // a device told its state
	KindHouse   EventKind = "house"   // {"entities", "gone", "away"}: those that are new or have changed, the ids of those that are no more, and the houses that cannot be reached
	KindTimers  EventKind = "timers"  // all timers, when one has changed
	KindAlarms  EventKind = "alarms"  // {"seen"}: the ids of the things whose alarms a person has heard or seen
	KindMeter   EventKind = "meter"   // what the ear makes of the sound, for those who asked for it
)

// Event is one piece of news.
type Event struct {
	Kind EventKind
	Body any // shown as JSON
}

// MostFollowers is how many can follow a feed at once.
const MostFollowers = 96

// Bounds of a feed. A client that is mostBehind events behind does not read, or reads
// too slowly ever to catch up.
const (
	mostBehind = 64
	keptEvents = 256              // events that a client gets again when it was away for a moment
	keptBytes  = 1 << 20          // the same, as they are sent
	feedBeat   = 15 * time.Second // a comment, so that proxies keep the connection and a dead one is noticed
)

// Feed passes on, as server-sent events, what happens while it happens. Pages and commands
// follow one gateway without asking again and again, and one of them that reads slowly, or
// not at all, holds up neither the gateway nor the others.
//
// It passes events on to every client. A client that connects is first sent the
// current state and then the changes; one that comes back names the last event it
// saw and is sent those after it, as long as they are kept. Publishing never waits; a
// client that is too slow loses its connection, so that no client misses an event in
// the middle.
type Feed struct {
	standing func() []Event // returns the current state as events; nil: there is none to send
	log      *slog.Logger
	run      string // of this start of the program: the numbers of another one mean other events

	mu       sync.Mutex
	last     int      // number of the newest event
	ring     [][]byte // the newest events as they are sent, the newest last
	bytes    int      // of all in ring
	keeps    bool     // a client has connected and may come back
	clients  map[*follower]struct{}
	metering atomic.Int32 // how many clients want KindMeter
}

// follower is one client. Its channel is closed when the client was too slow.
type follower struct {
	frames chan []byte
	meter  bool // it asked for KindMeter
}

// NewFeed makes a feed without clients. standing returns the current state; it is called
// for each new client and must be quick.
func NewFeed(standing func() []Event, log *slog.Logger) *Feed {
	if standing == nil {
		standing = func() []Event { return nil }
	}
	return &Feed{standing: standing, log: log, run: rand.Text()[:8], clients: map[*follower]struct{}{}}
}

// Publish passes an event on. It does not block.
func (f *Feed) Publish(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	meter := e.Kind == KindMeter
	if !f.keeps || meter && f.metering.Load() == 0 {
		return
	}
	number := f.last
	if !meter {
		number++
	}
	text, err := f.encode(number, e)
	if err != nil {
		f.log.Error("an event cannot be written as JSON", "kind", string(e.Kind), "err", err)
		return
	}
	if !meter {
		f.last = number
		f.keep(text)
	}
	for c := range f.clients {
		if meter && !c.meter {
			continue
		}
		select {
		case c.frames <- text:
		default:
			f.log.Warn("a client of the event stream does not read; it is dropped")
			f.remove(c)
			close(c.frames)
		}
	}
}

// keep adds a frame to those that can be had again, and forgets the oldest of too
// many. The caller holds mu.
func (f *Feed) keep(text []byte) {
	f.ring = append(f.ring, text)
	f.bytes += len(text)
	for len(f.ring) > keptEvents || f.bytes > keptBytes {
		f.bytes -= len(f.ring[0])
		f.ring[0] = nil
		f.ring = f.ring[1:]
	}
}

// Metered reports whether a client wants KindMeter, so that these events, many a second,
// are made only for a reader. It does not block.
func (f *Feed) Metered() bool { return f.metering.Load() > 0 }

// Clients returns how many clients are connected.
func (f *Feed) Clients() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.clients)
}

// join adds a client; c is nil if there are too many. If the client has seen an event
// before, missed holds the frames that it gets first. resumed is false for a new client,
// and if the missed frames are no longer kept.
func (f *Feed) join(meter bool, seen string) (c *follower, missed []byte, resumed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.clients) >= MostFollowers {
		return nil, nil, false
	}
	f.keeps = true
	c = &follower{frames: make(chan []byte, mostBehind), meter: meter}
	f.clients[c] = struct{}{}
	if meter {
		f.metering.Add(1)
	}
	missed, resumed = f.since(seen)
	return c, missed, resumed
}

// since returns the frames after the one with an id; ok is false when some of them
// are gone, or the id is none of this feed's. The caller holds mu.
func (f *Feed) since(id string) (frames []byte, ok bool) {
	run, digits, _ := strings.Cut(id, "-")
	number, err := strconv.Atoi(digits)
	if err != nil || run != f.run || number < f.last-len(f.ring) || number > f.last {
		return nil, false
	}
	return bytes.Join(f.ring[len(f.ring)-(f.last-number):], nil), true
}

func (f *Feed) leave(c *follower) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remove(c)
}

// remove forgets a client, if that has not been done already. The caller holds mu.
func (f *Feed) remove(c *follower) {
	if _, there := f.clients[c]; !there {
		return
	}
	delete(f.clients, c)
	if c.meter {
		f.metering.Add(-1)
	}
}

// opening returns what a client is sent first: whether it has missed nothing, and
// then what it missed, or the current state.
func (f *Feed) opening(missed []byte, resumed bool) ([]byte, error) {
	f.mu.Lock()
	last := f.last
	f.mu.Unlock()
	all := []byte("retry: 2000\n") // the browser's pause before it comes back, in milliseconds
	events := []Event{{KindHello, map[string]bool{"resumed": resumed}}}
	if !resumed {
		events = append(events, f.standing()...)
	}
	for _, e := range events {
		text, err := f.encode(last, e)
		if err != nil {
			return nil, err
		}
		if e.Kind == KindHello && resumed { // without a number: the events it missed follow
			_, text, _ = bytes.Cut(text, []byte("\n"))
		}
		all = append(all, text...)
	}
	return append(all, missed...), nil
}

// encode returns an event in the form of the stream. The JSON has no line breaks,
// which would end a field.
func (f *Feed) encode(number int, e Event) ([]byte, error) {
	body, err := json.Marshal(e.Body)
	if err != nil {
		return nil, fmt.Errorf("writing the event %s: %w", e.Kind, err)
	}
	return fmt.Appendf(nil, "id: %s-%d\nevent: %s\ndata: %s\n\n", f.run, number, e.Kind, body), nil
}

// Follow streams events to a client until it leaves, is too slow, or its request's
// context ends with the server. It reports false, and has answered nothing, when too
// many follow already.
func (f *Feed) Follow(w http.ResponseWriter, r *http.Request, meter bool) bool {
	c, missed, resumed := f.join(meter, r.Header.Get("Last-Event-ID"))
	if c == nil {
		return false
	}
	defer f.leave(c)
	first, err := f.opening(missed, resumed)
	if err != nil {
		f.log.Error("the state cannot be written as JSON", "err", err)
		http.Error(w, "the state cannot be shown", http.StatusInternalServerError)
		return true
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	ticks := time.NewTicker(feedBeat)
	defer ticks.Stop()
	for text := first; send(w, text); {
		select {
		case <-r.Context().Done():
			return true
		case <-ticks.C:
			text = []byte(": still here\n\n")
		case next, ok := <-c.frames:
			if !ok {
				return true
			}
			text = next
		}
	}
	return true
}

// send writes and flushes a frame and reports whether that worked; the server bounds
// how long it takes.
func send(w http.ResponseWriter, text []byte) bool {
	if _, err := w.Write(text); err != nil {
		return false
	}
	return http.NewResponseController(w).Flush() == nil
}
