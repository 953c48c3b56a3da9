package host

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// patience returns a context with a time limit far beyond what anything here takes.
func needsPatience(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestProbes(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
		case "/away":
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		default:
			http.Error(w, "not yet", http.StatusServiceUnavailable)
		}
	}))
	defer web.Close()
	up, down := func() bool { return true }, func() bool { return false }
	tests := map[string]struct {
		need string
		mqtt func() bool
		want string // part of the error; empty: the requirement is met
	}{
		"broker":          {"mqtt", up, ""},
		"no broker":       {"mqtt", down, "no connection to the broker"},
		"nobody knows":    {"mqtt", nil, ""},
		"port":            {"tcp://" + address, nil, ""},
		"health":          {web.URL + "/ok", nil, ""},
		"not healthy yet": {web.URL + "/health", nil, "503"},
		"elsewhere":       {web.URL + "/away", nil, "not followed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := Probe(needsPatience(t), tt.need, tt.mqtt)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
		})
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Probe(needsPatience(t), "tcp://"+address, nil); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Fatalf("a closed port: %v", err)
	}
}
