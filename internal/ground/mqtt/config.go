package mqtt

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"voicegateway/internal/ground/httpguard"
)

// Config says which broker to use and how this client introduces itself.
type Config struct {
	URL           string `yaml:"broker"` // mqtt://host[:1883], mqtts://host[:8883], ws:// or wss://; tcp:// and ssl:// mean the same as the first two
	Username      string `yaml:"username"`
	PasswordFile  string `yaml:"password_file"`
	CAFile        string `yaml:"ca_file"`        // PEM file with the authority of a private broker; empty: the system's authorities
	AllowInsecure bool   `yaml:"allow_insecure"` // a broker beyond this machine may be used without credentials

	Password string   `yaml:"-"` // not part of the configuration: the program that loads a configuration reads it separately
	ClientID string   `yaml:"-"` // empty: a random one; two clients with one id throw each other out
	Will     *Message `yaml:"-"`
	// QuietStop makes a client that stops leave its will unpublished, as zwave-js-ui does.
	// Otherwise the client publishes its will when it stops, too.
	QuietStop bool `yaml:"-"`
}

// Message is something to publish.
type Message struct {
	Topic    string
	Payload  []byte
	Retained bool
}

// schemes maps what people write to the transport and its default port.
var schemes = map[string]struct {
	name string
	port string
	tls  bool
	ws   bool
}{
	"mqtt":  {name: "mqtt", port: "1883"},
	"tcp":   {name: "mqtt", port: "1883"},
	"mqtts": {name: "mqtts", port: "8883", tls: true},
	"ssl":   {name: "mqtts", port: "8883", tls: true},
	"ws":    {name: "ws", port: "80", ws: true},
	"wss":   {name: "wss", port: "443", tls: true, ws: true},
}

// endpoint is a broker's address after the checks, with the credentials apart
// so that printing it can never show them.
type endpoint struct {
	url      *url.URL // without user information
	tls      bool
	ws       bool
	username string
	password string
}

// String is the address as it may stand in logs and errors.
func (e endpoint) String() string { return e.url.Scheme + "://" + e.url.Host }

// parse checks the configuration. Its errors never quote the URL as a whole,
// because a password may stand in it.
func (cfg Config) parse() (endpoint, error) {
	const expected = "expected mqtt://host:1883, mqtts://host:8883, ws://host/path or wss://host/path"
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		return endpoint{}, fmt.Errorf("broker address is not a URL: %s", expected)
	}
	kind, ok := schemes[strings.ToLower(u.Scheme)]
	if !ok {
		return endpoint{}, fmt.Errorf("broker address begins with %q: %s", u.Scheme+"://", expected)
	}
	e := endpoint{tls: kind.tls, ws: kind.ws, username: cfg.Username, password: cfg.Password}
	if u.User != nil && e.username == "" {
		e.username = u.User.Username()
		e.password, _ = u.User.Password()
	}
	port := cmp.Or(u.Port(), kind.port)
	e.url = &url.URL{Scheme: kind.name, Host: net.JoinHostPort(u.Hostname(), port), Path: u.Path, RawQuery: u.RawQuery}
	if !kind.ws && (strings.Trim(u.Path, "/") != "" || u.RawQuery != "") {
		return endpoint{}, fmt.Errorf("broker address %s has a path: only ws:// and wss:// have one; topics are set elsewhere", e)
	}
	return e, cfg.check(e)
}

// Validate reports what is wrong with the broker's address, beginning with its key. An
// empty one is the embedded broker's.
func (cfg Config) Validate() error {
	if cfg.URL == "" {
		return nil
	}
	if _, err := cfg.parse(); err != nil {
		return fmt.Errorf("mqtt.broker: %w", err)
	}
	return nil
}

// check applies the rules that a valid address must satisfy as well (REQUIREMENTS
// S4).
func (cfg Config) check(e endpoint) error {
	if e.username == "" && !cfg.AllowInsecure && !httpguard.Loopback(e.url.Hostname()) {
		return fmt.Errorf("broker %s is not on this machine and there are no credentials: set mqtt.username and mqtt.password_file, or mqtt.allow_insecure: true if everyone on that network may switch things", e)
	}
	if cfg.CAFile != "" && !e.tls {
		return fmt.Errorf("broker %s is not encrypted, so ca_file has no use: write mqtts:// or wss://, or remove ca_file", e)
	}
	if e.password != "" && e.username == "" {
		return errors.New("there is a password for the broker and no user name: set mqtt.username")
	}
	if cfg.Will != nil {
		if err := checkTopic(cfg.Will.Topic); err != nil {
			return fmt.Errorf("the last will: %w", err)
		}
	}
	return nil
}
