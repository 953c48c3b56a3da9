// Package socket is one connection to the WebSocket API of Home Assistant: it proves who
// we are, numbers commands, matches answers and events to them, and notices when nobody
// is on the other side any more. It knows nothing of houses and never connects by itself
// again; package hass does.
//
// Reading is one goroutine that only hands messages on, because Home Assistant drops a
// client that reads too slowly.
package socket

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// Config is where Home Assistant is.
type Config struct {
	URL    string // such as http://homeassistant.local:8123
	CAFile string // PEM of the authority of its certificate; empty: those of the system
	// Dial makes the connection below; nil: over the network.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Errors of Dial that trying again does not mend.
var (
	// ErrToken means that Home Assistant refuses the token. Each attempt with it counts
	// there as a failed login, so the same token must not be tried again.
	ErrToken = errors.New("home assistant refuses the token")
	// ErrBanned means that Home Assistant has banned this machine's address.
	ErrBanned = errors.New("home assistant has banned the address of this machine; take it out of ip_bans.yaml there and restart it")
)

// Bounds of a connection.
const (
	handshake  = 10 * time.Second // Home Assistant itself waits that long for the token
	writeLimit = 10 * time.Second // for one message to leave
	mostBytes  = 64 << 20         // of one frame: all states of a large house come in one
)

// Validate says what is wrong with the address.
func (c Config) Validate() error {
	_, err := c.address()
	return err
}

// address returns the address of the WebSocket API.
func (c Config) address() (string, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the address of Home Assistant must be one such as http://homeassistant.local:8123")
	}
	switch u.Scheme {
	case "http", "ws":
		u.Scheme = "ws"
	case "https", "wss":
		u.Scheme = "wss"
	default:
		return "", errors.New("the address of Home Assistant must begin with http:// or https://")
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/api/websocket") + "/api/websocket"
	return u.String(), nil
}

// tls reads the authority at every connection, so that a renewed file is taken without a
// restart.
func (c Config) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile == "" {
		return config, nil
	}
	pem, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of the authority: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", c.CAFile)
	}
	return config, nil
}

// Dial connects and proves who we are. The connection works once Run is called.
func Dial(ctx context.Context, c Config, token string) (*Conn, error) {
	address, err := c.address()
	if err != nil {
		return nil, err
	}
	config, err := c.tls()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, handshake)
	defer cancel()
	dialer := websocket.Dialer{NetDialContext: c.Dial, TLSClientConfig: config, Proxy: http.ProxyFromEnvironment}
	ws, resp, err := dialer.DialContext(ctx, address, nil)
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return nil, explainRefusal(err, resp)
	}
	conn := newConn(ws)
	stop := context.AfterFunc(ctx, func() { _ = ws.Close() })
	err = conn.authenticate(token)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = ws.Close()
		return nil, err
	}
	return conn, nil
}

// explainRefusal says why no connection was made, by what HTTP answered.
func explainRefusal(err error, resp *http.Response) error {
	switch {
	case resp == nil:
		return fmt.Errorf("connecting to Home Assistant: %w", err)
	case resp.StatusCode == http.StatusForbidden:
		return ErrBanned
	case resp.StatusCode == http.StatusNotFound:
		return errors.New("there is no Home Assistant at this address, or it has only begun to start")
	default:
		return fmt.Errorf("connecting to Home Assistant: it answers %q", resp.Status)
	}
}

// authenticate answers the question for the token, and asks for several messages in one
// frame.
func (c *Conn) authenticate(token string) error {
	hello, err := c.readOne()
	if err != nil {
		return err
	}
	if hello.Type != "auth_required" {
		return fmt.Errorf("home assistant began with %q instead of asking for the token", clip(hello.Type))
	}
	if err := c.send(map[string]any{"type": "auth", "access_token": token}); err != nil {
		return err
	}
	verdict, err := c.readOne()
	switch {
	case err != nil:
		return err
	case verdict.Type == "auth_invalid":
		return ErrToken
	case verdict.Type != "auth_ok":
		return fmt.Errorf("home assistant answered the token with %q", clip(verdict.Type))
	}
	c.Version = clip(verdict.Version)
	_, err = c.start(Command{"type": "supported_features", "features": map[string]int{"coalesce_messages": 1}}, nil)
	return err
}

// readOne reads the one message of a frame of the handshake.
func (c *Conn) readOne() (message, error) {
	_ = c.ws.SetReadDeadline(time.Now().Add(handshake))
	_, frame, err := c.ws.ReadMessage()
	if err != nil {
		return message{}, fmt.Errorf("waiting for Home Assistant: %w", err)
	}
	all, err := decode(frame)
	if err != nil {
		return message{}, err
	}
	if len(all) != 1 {
		return message{}, errors.New("home assistant began with several messages at once")
	}
	return all[0], nil
}

// Error is what Home Assistant answers to a command that it refuses.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"` // for people, in English or in the language of the integration
}

func (e *Error) Error() string { return fmt.Sprintf("home assistant: %s (%s)", e.Message, e.Code) }

// The codes of refusals that are told apart.
const (
	CodeUnauthorized = "unauthorized" //nolint:misspell // as Home Assistant writes it
	CodeNotFound     = "not_found"
	CodeFormat       = "invalid_format"
	CodeValidation   = "service_validation_error"
	CodeFailed       = "home_assistant_error"
	CodeUnknown      = "unknown_command"
)

// message is one message from Home Assistant, of any type.
type message struct {
	ID      int             `json:"id"`
	Type    string          `json:"type"`
	Success bool            `json:"success"`
	Result  json.RawMessage `json:"result"`
	Error   *Error          `json:"error"`
	Event   json.RawMessage `json:"event"`
	Version string          `json:"ha_version"`
}

// decode reads a frame: one message, or a list of them.
func decode(frame []byte) ([]message, error) {
	var all []message
	var err error
	if len(frame) > 0 && frame[0] == '[' {
		err = json.Unmarshal(frame, &all)
	} else {
		all = make([]message, 1)
		err = json.Unmarshal(frame, &all[0])
	}
	if err != nil {
		return nil, fmt.Errorf("reading a message of Home Assistant: %w", err)
	}
	for i := range all {
		if e := all[i].Error; e != nil {
			e.Code, e.Message = clip(e.Code), clip(e.Message)
		}
	}
	return all, nil
}

// clip shortens a text from outside that is shown to people, to one line.
func clip(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
