package httpapi

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Kind is what an event of the stream is about (REQUIREMENTS 2.2).
type Kind string

// The kinds of events.
const (
	KindState   Kind = "state"   // {"state"}: where the microphone's turn stands
	KindPartial Kind = "partial" // {"text"}: the transcript so far
	KindTurn    Kind = "turn"    // the record of a turn that has ended
	KindServer  Kind = "server"  // an MCP server's object
	KindDevice  Kind = "device"  // a device told its state
	KindTimers  Kind = "timers"  // all timers, when one has changed
	KindMeter   Kind = "meter"   // what the ear makes of the sound, for those who asked for it
)

// Event is one piece of news.
type Event struct {
	Kind Kind
	Body any // shown as JSON
}

// Bounds of the stream. A client that is feedBuffer events behind does not read,
// or reads too slowly ever to catch up.
const (
	feedBuffer  = 64
	feedClients = 32
	feedBeat    = 15 * time.Second // a comment, so that proxies keep the connection and a dead one is noticed
)

// Feed passes events on to every client of GET /api/events. It remembers nothing:
// a client that connects is first sent the current state and then the changes.
// Publishing never waits; a client that is too slow loses its connection, so that
// no client misses an event in the middle.
type Feed struct {
	standing func() []Event // returns the current state as events; nil: there is none to send
	log      *slog.Logger
	mu       sync.Mutex
	last     int // number of the newest event
	clients  map[*listener]struct{}
	metering atomic.Int32 // how many clients want KindMeter
}

// listener is one client. Its channel is closed when the client was too slow.
type listener struct {
	frames chan []byte
	meter  bool // it asked for KindMeter
}

// NewFeed makes a feed without clients. standing returns the current state; it is
// called for each new client and must be quick.
func NewFeed(standing func() []Event, log *slog.Logger) *Feed {
	if standing == nil {
		standing = func() []Event { return nil }
	}
	return &Feed{standing: standing, log: log, clients: map[*listener]struct{}{}}
}

// Publish passes an event on. It does not block.
func (f *Feed) Publish(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	if len(f.clients) == 0 || e.Kind == KindMeter && f.metering.Load() == 0 {
		return
	}
	frame, err := encode(f.last, e)
	if err != nil {
		f.log.Error("an event cannot be written as JSON", "kind", string(e.Kind), "err", err)
		return
	}
	for c := range f.clients {
		if e.Kind == KindMeter && !c.meter {
			continue
		}
		select {
		case c.frames <- frame:
		default:
			f.log.Warn("a client of the event stream does not read; it is dropped")
			f.remove(c)
			close(c.frames)
		}
	}
}

// Metered reports whether a client wants KindMeter, so that these events, many a
// second, need not be made for nobody. It does not block.
func (f *Feed) Metered() bool { return f.metering.Load() > 0 }

// Clients returns how many clients are connected.
func (f *Feed) Clients() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.clients)
}

// join adds a client; nil when there are too many.
func (f *Feed) join(meter bool) *listener {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.clients) >= feedClients {
		return nil
	}
	c := &listener{frames: make(chan []byte, feedBuffer), meter: meter}
	f.clients[c] = struct{}{}
	if meter {
		f.metering.Add(1)
	}
	return c
}

func (f *Feed) leave(c *listener) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remove(c)
}

// remove forgets a client, if that has not been done already. The caller holds
// mu.
func (f *Feed) remove(c *listener) {
	if _, there := f.clients[c]; !there {
		return
	}
	delete(f.clients, c)
	if c.meter {
		f.metering.Add(-1)
	}
}

// opening returns the events that a new client is sent first.
func (f *Feed) opening() ([]byte, error) {
	f.mu.Lock()
	last := f.last
	f.mu.Unlock()
	all := []byte("retry: 2000\n\n") // the browser's pause before it comes back, in milliseconds
	for _, e := range f.standing() {
		frame, err := encode(last, e)
		if err != nil {
			return nil, err
		}
		all = append(all, frame...)
	}
	return all, nil
}

// encode returns an event in the form of the stream. The JSON has no line breaks,
// which would end a field.
func encode(id int, e Event) ([]byte, error) {
	body, err := json.Marshal(e.Body)
	if err != nil {
		return nil, fmt.Errorf("writing the event %s: %w", e.Kind, err)
	}
	return fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", id, e.Kind, body), nil
}

// events streams events until the client leaves, is too slow, or the server
// stops.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	feed := s.deps.Events
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", "text/event-stream")
		return
	}
	meter, ok := s.flag(w, r, "meter")
	if !ok {
		return
	}
	c := feed.join(meter)
	if c == nil {
		w.Header().Set("Retry-After", "10")
		s.refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("%d clients listen already", feedClients))
		return
	}
	defer feed.leave(c)
	first, err := feed.opening()
	if err != nil {
		s.failed(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	beat := time.NewTicker(feedBeat)
	defer beat.Stop()
	for frame := first; ; {
		if !send(w, frame) {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-beat.C:
			frame = []byte(": still here\n\n")
		case next, ok := <-c.frames:
			if !ok {
				return
			}
			frame = next
		}
	}
}

// flag reads a query parameter that is 0 or 1; for anything else it answers with
// an error, and ok is false.
func (s *Server) flag(w http.ResponseWriter, r *http.Request, name string) (on, ok bool) {
	switch value := r.URL.Query().Get(name); value {
	case "", "0":
		return false, true
	case "1":
		return true, true
	default:
		s.refuse(w, http.StatusBadRequest, fmt.Sprintf("%s is 0 or 1", name))
		return false, false
	}
}

// send writes and flushes a frame and reports whether that worked; httpguard.Door
// bounds how long it takes.
func send(w http.ResponseWriter, frame []byte) bool {
	if _, err := w.Write(frame); err != nil {
		return false
	}
	return http.NewResponseController(w).Flush() == nil
}
