package httpguard

import (
	"context"
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

const houseToken = "the token of the house"

// show shows a token from an address, and reports whether it was right, wrong or not
// looked at.
func show(t *testing.T, token *Token, remote, shown string) string {
	t.Helper()
	r := &http.Request{RemoteAddr: remote, Header: http.Header{"Authorization": {"Bearer " + shown}}}
	right, wait := token.Check(r.WithContext(t.Context()), Bearer(r))
	switch {
	case wait < 0 || wait > guessWindow || right && wait > 0:
		t.Errorf("right %t and a wait of %v", right, wait)
	case wait > 0:
		return "unseen"
	case right:
		return "right"
	}
	return "wrong"
}

// TestGuessesAreCountedByNetwork checks which addresses count as one.
func TestGuessesAreCountedByNetwork(t *testing.T) {
	for name, tt := range map[string]struct {
		first, other string
		same         bool
	}{
		"another port":              {"10.0.0.1:5000", "10.0.0.1:6000", true},
		"another address":           {"10.0.0.1:5000", "10.0.0.2:5000", false},
		"the same, written as IPv6": {"10.0.0.1:5000", "[::ffff:10.0.0.1]:5000", true},
		"one network of 64 bits":    {"[2001:db8:0:1::1]:5000", "[2001:db8:0:1:ffff::2]:5000", true},
		"the next network":          {"[2001:db8:0:1::1]:5000", "[2001:db8:0:2::1]:5000", false},
		"another zone":              {"[fe80::1%eth0]:5000", "[fe80::1%eth1]:5000", true},
		"no addresses":              {"@", "pipe", true},
		"loopback":                  {"127.0.0.1:5000", "[::1]:5000", false},
	} {
		t.Run(name, func(t *testing.T) {
			token := NewToken(houseToken, slog.New(slog.DiscardHandler))
			for range addressGuesses {
				if got := show(t, token, tt.first, "guess"); got != "wrong" {
					t.Fatalf("a guess is %s", got)
				}
			}
			want := map[bool]string{true: "unseen", false: "right"}[tt.same]
			if got := show(t, token, tt.other, houseToken); got != want {
				t.Errorf("the right one is %s, want %s", got, want)
			}
		})
	}
}

// TestMemoryOfGuessesIsBounded checks that many addresses do not fill the memory, and
// that old ones are forgotten.
func TestMemoryOfGuessesIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := NewToken(houseToken, slog.New(slog.DiscardHandler))
		looked := 0
		for i := range 5000 {
			if show(t, token, fmt.Sprintf("[2001:db8:%x::1]:5000", i), "guess") == "wrong" {
				looked++
			}
		}
		if looked != allGuesses || len(token.wrong) != allGuesses || len(token.sources) != allGuesses {
			t.Errorf("%d were looked at, and %d of %d addresses are remembered", looked, len(token.wrong), len(token.sources))
		}
		<-time.After(guessWindow)
		for i := range 10 {
			if got := show(t, token, fmt.Sprintf("10.0.0.%d:5000", i), houseToken); got != "right" {
				t.Errorf("a minute later it is %s", got)
			}
		}
		<-time.After(rightLasts)
		if show(t, token, "10.0.1.1:5000", houseToken); len(token.wrong)+len(token.sources) != 0 || len(token.right) != 1 {
			t.Errorf("%d guesses of %d addresses are remembered, and %d that were right", len(token.wrong), len(token.sources), len(token.right))
		}
	})
}

// TestALostRequestIsNotLookedAt checks that a client that leaves while it waits for its
// turn does not take one.
func TestALostRequestIsNotLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := NewToken(houseToken, slog.New(slog.DiscardHandler))
		show(t, token, "127.0.0.1:1", houseToken)
		for range addressGuesses + 1 { // the last one holds up others
			show(t, token, "127.0.0.1:1", "guess")
		}
		var lost sync.WaitGroup
		lost.Go(func() {
			r := &http.Request{RemoteAddr: "127.0.0.1:1"}
			ctx, cancel := context.WithTimeout(t.Context(), slowGuess/2)
			defer cancel()
			if right, wait := token.Check(r.WithContext(ctx), houseToken); right || wait == 0 {
				t.Errorf("a lost request: %t, %v", right, wait)
			}
		})
		if got := show(t, token, "127.0.0.1:1", houseToken); got != "right" {
			t.Errorf("the next one is %s", got)
		}
		lost.Wait()
	})
}

// lines is a log that two goroutines may use.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestTheLogTellsOfGuessesOnceAMinute checks that the log has their number and an
// address, and nothing of what was guessed.
func TestTheLogTellsOfGuessesOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lines
		token := NewToken(houseToken, slog.New(slog.NewTextHandler(&log, nil)))
		for i := range 40_575 {
			show(t, token, "10.0.0.1:5000", fmt.Sprint("secret-guess-", i))
		}
		if n := strings.Count(log.String(), "\n"); n != 1 {
			t.Errorf("%d lines at once:\n%s", n, log.String())
		}
		<-time.After(10 * time.Minute)
		synctest.Wait()
		if n := strings.Count(log.String(), "\n"); n != 2 || !strings.Contains(log.String(), "count=40574 addr=10.0.0.1\n") || strings.Contains(log.String(), "secret-guess") {
			t.Errorf("%d lines after ten minutes:\n%s", n, log.String())
		}
		show(t, token, "[2001:db8::1]:5000", "guess")
		if !strings.Contains(log.String(), "count=1 addr=2001:db8::/64\n") {
			t.Errorf("one more guess:\n%s", log.String())
		}
	})
}
