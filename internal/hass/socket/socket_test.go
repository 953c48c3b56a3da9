package socket_test

import (
	"context"
	"encoding/json"
	"errors"
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

// TestTLS: a certificate that nobody knows is refused; with its authority it is taken.
func TestTLS(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer s.Close()
	if _, err := socket.Dial(t.Context(), socket.Config{URL: s.URL}, "any"); err == nil || errors.Is(err, socket.ErrBanned) {
		t.Errorf("without its authority: %v", err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pemOf(s), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := socket.Dial(t.Context(), socket.Config{URL: s.URL, CAFile: file}, "any"); !errors.Is(err, socket.ErrBanned) {
		t.Errorf("with its authority: %v", err)
	}
}
