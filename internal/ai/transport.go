package ai

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"voicegateway/internal/ai/wire"
	"voicegateway/internal/ground/httpguard"
)

// maxStream bounds the bytes of one completion. A token is wrapped in some 200
// bytes; the bound is many times MaxTokens.
const maxStream = 8 << 20

// saidShown is how much of a provider's own text an error holds, in characters.
const saidShown = 300

// sender is the HTTP client the library works with.
type sender struct {
	guard   *httpguard.Client
	key     string
	profile profile
}

func newSender(p profile, key string, transport http.RoundTripper) *sender {
	return &sender{
		profile: p, key: key,
		guard: httpguard.NewClient(httpguard.Config{Key: key, Transport: transport, MaxBody: maxStream}),
	}
}

// Do sends one request with what the profile adds to it. The answer to a completion
// is the stream that the library reads, whatever the server sends.
func (s *sender) Do(req *http.Request) (*http.Response, error) {
	for name, value := range s.profile.headers {
		req.Header.Set(name, value)
	}
	if s.profile.keyHeader != "" && s.key != "" {
		req.Header.Set(s.profile.keyHeader, s.key)
	}
	resp, err := s.guard.Do(req)
	if err == nil && strings.HasSuffix(req.URL.Path, "/chat/completions") {
		resp.Body = wire.New(resp.Body)
	}
	return resp, err
}

// asSettingError turns an error of the guard into an *Error that names our setting; nil
// for any other error.
func asSettingError(err error) *Error {
	switch {
	case errors.Is(err, httpguard.ErrTooLong):
		return &Error{Kind: TooLong, Err: fmt.Errorf("over %d bytes in one completion", maxStream)}
	case errors.Is(err, httpguard.ErrWebPage):
		return &Error{Kind: Malformed, Err: errors.New("a web page came back, not a completion; ai.base_url usually ends in /v1")}
	case errors.Is(err, httpguard.ErrElsewhere):
		return &Error{Kind: Rejected, Err: errors.New("the address redirects to another host, which is not followed because the key would go there; set ai.base_url to it")}
	case errors.Is(err, httpguard.ErrMethod):
		return &Error{Kind: Rejected, Err: errors.New("the address redirects in a way that loses the request; set ai.base_url to where it leads")}
	case errors.Is(err, httpguard.ErrCircles):
		return &Error{Kind: Unavailable, Err: errors.New("the address redirects in circles")}
	}
	if status, ok := errors.AsType[*httpguard.StatusError](err); ok {
		return &Error{Kind: kindOf(status.Code, status.Reason, status.Said), RetryAfter: status.RetryAfter, Err: status}
	}
	return nil
}
