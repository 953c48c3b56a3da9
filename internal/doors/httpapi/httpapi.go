// Package httpapi is the part that answers HTTP: health, readiness, the MCP
// servers, and asking and saying by request. It exists so that scripts, monitors
// and the page use one server, which applies the rules of REQUIREMENTS S4 in one
// place and not in each handler.
//
// Its routes and their handlers come from the table of package doors; add an operation
// there, and describe its route in openapi.yaml. A row whose handler is written by hand
// has it in handlers (routes.go), or in Deps.Handlers where another part brings it
// (metrics, /mcp).
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"voicegateway/internal/ground/httpguard"
)

// Config says where the server listens and who may come in.
type Config struct {
	Listen    string   `yaml:"listen"` // host:port; port 0 takes a free one
	TokenFile string   `yaml:"token_file"`
	Hosts     []string `yaml:"hosts"` // names this machine is called by, beyond localhost and addresses
	// Token is the bearer token every request must carry, or a browser must have logged
	// in with, except for /healthz and the log-in itself; empty: none. It is not read
	// from the configuration file: the code that loads the configuration sets it.
	Token string `yaml:"-"`
}

// Default listens on this machine only.
func Default() Config { return Config{Listen: "127.0.0.1:8765", Hosts: []string{}} }

// Validate reports what is wrong with the address; an empty one switches the server off.
func (cfg Config) Validate() error {
	if cfg.Listen == "" {
		return nil
	}
	_, err := cfg.host()
	return err
}

func (cfg Config) host() (string, error) {
	host, err := httpguard.Address(cfg.Listen, Default().Listen)
	if err != nil {
		return "", fmt.Errorf("http.listen: %w", err)
	}
	return host, nil
}

// stopTimeout bounds the end of the server; a stop may take a second in all. How long the
// work that a request causes may take is in the table, and how long the request itself
// may take to arrive is for httpguard.Door.
const stopTimeout = 500 * time.Millisecond

// Sizes that bound a request, in bytes.
const (
	maxBody    = 16 << 10
	maxForeign = 4 << 20 // for the handlers of other parts, because MCP calls are larger
)

// Server is the HTTP server.
type Server struct {
	cfg    Config
	deps   Deps
	log    *slog.Logger
	door   httpguard.Door
	mux    *http.ServeMux
	local  bool
	token  *httpguard.Token // nil: everybody may come in
	logins *logins
	// listener is set by Listen and taken over by Run.
	listener net.Listener
}

// New checks cfg: an address that other machines can reach needs a token that cannot be
// guessed.
func New(cfg Config, deps Deps, log *slog.Logger) (*Server, error) {
	host, err := cfg.host()
	if err != nil {
		return nil, err
	}
	local := httpguard.Loopback(host)
	if !local && cfg.Token == "" {
		return nil, fmt.Errorf("http.listen is %q, which other machines can reach, and there is no token: put one into a file and name it in http.token_file, or listen on 127.0.0.1", cfg.Listen)
	}
	s := &Server{cfg: cfg, deps: deps, log: log, door: httpguard.DefaultDoor(), local: local, logins: newLogins()}
	if cfg.Token != "" {
		s.token = httpguard.NewToken(cfg.Token, log)
		switch short := httpguard.Short(cfg.Token); {
		case short && !local:
			return nil, fmt.Errorf("http.listen is %q, which other machines can reach, and the token of http.token_file has fewer than %d characters and could be guessed: put a longer one into the file, or listen on 127.0.0.1", cfg.Listen, httpguard.MinToken)
		case short:
			log.Warn("the token of http.token_file is short and could be guessed", "least", httpguard.MinToken)
		}
	}
	if deps.Lines != nil {
		s.door.Orders, s.door.Lines = inOrder, deps.Lines
	}
	if s.mux, err = s.routes(); err != nil {
		return nil, err
	}
	return s, nil
}

// Listen opens the port. Run does so itself when Listen was not called; calling
// Listen first shows, before anything else is started, that no other gateway runs
// here. After it Run must be called.
func (s *Server) Listen(ctx context.Context) error {
	listener, err := httpguard.Listen(ctx, s.cfg.Listen)
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
