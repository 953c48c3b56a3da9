package mcpint

import (
	"context"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/client/transport"
)

// dialHTTP connects to a server over Streamable HTTP. There is no process and no
// connection to watch: the first request that fails ends the session.
func dialHTTP(ctx context.Context, s Server, o Options) (Session, error) {
	refused := func(err error) (Session, error) {
		return nil, &DialError{Server: s.ID, Transport: s.transport(), Err: err}
	}
	// Own connections, closed with the session; and no redirects: they would carry
	// the configured headers to another host.
	round := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	sess := &httpSession{}
	plain := &http.Client{
		Transport: watched{next: round, session: sess},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the server redirects; set its final url")
		},
	}
	t, err := transport.NewStreamableHTTP(s.URL,
		transport.WithHTTPHeaders(s.Headers), transport.WithHTTPBasicClient(plain),
		transport.WithHTTPLogger(o.Log), transport.WithContinuousListening()) //nolint:staticcheck // deprecated for protocols after the pinned one
	if err != nil {
		return refused(err)
	}
	sess.session = newSession(t, o.Notify, func() error {
		round.CloseIdleConnections()
		return nil
	})
	if err := sess.open(ctx, o); err != nil {
		_ = sess.Close()
		return refused(err)
	}
	return sess.session, nil
}

// httpSession lets the round tripper reach the session that is made after it.
type httpSession struct{ *session }

// watched ends the session when the server cannot be reached or has forgotten it.
type watched struct {
	next    http.RoundTripper
	session *httpSession
}

func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := w.next.RoundTrip(r)
	switch {
	case err != nil && r.Context().Err() == nil:
		w.session.end(err)
	case err == nil && r.Method == http.MethodPost && answer.StatusCode == http.StatusNotFound:
		w.session.end(errors.New("the server has forgotten the session (404)"))
	}
	return answer, err
}
