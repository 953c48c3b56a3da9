package serve

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestTokensAreNotGuessed checks that of the guesses from one address five a minute are
// looked at, that others are let in meanwhile, and that requests without a token use up
// nothing.
func TestTokensAreNotGuessed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const token = "a token of the house"
		handler := guard(token, nil, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }), quiet())
		ask := func(address, header string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, "http://house"+endpointPath, http.NoBody)
			r.RemoteAddr = address
			r.Header.Set("Authorization", header)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			return w
		}
		looked, guesses := 0, 0
		for end := time.Now().Add(5 * time.Second); time.Now().Before(end); guesses++ {
			if w := ask("10.0.0.1:5000", fmt.Sprint("Bearer guess ", guesses)); w.Code == http.StatusUnauthorized {
				looked++
			} else if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
				t.Fatalf("a guess: %d %v", w.Code, w.Header())
			}
			if w := ask("10.0.0.1:5000", ""); w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") == "" {
				t.Fatalf("without a token: %d", w.Code)
			}
			<-time.After(time.Millisecond)
		}
		if looked != 5 {
			t.Errorf("%d of %d guesses were looked at", looked, guesses)
		}
		if w := ask("10.0.0.1:6000", "Bearer "+token); w.Code != http.StatusTooManyRequests {
			t.Errorf("the right one from there: %d", w.Code)
		}
		if w := ask("10.0.0.2:5000", "Bearer "+token); w.Code != http.StatusAccepted {
			t.Errorf("the family: %d", w.Code)
		}
	})
}

// TestShortTokens checks that a short token is refused where other machines can guess at
// it, and that the log warns of it elsewhere.
func TestShortTokens(t *testing.T) {
	for name, tc := range map[string]struct {
		addr, token   string
		refused, warn bool
	}{
		"one character, open":   {"0.0.0.0:0", "x", true, false},
		"15 characters, open":   {":0", strings.Repeat("é", 15), true, false},
		"16 characters, open":   {"0.0.0.0:0", strings.Repeat("é", 16), false, false},
		"one character, local":  {"127.0.0.1:0", "x", false, true},
		"16 characters, local":  {"127.0.0.1:0", "0123456789abcdef", false, false},
		"no token, local":       {"localhost:0", "", false, false},
		"no token, open":        {"0.0.0.0:0", "", true, false},
		"one character, v6 own": {"[::1]:0", "x", false, true},
	} {
		var log bytes.Buffer
		err := checkToken(Config{HTTPAddr: tc.addr, Token: tc.token}, slog.New(slog.NewTextHandler(io.Writer(&log), nil)))
		if (err != nil) != tc.refused {
			t.Errorf("%s: %v", name, err)
		}
		if warned := strings.Contains(log.String(), "level=WARN"); warned != tc.warn {
			t.Errorf("%s: the log has %q", name, log.String())
		}
	}
}
