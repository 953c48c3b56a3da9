package httpguard

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxRefusal is how much of a refusal's body is read, in bytes.
const maxRefusal = 4 << 10

// saidShown is how much of a refusal's message is kept, in characters.
const saidShown = 300

// These errors end an exchange. Callers turn them into their own words, which
// name the setting to change.
var (
	ErrTooLong = errors.New("the answer is too long")
	ErrWebPage = errors.New("a web page came back")
)

// Config says what a client sends along and what bounds it.
type Config struct {
	// Key is sent only to the host it is for, and never appears in a message.
	// When it is "" no Authorization header is sent, because none is better than
	// an empty one.
	Key string
	// Transport is the way to the server; nil is the usual one.
	Transport http.RoundTripper
	// MaxBody bounds the body of one answer in bytes. 0 means no bound, for a
	// stream whose reader bounds each piece.
	MaxBody int64
	// Redirects says which redirects are followed.
	Redirects Redirects
}

// Client sends requests to one server. It is safe for concurrent use.
type Client struct {
	cfg  Config
	http http.Client
}

// NewClient makes a client; it starts nothing.
func NewClient(cfg Config) *Client {
	return &Client{cfg: cfg, http: http.Client{Transport: cfg.Transport, CheckRedirect: cfg.Redirects.Check}}
}

// Do sends one request. An answer from 300 on is a *StatusError, and a page for
// people in place of an answer is ErrWebPage. No error holds the address, which may
// hold a secret or what was asked.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	if c.cfg.Key == "" {
		req.Header.Del("Authorization")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, WithoutURL(err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		defer func() { _ = resp.Body.Close() }()
		return nil, c.refusal(resp)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		_ = resp.Body.Close()
		return nil, ErrWebPage
	}
	if c.cfg.MaxBody > 0 {
		resp.Body = &boundedBody{ReadCloser: resp.Body, left: c.cfg.MaxBody}
	}
	return resp, nil
}

// WithoutURL unwraps an error from the library's wrapping, which shows the
// address.
func WithoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// boundedBody is a body that fails when it is longer than its bound.
type boundedBody struct {
	io.ReadCloser
	left int64
}

// Read reads one byte beyond the bound to tell an answer that just fits from one
// that does not.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if int64(n) > b.left {
		return int(b.left), ErrTooLong
	}
	b.left -= int64(n)
	return n, err
}

// Redirects says which redirects are followed. The zero value stays with one
// server: a redirect to another would send the key and what was said there.
type Redirects struct {
	Upgrade  bool // follows from http to https at the same name as well
	Anywhere bool // follows to any server; right only where nothing sent is a secret
}

// MaxRedirects is how many redirects of one request are followed.
const MaxRedirects = 3

// The reasons not to follow a redirect.
var (
	ErrElsewhere = errors.New("it leads to another server")
	ErrCircles   = fmt.Errorf("there are more than %d of them", MaxRedirects)
	ErrMethod    = errors.New("it loses the request")
)

// RedirectError is a redirect that was not followed.
type RedirectError struct {
	To  *url.URL
	Err error // ErrElsewhere, ErrCircles or ErrMethod
}

func (e *RedirectError) Error() string {
	return fmt.Sprintf("a redirect to %s://%s is not followed: %v", e.To.Scheme, e.To.Host, e.Err)
}

func (e *RedirectError) Unwrap() error { return e.Err }

// Check is the CheckRedirect of an http.Client.
func (r Redirects) Check(next *http.Request, via []*http.Request) error {
	first, to := via[0], next.URL
	same := to.Host == first.URL.Host && to.Scheme == first.URL.Scheme
	secured := r.Upgrade && to.Hostname() == first.URL.Hostname() && to.Scheme == "https"
	switch {
	case !r.Anywhere && !same && !secured:
		return &RedirectError{to, ErrElsewhere}
	case next.Method != first.Method:
		return &RedirectError{to, ErrMethod}
	case len(via) > MaxRedirects:
		return &RedirectError{to, ErrCircles}
	}
	return nil
}
