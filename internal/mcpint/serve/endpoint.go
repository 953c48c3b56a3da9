package serve

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// Bounds of an Endpoint. A house has a handful of MCP hosts; many more are a
// mistake or an attack, and neither may cost memory.
const (
	endpointSessions = 64
	endpointOpen     = 64      // requests at once
	endpointStreams  = 32      // event streams at once
	endpointBody     = 1 << 20 // bytes
)

// Endpoint offers tools to MCP hosts over Streamable HTTP inside somebody else's
// HTTP server. That server has to check Host, Origin and token. Endpoint starts
// no goroutine; its streams end with their requests.
type Endpoint struct {
	next     http.Handler
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
	s := &sessions{lastUsed: map[string]time.Time{}}
	return &Endpoint{
		sessions: s, open: make(chan struct{}, endpointOpen), streams: make(chan struct{}, endpointStreams),
		next: server.NewStreamableHTTPServer(o.mcp, server.WithSessionIdManager(s), server.WithDisableLocalhostProtection(true),
			server.WithHeartbeatInterval(heartbeat), server.WithStreamableHTTPLogger(log)),
	}, nil
}

// ServeHTTP answers POST, GET and DELETE.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength > endpointBody {
		problem(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is over %d bytes", endpointBody))
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
	// The library checks the session of a POST only; for a GET it makes a session
	// of any id.
	if id := r.Header.Get(server.HeaderKeySessionID); id != "" && r.Method != http.MethodPost && !e.sessions.known(id) {
		problem(w, http.StatusNotFound, "this MCP session is not known; initialise a new one")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, endpointBody)
	e.next.ServeHTTP(w, r)
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
}

// Generate gives out a new id. When there are too many, the id idle for longest
// is dropped.
func (s *sessions) Generate() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails on the systems we build for
	id := hex.EncodeToString(b[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for len(s.lastUsed) >= endpointSessions {
		oldest, at := "", now.Add(time.Hour)
		for id, used := range s.lastUsed {
			if used.Before(at) {
				oldest, at = id, used
			}
		}
		delete(s.lastUsed, oldest)
	}
	s.lastUsed[id] = now
	return id
}

// Validate reports an unknown id as terminated, so that its owner initialises
// anew.
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
	if !ok {
		return false
	}
	if time.Since(used) > sessionIdle {
		delete(s.lastUsed, id)
		return false
	}
	s.lastUsed[id] = time.Now()
	return true
}
