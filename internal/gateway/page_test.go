package gateway

import (
	"net/http"
	"strings"
	"testing"
)

func TestThePageIsServed(t *testing.T) {
	g := assembled(t)
	w := g.ask(t, http.MethodGet, "/", "")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `<html lang="en">`) || strings.Contains(w.Body.String(), "/logout") {
		t.Errorf("the page: %d %.300s", w.Code, w.Body)
	}
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("its policy: %q", policy)
	}
	for path, kind := range map[string]string{"/page/main.js": "text/javascript", "/page/style.css": "text/css", "/page/words.js": "text/javascript", "/page/icon.svg": "image/svg+xml"} {
		w := g.ask(t, http.MethodGet, path, "")
		if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) {
			t.Errorf("%s: %d, %s", path, w.Code, w.Header().Get("Content-Type"))
		}
	}
	for _, path := range []string{"/page/main.html", "/page/nothing.js", "/page/..%2fpage.go", "/page/"} {
		if w := g.ask(t, http.MethodGet, path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if w := g.ask(t, http.MethodGet, "/login", ""); w.Header().Get("Location") != "/" {
		t.Errorf("a log-in without a token: %d to %s", w.Code, w.Header().Get("Location"))
	}
}
