package httpapi

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const rightToken = "correct horse battery staple"

func quietly() *slog.Logger { return slog.New(slog.DiscardHandler) }

// guarded is a server that asks for the token.
func guarded(t *testing.T) *Server {
	t.Helper()
	return newServer(t, Config{Listen: "0.0.0.0:0", Token: rightToken}, &gateway{}, nil)
}

// browser is one that keeps the cookie it is given.
type browser struct {
	s       *Server
	address string
	cookie  *http.Cookie
}

// sends sends a request as a browser does from our page, unless headers say otherwise.
func (b *browser) sends(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:8765"+path, strings.NewReader(body))
	r.RemoteAddr = b.address + ":5000"
	if method == http.MethodPost {
		r.Header.Set("Origin", "http://127.0.0.1:8765")
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	if b.cookie != nil {
		r.AddCookie(b.cookie)
	}
	w := httptest.NewRecorder()
	b.s.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if b.cookie = c; c.MaxAge < 0 {
			b.cookie = nil
		}
	}
	return w
}

func (b *browser) logsIn(token string) *httptest.ResponseRecorder {
	return b.sends(http.MethodPost, "/login", url.Values{"token": {token}}.Encode(), "Content-Type", "application/x-www-form-urlencoded")
}

func TestABrowserLogsInAndOut(t *testing.T) {
	b := &browser{s: guarded(t), address: "192.168.1.9"}
	if w := b.sends("GET", "/", ""); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/login" {
		t.Errorf("a stranger at the page: %d to %s", w.Code, w.Header().Get("Location"))
	}
	for _, path := range []string{"/api/turns", "/api/gateway", "/api/events", "/openapi.yaml", "/logout", "/loginx"} {
		if w := b.sends("GET", path, ""); w.Code != http.StatusUnauthorized {
			t.Errorf("a stranger at %s: %d", path, w.Code)
		}
	}
	for path, want := range map[string]string{"/login": `log in, ""`, "/page/main.js": "main.js", "/healthz": "ok"} {
		if w := b.sends("GET", path, ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("a stranger at %s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := b.logsIn("guessed"); w.Body.String() != `log in, "wrong"` || b.cookie != nil {
		t.Errorf("a wrong token: %s, cookie %v", w.Body, b.cookie)
	}
	w := b.logsIn(" " + rightToken + "\n")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/" || b.cookie == nil {
		t.Fatalf("the token: %d, cookie %v", w.Code, b.cookie)
	}
	if c := b.cookie; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || strings.Contains(c.Value, rightToken) || len(c.Value) < 26 {
		t.Errorf("the cookie is %v", c)
	}
	if w := b.sends("GET", "/", ""); w.Body.String() != "the page, guarded true" {
		t.Errorf("the page: %d %s", w.Code, w.Body)
	}
	if w := b.sends("GET", "/login", ""); w.Code != http.StatusSeeOther {
		t.Errorf("to log in twice: %d", w.Code)
	}
	if w := b.sends("POST", "/api/mute", `{"on":true}`); w.Code != http.StatusOK {
		t.Errorf("to mute: %d %s", w.Code, w.Body)
	}
	for name, headers := range map[string][]string{
		"no origin":      {"Origin", ""},
		"another site":   {"Origin", "http://evil.example"},
		"another port":   {"Origin", "http://127.0.0.1:1"},
		"an odd origin":  {"Origin", "null"},
		"from a sibling": {"Origin", "", "Sec-Fetch-Site", "same-site"},
	} {
		if w := b.sends("POST", "/api/mute", `{"on":false}`, headers...); w.Code != http.StatusUnauthorized && w.Code != http.StatusForbidden {
			t.Errorf("to mute with %s: %d", name, w.Code)
		}
	}
	if w := b.sends("POST", "/api/mute", `{"on":true}`, "Origin", "", "Sec-Fetch-Site", "same-origin"); w.Code != http.StatusOK {
		t.Errorf("a browser that says same-origin: %d", w.Code)
	}
	if w := b.sends("POST", "/logout", "", "Origin", "http://evil.example"); w.Code != http.StatusForbidden {
		t.Errorf("logged out by another site: %d", w.Code)
	}
	stolen := *b.cookie
	if w := b.sends("POST", "/logout", ""); w.Header().Get("Location") != "/login" || b.cookie != nil {
		t.Errorf("to log out: %d, cookie %v", w.Code, b.cookie)
	}
	b.cookie = &stolen
	if w := b.sends("GET", "/api/turns", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("with the cookie of before: %d", w.Code)
	}
	if w := b.sends("GET", "/api/turns", "", "Authorization", "Bearer "+rightToken); w.Code != http.StatusOK {
		t.Errorf("a program with the token: %d", w.Code)
	}
	other := &browser{s: guarded(t), address: "192.168.1.9", cookie: &stolen}
	if w := other.sends("GET", "/api/turns", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("after a restart: %d", w.Code)
	}
}

func TestWithoutATokenNobodyLogsIn(t *testing.T) {
	b := &browser{s: newServer(t, Config{}, &gateway{}, nil), address: "127.0.0.1"}
	if w := b.sends("GET", "/", ""); w.Body.String() != "the page, guarded false" {
		t.Errorf("the page: %d %s", w.Code, w.Body)
	}
	for _, w := range []*httptest.ResponseRecorder{b.sends("GET", "/login", ""), b.logsIn("x")} {
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/" || b.cookie != nil {
			t.Errorf("to log in: %d, cookie %v", w.Code, b.cookie)
		}
	}
	if w := b.sends("GET", "/page/nothing.js", ""); w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), "nothing.js") {
		t.Errorf("no file: %d %s", w.Code, w.Body)
	}
}

// TestTriesAreCounted checks that a client that guesses is slowed down and others are
// not. If very many guess, a client that was right lately still gets in.
func TestTriesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guarded(t)
		guesser, family := &browser{s: s, address: "10.0.0.1"}, &browser{s: s, address: "10.0.0.2"}
		for range 5 {
			if w := guesser.logsIn("guess"); w.Body.String() != `log in, "wrong"` {
				t.Fatalf("a guess: %s", w.Body)
			}
		}
		if w := guesser.logsIn(rightToken); w.Body.String() != `log in, "too_many"` || w.Header().Get("Retry-After") != "60" {
			t.Errorf("one more: %s", w.Body)
		}
		if w := family.logsIn(rightToken); w.Code != http.StatusSeeOther {
			t.Errorf("the family: %d", w.Code)
		}
		<-time.After(time.Minute)
		if w := guesser.logsIn(rightToken); w.Code != http.StatusSeeOther {
			t.Errorf("a minute later: %d", w.Code)
		}
		for i := range 300 {
			(&browser{s: s, address: fmt.Sprintf("10.0.1.%d", i%250)}).logsIn("guess")
		}
		if w := family.logsIn(rightToken); w.Code != http.StatusSeeOther {
			t.Errorf("while all guess: %s", w.Body)
		}
		if w := (&browser{s: s, address: "10.0.0.3"}).logsIn(rightToken); w.Body.String() != `log in, "too_many"` {
			t.Errorf("somebody new while all guess: %s", w.Body)
		}
	})
}

func TestLoginsAreBoundedAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLogins()
		asks := func(value string) bool {
			r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
			r.AddCookie(&http.Cookie{Name: loginCookie, Value: value})
			return l.admit(r)
		}
		first := l.begin()
		<-time.After(time.Second)
		second := l.begin()
		<-time.After(time.Second)
		if !asks(first) {
			t.Fatal("a browser that has just logged in is refused")
		}
		for range mostLogins - 1 {
			l.begin()
		}
		if len(l.used) != mostLogins || asks(second) || !asks(first) {
			t.Errorf("%d are logged in; the one unused longest: %t, the other: %t", len(l.used), asks(second), asks(first))
		}
		<-time.After(loginLasts - time.Second)
		if !asks(first) {
			t.Error("one that is used is logged out")
		}
		<-time.After(loginLasts + time.Second)
		if asks(first) {
			t.Error("one that was not used for a month is logged in")
		}
	})
}

// TestTheFeedIsServed checks the route alone; what it sends is tested with the feed.
func TestTheFeedIsServed(t *testing.T) {
	feed := NewFeed(func() []Event { return []Event{{Kind: KindState, Body: "idle"}} }, quietly())
	s, err := New(Config{Listen: "127.0.0.1:0"}, Deps{Events: feed}, quietly())
	if err != nil {
		t.Fatal(err)
	}
	running(t, s)
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: transport}
	head, err := client.Head("http://" + s.Addr() + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	_ = head.Body.Close()
	if head.StatusCode != http.StatusOK || feed.Clients() != 0 {
		t.Errorf("its head: %s, %d clients", head.Status, feed.Clients())
	}
	for range MostFollowers {
		resp, err := client.Get("http://" + s.Addr() + "/api/events")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("%s, %s", resp.Status, resp.Header.Get("Content-Type"))
		}
	}
	resp, err := client.Get("http://" + s.Addr() + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || !strings.Contains(string(body), "96 clients") {
		t.Errorf("one too many: %s %s", resp.Status, body)
	}
}
