package mqtt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/fake"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds the wait for things that must happen; no test measures with it.
const patience = 30 * time.Second

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// mosquitto is a real broker on a port of its own.
type mosquitto struct {
	addr  string
	extra string
	dir   string
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process is gone
}

func newMosquitto(t *testing.T, extra string) *mosquitto {
	t.Helper()
	m := &mosquitto{addr: fake.FreeAddr(t), extra: extra, dir: t.TempDir()}
	t.Cleanup(m.kill)
	return m
}

func (m *mosquitto) url() string { return "mqtt://" + m.addr }

// start runs the broker and returns when it accepts connections.
func (m *mosquitto) start(t *testing.T) {
	t.Helper()
	conf := filepath.Join(m.dir, "mosquitto.conf")
	_, port, _ := strings.Cut(m.addr, ":")
	text := fmt.Sprintf("user root\npersistence false\nlistener %s 127.0.0.1\n%s\n", port, m.extra)
	if !strings.Contains(m.extra, "allow_anonymous") {
		text += "allow_anonymous true\n"
	}
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	bin, err := exec.LookPath("mosquitto")
	if err != nil {
		bin = "/usr/sbin/mosquitto"
	}
	var stderr bytes.Buffer
	m.cmd = exec.CommandContext(context.Background(), bin, "-c", conf)
	m.cmd.Stderr = &stderr
	if err := m.cmd.Start(); err != nil {
		t.Fatalf("starting mosquitto (make setup installs it): %v", err)
	}
	cmd, ended := m.cmd, make(chan struct{})
	m.ended = ended
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	ctx := bounded(t)
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", m.addr)
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-ended:
			t.Fatalf("mosquitto ended at its start:\n%s", stderr.String())
		case <-ctx.Done():
			t.Fatalf("mosquitto does not accept connections: %v", err)
		default:
			pause(ctx)
		}
	}
}

func (m *mosquitto) kill() {
	if m.cmd == nil {
		return
	}
	_ = m.cmd.Process.Kill()
	<-m.ended
	m.cmd = nil
}

// pause waits a moment, so that polling another process is no busy loop.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(20 * time.Millisecond):
	}
}

// running starts a client and stops it at the end of the test.
func running(t *testing.T, cfg Config) (c *Client, stop func()) {
	t.Helper()
	c, err := New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(stop)
	return c, stop
}

func connected(t *testing.T, cfg Config) *Client {
	t.Helper()
	c, _ := running(t, cfg)
	if err := c.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	return c
}

type got struct {
	topic, payload string
	retained       bool
}

func collect(t *testing.T, c *Client, filter string) <-chan got {
	t.Helper()
	ch := make(chan got, 1000)
	err := c.Subscribe(bounded(t), filter, func(topic string, payload []byte, retained bool) {
		ch <- got{topic, string(payload), retained}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func next[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-bounded(t).Done():
		t.Fatal("nothing arrived")
		panic("unreachable")
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg  Config
		want string // part of the error; empty: no error
	}{
		"plain":                        {Config{URL: "mqtt://127.0.0.1:1883"}, ""},
		"localhost by name":            {Config{URL: "tcp://localhost"}, ""},
		"websocket with path":          {Config{URL: "ws://[::1]:9001/mqtt"}, ""},
		"remote with credentials":      {Config{URL: "mqtts://broker.lan", Username: "u", Password: "p"}, ""},
		"remote, credentials in URL":   {Config{URL: "mqtt://u:p@broker.lan"}, ""},
		"remote, insecure allowed":     {Config{URL: "mqtt://broker.lan", AllowInsecure: true}, ""},
		"remote without credentials":   {Config{URL: "mqtt://broker.lan"}, "set mqtt.username"},
		"empty":                        {Config{}, "expected mqtt://host:1883"},
		"no scheme":                    {Config{URL: "broker.lan:1883"}, "expected mqtt://host:1883"},
		"http":                         {Config{URL: "http://127.0.0.1"}, `begins with "http://"`},
		"path without websocket":       {Config{URL: "mqtt://127.0.0.1/topic"}, "has a path"},
		"authority without encryption": {Config{URL: "mqtt://127.0.0.1", CAFile: "ca.pem"}, "mqtts://"},
		"password without name":        {Config{URL: "mqtt://127.0.0.1", Password: "p"}, "mqtt.username"},
		"wildcard in the will":         {Config{URL: "mqtt://127.0.0.1", Will: &Message{Topic: "a/#"}}, "wildcard"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(tc.cfg, slog.New(slog.DiscardHandler))
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestSecretsAreInNoError(t *testing.T) {
	for _, url := range []string{
		"mqtt://user:hunter2@broker.lan\x7f", "http://user:hunter2@broker.lan", "mqtt://user:hunter2@",
		"mqtt://user:hunter2@127.0.0.1/path", "mqtt://user:hunter2@127.0.0.1:99999", "user:hunter2@host",
	} {
		c, err := New(Config{URL: url}, slog.New(slog.DiscardHandler))
		if err == nil {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err = c.AwaitConnected(ctx)
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

func TestMessagesArriveInOrderWithTheirRetainFlag(t *testing.T) {
	m := newMosquitto(t, "")
	m.start(t)
	c := connected(t, Config{URL: m.url()})
	if err := c.PublishRetained(bounded(t), "house/kept", []byte("before")); err != nil {
		t.Fatal(err)
	}
	ch := collect(t, c, "house/#")
	if g := next(t, ch); g != (got{"house/kept", "before", true}) {
		t.Fatalf("got %+v", g)
	}
	for i := range 100 {
		if err := c.Publish(bounded(t), "house/n", fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		if g := next(t, ch); g != (got{"house/n", fmt.Sprint(i), false}) {
			t.Fatalf("message %d: got %+v", i, g)
		}
	}
}

func TestReconnectsAndSubscribesAgain(t *testing.T) {
	m := newMosquitto(t, "")
	c, _ := running(t, Config{URL: m.url()})
	changes := make(chan bool, 10)
	c.OnConnection(func(up bool) { changes <- up })
	early := collect(t, c, "a/+") // before there is any broker
	m.start(t)
	if !next(t, changes) {
		t.Fatal("the first change is not up")
	}
	late := collect(t, c, "b")

	m.kill()
	if next(t, changes) {
		t.Fatal("the change after the broker's death is not down")
	}
	if err := c.Publish(bounded(t), "a/x", []byte("lost")); !errors.Is(err, ErrNotConnected) {
		t.Fatalf("publish without a broker: %v", err)
	}
	m.start(t)
	if !next(t, changes) {
		t.Fatal("the change after the broker's return is not up")
	}
	for _, topic := range []string{"a/x", "b"} {
		if err := c.Publish(bounded(t), topic, []byte("after")); err != nil {
			t.Fatal(err)
		}
	}
	if g := next(t, early); g.payload != "after" {
		t.Errorf("an old publish was replayed, or lost: %+v", g)
	}
	if g := next(t, late); g.payload != "after" {
		t.Errorf("got %+v", g)
	}
}

// TestAnswersToTheFirstMessagesAreNotLost: what the broker kept comes before the last
// subscription is renewed, and is answered all the same.
func TestAnswersToTheFirstMessagesAreNotLost(t *testing.T) {
	m := newMosquitto(t, "")
	m.start(t)
	stranger := connected(t, Config{URL: m.url()})
	if err := stranger.PublishRetained(bounded(t), "kept", []byte("question")); err != nil {
		t.Fatal(err)
	}
	answers := collect(t, stranger, "answer")
	c, err := New(Config{URL: m.url()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	if err := c.Subscribe(t.Context(), "kept", func(string, []byte, bool) { failed <- c.Publish(bounded(t), "answer", []byte("here")) }); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if err := c.Subscribe(t.Context(), fmt.Sprint("more/", i), func(string, []byte, bool) {}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { _ = c.Run(ctx) })
	t.Cleanup(func() { cancel(); run.Wait() })
	if err := next(t, failed); err != nil {
		t.Fatal(err)
	}
	if g := next(t, answers); g.payload != "here" {
		t.Errorf("got %+v", g)
	}
}

// TestPublishHonoursItsContextWhenTheBrokerHangs uses a frozen broker, which
// keeps the connection open and answers nothing.
func TestPublishHonoursItsContextWhenTheBrokerHangs(t *testing.T) {
	m := newMosquitto(t, "")
	m.start(t)
	c := connected(t, Config{URL: m.url()})
	freeze(t, m.cmd)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.Publish(ctx, "a", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("publish: %v", err)
	}
}

func TestWillIsSentWhenTheConnectionBreaksAndWhenItEnds(t *testing.T) {
	m := newMosquitto(t, "")
	m.start(t)
	watcher := connected(t, Config{URL: m.url()})
	ch := collect(t, watcher, "gw/availability")
	cfg := Config{URL: m.url(), ClientID: "gw", Will: &Message{Topic: "gw/availability", Payload: []byte("offline"), Retained: true}}

	c, stop := running(t, cfg)
	if err := c.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	// A second client with the same id makes the broker cut the first one off.
	cfg2 := cfg
	cfg2.Will = nil
	_, stop2 := running(t, cfg2)
	if g := next(t, ch); g.payload != "offline" {
		t.Fatalf("got %+v", g)
	}
	stop2()
	if err := c.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	if err := c.PublishRetained(bounded(t), "gw/availability", []byte("online")); err != nil {
		t.Fatal(err)
	}
	for next(t, ch).payload != "online" {
	}
	stop()
	if g := next(t, ch); g.payload != "offline" {
		t.Fatalf("after a clean goodbye got %+v", g)
	}

	cfg.QuietStop = true
	quiet, stop := running(t, cfg)
	if err := quiet.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"online", "going"} {
		if err := quiet.PublishRetained(bounded(t), "gw/availability", []byte(word)); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if err := watcher.Publish(bounded(t), "gw/availability", []byte("end of the test")); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"online", "going", "end of the test"} {
		if g := next(t, ch); g.payload != word {
			t.Fatalf("around a quiet goodbye got %+v, expected %q", g, word)
		}
	}
}

func TestCredentials(t *testing.T) {
	dir := t.TempDir()
	passwords := filepath.Join(dir, "passwords")
	if out, err := exec.CommandContext(t.Context(), "mosquitto_passwd", "-b", "-c", passwords, "family", "s3cret").CombinedOutput(); err != nil {
		t.Fatalf("mosquitto_passwd: %v\n%s", err, out)
	}
	m := newMosquitto(t, "allow_anonymous false\npassword_file "+passwords)
	m.start(t)
	connected(t, Config{URL: m.url(), Username: "family", Password: "s3cret"})

	c, _ := running(t, Config{URL: m.url(), Username: "family", Password: "wr0ng"})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for ctx.Err() == nil {
		err := c.Publish(ctx, "a", nil)
		if err != nil && strings.Contains(err.Error(), "refused the credentials") {
			if strings.Contains(err.Error(), "wr0ng") {
				t.Fatalf("the password is in the error: %v", err)
			}
			return
		}
		pause(ctx)
	}
	t.Fatal("the refusal is never told")
}

func TestHandlersMayBlockAndPublish(t *testing.T) {
	m := newMosquitto(t, "")
	m.start(t)
	c := connected(t, Config{URL: m.url()})
	answers := collect(t, c, "answer")
	err := c.Subscribe(bounded(t), "question", func(string, []byte, bool) {
		if err := c.Publish(context.Background(), "answer", []byte("yes")); err != nil {
			t.Error(err)
		}
		if err := c.Subscribe(context.Background(), "more", func(string, []byte, bool) {}); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Publish(bounded(t), "question", nil); err != nil {
		t.Fatal(err)
	}
	if g := next(t, answers); g.payload != "yes" {
		t.Errorf("got %+v", g)
	}
}

func TestAwaitConnectedSaysWhy(t *testing.T) {
	m := newMosquitto(t, "") // never started: nothing listens there
	c, _ := running(t, Config{URL: m.url()})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for ctx.Err() == nil && !strings.Contains(fmt.Sprint(c.Publish(ctx, "a", nil)), "refused") {
		pause(ctx)
	}
	gone, cancelGone := context.WithCancel(ctx)
	cancelGone()
	err := c.AwaitConnected(gone)
	if !errors.Is(err, ErrNotConnected) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("error %v", err)
	}
}

func TestRunStopsWhileItCannotConnect(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	_, stop := running(t, Config{URL: "mqtt://" + silent.Addr().String()})
	conn, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	stop() // goleak finds what is left
}
