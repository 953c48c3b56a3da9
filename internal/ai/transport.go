package ai

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
)

// maxStream bounds what one completion may send in bytes. A token is wrapped in
// some 200 bytes; this is many times MaxTokens.
const maxStream = 8 << 20

// maxComplaint is how much of an error's body is read.
const maxComplaint = 4 << 10

// statusError is an answer that is no completion.
type statusError struct {
	code       int
	retryAfter time.Duration
	said       string // the provider's own message
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("status %d %s", e.code, http.StatusText(e.code))
	if e.said != "" {
		text += ": " + e.said
	}
	return text
}

var (
	errTooMuch   = fmt.Errorf("over %d bytes in one completion", maxStream)
	errWebPage   = errors.New("a web page came back, not a completion; ai.base_url usually ends in /v1")
	errOtherHost = errors.New("the address redirects to another host, which is not followed because the key would go there; set ai.base_url to it")
)

// sender is the HTTP client the library works with. It keeps the key on its host
// and out of errors, bounds every body, and turns refusals into a statusError,
// which keeps the Retry-After header that the library drops.
type sender struct {
	client  *http.Client
	key     string
	profile profile
}

func newSender(p profile, key string, transport http.RoundTripper) *sender {
	return &sender{profile: p, key: key, client: &http.Client{
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
	for name, value := range s.profile.headers {
		req.Header.Set(name, value)
	}
	if s.profile.keyHeader != "" && s.key != "" {
		req.Header.Set(s.profile.keyHeader, s.key)
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
			code:       resp.StatusCode,
			retryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now()),
			said:       clip(s.scrub(complaint(body)), 300),
		}
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		_ = resp.Body.Close()
		return nil, errWebPage
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: maxStream}
	return resp, nil
}

// telling is how many bytes of a key's beginning say something about it.
const telling = 8

// scrub takes the key out of a provider's message, as some repeat it, and its
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

// complaint is the message in an error's body: {"error":{"message":…}},
// {"error":"…"} or plain text, in one line.
func complaint(body []byte) string {
	var wrapped struct {
		Error json.RawMessage `json:"error"`
	}
	text := string(body)
	if json.Unmarshal(body, &wrapped) == nil && len(wrapped.Error) > 0 {
		var inner struct{ Message string }
		if json.Unmarshal(wrapped.Error, &text) != nil && json.Unmarshal(wrapped.Error, &inner) == nil {
			text = inner.Message
		}
	}
	return strings.Join(strings.Fields(strings.Map(printable, text)), " ")
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

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errTooMuch
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
