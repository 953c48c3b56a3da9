package httpguard

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

const key = "sk-0123456789abcdef"

// asked sends one request to a server with the given handler, and returns the
// body of the answer.
func asked(t *testing.T, cfg Config, answer http.HandlerFunc) (string, error) {
	t.Helper()
	server := httptest.NewServer(answer)
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); server.Close() })
	cfg.Transport = transport
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/v1?q=private", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+cfg.Key)
	resp, err := NewClient(cfg).Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// TestRefusals checks that a server's message in a refusal is quoted in one short
// line, and never our key.
func TestRefusals(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"nothing":               {says(500, ""), "status 500 Internal Server Error"},
		"a message":             {says(400, `{"error":{"message":"no such key: `+key+`!"}}`), "status 400 Bad Request: no such key: …!"},
		"a text":                {says(400, `{"error":"no  such\nmodel"}`), "status 400 Bad Request: no such model"},
		"a detail":              {says(422, `{"title":"Unprocessable","detail":"too loud"}`), "status 422 Unprocessable Entity: too loud"},
		"a title":               {says(503, `{"type":"about:blank","title":"Busy"}`), "status 503 Service Unavailable: Busy"},
		"plain":                 {says(404, "there is\x1b[31m nothing\xff"), "status 404 Not Found: there is [31m nothing"},
		"an odd status":         {says(599, "x"), "status 599: x"},
		"a key that is cut off": {says(403, "wrong: "+key[:10]), "status 403 Forbidden: wrong: …"},
		"endless":               {says(400, strings.Repeat("é", 10_000)), "status 400 Bad Request: " + strings.Repeat("é", saidShown) + "…"},
		"a key at the end":      {says(400, strings.Repeat("x", saidShown-5)+key), "status 400 Bad Request: " + strings.Repeat("x", saidShown-5) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := asked(t, Config{Key: key}, tt.answer)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	_, err := asked(t, Config{}, says(429, "", "Retry-After", "30"))
	if status, ok := errors.AsType[*StatusError](err); !ok || status.RetryAfter != 30*time.Second {
		t.Errorf("a wait of 30 s became %+v", err)
	}
}

// TestReasons checks that the server's own names for a fault are kept.
func TestReasons(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"no","type":"invalid_request_error","code":"context_length_exceeded"}}`: "context_length_exceeded invalid_request_error",
		`{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}`:                        "RESOURCE_EXHAUSTED",
		`{"object":"error","message":"no","type":"BadRequestError","code":400}`:                      "BadRequestError",
		`{"error":"no","code":"insufficient_quota"}`:                                                 "insufficient_quota",
		`{"error":{"code":"` + key + `"}}`:                                                           "…",
		`[]`:                                                                                         "", `{}`: "", `no`: "", `{"error":null}`: "",
	} {
		_, err := asked(t, Config{Key: key}, says(400, body))
		if status, ok := errors.AsType[*StatusError](err); !ok || status.Reason != want {
			t.Errorf("%s gave %+v, want %q", body, err, want)
		}
	}
	_, err := asked(t, Config{}, says(429, "", "Retry-After", "30", "Retry-After-Ms", "20"))
	if status, ok := errors.AsType[*StatusError](err); !ok || status.RetryAfter != 20*time.Millisecond {
		t.Errorf("a wait of 20 ms became %+v", err)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		most int64
		body string
		err  error
	}{
		"less":     {10, "123456789", nil},
		"just so":  {10, "1234567890", nil},
		"more":     {10, "12345678901", ErrTooLong},
		"no bound": {0, strings.Repeat("x", 1<<20), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := asked(t, Config{MaxBody: tt.most}, says(200, tt.body, "Content-Type", "text/plain"))
			if !errors.Is(err, tt.err) || err == nil && got != tt.body || tt.most > 0 && int64(len(got)) > tt.most {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	if _, err := asked(t, Config{}, says(200, "<html>", "Content-Type", "text/html; charset=utf-8")); !errors.Is(err, ErrWebPage) {
		t.Errorf("a page gave %v", err)
	}
}

// TestWhatIsSentAndTold checks that without a key no empty one is sent, and that
// no error shows the address.
func TestWhatIsSentAndTold(t *testing.T) {
	told := func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprintf(w, "%q", r.Header["Authorization"]) }
	for sent, want := range map[string]string{"": "[]", key: `["Bearer ` + key + `"]`} {
		if got, err := asked(t, Config{Key: sent}, told); got != want || err != nil {
			t.Errorf("with the key %q was sent %s, %v", sent, got, err)
		}
	}
	_, err := asked(t, Config{}, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if err == nil || strings.Contains(err.Error(), "private") || !errors.Is(err, io.EOF) {
		t.Errorf("a broken connection gave %v", err)
	}
}

func TestRedirectsAreBounded(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a stranger was given %q", r.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	for name, tt := range map[string]struct {
		to   string
		code int
		want error
	}{
		"another server": {elsewhere.URL, 307, ErrElsewhere},
		"in circles":     {"/v1", 307, ErrCircles},
		"without a body": {"/login", 303, ErrMethod},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := asked(t, Config{Key: key}, says(tt.code, "", "Location", tt.to))
			if refused, ok := errors.AsType[*RedirectError](err); !ok || !errors.Is(err, tt.want) || refused.To == nil {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWhichRedirectsAreFollowed(t *testing.T) {
	for name, tt := range map[string]struct {
		policy   Redirects
		from, to string
		followed bool
	}{
		"the same server":               {Redirects{}, "http://a:1/x", "http://a:1/y", true},
		"another port":                  {Redirects{}, "http://a:1/x", "http://a:2/x", false},
		"to https":                      {Redirects{}, "http://a/x", "https://a/x", false},
		"to https, where it is allowed": {Redirects{Upgrade: true}, "http://a/x", "https://a:8443/x", true},
		"https of another":              {Redirects{Upgrade: true}, "http://a/x", "https://b/x", false},
		"back from https":               {Redirects{Upgrade: true}, "https://a/x", "http://a/x", false},
		"anywhere":                      {Redirects{Anywhere: true}, "https://a/x", "https://b/x", true},
	} {
		t.Run(name, func(t *testing.T) {
			at := func(address string) *http.Request {
				u, err := url.Parse(address)
				if err != nil {
					t.Fatal(err)
				}
				return &http.Request{Method: http.MethodGet, URL: u}
			}
			if err := tt.policy.Check(at(tt.to), []*http.Request{at(tt.from)}); (err == nil) != tt.followed {
				t.Errorf("followed: %v, %v", err == nil, err)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, "30": 30 * time.Second, " 7 ": 7 * time.Second, " 0.5 ": 500 * time.Millisecond, "-5": 0, "soon": 0, "NaN": 0,
		"250ms": 250 * time.Millisecond, "1m30s": 90 * time.Second, "-5s": 0, "99999h": longestWait, "9999999": longestWait, "99999999999": 0, "1e300": 0,
		"Sat, 21 Nov 2026 12:01:00 GMT": time.Minute, "Sat, 21 Nov 2026 11:00:00 GMT": 0, "Sat, 21 Nov 2099 11:00:00 GMT": longestWait,
	} {
		if got := RetryAfter(header, now); got != want {
			t.Errorf("%q gave %v, want %v", header, got, want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("30")
	f.Add("Fri, 02 Jan 2026 03:05:05 GMT")
	f.Fuzz(func(t *testing.T, header string) {
		if got := RetryAfter(header, time.Unix(1e9, 0)); got < 0 || got > longestWait {
			t.Fatalf("%q: %v", header, got)
		}
	})
}
