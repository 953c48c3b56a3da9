package httpapi

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
)

// asksWith sends a request with a bearer token, as programs do.
func (b *browser) asksWith(token string) int {
	return b.sends(http.MethodGet, "/api/turns", "", "Authorization", "Bearer "+token).Code
}

// guessFor guesses for a time, once a millisecond, and returns how many of its guesses
// were looked at.
func (b *browser) guessFor(during time.Duration) (looked, guesses int) {
	for end := time.Now().Add(during); time.Now().Before(end); guesses++ {
		if b.asksWith(fmt.Sprint("guess ", guesses)) == http.StatusUnauthorized {
			looked++
		}
		<-time.After(time.Millisecond)
	}
	return looked, guesses
}

// TestBearerTokensAreNotGuessed checks that of the guesses from one address, by bearer
// and by log-in, five a minute are looked at, and that other addresses are not held up.
func TestBearerTokensAreNotGuessed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guarded(t)
		guesser, family := &browser{s: s, address: "10.0.0.1"}, &browser{s: s, address: "10.0.0.2"}
		looked, guesses := guesser.guessFor(5 * time.Second)
		if looked != 5 {
			t.Errorf("%d of %d guesses were looked at", looked, guesses)
		}
		w := guesser.sends(http.MethodGet, "/api/turns", "", "Authorization", "Bearer "+rightToken)
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "55" {
			t.Errorf("the right one then: %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
		}
		if w := guesser.logsIn(rightToken); w.Body.String() != `log in, "too_many"` {
			t.Errorf("by log-in then: %s", w.Body)
		}
		if code := family.asksWith(rightToken); code != http.StatusOK {
			t.Errorf("the family: %d", code)
		}
		<-time.After(55 * time.Second)
		if code := guesser.asksWith(rightToken); code != http.StatusOK {
			t.Errorf("a minute later: %d", code)
		}
	})
}

// TestManyAddressesLockNobodyOut checks that a family whose address is new is let in
// while six others guess.
func TestManyAddressesLockNobodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, let := guarded(t), 0
		for minute := range 24 {
			for i := range 6 {
				for range 6 {
					(&browser{s: s, address: fmt.Sprintf("10.0.1.%d", i)}).logsIn("guess")
				}
			}
			if (&browser{s: s, address: fmt.Sprintf("10.0.2.%d", minute)}).logsIn(rightToken).Code == http.StatusSeeOther {
				let++
			}
			<-time.After(5 * time.Second)
		}
		if let != 24 {
			t.Errorf("the family was let in %d times of 24", let)
		}
	})
}

// TestWhoWasRightIsLetIn checks that a program that has shown the token is let in while
// others guess from its own address, and that even then few guesses are looked at.
func TestWhoWasRightIsLetIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guarded(t)
		family := &browser{s: s, address: "127.0.0.1"}
		if code := family.asksWith(rightToken); code != http.StatusOK {
			t.Fatalf("before: %d", code)
		}
		var all sync.WaitGroup
		var looked, guesses [32]int
		for i := range looked {
			all.Go(func() { looked[i], guesses[i] = (&browser{s: s, address: "127.0.0.1"}).guessFor(5 * time.Second) })
		}
		refused := 0
		for range 10 {
			<-time.After(300 * time.Millisecond)
			if code := family.asksWith(rightToken); code != http.StatusOK {
				refused++
			}
		}
		all.Wait()
		sum, of := 0, 0
		for i := range looked {
			sum, of = sum+looked[i], of+guesses[i]
		}
		if refused > 0 || sum > 5+100 {
			t.Errorf("refused %d times of 10, and %d of %d guesses were looked at", refused, sum, of)
		}
	})
}

// TestRequestsWithoutATokenAreNoGuesses checks that they are answered as ever, from an
// address that guesses as well, and use up nothing.
func TestRequestsWithoutATokenAreNoGuesses(t *testing.T) {
	s := guarded(t)
	b := &browser{s: s, address: "10.0.0.1"}
	without := func() {
		t.Helper()
		for _, header := range []string{"", "Bearer", "Bearer  ", "Basic " + rightToken, rightToken} {
			if w := b.sends(http.MethodGet, "/api/turns", "", "Authorization", header); w.Code != http.StatusUnauthorized {
				t.Errorf("with %q: %d", header, w.Code)
			}
		}
		if w := b.logsIn(" "); w.Body.String() != `log in, "wrong"` {
			t.Errorf("an empty log-in: %s", w.Body)
		}
	}
	for range 20 {
		without()
	}
	if code := b.asksWith(rightToken); code != http.StatusOK {
		t.Errorf("then the token: %d", code)
	}
	b.address = "10.0.0.2"
	for range 6 {
		b.asksWith("guess")
	}
	without()
	for _, path := range []string{"/", "/api/turns", "/nowhere", "/readyz", "/metrics"} { // no door tells whether a guess was right
		for _, token := range []string{rightToken, "guess"} {
			if w := b.sends(http.MethodGet, path, "", "Authorization", "Bearer "+token); w.Code != http.StatusTooManyRequests {
				t.Errorf("%s with %q: %d", path, token, w.Code)
			}
		}
	}
}

// TestShortTokens checks that a short token is refused where other machines can guess at
// it, and that the log warns of it elsewhere.
func TestShortTokens(t *testing.T) {
	for name, tc := range map[string]struct {
		listen, token string
		refused, warn bool
	}{
		"one character, open":   {"0.0.0.0:0", "x", true, false},
		"15 characters, open":   {":8765", strings.Repeat("é", 15), true, false},
		"16 characters, open":   {"0.0.0.0:0", strings.Repeat("é", 16), false, false},
		"one character, local":  {"127.0.0.1:0", "x", false, true},
		"16 characters, local":  {"127.0.0.1:0", "0123456789abcdef", false, false},
		"no token, local":       {"127.0.0.1:0", "", false, false},
		"16 spaces around one":  {"0.0.0.0:0", "        x        ", true, false},
		"one character, by v6":  {"[::]:0", "x", true, false},
		"one character, v6 own": {"[::1]:0", "x", false, true},
	} {
		var log bytes.Buffer
		_, err := New(Config{Listen: tc.listen, Token: tc.token}, Deps{}, slog.New(slog.NewTextHandler(&log, nil)))
		if (err != nil) != tc.refused || err != nil && !strings.Contains(err.Error(), "http.token_file") {
			t.Errorf("%s: %v", name, err)
		}
		if warned := strings.Contains(log.String(), "level=WARN"); warned != tc.warn {
			t.Errorf("%s: the log has %q", name, log.String())
		}
	}
}
