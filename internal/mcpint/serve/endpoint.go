package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// Bounds of an Endpoint. A house has a handful of MCP hosts; many more are a
// mistake or an attack, and neither may cost memory.
const (
	endpointSessions = 256
	endpointOpen     = 64      // requests at once
	endpointStreams  = 32      // event streams at once
	endpointBody     = 1 << 20 // bytes
)

// Endpoint offers tools to MCP hosts over Streamable HTTP inside another HTTP server.
// That server has to check Host, Origin and token. Endpoint starts no goroutine; its
// streams end with their requests.
type Endpoint struct {
	next     *server.StreamableHTTPServer
	sessions *sessions
	open     chan struct{} // a place for each request but GET
	streams  chan struct{} // a place for each GET, which lasts as long as its host listens
}

// NewEndpoint makes an endpoint for the tools and resources of cfg. Its address
// and token are not used, and changing resources are not followed.
func NewEndpoint(cfg Config, log *slog.Logger) (*Endpoint, error) {
	o, err := newOffer(cfg, log)
	if err != nil {
		return nil, err
	}
	return newEndpoint(o, server.WithDisableLocalhostProtection(true)), nil
}

// newEndpoint puts an offer on Streamable HTTP.
func newEndpoint(o *offer, options ...server.StreamableHTTPOption) *Endpoint {
	s := newSessions()
	options = append(options, server.WithSessionIdManager(s), server.WithHeartbeatInterval(heartbeat), server.WithStreamableHTTPLogger(o.log))
	return &Endpoint{
		sessions: s, open: make(chan struct{}, endpointOpen), streams: make(chan struct{}, endpointStreams),
		next: server.NewStreamableHTTPServer(o.mcp, options...),
	}
}

// ServeHTTP answers POST, GET and DELETE.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength > endpointBody {
		tooLong(w)
		return
	}
	// The library would answer 400 in plain text.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); r.Method == http.MethodPost && (err != nil || kind != "application/json") {
		problem(w, http.StatusUnsupportedMediaType, "send Content-Type: application/json")
		return
	}
	places := e.open
	if r.Method == http.MethodGet {
		places = e.streams
	}
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		w.Header().Set("Retry-After", "5")
		problem(w, http.StatusServiceUnavailable, "too many MCP requests at once")
		return
	}
	if read := readBody(w, r); !read {
		return
	}
	e.serve(w, r)
}

// serve passes a request on whose body has been read, and keeps its session for as
// long as it lasts.
func (e *Endpoint) serve(w http.ResponseWriter, r *http.Request) {
	defer e.forget(r.Context())
	id := r.Header.Get(server.HeaderKeySessionID)
	if r.Method == http.MethodGet && id == "" {
		// The library makes a session whose id the client never learns, so the session ends with
		// the stream.
		id = e.sessions.Generate()
		defer func() { _, _ = e.sessions.Terminate(id) }()
		r = r.Clone(r.Context())
		r.Header.Set(server.HeaderKeySessionID, id)
	}
	known, done := e.sessions.use(id)
	defer done()
	// The library checks the session of a POST only, because newer versions of the
	// protocol have none; for a GET it makes a session of any id.
	if r.Method != http.MethodPost && id != "" && !known {
		problem(w, http.StatusNotFound, "this MCP session is not known; initialise a new one")
		return
	}
	e.next.ServeHTTP(w, r)
}

// forget frees what the library keeps of sessions that are no longer in use. The library
// alone would keep them for ever, or start a goroutine to look for them.
func (e *Endpoint) forget(ctx context.Context) {
	for _, id := range e.sessions.takeGone() {
		header := http.Header{}
		header.Set(server.HeaderKeySessionID, id)
		e.next.Handle(nowhere{header: http.Header{}}, &server.HTTPRequest{Method: http.MethodDelete, Header: header, Context: ctx})
	}
}

// nowhere is the answer to a request that we make ourselves.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header       { return n.header }
func (nowhere) WriteHeader(int)             {}
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Flush()                      {}
func (nowhere) CanStream() bool             { return false }

// readBody reads the body of a POST, so that a body that is too long is refused with its
// own status; it returns false when the request has been answered. The library would call
// such a body broken JSON.
func readBody(w http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(w, r.Body, endpointBody)
	if r.Method != http.MethodPost {
		return true
	}
	body, err := io.ReadAll(r.Body)
	_, long := errors.AsType[*http.MaxBytesError](err)
	switch {
	case long:
		tooLong(w)
	case err != nil:
		problem(w, http.StatusBadRequest, "the body could not be read")
	default:
		r.Body = io.NopCloser(&bodyRead{body})
	}
	return err == nil
}

// bodyRead is a body in memory that is let go once it was read: a call may last.
type bodyRead struct{ rest []byte }

func (b *bodyRead) Read(p []byte) (int, error) {
	n := copy(p, b.rest)
	if b.rest = b.rest[n:]; len(b.rest) == 0 {
		b.rest = nil
		return n, io.EOF
	}
	return n, nil
}

func tooLong(w http.ResponseWriter) {
	problem(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is over %d bytes", endpointBody))
}

// problem answers with an error in the form of RFC 9457.
func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"type":"about:blank","title":%q,"status":%d,"detail":%q}`+"\n", http.StatusText(status), status, detail)
}

// sessions holds the session ids that were given out and are still in use. The
// library's own managers check an id's form only, or keep every id for ever.
type sessions struct {
	mu       sync.Mutex
	lastUsed map[string]time.Time // when each was used last
	requests map[string]int       // how many requests of each are under way; such a session never grows old
	gone     []string             // ids that are not in use any more, and not yet forgotten by the library
}

func newSessions() *sessions {
	return &sessions{lastUsed: map[string]time.Time{}, requests: map[string]int{}}
}

// Generate gives out a new id. When there are too many, the id idle for longest
// is dropped.
func (s *sessions) Generate() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails on the systems we build for
	id := hex.EncodeToString(b[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.lastUsed) >= endpointSessions {
		s.drop(s.idlest())
	}
	s.lastUsed[id] = time.Now()
	return id
}

// idlest returns the id that has gone unused for longest, preferring ids without a
// running request. The caller holds mu.
func (s *sessions) idlest() string {
	return slices.MinFunc(slices.Collect(maps.Keys(s.lastUsed)), func(a, b string) int {
		return cmp.Or(cmp.Compare(min(s.requests[a], 1), min(s.requests[b], 1)), s.lastUsed[a].Compare(s.lastUsed[b]))
	})
}

// drop ends a session that its host did not end. The caller holds mu.
func (s *sessions) drop(id string) {
	delete(s.lastUsed, id)
	s.gone = append(s.gone, id)
}

// takeGone returns the ids that the library has to forget, each once.
func (s *sessions) takeGone() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := s.gone
	s.gone = nil
	return gone
}

// Validate reports an unknown id as terminated, so that its client initialises again.
func (s *sessions) Validate(id string) (terminated bool, err error) { return !s.known(id), nil }

// Terminate forgets an id.
func (s *sessions) Terminate(id string) (notAllowed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lastUsed, id)
	return false, nil
}

// known reports whether an id is in use, and records the use.
func (s *sessions) known(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	used, ok := s.lastUsed[id]
	if ok && s.requests[id] == 0 && time.Since(used) > sessionIdle {
		s.drop(id)
		ok = false
	}
	if ok {
		s.lastUsed[id] = time.Now()
	}
	return ok
}

// use reports whether an id is in use, and keeps it so until done is called.
func (s *sessions) use(id string) (known bool, done func()) {
	if !s.known(id) {
		return false, func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[id]++
	return true, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.requests[id]--; s.requests[id] == 0 {
			delete(s.requests, id)
		}
		if _, ok := s.lastUsed[id]; ok {
			s.lastUsed[id] = time.Now()
		}
	}
}
