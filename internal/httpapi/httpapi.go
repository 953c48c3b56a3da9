// Package httpapi is the part that answers HTTP: health, readiness, the MCP
// servers, and asking and saying by request. It exists so that scripts, monitors
// and the page have one door, with the rules of REQUIREMENTS S4 at the door and
// not in each handler.
//
// What is behind the door comes in as small interfaces (Deps). To add a route,
// write its handler, a line in the table of routes.go and its description in
// openapi.yaml; a handler that another part brings (metrics, /mcp, the page) goes
// into Deps.Handlers.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"voicegateway/internal/httpguard"
)

// Config says where the server listens and who may come in.
type Config struct {
	Listen    string   `yaml:"listen"` // host:port; port 0 takes a free one
	TokenFile string   `yaml:"token_file"`
	Hosts     []string `yaml:"hosts"` // names this machine is called by, beyond localhost and addresses
	// Token is the bearer token every request but /healthz must carry; empty: none.
	// It is in no configuration: whoever loads one reads it.
	Token string `yaml:"-"`
}

// Default listens on this machine only.
func Default() Config { return Config{Listen: "127.0.0.1:8765", Hosts: []string{}} }

// Times that bound what a request makes us do; what it may take to come is the
// door's.
const (
	askTimeout   = time.Minute // a turn has its own deadlines well below
	quickTimeout = 10 * time.Second
	stopTimeout  = 500 * time.Millisecond // a stop may take a second in all
)

// Sizes that bound a request, in bytes.
const (
	maxBody    = 16 << 10
	maxForeign = 4 << 20 // for the handlers of other parts: MCP calls are larger
)

// Server is the HTTP server.
type Server struct {
	cfg  Config
	deps Deps
	log  *slog.Logger
	door httpguard.Door
	mux  *http.ServeMux
	// patterns are those of mux, which does not tell them.
	patterns []string
	local    bool
	// listener is set by Listen and taken over by Run.
	listener net.Listener
}

// New checks cfg: what other machines can reach needs a token.
func New(cfg Config, deps Deps, log *slog.Logger) (*Server, error) {
	host, _, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("http.listen is %q: expected host:port, such as 127.0.0.1:8765", cfg.Listen)
	}
	local := isLoopback(host)
	if !local && cfg.Token == "" {
		return nil, fmt.Errorf("http.listen is %q, which other machines can reach, and there is no token: put one into a file and name it in http.token_file, or listen on 127.0.0.1", cfg.Listen)
	}
	s := &Server{cfg: cfg, deps: deps, log: log, door: httpguard.DefaultDoor(), local: local}
	if s.mux, err = s.routes(); err != nil {
		return nil, err
	}
	return s, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || (ip != nil && ip.IsLoopback())
}

// Listen takes the port. Run does so itself; whoever calls Listen before knows
// that no other gateway runs here before anything else is started. After it Run
// must be called.
func (s *Server) Listen(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.cfg.Listen)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("the HTTP server cannot listen on %s: another program uses this port (a second gateway?); change http.listen", s.cfg.Listen)
	case err != nil:
		return fmt.Errorf("the HTTP server cannot listen on http.listen: %w", err)
	}
	s.listener = listener
	return nil
}

// Run serves until ctx ends and returns nil then. Requests under way are
// cancelled with it.
func (s *Server) Run(ctx context.Context) error {
	if s.listener == nil {
		if err := s.Listen(ctx); ctx.Err() != nil {
			return nil
		} else if err != nil {
			return err
		}
	}
	s.log.Info("the HTTP server is ready", "addr", s.listener.Addr().String())
	if err := s.door.Serve(ctx, s.listener, s, stopTimeout, s.log); err != nil {
		return fmt.Errorf("serving HTTP: %w", err)
	}
	return nil
}
