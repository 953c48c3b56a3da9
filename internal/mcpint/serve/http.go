package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"voicegateway/internal/httpguard"
	"voicegateway/internal/order"
)

const (
	// endpointPath is where MCP is served over HTTP.
	endpointPath = "/mcp"
	// sessionIdle is how long a silent HTTP session is kept.
	sessionIdle = 30 * time.Minute
	// heartbeat keeps event streams alive through proxies and notices dead ones.
	heartbeat = 30 * time.Second
)

// serveHTTP listens on the configured address until ctx ends.
func (o *offer) serveHTTP(ctx context.Context, cfg Config) error {
	host, _, err := net.SplitHostPort(cfg.HTTPAddr)
	if err != nil {
		return fmt.Errorf("serving MCP over HTTP on %q: expected host:port: %w", cfg.HTTPAddr, err)
	}
	if cfg.Token == "" && !httpguard.Loopback(host) {
		return fmt.Errorf("serving MCP over HTTP on %q: anything but loopback needs a token", cfg.HTTPAddr)
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", cfg.HTTPAddr)
	if err != nil {
		return fmt.Errorf("serving MCP over HTTP: %w", err)
	}
	return o.serveListener(ctx, listener, cfg.Token, httpguard.DefaultDoor())
}

// serveListener does what serveHTTP does, on a listener that is already open.
func (o *offer) serveListener(ctx context.Context, listener net.Listener, token string, door httpguard.Door) error {
	endpoint := newEndpoint(o)
	mux := http.NewServeMux()
	mux.Handle(endpointPath, guard(token, endpoint))
	o.log.Info("MCP is served over HTTP", "address", listener.Addr().String(), "path", endpointPath)
	door.Orders, door.Lines = inOrder, &o.lines
	// Event streams last as long as their request's context, which ends with ctx.
	err := door.Serve(ctx, listener, mux, stopGrace, o.log)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	_ = endpoint.next.Shutdown(end)
	if err != nil {
		return fmt.Errorf("serving MCP over HTTP: %w", err)
	}
	return nil
}

// inOrder says that messages of hosts are taken in the order in which they come.
func inOrder(r *http.Request) (line string) {
	if r.Method == http.MethodPost {
		return order.Acts
	}
	return ""
}

// guard adds the checks that the library lacks: a page in a browser must not
// reach the house (Origin, and Host against DNS rebinding), and every request has
// to carry the token if one is set.
func guard(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOf(r.Host)
		if token == "" && !httpguard.Loopback(host) {
			http.Error(w, "this Host is not served", http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			u, err := url.Parse(origin)
			local := err == nil && httpguard.Loopback(u.Hostname()) && httpguard.Loopback(host)
			if err != nil || !local && !strings.EqualFold(u.Host, r.Host) {
				http.Error(w, "this Origin is not allowed", http.StatusForbidden)
				return
			}
		}
		if token != "" {
			// Hashes have one length, so the time of the comparison reveals
			// nothing about the token.
			got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
			if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
				w.Header().Set("WWW-Authenticate", "Bearer")
				http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// hostOf strips the port and the brackets of an IPv6 address.
func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}
