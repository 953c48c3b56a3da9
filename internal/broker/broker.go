// Package broker is the embedded MQTT broker, for the demo and for homes where everything
// runs on one box. It exists so that these need no other program; a home with its own
// broker never starts it.
//
// It keeps nothing over a restart: clients publish their retained messages again when the
// connection is back. To add a listener (TLS, websocket), attach it in serve; it must
// obey the rule that New checks.
package broker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"syscall"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"

	"voicegateway/internal/httpguard"
)

// Config says where the broker listens and who may come in.
type Config struct {
	Listen   string `yaml:"listen"` // host:port; port 0 takes a free one
	Username string `yaml:"-"`      // with Password: what every client must present
	Password string `yaml:"-"`      // empty: every program on this machine may connect
}

// Default listens on loopback, on a port other than the usual 1883, so that
// another broker can run beside it.
func Default() Config { return Config{Listen: "127.0.0.1:1884"} }

// Broker is the embedded broker.
type Broker struct {
	cfg   Config
	log   *slog.Logger
	room  int           // bytes that may wait for slow clients
	ready chan struct{} // closed when it accepts connections
	once  sync.Once
	addr  string // set before ready is closed
}

// Validate reports what is wrong with the address.
func (cfg Config) Validate() error {
	_, err := cfg.host()
	return err
}

func (cfg Config) host() (string, error) {
	host, err := httpguard.Address(cfg.Listen, Default().Listen)
	if err != nil {
		return "", fmt.Errorf("mqtt.embedded.listen: %w", err)
	}
	return host, nil
}

// New checks cfg: beyond loopback the broker wants credentials (REQUIREMENTS
// S4).
func New(cfg Config, log *slog.Logger) (*Broker, error) {
	host, err := cfg.host()
	if err != nil {
		return nil, err
	}
	if (cfg.Username == "") != (cfg.Password == "") {
		return nil, errors.New("the embedded broker needs a user name and a password, or neither")
	}
	if cfg.Username == "" && !httpguard.Loopback(host) {
		return nil, fmt.Errorf("mqtt.embedded.listen is %q, which other machines can reach, and there are no credentials: set mqtt.username and mqtt.password_file, or listen on 127.0.0.1", cfg.Listen)
	}
	return &Broker{cfg: cfg, log: log, room: maxBacklog, ready: make(chan struct{})}, nil
}

// Ready returns when the broker accepts connections.
func (b *Broker) Ready(ctx context.Context) error {
	select {
	case <-b.ready:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the embedded broker: %w", ctx.Err())
	}
}

// Addr is the host:port the broker listens on; before Ready, the configured
// address.
func (b *Broker) Addr() string {
	select {
	case <-b.ready:
		return b.addr
	default:
		return b.cfg.Listen
	}
}

// Run serves until ctx ends and returns nil then. It runs once.
func (b *Broker) Run(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", b.cfg.Listen)
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("the embedded broker cannot listen on %s: another program uses this port (a second gateway, or a broker of its own?); change mqtt.embedded.listen, or name that broker in mqtt.broker", b.cfg.Listen)
	case err != nil:
		return fmt.Errorf("the embedded broker cannot listen on mqtt.embedded.listen: %w", err)
	}
	conns := &tracked{Listener: listener, log: b.log, open: map[net.Conn]*trackedConn{}, large: newIntake(maxIntake)}
	defer conns.end()
	return b.serve(ctx, conns)
}

func (b *Broker) serve(ctx context.Context, conns *tracked) error {
	server := mochi.New(&mochi.Options{
		Capabilities: capabilities(),
		Logger:       slog.New(quiet{b.log.Handler()}),
		// The library keeps its $SYS messages without asking the hooks.
		SysTopicResendInterval: neverSeconds,
	})
	tree := &sync.RWMutex{}
	waiting := newBacklog(server, tree, b.log, b.room)
	for _, hook := range []mochi.Hook{
		&door{username: digest(b.cfg.Username), password: digest(b.cfg.Password), open: b.cfg.Username == ""},
		&guests{server: server, part: waiting.part}, &filters{server: server, log: b.log},
		&shelf{log: b.log, topics: server.Topics, tree: tree, sizes: map[string]int{}}, waiting,
		newRetaining(tree),
	} {
		if err := server.AddHook(hook, nil); err != nil {
			return fmt.Errorf("setting up the embedded broker: %w", err)
		}
	}
	if err := server.Serve(); err != nil {
		return fmt.Errorf("starting the embedded broker: %w", err)
	}
	for topic := range server.Topics.Retained.GetAll() { // its own messages, published once; no client has connected yet
		server.Topics.RetainMessage(packets.Packet{TopicName: topic})
	}
	door := newListener(conns)
	if err := server.AddListener(door); err != nil {
		return fmt.Errorf("setting up the embedded broker: %w", err)
	}
	server.Listeners.Serve(door.ID(), server.EstablishConnection)
	b.once.Do(func() {
		b.addr = conns.Addr().String()
		close(b.ready)
	})
	b.log.Info("the embedded MQTT broker is ready", "addr", b.addr)
	<-ctx.Done()
	waiting.lists.end()
	conns.end() // including connections that never sent CONNECT: Close would wait for them
	if err := server.Close(); err != nil {
		return fmt.Errorf("stopping the embedded broker: %w", err)
	}
	return nil
}

// capabilities returns the library's limits, changed where a house needs more, and where
// a client could fill the memory.
func capabilities() *mochi.Capabilities {
	c := mochi.NewDefaultServerCapabilities()
	c.MaximumMessageExpiryInterval = 0 // the default forgets retained messages after a day
	c.MaximumInflight = maxRetained    // a big house has more retained values than the 8192
	c.MaximumClientWritesPending = pending
	c.MaximumPacketSize = maxPacket
	c.MaximumClients = maxClients
	c.MaximumSessionExpiryInterval = sessionSeconds
	c.TopicAliasMaximum = 0 // it would keep 65,535 topics of each client
	c.SharedSubAvailable = 0
	c.Compatibilities.NoInheritedPropertiesOnAck = true // otherwise the stored acknowledgement of a message keeps the message's properties
	return c
}

// door is the hook that lets clients in.
type door struct {
	mochi.HookBase
	username, password [sha256.Size]byte
	open               bool
}

// digest hashes a text before it is compared, so that the time of the comparison
// does not depend on the length.
func digest(s string) [sha256.Size]byte { return sha256.Sum256([]byte(s)) }

// ID names the hook.
func (*door) ID() string { return "door" }

// Provides tells the library which of the hook's methods to call.
func (*door) Provides(b byte) bool {
	return b == mochi.OnConnectAuthenticate || b == mochi.OnACLCheck
}

// OnConnectAuthenticate reports whether a client has the right credentials.
func (d *door) OnConnectAuthenticate(cl *mochi.Client, p packets.Packet) bool {
	user, pass := digest(string(p.Connect.Username)), digest(string(p.Connect.Password))
	right := subtle.ConstantTimeCompare(user[:], d.username[:])&subtle.ConstantTimeCompare(pass[:], d.password[:]) == 1
	if conn, ok := cl.Net.Conn.(*trackedConn); ok && (right || d.open) {
		conn.known.Store(true)
	}
	return right || d.open
}

// OnACLCheck allows every accepted client everything, but sends nothing more to one that
// was thrown out because too much waited for it.
func (*door) OnACLCheck(cl *mochi.Client, _ string, write bool) bool {
	return write || !errors.Is(cl.StopCause(), errTooSlow)
}

// quiet lowers the level of the library's logging, because clients that come and
// go are not worth a line.
type quiet struct{ slog.Handler }

func (quiet) level(l slog.Level) slog.Level {
	if l >= slog.LevelError {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// Enabled implements slog.Handler.
func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return q.Handler.Enabled(ctx, q.level(l))
}

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	r.Level = q.level(r.Level)
	r.Message = cmp.Or(r.Message, "a client's connection ended")
	return q.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
