package httpapi

import (
	"crypto/rand"
	"crypto/sha256"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

// loginCookie holds a value that is made for one log-in. It is not the token, and means
// nothing after a restart.
const loginCookie = "voice_gateway_login"

// Bounds of logging in.
const (
	mostLogins = 64                  // browsers logged in at once; the one unused longest is logged out for one more
	loginLasts = 30 * 24 * time.Hour // without being used
	loginBody  = 4 << 10
)

// LoginTrouble says why a log-in did not succeed.
type LoginTrouble string

// The troubles.
const (
	LoginFine    LoginTrouble = ""
	LoginWrong   LoginTrouble = "wrong"    // it is not the token
	LoginTooMany LoginTrouble = "too_many" // too many were tried within a minute
)

// logins are the browsers that have logged in. Only digests of the cookies are kept.
type logins struct {
	mu   sync.Mutex
	used map[[sha256.Size]byte]time.Time // when each was used last
}

func newLogins() *logins { return &logins{used: map[[sha256.Size]byte]time.Time{}} }

// admit reports whether a request comes from a browser that has logged in. One that
// changes something must also say that it comes from our own page.
func (l *logins) admit(r *http.Request) bool {
	cookie, err := r.Cookie(loginCookie)
	if err != nil || !safe(r.Method) && !fromOurPage(r) {
		return false
	}
	key, now := sha256.Sum256([]byte(cookie.Value)), time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	used, known := l.used[key]
	if !known || now.Sub(used) > loginLasts {
		delete(l.used, key)
		return false
	}
	l.used[key] = now
	return true
}

// safe reports whether requests of a method change nothing.
func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// fromOurPage reports whether a browser says that a request comes from our own page.
// That an origin is ours has been checked before.
func fromOurPage(r *http.Request) bool {
	return r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") == "same-origin"
}

// begin logs a browser in and returns its cookie's value.
func (l *logins) begin() string {
	value := rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.used) >= mostLogins {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(l.used)), func(a, b [sha256.Size]byte) int { return l.used[a].Compare(l.used[b]) })
		delete(l.used, oldest)
	}
	l.used[sha256.Sum256([]byte(value))] = time.Now()
	return value
}

// logOut logs a browser out.
func (l *logins) logOut(value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.used, sha256.Sum256([]byte(value)))
}

// loginPage asks for the token, if there is one.
func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) {
	if s.token == nil || s.logins.admit(r) {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	s.deps.Page.Login(w, LoginFine)
}

// login takes the form of the log-in page.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, loginBody)
	if s.token == nil {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	if !fromOurPage(r) {
		s.refuse(w, http.StatusForbidden, "log in on the page /login")
		return
	}
	switch right, wait := s.token.Check(r, r.PostFormValue("token")); {
	case wait > 0:
		w.Header().Set("Retry-After", seconds(wait))
		s.deps.Page.Login(w, LoginTooMany)
	case !right:
		s.deps.Page.Login(w, LoginWrong)
	default:
		setLogin(w, r, s.logins.begin(), int(loginLasts/time.Second))
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}
}

// logout ends the log-in of the browser.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(loginCookie); err == nil {
		s.logins.logOut(cookie.Value)
	}
	setLogin(w, r, "", -1)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// setLogin sets the cookie for so many seconds, or takes it away with -1. No script can
// read it, and no other site's page has it sent.
func setLogin(w http.ResponseWriter, r *http.Request, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: loginCookie, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
}
