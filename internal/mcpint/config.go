package mcpint

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/ground/secret"
)

// Server says how to reach one MCP server and how the gateway treats it. It is an
// entry of mcp.servers in the configuration.
type Server struct {
	ID        string            `yaml:"-"`         // the entry's name
	From      string            `yaml:"-"`         // the list of another host that it was imported from; "" for one of our own configuration
	Place     int               `yaml:"-"`         // where it stands among the entries of the file, from 1; 0 for one that only we know
	Transport string            `yaml:"transport"` // one of transports; empty means stdio
	Command   string            `yaml:"command"`   // stdio: the program; without a slash see process.Find
	Args      []string          `yaml:"args"`      // stdio
	Env       map[string]string `yaml:"env"`
	Dir       string            `yaml:"cwd"` // stdio: working directory; empty is ours
	URL       string            `yaml:"url"` // http
	Headers   map[string]string `yaml:"headers"`
	// HeaderFile names files with the values of further headers, by header, for secrets.
	HeaderFile map[string]string `yaml:"header_file"`
	Auth       Auth              `yaml:"auth"` // http, sse: tokens of OAuth

	Protocol  string `yaml:"protocol"`  // auto, or the only revision that is spoken with it; empty means auto
	Essential bool   `yaml:"essential"` // without it the gateway counts as disconnected (REQUIREMENTS M5)
	House     bool   `yaml:"house"`     // it may tell of a house, and its tools keep their names (REQUIREMENTS M16)

	Trust Trust     `yaml:"trust"` // how far its word is believed (REQUIREMENTS M16)
	Risk  RiskRules `yaml:"risk"`  // what its tools can do, by name or pattern, in place of what it says
	Own   bool      `yaml:"-"`     // our own program, which comes with us: its tools change with ours

	Secrets *secret.Set `yaml:"-"` // what must not be shown (REQUIREMENTS S7); nil: what these settings hold

	// These say what the server depends on, how it is tried, and which of its
	// tools are offered.
	Program         string        `yaml:"-"`                // stdio: what has to be installed, for the failure report; empty: Command
	Requires        []string      `yaml:"requires"`         // looked for before the server is started; see CheckRequirement
	RequiresTimeout time.Duration `yaml:"requires_timeout"` // after which the server is started anyway; zero means 60 s
	Retry           Schedule      `yaml:"retry"`            // overrides the general schedule, except in fields that are zero
	Tools           ToolRules     `yaml:"tools"`

	ConnectTimeout time.Duration `yaml:"connect_timeout"` // start, handshake and tool list together; zero means 10 s
	CallTimeout    time.Duration `yaml:"call_timeout"`    // one tool call; zero means 30 s
}

// Schedule says when a server is tried again (REQUIREMENTS M2, M3).
type Schedule struct {
	Attempts     int           `yaml:"attempts"`      // before the server counts as failed
	BaseDelay    time.Duration `yaml:"base_delay"`    // before the second attempt
	Multiplier   float64       `yaml:"multiplier"`    // from each delay to the next
	MaxDelay     time.Duration `yaml:"max_delay"`     // bound of the delays up to the last attempt
	SlowInterval time.Duration `yaml:"slow_interval"` // bound of the delays after it
}

// Over returns the general schedule, overridden by the settings of this one.
func (s Schedule) Over(general Schedule) Schedule {
	return Schedule{
		Attempts: cmp.Or(s.Attempts, general.Attempts), BaseDelay: cmp.Or(s.BaseDelay, general.BaseDelay),
		Multiplier: cmp.Or(s.Multiplier, general.Multiplier), MaxDelay: cmp.Or(s.MaxDelay, general.MaxDelay),
		SlowInterval: cmp.Or(s.SlowInterval, general.SlowInterval),
	}
}

// ToolRules choose among a server's tools by patterns as of path.Match, such as
// get_*.
type ToolRules struct {
	Allow []string `yaml:"allow"` // only tools with such names are offered; empty: all
	Deny  []string `yaml:"deny"`  // and those with such names are not
}

// The defaults of a server's settings.
const (
	defaultConnectTimeout  = 10 * time.Second
	defaultCallTimeout     = 30 * time.Second
	defaultRequiresTimeout = time.Minute
)

// WithDefaults returns the server with its empty settings filled in.
func (s Server) WithDefaults() Server {
	s.Transport, s.Trust, s.Protocol = cmp.Or(s.Transport, "stdio"), cmp.Or(s.Trust, TrustRead), cmp.Or(s.Protocol, ProtocolAuto)
	s.ConnectTimeout = cmp.Or(s.ConnectTimeout, defaultConnectTimeout)
	s.CallTimeout = cmp.Or(s.CallTimeout, defaultCallTimeout)
	s.RequiresTimeout = cmp.Or(s.RequiresTimeout, defaultRequiresTimeout)
	return s
}

// SetDefaults fills what a new entry may leave out.
func (s *Server) SetDefaults() { *s = s.WithDefaults() }

// HomeAssistantServer is our own server of a house behind Home Assistant. Its entry in the
// configuration needs nothing but what Home Assistant itself needs.
const HomeAssistantServer = "home-assistant-mcp-server"

// SetDefaultsOf fills what a new entry may leave out, by what it says: a house server of our
// own is trusted and tells of a house.
func (s *Server) SetDefaultsOf(text func(key string) string) {
	if text("command") == HomeAssistantServer {
		s.House, s.Trust = true, TrustFull
	}
}

// SetPlace notes where the entry stands: the first of several servers keeps a name of
// a tool that they all have (REQUIREMENTS M17).
func (s *Server) SetPlace(n int) { s.Place = n }

// Lets reports whether a tool is offered: its name is allowed and not denied.
func (t ToolRules) Lets(name string) bool {
	fits := func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // patterns are checked before
		return ok
	}
	return (len(t.Allow) == 0 || slices.ContainsFunc(t.Allow, fits)) && !slices.ContainsFunc(t.Deny, fits)
}

// Check says what is wrong with the patterns.
func (t ToolRules) Check() error {
	for _, pattern := range slices.Concat(t.Allow, t.Deny) {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q is no pattern for tool names; expected something like get_* or delete_?", pattern)
		}
	}
	return nil
}

// ProtocolAuto is the setting by which the server decides which revision is spoken.
const ProtocolAuto = "auto"

// protocols are the revisions that a server can be held to, oldest first.
var protocols = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// checkProtocol says what is wrong with the setting. A server of the transport of 2024
// cannot speak the newest revision.
func (s Server) checkProtocol() error {
	known := protocols
	if s.Transport == "sse" {
		known = protocols[:len(protocols)-1]
	}
	if s.Protocol == "" || s.Protocol == ProtocolAuto || slices.Contains(known, s.Protocol) {
		return nil
	}
	return fmt.Errorf("%q is no revision that is spoken over %s; expected %s, %s", s.Protocol, s.Transport, ProtocolAuto, strings.Join(known, ", "))
}

// IsHomeAssistant reports whether the server is Home Assistant's own MCP server, by its
// address. Unlike HomeAssistantServer it tells no house and proves nothing.
func (s Server) IsHomeAssistant() bool {
	u, err := url.Parse(s.URL)
	return err == nil && s.Transport != "stdio" && IsHomeAssistantPath(u.Path)
}

// IsHomeAssistantCalled reports whether the server is Home Assistant's own MCP server, judged by
// the name that it gives itself. Its address does not tell: behind a proxy it may have any, and
// another server may have the usual one. Only a server without a name is judged by its address.
// A server for a house (House) has receipts, so it never counts as Home Assistant's.
func (s Server) IsHomeAssistantCalled(name string) bool {
	name = strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(strings.TrimSpace(name)))
	return !s.House && (name == "home-assistant" || name == "" && s.IsHomeAssistant())
}

// IsHomeAssistantPath reports whether a path is one at which Home Assistant serves MCP: all
// that it offers to models, one of its APIs such as assist, or the transport of 2024.
func IsHomeAssistantPath(path string) bool {
	path = strings.TrimSuffix(path, "/")
	return path == "/api/mcp" || strings.HasPrefix(path, "/api/mcp/") || path == "/mcp_server/sse" || strings.HasPrefix(path, "/mcp_server/messages/")
}

// transports are the names of the ways to reach a server.
var transports = []string{"stdio", "http", "sse"}

// Validate says everything that is wrong with a configured server, each with the
// key and what would be right.
func (s Server) Validate() error {
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf("mcp.servers.%s%s: %w", s.ID, key, fmt.Errorf(format, args...)))
	}
	if key, why := s.unreachable(); why != "" {
		bad(key, "%s", why)
	}
	if s.ConnectTimeout <= 0 || s.CallTimeout <= 0 {
		bad("", "connect_timeout and call_timeout must be longer than zero, such as 10s")
	}
	if err := s.checkProtocol(); err != nil {
		bad(".protocol", "%w", err)
	}
	if err := s.Tools.Check(); err != nil {
		bad(".tools", "%w", err)
	}
	if !slices.Contains(Trusts(), s.Trust) {
		bad(".trust", "%q is unknown; expected none, read, act or full", s.Trust)
	}
	if err := s.Risk.Check(); err != nil {
		bad(".risk", "%w", err)
	}
	return errors.Join(slices.Concat(errs, s.validateAuth(), s.validateStart())...)
}

// unreachable says why the server cannot be reached as it is configured.
func (s Server) unreachable() (key, why string) {
	switch {
	case !slices.Contains(transports, s.Transport):
		return ".transport", fmt.Sprintf("%q is unknown; expected %s", s.Transport, strings.Join(transports, ", "))
	case s.Transport != "stdio" && s.URL == "":
		return ".url", fmt.Sprintf("a server reached by %s needs its address", s.Transport)
	case s.Transport == "stdio" && s.Command == "" && s.URL != "":
		return ".transport", "it is stdio, which starts a command, and there is a url instead; expected http, as in {transport: http, url: …}"
	case s.Transport == "stdio" && s.Command == "":
		return ".command", "a stdio server needs the command that starts it"
	}
	return "", ""
}

// validateStart checks the settings of when a server is started and retried.
func (s Server) validateStart() []error {
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf("mcp.servers.%s%s: %w", s.ID, key, fmt.Errorf(format, args...)))
	}
	for _, need := range s.Requires {
		if err := CheckRequirement(need); err != nil {
			bad(".requires", "%w", err)
		}
	}
	if len(s.Requires) > 0 && s.RequiresTimeout <= 0 {
		bad(".requires_timeout", "%s is not a waiting time; expected something like 60s", s.RequiresTimeout)
	}
	own := s.Retry
	if own.Attempts < 0 || own.BaseDelay < 0 || own.MaxDelay < 0 || own.SlowInterval < 0 {
		bad(".retry", "nothing in it can be less than zero; leave it out to take what mcp.retry says")
	}
	if own.Multiplier != 0 && own.Multiplier < 1 {
		bad(".retry.multiplier", "%g is too small; expected 1 or more", own.Multiplier)
	}
	return errs
}
