// Package client is one connection to one MCP server: it reaches the server over
// any transport, shakes hands, makes calls, and says in words a person can use why
// something did not work (Dial, Session).
//
// It exists because the client library does not own its processes, reads lines of
// any length into memory, and repeats whatever a server says: this package
// therefore owns the child with all it starts, the bounds, the redaction and the
// honest error texts. It dials once; keeping a connection alive is the work of
// package host. A new transport is one file with a dial function and one line in
// the transports table.
package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/ground/secret"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// Options holds what all connections of one program have in common.
type Options struct {
	Name, Version string   // how the program introduces itself to servers
	ExecDir       string   // where the program's own executable lies; see process.Find
	Environ       []string // the program's environment; children get the allow-list of it
	// Launcher is the socket of the service that starts the servers of others; "": they
	// are our children, as our own servers always are. See process.Launch.
	Launcher string
	Log      *slog.Logger
	// Notify is called with what a server announces. It runs on the connection's
	// read loop: it must not block and must not use the session. nil:
	// announcements are dropped.
	Notify func(Notice)
	// Late is called once if a program that Dial has started does not answer within its
	// ConnectTimeout, with the error that says so. Dial goes on until its context ends.
	// It must not block. nil: the delay is not reported.
	Late func(error)
}

// Notice is something a server announced: that its tools or resources changed,
// or, with URI set, that one resource did.
type Notice struct {
	Kind NoticeKind
	URI  string
}

// NoticeKind tells the announcements apart.
type NoticeKind int

// What a server can announce.
const (
	ToolsChanged NoticeKind = iota
	ResourcesChanged
	ResourceUpdated
)

// Session is one connection to a server, after the handshake. It is safe for
// concurrent use. A lost session stays lost: dial again for a new one.
type Session interface {
	// ListTools asks for all tools. One that cannot be used is left out, with the
	// reason.
	ListTools(ctx context.Context) (Listing, error)
	// CallTool calls a tool by its name on the server. A failure the server
	// reports is a failed Result; an error means that no answer came, and it
	// wraps ErrNoAnswer when the call had been sent.
	CallTool(ctx context.Context, name string, args json.RawMessage) (tools.Result, error)
	// Close ends the connection and, for stdio, the process with all it started.
	// It returns when they are gone.
	Close() error
}

// These are abilities only some sessions have; find them by type assertion.
type (
	// Mortal is a session that notices its own end.
	Mortal interface {
		Done() <-chan struct{} // closed when the connection is lost or closed
		Err() error            // why; nil while it lasts
	}
	// Resourceful is a session with resources to read.
	Resourceful interface {
		ListResources(ctx context.Context) ([]string, error) // their URIs
		ReadResource(ctx context.Context, uri string) ([]byte, error)
		Subscribe(ctx context.Context, uri string) error // nil without effect where the server knows no subscription
	}
	// Pingable is a session that can be asked for a sign of life. An error that
	// arrives before the context ends is a sign of life as well.
	Pingable interface {
		Ping(ctx context.Context) error
	}
	// Identified is a session that knows which server is at the other end.
	Identified interface {
		ServerName() string // as it calls itself; "": it does not say
		ServerVersion() string
		PID() int // 0 when the server is not our child process
	}
)

// transports is the table of ways to reach a server.
var transports = map[string]func(ctx context.Context, s mcpint.Server, o Options) (Session, error){
	"stdio": dialStdio,
	"http":  dialHTTP,
	"sse":   dialSSE,
}

// Check says what is wrong with a server's settings.
func Check(s mcpint.Server) error {
	names := slices.Sorted(maps.Keys(transports))
	transport := s.WithDefaults().Transport
	switch {
	case s.ID == "":
		return errors.New("an MCP server has no id")
	case !slices.Contains(names, transport):
		return fmt.Errorf("MCP server %q: there is no transport %q; it can be %s", s.ID, s.Transport, strings.Join(names, " or "))
	case transport == "stdio" && s.Command == "":
		return fmt.Errorf("MCP server %q: stdio needs a command", s.ID)
	case transport != "stdio" && s.URL == "":
		return fmt.Errorf("MCP server %q: %s needs a url", s.ID, transport)
	}
	for _, need := range s.Requires {
		if err := mcpint.CheckRequirement(need); err != nil {
			return fmt.Errorf("MCP server %q: %w", s.ID, err)
		}
	}
	if err := s.Tools.Check(); err != nil {
		return fmt.Errorf("MCP server %q: %w", s.ID, err)
	}
	return nil
}

// Dial connects to a server and shakes hands. The context bounds the dialling
// only; the session then lives until Close. The error is a *DialError when the
// attempt to reach the server was made.
func Dial(ctx context.Context, s mcpint.Server, o Options) (Session, error) {
	if err := Check(s); err != nil {
		return nil, err
	}
	s = s.WithDefaults()
	o.Log = slog.New(secret.Handler(cmp.Or(o.Log, slog.New(slog.DiscardHandler)).Handler(), SecretsOf(s)))
	if o.Notify == nil {
		o.Notify = func(Notice) {}
	}
	return transports[s.Transport](ctx, s, o)
}

// Talkative is a Session with a process of ours that writes to its stderr.
type Talkative interface {
	// Words is the end of what it wrote, cleaned and bounded; "" for nothing.
	Words() string
}

// EndError says how the process of a connected server ended.
type EndError struct {
	Exit     string // "exit status 3", "signal: killed"
	Stderr   string // its last words, cleaned and bounded
	Obstacle string // the rule of the system that stopped it; "" if none is recognised
}

func (e *EndError) Error() string {
	return "the server ended (" + e.Exit + ")" + obstacleText(e.Obstacle)
}

// obstacleText is an obstacle as the end of a sentence.
func obstacleText(obstacle string) string {
	if obstacle == "" {
		return ""
	}
	return ": " + obstacle
}

// DialError says why a server could not be reached, with all an operator needs.
type DialError struct {
	Server, Transport string
	Exit              string // how the process ended ("exit status 3"); "" if it did not end, or there is no process
	Stderr            string // its last words, cleaned and bounded
	Obstacle          string // the rule of the system that stopped it; "" if none is recognised
	Err               error
}

func (e *DialError) Error() string {
	text := fmt.Sprintf("connection to %s server '%s' failed: %v", e.Transport, e.Server, e.Err)
	if e.Exit != "" {
		text += " (" + e.Exit + ")"
	}
	return text + obstacleText(e.Obstacle)
}

func (e *DialError) Unwrap() error { return e.Err }
