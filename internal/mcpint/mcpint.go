// Package mcpint holds the words of MCP that the rest of the gateway shares: what
// a server is (Server) and what is known of it (Status). It is pure: no I/O and no
// goroutines, so that a page, a command or a metric can speak of servers without
// being able to reach one.
//
// The work is done in three packages: client is one server's connection, host
// keeps the servers connected and their tools in the registry, and serve offers
// our own tools to other hosts. A new fact about a server is a field of Status,
// filled in package host where it is found out.
package mcpint

import (
	"fmt"
	"net"
	"net/url"

	"voicegateway/internal/ground/secret"
)

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
	return fmt.Errorf("%q is nothing that can be waited for; expected mqtt, tcp://host:port or http://host/path", secret.InPlaceOf(need, "***"))
}

// BareAddress returns an address without the parts that may hold a secret.
func BareAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its url"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
