package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/ground/order"
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
	if err := checkToken(cfg, o.log); err != nil {
		return err
	}
	for _, origin := range cfg.Origins {
		if err := CheckOrigin(origin); err != nil {
			return fmt.Errorf("serving MCP over HTTP: %w", err)
		}
	}
	listener, err := httpguard.Listen(ctx, cfg.HTTPAddr)
	if err != nil {
		return fmt.Errorf("serving MCP over HTTP: %w", err)
	}
	return o.serveListener(ctx, listener, cfg, httpguard.DefaultDoor())
}

// checkToken demands a token that cannot be guessed wherever other machines can reach the
// server, and warns of a short one elsewhere.
func checkToken(cfg Config, log *slog.Logger) error {
	host, _, err := net.SplitHostPort(cfg.HTTPAddr)
	if err != nil {
		return fmt.Errorf("serving MCP over HTTP on %q: expected host:port: %w", cfg.HTTPAddr, err)
	}
	switch {
	case cfg.Token == "" && !httpguard.Loopback(host):
		return fmt.Errorf("serving MCP over HTTP on %q: anything but loopback needs a token", cfg.HTTPAddr)
	case cfg.Token == "" || !httpguard.Short(cfg.Token):
		return nil
	case !httpguard.Loopback(host):
		return fmt.Errorf("serving MCP over HTTP on %q: the token has fewer than %d characters and could be guessed; set a longer one", cfg.HTTPAddr, httpguard.MinToken)
	}
	log.Warn("the token for MCP over HTTP is short and could be guessed", "least", httpguard.MinToken)
	return nil
}

// serveListener does what serveHTTP does, on a listener that is already open.
func (o *offer) serveListener(ctx context.Context, listener net.Listener, cfg Config, door httpguard.Door) error {
	endpoint := newEndpoint(o)
	mux := http.NewServeMux()
	mux.Handle(endpointPath, guard(cfg.Token, cfg.Origins, endpoint, o.log))
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
// to carry the token if one is set. A page of another program on this machine is a
// stranger too; only those of origins may ask beside our own.
func guard(token string, origins []string, next http.Handler, log *slog.Logger) http.Handler {
	lock := httpguard.NewToken(token, log)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOf(r.Host)
		if token == "" && !httpguard.Loopback(host) {
			http.Error(w, "this Host is not served", http.StatusForbidden)
			return
		}
		if !originAllowed(r, origins) {
			http.Error(w, "this Origin is not allowed; http_origins can name it", http.StatusForbidden)
			return
		}
		if token != "" {
			switch right, wait := lock.Check(r, httpguard.Bearer(r)); {
			case wait > 0:
				w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
				http.Error(w, "too many wrong tokens were sent; this one was not looked at", http.StatusTooManyRequests)
				return
			case !right:
				w.Header().Set("WWW-Authenticate", "Bearer")
				http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// originAllowed accepts requests without an origin, which do not come from a
// browser's page, those from our own address, and those from the origins listed.
func originAllowed(r *http.Request, origins []string) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.ContainsFunc(origins, func(o string) bool { return strings.EqualFold(o, origin) }) {
		return true
	}
	return CheckOrigin(origin) == nil && strings.EqualFold(origin[strings.Index(origin, "//")+2:], r.Host)
}

// CheckOrigin says what is wrong with the origin of a web page: a browser sends
// scheme, host and, where it is not the scheme's usual one, port.
func CheckOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || !strings.EqualFold(origin, u.Scheme+"://"+u.Host) {
		return fmt.Errorf("%q is no origin of a web page; expected scheme, host and port alone, such as https://house.example:8443", origin)
	}
	return nil
}

// hostOf strips the port and the brackets of an IPv6 address.
func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}
