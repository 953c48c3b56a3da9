package httpguard

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// MinToken is how many characters a token must have where other machines can guess at
// it: 16 random ones of base 64 have 96 bits.
const MinToken = 16

// Bounds of the guesses that are looked at.
const (
	addressGuesses = 5                      // wrong ones within guessWindow, of one address
	allGuesses     = 300                    // the same, of all addresses; for those that were not right lately
	guessWindow    = time.Minute            // for these two, and between two lines in the log
	rightLasts     = 15 * time.Minute       // so long an address counts as one that was right
	slowGuess      = 100 * time.Millisecond // after a wrong one of such an address beyond its five, before the next is looked at
	networkBits    = 64                     // of an IPv6 address: a machine can take any address of its network
)

// Token is the token of a server, and counts those who guess at it. Each address may
// show five wrong ones a minute, wherever it shows them, and all addresses 300; what is
// shown beyond that is not looked at. An address that was right within a quarter of an
// hour is never shut out: beyond its five, its tokens are looked at one after the
// other, ten wrong ones a second. It is safe for concurrent use.
type Token struct {
	digest [sha256.Size]byte
	log    *slog.Logger
	// slow holds one entry while a token of an address that was right is looked at
	// beyond its five, and for a while after a wrong one.
	slow chan struct{}

	mu      sync.Mutex
	wrong   []guess                    // within guessWindow, the oldest first
	sources map[netip.Prefix]int       // how many of these each address sent
	right   map[netip.Prefix]time.Time // when an address was right last
	untold  int                        // guesses that are not in the log yet
	last    netip.Prefix               // the address of the last of these
	telling bool                       // they are logged at the end of the minute
}

type guess struct {
	at   time.Time
	from netip.Prefix
}

// NewToken makes the token of a server, which must not be empty. Guesses are logged once
// a minute, with their number and without what was guessed.
func NewToken(token string, log *slog.Logger) *Token {
	return &Token{
		digest: digestOf(token), log: log, slow: make(chan struct{}, 1),
		sources: map[netip.Prefix]int{}, right: map[netip.Prefix]time.Time{},
	}
}

// digestOf hashes a token before it is compared, so that the time of the comparison
// reveals neither content nor length.
func digestOf(token string) [sha256.Size]byte { return sha256.Sum256([]byte(strings.TrimSpace(token))) }

// Short reports whether a token is one that can be guessed.
func Short(token string) bool { return utf8.RuneCountInString(strings.TrimSpace(token)) < MinToken }

// Bearer returns the bearer token that a request shows; "" if it shows none.
func Bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// Check reports whether a request shows the token. A wait above zero says that the
// token was not looked at, because too many wrong ones came, and how long that lasts.
// To show none ("") is no guess.
func (t *Token) Check(r *http.Request, shown string) (right bool, wait time.Duration) {
	if strings.TrimSpace(shown) == "" {
		return false, 0
	}
	digest, from := digestOf(shown), network(r.RemoteAddr)
	right, wait, slow := t.check(from, digest)
	if slow {
		return t.lookSlowly(r.Context(), from, digest)
	}
	return right, wait
}

// check looks at a token at once if it may; slow says that it has to wait for its turn.
func (t *Token) check(from netip.Prefix, digest [sha256.Size]byte) (right bool, wait time.Duration, slow bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.forget(now)
	was, known := t.right[from]
	known = known && now.Sub(was) < rightLasts
	own := t.sources[from] >= addressGuesses
	switch {
	case known && own:
		return false, 0, true
	case !known && (own || len(t.wrong) >= allGuesses):
		t.count(from)
		return false, t.wait(now, from, own), false
	}
	return t.look(now, from, digest), 0, false
}

// look compares a token. The caller holds the lock.
func (t *Token) look(now time.Time, from netip.Prefix, digest [sha256.Size]byte) bool {
	if subtle.ConstantTimeCompare(digest[:], t.digest[:]) == 1 {
		maps.DeleteFunc(t.right, func(_ netip.Prefix, at time.Time) bool { return now.Sub(at) >= rightLasts })
		t.right[from] = now
		return true
	}
	t.count(from)
	if t.sources[from] < addressGuesses { // what is looked at beyond that takes no room from others
		t.wrong = append(t.wrong, guess{now, from})
		t.sources[from]++
	}
	return false
}

// lookSlowly compares a token of an address that was right, when it is its turn.
func (t *Token) lookSlowly(ctx context.Context, from netip.Prefix, digest [sha256.Size]byte) (right bool, wait time.Duration) {
	select {
	case t.slow <- struct{}{}:
	case <-ctx.Done():
		return false, guessWindow
	}
	t.mu.Lock()
	right = t.look(time.Now(), from, digest)
	t.mu.Unlock()
	if right {
		<-t.slow
	} else {
		time.AfterFunc(slowGuess, func() { <-t.slow })
	}
	return right, 0
}

// forget drops what counts no more. The caller holds the lock.
func (t *Token) forget(now time.Time) {
	old := 0
	for ; old < len(t.wrong) && now.Sub(t.wrong[old].at) >= guessWindow; old++ {
		from := t.wrong[old].from
		if t.sources[from]--; t.sources[from] == 0 {
			delete(t.sources, from)
		}
	}
	t.wrong = t.wrong[old:]
}

// wait is how long no token of an address is looked at, in whole seconds: until the
// oldest guess that stands in its way is forgotten. The caller holds the lock.
func (t *Token) wait(now time.Time, from netip.Prefix, own bool) time.Duration {
	for _, g := range t.wrong {
		if !own || g.from == from {
			return (guessWindow - now.Sub(g.at) + time.Second - 1).Truncate(time.Second)
		}
	}
	return guessWindow
}

// count tells the log of a wrong guess: at once of the first, and of those that follow
// at the end of the minute. The caller holds the lock.
func (t *Token) count(from netip.Prefix) {
	t.untold++
	t.last = from
	if !t.telling {
		t.tell()
	}
}

// tell logs the guesses that are not in the log yet. The caller holds the lock.
func (t *Token) tell() {
	if t.telling = t.untold > 0; !t.telling {
		return
	}
	addr := t.last.String()
	if t.last.IsSingleIP() {
		addr = t.last.Addr().String()
	}
	t.log.Warn("wrong tokens were sent to the HTTP server", "count", t.untold, "addr", addr)
	t.untold = 0
	time.AfterFunc(guessWindow, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.tell()
	})
}

// network returns the address of a request, for IPv6 its network of 64 bits. Everything
// that is not an address, such as the name of a socket, counts as one address.
func network(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := min(addr.BitLen(), networkBits)
	from, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return from
}
