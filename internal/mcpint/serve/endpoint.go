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

// Bounds of an Endpoint. A house has a handful of MCP hosts; what is beyond them
// is a mistake or an attack, and neither may cost memory.
const (
	endpointSessions = 64
	endpointOpen     = 64      // requests at once
	endpointStreams  = 32      // event streams at once
	endpointBody     = 1 << 20 // bytes
)

// Endpoint offers tools to MCP hosts over Streamable HTTP inside somebody else's
// HTTP server. Host, Origin and token are that server's to check. It starts no
// goroutine; its streams end with their requests.
type Endpoint struct {
	next     http.Handler
	sessions *sessions
	open     chan struct{} // a place for each request but GET
	streams  chan struct{} // and for each GET, which lasts as long as its host listens
}

// NewEndpoint makes an endpoint of what cfg offers; where to serve and the token
// in it are not used, and resources that change are not followed.
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
	// The library would say 400 in plain text.
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
	// The library checks the session of a POST only, and makes a new one for a GET
	// with any id.
	if id := r.Header.Get(server.HeaderKeySessionID); id != "" && r.Method != http.MethodPost && !e.sessions.known(id) {
		problem(w, http.StatusNotFound, "this MCP session is not known; initialise a new one")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, endpointBody)
	e.next.ServeHTTP(w, r)
}

// problem answers with an error as RFC 9457 wants it.
func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"type":"about:blank","title":%q,"status":%d,"detail":%q}`+"\n", http.StatusText(status), status, detail)
}

// sessions are the ids that were given out and are still in use. The library's
// own managers check an id's form only, or keep every id for ever.
type sessions struct {
	mu       sync.Mutex
	lastUsed map[string]time.Time // when each was used last
}

// Generate gives a new id out. The one that was idle longest has to make room.
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

// Validate says that an unknown id was terminated: its owner initialises anew.
func (s *sessions) Validate(id string) (terminated bool, err error) { return !s.known(id), nil }

// Terminate forgets an id.
func (s *sessions) Terminate(id string) (notAllowed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lastUsed, id)
	return false, nil
}

// known says whether an id is in use, and notes that it is.
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
