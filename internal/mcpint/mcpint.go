// Package mcpint holds the words of MCP that the rest of the gateway shares: what
// a server is (Server) and what is known of it (Status). It is pure: no I/O and no
// goroutines, so that a page, a command or a metric can speak of servers without
// being able to reach one.
//
// The work is in three packages, by whom they serve: client is one server's
// connection, host keeps the servers connected and their tools in the registry,
// and serve offers our own tools to other hosts. A new thing to know of a server is
// a field of Status; whoever finds it out, in host, fills it.
package mcpint

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"time"
)

// PublishedAt is the key in a result's _meta for the moment the first command
// left for the device, RFC 3339 with a fraction (REQUIREMENTS 2.4).
const PublishedAt = "published_at"

// Server says how to reach one MCP server and what it is to the gateway.
type Server struct {
	ID             string
	Transport      string   // a key of the client's transports table; empty means stdio
	Command        string   // stdio: the program; without a slash see process.Find
	Args           []string // stdio
	Env            map[string]string
	Dir            string // stdio: working directory; empty is ours
	URL            string // http
	Headers        map[string]string
	Essential      bool          // without it the gateway counts as disconnected (M5)
	ConnectTimeout time.Duration // start, handshake and tool list together; zero means 10 s
	CallTimeout    time.Duration // one tool call; zero means 30 s

	// What it depends on, and which of its tools are let through.
	Program         string        // stdio: what has to be installed, for the failure report; empty: Command
	Requires        []string      // looked for before the server is started; see CheckRequirement
	RequiresTimeout time.Duration // after which it is started all the same; zero means 60 s
	Allow           []string      // patterns as of path.Match: only tools with such names are offered; empty: all
	Deny            []string      // and those with such names are not
}

// The defaults of REQUIREMENTS 2.5.
const (
	defaultConnectTimeout  = 10 * time.Second
	defaultCallTimeout     = 30 * time.Second
	defaultRequiresTimeout = time.Minute
)

// WithDefaults returns the server with its empty settings filled in.
func (s Server) WithDefaults() Server {
	s.Transport = cmp.Or(s.Transport, "stdio")
	s.ConnectTimeout = cmp.Or(s.ConnectTimeout, defaultConnectTimeout)
	s.CallTimeout = cmp.Or(s.CallTimeout, defaultCallTimeout)
	s.RequiresTimeout = cmp.Or(s.RequiresTimeout, defaultRequiresTimeout)
	return s
}

// Lets says whether a tool is offered: allowed by name, and not denied.
func (s Server) Lets(name string) bool {
	fits := func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // patterns are checked before
		return ok
	}
	return (len(s.Allow) == 0 || slices.ContainsFunc(s.Allow, fits)) && !slices.ContainsFunc(s.Deny, fits)
}

// CheckPatterns says what is wrong with patterns for the names of tools.
func CheckPatterns(patterns ...string) error {
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q is no pattern for tool names; expected something like get_* or delete_?", pattern)
		}
	}
	return nil
}

// RequireMQTT is the requirement of the gateway's own connection to the broker.
const RequireMQTT = "mqtt"

// CheckRequirement says what is wrong with an entry of Server.Requires.
func CheckRequirement(need string) error {
	if need == RequireMQTT {
		return nil
	}
	u, err := url.Parse(need)
	if err == nil {
		switch u.Scheme {
		case "tcp":
			if _, port, splitErr := net.SplitHostPort(u.Host); splitErr == nil && port != "" && u.Path == "" {
				return nil
			}
		case "http", "https":
			if u.Host != "" {
				return nil
			}
		}
	}
	if err == nil && u.User != nil {
		need = u.Redacted()
	}
	return fmt.Errorf("%q is nothing that can be waited for; expected mqtt, tcp://host:port or http://host/path", need)
}
