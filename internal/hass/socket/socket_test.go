package socket_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/hass/socket"
)

// connected runs a test in virtual time with a connection.
func connected(t *testing.T, do func(t *testing.T, h *fake.HomeAssistant, c *socket.Conn, ended <-chan error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := fake.NewHomeAssistant(map[string]fake.Thing{"light.a": {State: "off", Attributes: map[string]any{"friendly_name": "A"}}})
		h.Coalesce = true
		c, err := socket.Dial(t.Context(), socket.Config{URL: "http://house.test:8123/", Dial: h.Dial}, fake.HomeAssistantToken)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		var wg sync.WaitGroup
		wg.Go(func() { ended <- c.Run(ctx) })
		do(t, h, c, ended)
		cancel()
		wg.Wait()
		_ = h.Close()
	})
}

func TestCommandsAndEvents(t *testing.T) {
	connected(t, func(t *testing.T, h *fake.HomeAssistant, c *socket.Conn, _ <-chan error) {
		t.Helper()
		var mu sync.Mutex
		var told []string
		err := c.Subscribe(t.Context(), socket.Command{"type": "subscribe_entities"}, func(e json.RawMessage) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, string(e))
		})
		if err != nil {
			t.Fatal(err)
		}
		h.Set("light.a", "on", nil, nil)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if len(told) != 2 || !strings.Contains(told[0], `"a":{"light.a"`) || !strings.Contains(told[1], `"s":"on"`) {
			t.Errorf("told: %q", told)
		}
		var wg sync.WaitGroup
		for range 50 { // the numbers leave in their order, whoever commands
			wg.Go(func() {
				if _, err := c.Call(t.Context(), socket.Command{"type": "ping"}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		h.OnCall = func(fake.ServiceCall) *fake.ServiceError {
			return &fake.ServiceError{Code: socket.CodeFailed, Message: "one\nline " + strings.Repeat("x", 1000)}
		}
		_, err = c.Call(t.Context(), socket.Command{"type": "call_service", "domain": "light", "service": "turn_on"})
		if no, ok := errors.AsType[*socket.Error](err); !ok || no.Code != socket.CodeFailed || strings.Contains(no.Message, "\n") || len(no.Message) > 400 {
			t.Errorf("refused: %v", err)
		}
	})
}

// TestAnEnd answers everybody who waits, whoever ended the connection.
func TestAnEnd(t *testing.T) {
	for name, end := range map[string]func(h *fake.HomeAssistant){
		"closed": func(h *fake.HomeAssistant) { h.Drop() },
		"silent": func(h *fake.HomeAssistant) { h.Silence(true) },
	} {
		t.Run(name, func(t *testing.T) {
			connected(t, func(t *testing.T, h *fake.HomeAssistant, c *socket.Conn, ended <-chan error) {
				t.Helper()
				h.OnCall = func(fake.ServiceCall) *fake.ServiceError { <-time.After(time.Hour); return nil }
				reply, err := c.Start(socket.Command{"type": "call_service"})
				if err != nil {
					t.Fatal(err)
				}
				end(h)
				began := time.Now()
				if r := <-reply; r.Err == nil || time.Since(began) > 30*time.Second {
					t.Errorf("after %v: %+v", time.Since(began), r)
				}
				<-ended
				if _, err := c.Call(t.Context(), socket.Command{"type": "ping"}); err == nil {
					t.Error("it still takes commands")
				}
				wait := time.After(2 * time.Hour) // for the service
				<-wait
			})
		})
	}
}

func TestWhyItCannotConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fake.NewHomeAssistant(nil)
		if _, err := socket.Dial(t.Context(), socket.Config{URL: "http://house.test", Dial: h.Dial}, "wrong"); !errors.Is(err, socket.ErrToken) {
			t.Errorf("with a wrong token: %v", err)
		}
		h.Silence(true)
		began := time.Now()
		if _, err := socket.Dial(t.Context(), socket.Config{URL: "http://house.test", Dial: h.Dial}, "any"); err == nil || time.Since(began) > 11*time.Second {
			t.Errorf("a silent one, after %v: %v", time.Since(began), err)
		}
		_ = h.Close()
	})
	for status, want := range map[int]string{http.StatusForbidden: "banned", http.StatusNotFound: "no Home Assistant", http.StatusBadGateway: "502"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		if _, err := socket.Dial(t.Context(), socket.Config{URL: s.URL}, "any"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("status %d: %v", status, err)
		}
		s.Close()
	}
	for _, url := range []string{"", "homeassistant.local", "ftp://house", "http://me:secret@house", "http://house?x=1"} {
		if err := (socket.Config{URL: url}).Validate(); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("the address %q: %v", url, err)
		}
	}
}

// TestTLS: a certificate that nobody knows is refused before a token is sent; with its
// authority, or when it is the pinned one, it is taken. Another one than the pinned one is
// never taken.
func TestTLS(t *testing.T) {
	t.Parallel()
	house := fake.NewHomeAssistant(nil)
	t.Cleanup(func() { _ = house.Close() })
	s := httptest.NewTLSServer(house)
	defer s.Close()
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of those who do not trust it
	sum := sha256.Sum256(s.Certificate().Raw)
	plain := hex.EncodeToString(sum[:])
	other := strings.Repeat("ab", sha256.Size)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pemOf(s), 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	misnamed := "https://localhost:" + port // the certificate is for 127.0.0.1 and example.com
	var shown string
	for _, tc := range []struct {
		name          string
		c             socket.Config
		taken, pinned bool
	}{
		{"nothing known", socket.Config{URL: s.URL}, false, false},
		{"its authority", socket.Config{URL: s.URL, CAFile: file}, true, false},
		{"its authority, by another name", socket.Config{URL: misnamed, CAFile: file}, false, false},
		{"pinned", socket.Config{URL: s.URL, CertSHA256: plain}, true, false},
		{"pinned, by another name", socket.Config{URL: misnamed, CertSHA256: strings.ToUpper(plain)}, true, false},
		{"another pinned", socket.Config{URL: s.URL, CertSHA256: other}, false, true},
	} {
		before, _ := house.Logins()
		conn, err := socket.Dial(t.Context(), tc.c, fake.HomeAssistantToken)
		after, _ := house.Logins()
		if tc.taken {
			if err != nil || after != before+1 {
				t.Errorf("%s: %v, %d log-ins", tc.name, err, after-before)
			} else {
				conn.Close()
			}
			continue
		}
		unknown, ok := errors.AsType[*socket.CertificateError](err)
		if !ok || unknown.Pinned != tc.pinned || len(unknown.For) == 0 || unknown.Until.IsZero() || after != before {
			t.Errorf("%s: %v, %d log-ins", tc.name, err, after-before)
			continue
		}
		shown = unknown.SHA256
	}
	// What is shown can be typed in.
	if conn, err := socket.Dial(t.Context(), socket.Config{URL: s.URL, CertSHA256: shown}, fake.HomeAssistantToken); err != nil {
		t.Errorf("pinned as %s: %v", shown, err)
	} else {
		conn.Close()
	}
	for name, c := range map[string]socket.Config{
		"too short":      {URL: s.URL, CertSHA256: "AB:CD"},
		"no digits":      {URL: s.URL, CertSHA256: strings.Repeat("xy", sha256.Size)},
		"with authority": {URL: s.URL, CertSHA256: other, CAFile: file},
		"without TLS":    {URL: "http://house", CertSHA256: other},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "HASS_CERT_SHA256") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
