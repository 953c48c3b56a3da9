package httpapi

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzDoor demands that no headers let in a request that must be refused.
func FuzzDoor(f *testing.F) {
	for _, seed := range [][3]string{
		{"127.0.0.1:8765", "", "Bearer s3cret-of-the-house"},
		{"localhost", "http://localhost", "bearer s3cret-of-the-house"},
		{"[::1]:8765", "http://[::1]:8765", ""},
		{"evil.example", "http://evil.example", "Bearer s3cret-of-the-house"},
		{"127.0.0.1.evil.example", "null", "Basic s3cret-of-the-house"},
		{"127.0.0.1:8765", "http://127.0.0.1:8765@evil.example", "Bearer  s3cret-of-the-house "},
		{"", "", ""},
		{"PI.lan.", "https://pi.lan", "Bearer s3cret-of-the-house\x00"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	const token = "s3cret-of-the-house"
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	f.Fuzz(func(t *testing.T, host, origin, authorization string) {
		for _, cfg := range []Config{{Listen: "127.0.0.1:0"}, {Listen: "0.0.0.0:0", Token: token, Hosts: []string{"pi.lan"}}} {
			s, err := New(cfg, Deps{Handlers: map[string]http.Handler{"GET /x": nothing}}, quietly())
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/x", http.NoBody)
			r.Host = host
			r.Header.Set("Origin", origin)
			r.Header.Set("Authorization", authorization)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				continue
			}
			name := host
			if h, _, err := net.SplitHostPort(host); err == nil {
				name = h
			}
			name = strings.TrimSuffix(strings.Trim(name, "[]"), ".")
			ip := net.ParseIP(name)
			local := strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
			switch {
			case cfg.Token == "" && !local:
				t.Errorf("the host %q came in from this machine", host)
			case cfg.Token != "" && !local && ip == nil && !strings.EqualFold(name, "pi.lan"):
				t.Errorf("the host %q came in", host)
			case cfg.Token != "" && !strings.HasSuffix(strings.TrimSpace(authorization), token):
				t.Errorf("%q came in as %q", authorization, token)
			}
			if origin == "" {
				continue
			}
			if u, err := url.Parse(origin); err != nil || !strings.EqualFold(u.Host, host) {
				t.Errorf("a page of %q came in at %q", origin, host)
			}
		}
	})
}
