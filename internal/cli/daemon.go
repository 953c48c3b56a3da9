package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"voicegateway/internal/httpguard"
)

// daemonPatience bounds a request that shows something; none takes a second.
const daemonPatience = 10 * time.Second

// maxAnswer bounds what is read of the daemon's answer: 200 turns of a busy house
// are well below.
const maxAnswer = 16 << 20

// errNoDaemon means that nobody listens at the daemon's address.
var errNoDaemon = errors.New("no daemon runs")

// daemonAddr is where the daemon is reached from this machine.
func (l *loaded) daemonAddr() string {
	host, port, err := net.SplitHostPort(l.HTTP.Listen)
	if err != nil {
		return l.HTTP.Listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return l.HTTP.Listen
}

// post sends one request to the daemon's HTTP interface.
func (a *app) post(ctx context.Context, l *loaded, path string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("preparing the request: %w", err)
	}
	return a.request(ctx, l, http.MethodPost, path, data, answer)
}

// show asks the daemon for something only a running one knows.
func (a *app) show(ctx context.Context, l *loaded, path string, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, daemonPatience)
	defer cancel()
	return a.needed(l, a.request(ctx, l, http.MethodGet, path, nil, answer))
}

// needed makes a sentence of there being no daemon.
func (a *app) needed(l *loaded, err error) error {
	switch {
	case !errors.Is(err, errNoDaemon):
		return err
	case l.HTTP.Listen == "":
		return errors.New("http.listen is empty, so a running gateway cannot be asked; set it, such as to 127.0.0.1:8765")
	default:
		return fmt.Errorf("no gateway answers at %s (http.listen); start it with: voice-gateway run", l.daemonAddr())
	}
}

// request is one exchange with the daemon. An answer of *json.RawMessage gets the
// body as it came.
func (a *app) request(ctx context.Context, l *loaded, method, path string, body []byte, answer any) error {
	if l.HTTP.Listen == "" {
		return errNoDaemon
	}
	addr := l.daemonAddr()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+addr+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("preparing the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := l.askDaemon(req, maxAnswer)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("reading the daemon's answer: %w", err)
	}
	if answer == nil || len(got) == 0 {
		return nil
	}
	if err := json.Unmarshal(got, answer); err != nil {
		return fmt.Errorf("what answers at %s is not the daemon: %w", addr, err)
	}
	return nil
}

// askDaemon sends a request with our token and makes a sentence of what goes wrong.
// An answer of over limit bytes fails while it is read.
func (l *loaded) askDaemon(req *http.Request, limit int64) (*http.Response, error) {
	if l.secrets.HTTPToken != "" {
		req.Header.Set("Authorization", "Bearer "+l.secrets.HTTPToken)
	}
	resp, err := httpguard.NewClient(httpguard.Config{Key: l.secrets.HTTPToken, MaxBody: limit}).Do(req)
	status, refused := errors.AsType[*httpguard.StatusError](err)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, errNoDaemon
	case refused && status.Said != "":
		return nil, fmt.Errorf("the daemon at %s refused: %s", l.daemonAddr(), status.Said)
	case refused:
		return nil, fmt.Errorf("the daemon at %s refused: %w", l.daemonAddr(), status)
	case errors.Is(err, httpguard.ErrWebPage):
		return nil, fmt.Errorf("what answers at %s is not the daemon: %w", l.daemonAddr(), err)
	case err != nil:
		return nil, fmt.Errorf("asking the daemon at %s: %w", l.daemonAddr(), err)
	}
	return resp, nil
}
