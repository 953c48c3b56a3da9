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

	"voicegateway/internal/ground/httpguard"
)

// daemonPatience bounds a request that only shows something; such a request takes
// less than a second.
const daemonPatience = 10 * time.Second

// maxAnswer bounds the bytes read of the daemon's answer: 200 turns of a busy house
// are well below it.
const maxAnswer = 16 << 20

// errNoDaemon means that no daemon listens at the address.
var errNoDaemon = errors.New("no daemon runs")

// daemon is the running gateway, reached over HTTP from this machine.
type daemon struct {
	listen string // http.listen; empty: it cannot be asked
	token  string
}

// daemon is the daemon that this configuration would run; it may not be running.
func (l *loaded) daemon() daemon {
	return daemon{listen: l.HTTP.Listen, token: l.Secrets.HTTPToken}
}

// addr is where the daemon is reached.
func (d daemon) addr() string {
	host, port, err := net.SplitHostPort(d.listen)
	if err != nil {
		return d.listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return d.listen
}

// order has the daemon do something that only a running gateway can do.
func (d daemon) order(ctx context.Context, method, path string, body []byte, answer any) error {
	return d.explainMissing(d.ask(ctx, method, path, body, answer))
}

// ask is one exchange with the daemon within daemonPatience. The error is errNoDaemon if none
// runs.
func (d daemon) ask(ctx context.Context, method, path string, body []byte, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, daemonPatience)
	defer cancel()
	return d.request(ctx, method, path, body, answer)
}

// explainMissing explains errNoDaemon to a person; other errors stay as they are.
func (d daemon) explainMissing(err error) error {
	switch {
	case !errors.Is(err, errNoDaemon):
		return err
	case d.listen == "":
		return errors.New("http.listen is empty, so a running gateway cannot be asked; set it, such as to 127.0.0.1:8765")
	default:
		return fmt.Errorf("no gateway answers at %s (http.listen); start it with: voice-gateway run", d.addr())
	}
}

// request is one exchange with the daemon. An answer of *json.RawMessage gets the
// body as it came.
func (d daemon) request(ctx context.Context, method, path string, body []byte, answer any) error {
	if d.listen == "" {
		return errNoDaemon
	}
	addr := d.addr()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+addr+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("preparing the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := d.send(req, maxAnswer)
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

// send sends a request with our token and explains what goes wrong. An answer of
// over limit bytes fails while it is read.
func (d daemon) send(req *http.Request, limit int64) (*http.Response, error) {
	if d.token != "" {
		req.Header.Set("Authorization", "Bearer "+d.token)
	}
	resp, err := httpguard.NewClient(httpguard.Config{Key: d.token, MaxBody: limit}).Do(req)
	status, refused := errors.AsType[*httpguard.StatusError](err)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, errNoDaemon
	case refused && status.Said != "":
		return nil, fmt.Errorf("the daemon at %s refused: %s", d.addr(), status.Said)
	case refused:
		return nil, fmt.Errorf("the daemon at %s refused: %w", d.addr(), status)
	case errors.Is(err, httpguard.ErrWebPage):
		return nil, fmt.Errorf("what answers at %s is not the daemon: %w", d.addr(), err)
	case err != nil:
		return nil, fmt.Errorf("asking the daemon at %s: %w", d.addr(), err)
	}
	return resp, nil
}
