// Package broker is the embedded MQTT broker, for the demo and for homes where everything
// runs on one box. It exists so that these need no other program; a home with its own
// broker never starts it.
//
// It listens on loopback alone; for other machines there is mosquitto. Programs of
// this machine are not all trusted, so what each of them can make it keep is bounded.
//
// It keeps nothing over a restart, and of a client nothing beyond its connection:
// clients subscribe and publish their retained messages again when the connection is
// back. To add a listener (TLS, websocket), attach it in serve; it must obey the rule
// New checks.
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

	"voicegateway/internal/ground/httpguard"
)

// Config says where the broker listens and who may come in.
type Config struct {
	Listen   string `yaml:"listen"` // host:port of loopback; port 0 takes a free one
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

// Validate reports what is wrong with the address: anything but loopback is. The error
// tells how mosquitto takes the place of this broker.
func (cfg Config) Validate() error {
	host, err := httpguard.Address(cfg.Listen, Default().Listen)
	if err != nil {
		return fmt.Errorf("mqtt.embedded.listen: %w", err)
	}
	if !httpguard.Loopback(host) {
		return beyond(cfg.Listen)
	}
	return nil
}

// beyond is the error of an address that is not loopback.
func beyond(listen string) error {
	return fmt.Errorf("mqtt.embedded.listen: other machines can reach %q, and the broker inside the gateway is for this machine alone: it listens at an address such as %s. %s", listen, Default().Listen, mosquitto)
}

// mosquitto is the way to a broker for several machines: install it, let it listen with
// a password, and name it in mqtt.broker.
const mosquitto = `For a broker that other machines use, install mosquitto with these three lines; the last one wants the password given in the second:
  sudo apt-get install mosquitto
  printf '%s\n' 'listener 1883' 'allow_anonymous false' 'password_file /etc/mosquitto/passwords' | sudo tee /etc/mosquitto/conf.d/house.conf && sudo mosquitto_passwd -c /etc/mosquitto/passwords voice-gateway && sudo systemctl restart mosquitto
  sudo voice-gateway config set mqtt.broker mqtt://127.0.0.1:1883 && sudo voice-gateway config set mqtt.username voice-gateway && sudo voice-gateway config secret mqtt.password
Other machines then name this one, port 1883, and a user of their own (docs/first-house.md).`

// New checks cfg: it must name loopback (REQUIREMENTS S4), and credentials are whole or
// none.
func New(cfg Config, log *slog.Logger) (*Broker, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if (cfg.Username == "") != (cfg.Password == "") {
		return nil, errors.New("the embedded broker needs a user name and a password, or neither")
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
	if at, ok := listener.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() { // a name may lead elsewhere
		_ = listener.Close()
		return beyond(listener.Addr().String())
	}
	conns := &tracked{Listener: listener, log: b.log, open: map[net.Conn]*trackedConn{}, large: newIntake(maxIntake)}
	defer conns.closeAndWait()
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
		&guests{}, &filters{server: server, log: b.log},
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
	conns.closeAndWait() // including connections that never sent CONNECT: Close would wait for them
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
	c.MaximumSessionExpiryInterval = 0 // also told to a client that wants its session to last
	c.TopicAliasMaximum = 0            // it would keep 65,535 topics of each client
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
