package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/ground/secret"
	"voicegateway/internal/mcpint"
)

// endSessionTimeout bounds the request that tells the server about the end of a
// session.
const endSessionTimeout = time.Second

// dialHTTP connects to a server over Streamable HTTP. There is no process to
// watch: the first request that fails ends the session.
func dialHTTP(ctx context.Context, s mcpint.Server, o Options) (Session, error) {
	return dialWeb(ctx, s, o, func(plain *http.Client) (transport.Interface, error) {
		return transport.NewStreamableHTTP(s.URL,
			transport.WithHTTPHeaders(s.Headers), transport.WithHTTPBasicClient(plain),
			transport.WithHTTPLogger(atDebugLevel(o.Log)), transport.WithContinuousListening()) //nolint:staticcheck // deprecated for protocols after the pinned one
	})
}

// dialWeb connects over HTTP with the transport that build makes; it holds what
// those transports have in common.
func dialWeb(ctx context.Context, s mcpint.Server, o Options, build func(*http.Client) (transport.Interface, error)) (Session, error) {
	secrets := SecretsOf(s)
	if s.Auth.IsSet() {
		secrets = secret.Join(secrets) // one that grows with the tokens of this session
	}
	refused := func(err error) (Session, error) {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = noHandshake(s)
		}
		return nil, &DialError{Server: s.ID, Transport: s.Transport, Err: secrets.RedactError(Explain(withoutWrapping(err)))}
	}
	// These connections belong to the session alone and are closed with it.
	round := &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: dialLeaving, ForceAttemptHTTP2: true}
	w := &watchedTransport{next: round, secrets: secrets, quota: newQuota()}
	if s.Auth.IsSet() {
		tokens, err := newTokenTransport(s, round, secrets)
		if err != nil {
			return refused(err)
		}
		w.next = tokens
	}
	t, err := build(&http.Client{Transport: w, CheckRedirect: RedirectWithinHost})
	if err != nil {
		return refused(err)
	}
	w.session = newSession(t, w.quota, s.ID, o, secrets, func() error {
		round.CloseIdleConnections()
		return nil
	})
	if err := w.session.open(ctx, o, s); err != nil {
		_ = w.session.Close()
		return refused(err)
	}
	return w.session, nil
}

// atDebugLevel passes the client library's log on at debug level: the session's
// reason for ending holds what matters of it.
func atDebugLevel(log *slog.Logger) *slog.Logger { return slog.New(debugHandler{log.Handler()}) }

type debugHandler struct{ slog.Handler }

func (h debugHandler) Enabled(ctx context.Context, _ slog.Level) bool {
	return h.Handler.Enabled(ctx, slog.LevelDebug)
}

func (h debugHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return h.Handler.Handle(ctx, r)
}

func (h debugHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return debugHandler{h.Handler.WithAttrs(attrs)}
}

func (h debugHandler) WithGroup(name string) slog.Handler {
	return debugHandler{h.Handler.WithGroup(name)}
}

// RedirectWithinHost follows only redirects that repeat the request at the same
// host, because another host would be given the configured headers. It is the
// CheckRedirect of an http.Client.
func RedirectWithinHost(next *http.Request, via []*http.Request) error {
	err := httpguard.Redirects{}.Check(next, via)
	switch {
	case errors.Is(err, httpguard.ErrElsewhere):
		return fmt.Errorf("the server redirects to %s://%s, which is not followed; if that is right, set it as the url", next.URL.Scheme, next.URL.Host)
	case errors.Is(err, httpguard.ErrMethod):
		return errors.New("the server redirects in a way that loses the request; set its final url")
	case errors.Is(err, httpguard.ErrCircles):
		return fmt.Errorf("the server redirects more than %d times", httpguard.MaxRedirects)
	}
	return err
}

// withoutWrapping unwraps an error from the library's wrapping, which shows the
// address; an address may hold a secret.
func withoutWrapping(err error) error {
	if answer, ok := errors.AsType[*HTTPError](err); ok {
		return answer
	}
	return httpguard.WithoutURL(err)
}

// watchedTransport reads every answer before the client library does: it turns
// refusals into errors that say what is wrong, bounds what is read, and ends the
// session when the server cannot be reached or has forgotten it.
type watchedTransport struct {
	next        http.RoundTripper
	session     *session
	secrets     Secrets
	quota       *quota
	hadStream   atomic.Bool // the server's event stream has been open
	needsStream bool        // without its event stream the server is of no use
}

func (w *watchedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete {
		return w.endSession(r), nil
	}
	answer, err := w.next.RoundTrip(r)
	if err != nil {
		err = explainTLS(err)
		if r.Context().Err() == nil {
			err = Explain(err)
			w.session.end(err)
		}
		return nil, err
	}
	if refused := w.refusal(r, answer); refused != nil {
		_ = answer.Body.Close()
		if refused.endsSession() {
			w.session.end(refused)
		}
		return nil, refused
	}
	if r.Method == http.MethodGet && answer.StatusCode == http.StatusOK {
		w.hadStream.Store(true)
	}
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	events := kind == "text/event-stream"
	metered := &meter{from: answer.Body, quota: w.quota, events: events}
	answer.Body = &boundedBody{ReadCloser: answer.Body, session: w.session, bounded: limitAnswer(metered, events, maxAnswer)}
	return answer, nil
}

// refusal returns what is wrong with an answer, nil if nothing is. An answer to GET
// counts only if the stream is needed, or if it says that the session has ended, because
// a server need not offer a stream.
func (w *watchedTransport) refusal(r *http.Request, answer *http.Response) *HTTPError {
	session := r.Header.Get(transport.HeaderKeySessionID) != ""
	if r.Method == http.MethodGet && !w.needsStream && (!session || answer.StatusCode != http.StatusNotFound || !w.hadStream.Load()) {
		return nil
	}
	return refusalOf(answer, session, w.secrets)
}

// endSession tells the server that the session is over, if we closed it. It never
// returns an error, because the library would only log it.
func (w *watchedTransport) endSession(r *http.Request) *http.Response {
	if errors.Is(w.session.Err(), errClosed) {
		ctx, cancel := context.WithTimeout(r.Context(), endSessionTimeout)
		defer cancel()
		if answer, err := w.next.RoundTrip(r.WithContext(ctx)); err == nil {
			_ = answer.Body.Close()
		}
	}
	return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody, Request: r}
}

// boundedBody ends the session when an answer grows beyond maxAnswer, one event of a
// stream or the whole of any other answer, and when the server floods us.
type boundedBody struct {
	io.ReadCloser
	session *session
	bounded io.Reader
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.bounded.Read(p)
	if isExcess(err) {
		b.session.end(Explain(err))
	}
	return n, err
}
