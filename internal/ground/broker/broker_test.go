package broker

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/ground/mqtt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds the wait for things that must happen; no test measures with it.
const patience = 60 * time.Second

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// runner is anything with a Run that ends with its context.
type runner interface {
	Run(ctx context.Context) error
}

func start(t *testing.T, r runner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func running(t *testing.T, cfg Config) (b *Broker, stop func()) {
	t.Helper()
	b, err := New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	stop = start(t, b)
	if err := b.Ready(bounded(t)); err != nil {
		t.Fatal(err)
	}
	return b, stop
}

func client(t *testing.T, cfg mqtt.Config) *mqtt.Client {
	t.Helper()
	c, err := mqtt.New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	start(t, c)
	return c
}

// The embedded broker is for this machine alone, with credentials or without: any other
// address is refused, and the error says how mosquitto takes its place.
func TestTheBrokerIsForThisMachineAlone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cfg  Config
		want string
	}{
		"loopback":                    {Config{Listen: "127.0.0.1:0"}, ""},
		"loopback, another address":   {Config{Listen: "127.8.8.8:0"}, ""},
		"loopback, version 6":         {Config{Listen: "[::1]:0"}, ""},
		"loopback, with a lock":       {Config{Listen: "127.0.0.1:0", Username: "u", Password: "p"}, ""},
		"by name":                     {Config{Listen: "localhost:0"}, ""},
		"everywhere":                  {Config{Listen: ":1884"}, "mosquitto"},
		"everywhere, by address":      {Config{Listen: "0.0.0.0:1884"}, "mosquitto"},
		"everywhere, version 6":       {Config{Listen: "[::]:1884"}, "mosquitto"},
		"everywhere, with a lock":     {Config{Listen: ":1884", Username: "u", Password: "p"}, "mosquitto"},
		"the network":                 {Config{Listen: "192.168.1.5:1884"}, "mosquitto"},
		"the network, with a lock":    {Config{Listen: "192.168.1.5:1884", Username: "u", Password: "p"}, "mosquitto"},
		"the network, version 6":      {Config{Listen: "[fe80::1%eth0]:1884", Username: "u", Password: "p"}, "mosquitto"},
		"a name that may be remote":   {Config{Listen: "pi.lan:1884"}, "mosquitto"},
		"a name that looks like ours": {Config{Listen: "localhost.lan:1884"}, "mosquitto"},
		"half of the credentials":     {Config{Listen: "127.0.0.1:0", Username: "u"}, "or neither"},
		"no port":                     {Config{Listen: "127.0.0.1"}, "expected host:port"},
	} {
		_, err := New(tc.cfg, slog.New(slog.DiscardHandler))
		if (err == nil) != (tc.want == "") || (err != nil && !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v", name, err)
		}
		if tc.want != "mosquitto" || err == nil {
			continue
		}
		for _, part := range []string{"mqtt.embedded.listen", "apt-get install mosquitto", "listener 1883", "mosquitto_passwd", "config set mqtt.broker mqtt://127.0.0.1:1883"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: the error does not say %q: %v", name, part, err)
			}
		}
	}
}

func TestPortInUseNamesTheKey(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	b, err := New(Config{Listen: l.Addr().String()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Run(bounded(t)); err == nil || !strings.Contains(err.Error(), "change mqtt.embedded.listen") {
		t.Errorf("error %v", err)
	}
}

// TestEveryRetainedMessageArrives stands for a house of 232 nodes, whose
// thousands of retained values must all reach a client that subscribes to them.
func TestEveryRetainedMessageArrives(t *testing.T) {
	b, _ := running(t, Config{Listen: "127.0.0.1:0"})
	c := client(t, mqtt.Config{URL: "mqtt://" + b.Addr()})
	if err := c.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	const n = 10_000
	var publishers sync.WaitGroup
	for p := range 8 {
		publishers.Go(func() {
			for i := p; i < n; i += 8 {
				if err := c.PublishRetained(bounded(t), fmt.Sprintf("house/%d", i), []byte("x")); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	publishers.Wait()
	arrived := make(chan string, n)
	late := client(t, mqtt.Config{URL: "mqtt://" + b.Addr()})
	if err := late.Subscribe(bounded(t), "house/#", func(topic string, _ []byte, retained bool) {
		if retained {
			arrived <- topic
		}
	}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	ctx := bounded(t)
	for len(seen) < n {
		select {
		case topic := <-arrived:
			seen[topic] = true
		case <-ctx.Done():
			t.Fatalf("%d of %d arrived", len(seen), n)
		}
	}
}

func TestCredentials(t *testing.T) {
	b, _ := running(t, Config{Listen: "127.0.0.1:0", Username: "family", Password: "s3cret"})
	good := client(t, mqtt.Config{URL: "mqtt://" + b.Addr(), Username: "family", Password: "s3cret"})
	if err := good.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]mqtt.Config{
		"none": {}, "wrong password": {Username: "family", Password: "x"}, "wrong user": {Username: "x", Password: "s3cret"},
	} {
		cfg.URL = "mqtt://" + b.Addr()
		bad := client(t, cfg)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		if err := bad.AwaitConnected(ctx); err == nil {
			t.Errorf("%s: let in", name)
		}
		cancel()
	}
}

// TestStopsWithSilentAndLivingClients checks that a client that connects and
// sends nothing does not delay the stop.
func TestStopsWithSilentAndLivingClients(t *testing.T) {
	b, stop := running(t, Config{Listen: "127.0.0.1:0"})
	conn, err := net.Dial("tcp", b.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	c := client(t, mqtt.Config{URL: "mqtt://" + b.Addr()})
	if err := c.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	stop()
}

func TestClientReturnsAfterARestartOnTheSamePort(t *testing.T) {
	b, stop := running(t, Config{Listen: "127.0.0.1:0"})
	c := client(t, mqtt.Config{URL: "mqtt://" + b.Addr()})
	heard := make(chan string, 10)
	if err := c.Subscribe(bounded(t), "a", func(_ string, p []byte, _ bool) { heard <- string(p) }); err != nil {
		t.Fatal(err)
	}
	if err := c.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	down := make(chan bool, 10)
	c.OnConnection(func(up bool) { down <- !up })
	stop()
	for !<-down { // the first call may tell that it is up
	}
	running(t, Config{Listen: b.Addr()})
	if err := c.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	if err := c.Publish(bounded(t), "a", []byte("again")); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-heard:
		if got != "again" {
			t.Errorf("heard %q", got)
		}
	case <-bounded(t).Done():
		t.Fatal("the subscription did not come back")
	}
}

func TestLogsAreQuiet(t *testing.T) {
	var out bytes.Buffer
	b, err := New(Config{Listen: "127.0.0.1:0"}, slog.New(slog.NewTextHandler(&out, nil)))
	if err != nil {
		t.Fatal(err)
	}
	stop := start(t, b)
	if err := b.Ready(bounded(t)); err != nil {
		t.Fatal(err)
	}
	c := client(t, mqtt.Config{URL: "mqtt://" + b.Addr()})
	if err := c.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	stop()
	if lines := strings.Count(out.String(), "\n"); lines != 1 {
		t.Errorf("%d lines:\n%s", lines, out.String())
	}
}

// TestTheLibraryDoesNotCloseOurClients guards against a deadlock: to close
// clients the library takes a read lock twice, and locks up when a client leaves
// between the two.
func TestTheLibraryDoesNotCloseOurClients(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	door := newListener(&tracked{Listener: l, open: map[net.Conn]*trackedConn{}})
	door.Close(func(string) { t.Error("the library is asked to close the clients") })
	if _, err := l.Accept(); err == nil {
		t.Error("the listener is still open")
	}
}
