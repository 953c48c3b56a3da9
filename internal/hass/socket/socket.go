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
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// Config is where Home Assistant is.
type Config struct {
	URL    string // such as http://homeassistant.local:8123
	CAFile string // PEM of the authority of its certificate; empty: those of the system
	// CertSHA256 is the only certificate that is taken, by the SHA-256 of its DER form in
	// hexadecimal digits, with or without colons. It stands in place of every other check, so
	// that a certificate that was made for another name, or has expired, can be used. Empty:
	// the certificate is checked as those of the web are.
	CertSHA256 string
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

// Validate says what is wrong with the address, or with what its certificate is compared
// with.
func (c Config) Validate() error {
	address, err := c.address()
	if err != nil {
		return err
	}
	_, err = c.pin()
	switch {
	case err != nil:
		return err
	case c.CertSHA256 != "" && c.CAFile != "":
		return errors.New("the certificate of Home Assistant is compared either with an authority or with a SHA-256; expected one of HASS_CA_FILE and HASS_CERT_SHA256")
	case c.CertSHA256 != "" && !strings.HasPrefix(address, "wss:"):
		return errors.New("only an address that begins with https:// has a certificate; expected one with HASS_CERT_SHA256")
	}
	return nil
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

// Dial connects and proves who we are. The connection works once Run is called.
func Dial(ctx context.Context, c Config, token string) (*Conn, error) {
	return c.enter(ctx, func(conn *Conn) error { return conn.authenticate(token) })
}

// Greet connects, and leaves before it says who we are: it tells the version of a Home
// Assistant that can be reached, and counts there as no attempt to log in.
func Greet(ctx context.Context, c Config) (version string, err error) {
	conn, err := c.enter(ctx, func(conn *Conn) error {
		hello, err := conn.greet()
		version = clip(hello.Version)
		return err
	})
	if err != nil {
		return "", err
	}
	conn.Close()
	return version, nil
}

// enter connects and does the first steps within the time that Home Assistant gives for
// them.
func (c Config) enter(ctx context.Context, first func(*Conn) error) (*Conn, error) {
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
	began := time.Now()
	dialer := websocket.Dialer{NetDialContext: c.Dial, TLSClientConfig: config, Proxy: http.ProxyFromEnvironment}
	ws, resp, err := dialer.DialContext(ctx, address, nil)
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return nil, explainRefusal(err, resp)
	}
	conn := newConn(ws)
	conn.Ahead, conn.HasClock = aheadBy(resp.Header.Get("Date"), began, time.Now())
	stop := context.AfterFunc(ctx, func() { _ = ws.Close() })
	err = first(conn)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = ws.Close()
		return nil, err
	}
	return conn, nil
}

// aheadBy returns how far the clock of an answer is ahead of ours, which asked and then
// received it at these times. ok is false if the answer tells no time.
func aheadBy(date string, asked, received time.Time) (ahead time.Duration, ok bool) {
	told, err := http.ParseTime(date)
	if err != nil {
		return 0, false
	}
	const half = 500 * time.Millisecond // it tells whole seconds
	return told.Add(half).Sub(asked.Add(received.Sub(asked) / 2)).Round(time.Second), true
}

// explainRefusal says why no connection was made, by what HTTP answered.
func explainRefusal(err error, resp *http.Response) error {
	switch {
	case resp == nil:
		return fmt.Errorf("connecting to Home Assistant: %w", explainCertificate(err))
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
	if _, err := c.greet(); err != nil {
		return err
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

// greet reads the question for the token.
func (c *Conn) greet() (message, error) {
	hello, err := c.readOne()
	if err == nil && hello.Type != "auth_required" {
		err = fmt.Errorf("home assistant began with %q instead of asking for the token", clip(hello.Type))
	}
	return hello, err
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
