package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxAnswer bounds an answer in bytes: six minutes of speech at 22.05 kHz.
const maxAnswer = 16 << 20

// maxComplaint is how much of an error's body is read.
const maxComplaint = 4 << 10

// statusError is an answer that is none.
type statusError struct {
	code       int
	retryAfter time.Duration
	said       string // the server's own message
}

func (e *statusError) Error() string {
	var text string
	switch {
	case e.code == http.StatusUnauthorized || e.code == http.StatusForbidden:
		text = "the server does not accept our key"
	case e.code == http.StatusTooManyRequests:
		text = "the server is busy"
	case e.code >= 500:
		text = "the server has a problem"
	default:
		text = "the server does not accept the request"
	}
	text += fmt.Sprintf(" (status %d)", e.code)
	if e.said != "" {
		text += ": " + e.said
	}
	return text
}

var (
	errTooMuch   = fmt.Errorf("over %d bytes in one answer", maxAnswer)
	errWebPage   = errors.New("a web page came back; base_url usually ends in /v1")
	errOtherHost = errors.New("the address redirects to another host, which is not followed because the key and what was said would go there; set base_url to it")
)

// sender is the HTTP client the library works with.
type sender struct {
	client *http.Client
	key    string
}

func newSender(key string, transport http.RoundTripper) *sender {
	return &sender{key: key, client: &http.Client{
		Transport: transport,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			from := via[0].URL
			if req.URL.Host != from.Host || req.URL.Scheme != from.Scheme {
				return errOtherHost
			}
			if len(via) >= 3 {
				return errors.New("the address redirects in circles")
			}
			return nil
		},
	}}
}

// Do sends one request.
func (s *sender) Do(req *http.Request) (*http.Response, error) {
	if s.key == "" {
		req.Header.Del("Authorization") // a local server wants none, and none is better than an empty one
	}
	resp, err := s.client.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // the address is in the configuration; it need not be in every log line
		}
		return nil, err
	}
	if resp.StatusCode >= 300 {
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxComplaint))
		if err != nil {
			body = nil // the status says enough
		}
		return nil, &statusError{
			code: resp.StatusCode, retryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now()),
			said: clipped(s.scrub(complaint(body)), 300),
		}
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		_ = resp.Body.Close()
		return nil, errWebPage
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: maxAnswer}
	return resp, nil
}

// telling is how many bytes of a key's beginning say something about it.
const telling = 8

// scrub takes the key out of a message, as some servers repeat it, and its
// beginning from the end of one that was cut off. What clips a message does so
// afterwards: part of a key is not recognised.
func (s *sender) scrub(text string) string {
	if s.key == "" {
		return text
	}
	text = strings.ReplaceAll(text, s.key, "…")
	for n := len(s.key) - 1; n >= telling; n-- {
		if begun, ok := strings.CutSuffix(text, s.key[:n]); ok {
			return begun + "…"
		}
	}
	return text
}

// complaint is the message in an error's body, {"error":{"message":…}},
// {"error":"…"}, {"detail":"…"} or plain text.
func complaint(body []byte) string {
	var wrapped struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	text := string(body)
	if json.Unmarshal(body, &wrapped) == nil {
		for _, part := range []json.RawMessage{wrapped.Error, wrapped.Detail} {
			var inner struct{ Message string }
			switch {
			case len(part) == 0:
			case json.Unmarshal(part, &text) == nil:
			case json.Unmarshal(part, &inner) == nil:
				text = inner.Message
			}
		}
	}
	return text
}

// clipped is a text in one line of at most n bytes.
func clipped(text string, n int) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)), " ")
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// retryAfter reads the header in both of its forms, seconds and a date.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(strings.TrimSpace(header), 64); err == nil && seconds >= 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// boundedBody fails once it has given all it may.
type boundedBody struct {
	io.ReadCloser
	left int
}

// Read reads what may be read.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errTooMuch
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
