package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicegateway/internal/doors"
	"voicegateway/internal/ground/httpguard"
)

// problem is an error in the form of RFC 9457.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// ServeHTTP checks the host, origin and token of a request, then routes it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	switch {
	case !s.hostAllowed(r.Host):
		s.refuse(w, http.StatusForbidden, "this gateway does not know itself by that host name; add it to http.hosts if it is right")
		return
	case !originAllowed(r):
		s.refuse(w, http.StatusForbidden, "requests from pages of other sites are refused")
		return
	}
	switch admitted, wait := s.admit(r); {
	case admitted:
		s.route(w, r)
	case wait > 0:
		h.Set("Retry-After", seconds(wait))
		s.refuse(w, http.StatusTooManyRequests, "too many wrong tokens were sent; this one was not looked at, try again later")
	case r.Method == http.MethodGet && r.URL.Path == "/" && s.deps.Page != nil:
		http.Redirect(w, r, "/login", http.StatusSeeOther)
	default:
		h.Set("WWW-Authenticate", `Bearer realm="voice-gateway"`)
		s.refuse(w, http.StatusUnauthorized, "send the token of http.token_file as: Authorization: Bearer …")
	}
}

// seconds writes a time that consists of whole seconds, for Retry-After.
func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// route passes the request to its handler. If there is no handler, or none for the
// method, it answers with a problem and not with the mux's text.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	handler, pattern := s.mux.Handler(r)
	if pattern != "" {
		s.mux.ServeHTTP(w, r)
		return
	}
	answer := &headOnly{header: http.Header{}}
	handler.ServeHTTP(answer, r)
	switch answer.status {
	case http.StatusMethodNotAllowed:
		allow := answer.header.Get("Allow")
		w.Header().Set("Allow", allow)
		s.refuse(w, answer.status, fmt.Sprintf("%s takes %s", r.URL.Path, allow))
	case http.StatusNotFound:
		s.refuse(w, answer.status, fmt.Sprintf("there is nothing at %s", r.URL.Path))
	default: // a redirect to the clean path
		handler.ServeHTTP(w, r)
	}
}

// headOnly takes an answer's status and headers and drops its body.
type headOnly struct {
	header http.Header
	status int
}

func (a *headOnly) Header() http.Header         { return a.header }
func (a *headOnly) Write(p []byte) (int, error) { return len(p), nil }
func (a *headOnly) WriteHeader(status int)      { a.status = status }

// hostAllowed keeps out web pages that made their own name point to this machine
// (DNS rebinding): a name must be that of loopback or a configured one; an
// address cannot be faked that way.
func (s *Server) hostAllowed(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.Trim(name, "[]"), ".")
	if httpguard.Loopback(name) || slices.ContainsFunc(s.cfg.Hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
		return true
	}
	return !s.local && net.ParseIP(name) != nil
}

// originAllowed accepts requests without an origin, which do not come from a
// browser's page, and requests from our own page.
func originAllowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, r.Host)
}

// admit reports whether the request carries the token, or comes from a browser that has
// logged in with it. A wait above zero says that its token was not looked at.
func (s *Server) admit(r *http.Request) (admitted bool, wait time.Duration) {
	if s.token == nil || open(r.URL.Path) || s.logins.admit(r) {
		return true, 0
	}
	return s.token.Check(r, httpguard.Bearer(r))
}

func (s *Server) refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	s.write(w, status, problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail})
}

func (s *Server) answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	s.write(w, status, body)
}

func (s *Server) write(w http.ResponseWriter, status int, body any) {
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		s.log.Error("an answer cannot be written as JSON", "err", err)
		w.Header().Set("Content-Type", "application/problem+json")
		status = http.StatusInternalServerError
		buf.Reset()
		fmt.Fprintf(&buf, `{"type":"about:blank","title":%q,"status":%d}`+"\n", http.StatusText(status), status)
	}
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes()) // an error means that the client is gone
}

// fail answers with the status that fits an operation's error.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, doors.ErrMisasked):
		status = http.StatusBadRequest
	case errors.Is(err, doors.ErrNotFound):
		status = http.StatusNotFound
	case errors.Is(err, doors.ErrBusy):
		w.Header().Set("Retry-After", "10")
		status = http.StatusTooManyRequests
	case errors.Is(err, doors.ErrConflict):
		status = http.StatusConflict
	case errors.Is(err, doors.ErrUnavailable):
		status = http.StatusServiceUnavailable
	case r.Context().Err() != nil:
		status = http.StatusServiceUnavailable // stopping, or the client left
	case errors.Is(err, context.DeadlineExceeded):
		status = http.StatusGatewayTimeout
	}
	s.refuse(w, status, err.Error())
}
